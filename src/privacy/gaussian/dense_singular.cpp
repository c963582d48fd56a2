// Pairs with a singular covariance. The entries are exact doubles, so ranges can be compared in
// exact arithmetic: no tolerance decides whether delta is 1.
#include <fmt/format.h>

#include <vector>

#include "modicum/numerics/errors.h"
#include "numerics/ball_matrix.h"
#include "numerics/dense.h"
#include "privacy/gaussian/dense_reduction.h"

namespace modicum {
namespace {

constexpr long largest_exact_dimension = 300;

void require_semidefinite(const char* name, const Eigen::MatrixXd& covariance) {
  const Eigen::VectorXd values = symmetric_eigenvalues(covariance);
  if (values.minCoeff() < -1e-10 * values.cwiseAbs().maxCoeff())
    throw InvalidParameter(name, fmt::format("a matrix with eigenvalue {:.6g}", values.minCoeff()),
                           "must not have a negative eigenvalue");
}

long rank_of(const Eigen::MatrixXd& matrix) {
  return exact_rank(matrix, Eigen::MatrixXd::Zero(matrix.rows(), matrix.cols()));
}

// Coordinates on which the covariance has full rank, by pivoted Cholesky steps.
std::vector<long> independent_coordinates(Eigen::MatrixXd matrix, long rank) {
  std::vector<long> chosen;
  for (long step = 0; step < rank; ++step) {
    long pivot = 0;
    matrix.diagonal().maxCoeff(&pivot);
    const Eigen::VectorXd column = matrix.col(pivot);
    const double size = matrix(pivot, pivot);
    if (!(size > 0.0)) break;
    matrix -= column * column.transpose() / size;
    matrix.row(pivot).setZero();
    matrix.col(pivot).setZero();
    chosen.push_back(pivot);
  }
  return chosen;
}

GaussianDistribution restricted(const GaussianDistribution& given, const std::vector<long>& kept) {
  return {given.mean(kept), given.covariance(kept, kept)};
}

}  // namespace

// Where the ranges agree and hold the difference of the means, the other coordinates are one and
// the same affine function of `kept` under both laws: dropping them loses nothing.
std::optional<GaussianSpectrum> reduce_singular_pair(const GaussianDistribution& x,
                                                     const GaussianDistribution& y) {
  require_semidefinite("covariance1", x.covariance);
  require_semidefinite("covariance2", y.covariance);
  const long d = x.mean.size();
  if (d > largest_exact_dimension)
    throw InvalidParameter(
        "covariance", "singular or nearly so",
        fmt::format("must be well conditioned above dimension {}", largest_exact_dimension));
  const long rank1 = rank_of(x.covariance), rank2 = rank_of(y.covariance);
  Eigen::MatrixXd high = Eigen::MatrixXd::Zero(d, 2 * d + 1), low = high;
  high << x.covariance, y.covariance, x.mean;
  low.col(2 * d) = -y.mean;
  const long joint = rank_of(high.leftCols(2 * d));
  if (rank1 != joint || rank2 != joint || exact_rank(high, low) != joint) return std::nullopt;
  if (joint == d)
    throw InvalidParameter("covariance", "too close to singular", "must be better conditioned");
  const std::vector<long> kept = independent_coordinates(y.covariance, joint);
  const GaussianDistribution inner_x = restricted(x, kept), inner_y = restricted(y, kept);
  if (rank_of(inner_x.covariance) != joint || rank_of(inner_y.covariance) != joint)
    throw InvalidParameter("covariance", "too close to singular", "must be better conditioned");
  return reduce_pair(inner_x, inner_y);
}

}  // namespace modicum
