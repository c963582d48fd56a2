#include "randomness/bingham_shift.h"

#include <algorithm>
#include <cmath>

#include "numerics/dense.h"

namespace modicum {
namespace {

// Solves sum_i 1/(poles_i + x) + rest/(distance + x) = 2 right of all poles: with d the distance
// from the last of them, one term is 2 at d = 1/2, and all together are below at d = count/2.
double right_of_poles(const Eigen::ArrayXd& poles, double rest, double distance) {
  double last = -poles.minCoeff();
  if (rest > 0.0) last = std::max(last, -distance);
  double low = 0.0, high = 0.5 * (static_cast<double>(poles.size()) + rest);
  while (high - low > 1e-3 * high) {
    const double middle = 0.5 * (low + high), x = last + middle;
    const double sum = (poles + x).inverse().sum() + (rest > 0.0 ? rest / (distance + x) : 0.0);
    (sum > 2.0 ? low : high) = middle;
  }
  return last + high;
}

}  // namespace

// With T the first c + 1 coordinates, B the others, W_T and W_B the columns there, y_B is
// eliminated given y_T: on the complement
//   log det(A + s) = log det(A_B + s) + log det C + log det E,
//   C = W_B^T (A_B + s)^{-1} W_B,  E = A_T + s + W_T C^{-1} W_T^T,
// and the trace is half its derivative by s. E is nearly linear in s, the rest nearly constant:
// the poles of the trace are the eigenvalues of E against E', at most c + 1 of them matter, and
// what is left is as if all of B were at one distance. A few steps of this settle.
double balanced_shift(const Eigen::VectorXd& exponents, const Eigen::MatrixXd& columns,
                      double start) {
  const Eigen::Index count = columns.cols(), top = count + 1, bottom = exponents.size() - top;
  const auto above = columns.topRows(top);
  const auto below = columns.bottomRows(bottom);
  const auto others = static_cast<double>(bottom - count);
  double shift = start;
  for (int step = 0; step < 8; ++step) {
    const Eigen::ArrayXd inverse = (exponents.tail(bottom).array() + shift).inverse();
    const Eigen::MatrixXd scaled = inverse.sqrt().matrix().asDiagonal() * below;
    const Eigen::MatrixXd twice = inverse.matrix().asDiagonal() * below;
    Eigen::MatrixXd first = scaled.transpose() * scaled;
    // Columns along the axes have nothing below: a little more makes C invertible.
    first.diagonal().array() += 1e-12 * inverse.maxCoeff();
    const CholeskyFactor factor(first);
    const Eigen::MatrixXd product = twice.transpose() * twice;
    if (!factor.positive_definite() || !product.allFinite()) return start;
    const Eigen::MatrixXd pull = factor.half_solve(above.transpose());
    const Eigen::MatrixXd second = factor.whitened(product);
    Eigen::MatrixXd energy = pull.transpose() * pull, slope = pull.transpose() * second * pull;
    energy.diagonal().array() += exponents.head(top).array() + shift;
    slope.diagonal().array() += 1.0;
    const CholeskyFactor slopes(slope);
    if (!slopes.positive_definite() || !energy.allFinite()) return start;
    const Eigen::VectorXd poles = symmetric_eigenvalues(slopes.whitened(energy));
    const double rest = inverse.sum() - second.trace();
    const bool has_rest = others > 0.0 && rest > 0.0;
    const double x = right_of_poles(poles, has_rest ? others : 0.0, has_rest ? others / rest : 0.0);
    if (!std::isfinite(x)) return start;
    // One eigenvalue on the complement is at most a_{c+1} = 0, with a term of at most 1; none is
    // below a_1.
    const double most = 0.5 * static_cast<double>(exponents.size()) - exponents[0];
    const double next = std::clamp(shift + x, 0.5, most);
    const bool settled = std::abs(next - shift) < 0.1 + 0.01 * shift;
    shift = next;
    if (settled) break;
  }
  return shift;
}

}  // namespace modicum
