#include "release/lifting/gaussian_process_kernel.h"

#include <algorithm>
#include <cmath>

#include "numerics/dense.h"

namespace modicum {
namespace {

// Of the distance over the length scale. Beyond 1000 all are 0 in doubles, and infinity is no
// number to multiply 0 with.
double correlation(PriorKernel kernel, double u) {
  if (!(u < 1000.0)) return 0.0;
  const double root3 = std::sqrt(3.0) * u, root5 = std::sqrt(5.0) * u;
  switch (kernel) {
    case PriorKernel::rbf:
      return std::exp(-0.5 * u * u);
    case PriorKernel::matern12:
      return std::exp(-u);
    case PriorKernel::matern32:
      return (1.0 + root3) * std::exp(-root3);
    case PriorKernel::matern52:
      return (1.0 + root5 + root5 * root5 / 3.0) * std::exp(-root5);
    case PriorKernel::linear:
      break;
  }
  throw Error("there is no such kernel of distances");
}

// Differences first: |a|^2 + |b|^2 - 2 a b would lose what is left of near points.
double entry(PriorKernel kernel, double length_scale, double amplitude, const double* a,
             const double* b, Eigen::Index dimension) {
  double square = 0.0;
  for (Eigen::Index i = 0; i < dimension; ++i) {
    const double difference = (a[i] - b[i]) / length_scale;
    square += difference * difference;
  }
  return amplitude * correlation(kernel, std::sqrt(square));
}

}  // namespace

const char* name_of(PriorKernel kernel) {
  switch (kernel) {
    case PriorKernel::rbf:
      return "rbf";
    case PriorKernel::matern12:
      return "matern12";
    case PriorKernel::matern32:
      return "matern32";
    case PriorKernel::matern52:
      return "matern52";
    case PriorKernel::linear:
      return "linear";
  }
  return "";
}

Eigen::MatrixXd kernel_matrix(PriorKernel kernel, double length_scale, double amplitude,
                              const RowBlock& a, const RowBlock& b) {
  if (kernel == PriorKernel::linear) return amplitude * (a * b.transpose());
  Eigen::MatrixXd result(a.rows(), b.rows());
  for (Eigen::Index j = 0; j < b.rows(); ++j)
    for (Eigen::Index i = 0; i < a.rows(); ++i)
      result(i, j) = entry(kernel, length_scale, amplitude, a.data() + i * a.cols(),
                           b.data() + j * b.cols(), a.cols());
  return result;
}

Eigen::MatrixXd kernel_matrix(PriorKernel kernel, double length_scale, double amplitude,
                              const RowBlock& a) {
  Eigen::MatrixXd result(a.rows(), a.rows());
  for (Eigen::Index j = 0; j < a.rows(); ++j)
    for (Eigen::Index i = j; i < a.rows(); ++i) {
      const double* left = a.data() + i * a.cols();
      const double* right = a.data() + j * a.cols();
      result(i, j) = result(j, i) =
          kernel == PriorKernel::linear
              ? amplitude * a.row(i).dot(a.row(j))
              : entry(kernel, length_scale, amplitude, left, right, a.cols());
    }
  return result;
}

// If Cholesky's factorization of A ends well in floating point, A has no eigenvalue below -c tr A,
// c = (m + 1) u / (1 - 2 (m + 1) u), u = 2^-53, whatever the order of its sums, with fused
// operations or without [Rump2006]. LAPACK multiplies with the reciprocals of diagonal entries
// where the proof divides: one rounding more off the diagonal, where m - 1 were counted. With A =
// bound I - K, of trace at most m bound, the eigenvalues of K are at most bound (1 + 2^-52 m (m +
// 2)). Entries that are off by 2^-45 of the largest move an eigenvalue by m times that.
double largest_eigenvalue_bound(const Eigen::MatrixXd& symmetric) {
  const double rows = static_cast<double>(symmetric.rows());
  const double entries = 0x1p-45 * rows * symmetric.cwiseAbs().maxCoeff();
  const double by_sums =
      symmetric.cwiseAbs().rowwise().sum().maxCoeff() * (1.0 + 0x1p-52 * rows) + entries;
  if (!std::isfinite(by_sums)) return by_sums;
  const double guess = symmetric_eigenvalues(symmetric)[symmetric.rows() - 1] * (1.0 + 0x1p-20);
  Eigen::MatrixXd rest = -symmetric;
  rest.diagonal().array() += guess;
  if (!(guess > 0.0) || !CholeskyFactor(rest).positive_definite()) return by_sums;
  return std::min(by_sums, guess * (1.0 + 0x1p-51 * rows * (rows + 2.0)) + entries);
}

}  // namespace modicum
