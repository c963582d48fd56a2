#include "modicum/mechanisms/directed_noise.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "modicum/numerics/errors.h"
#include "numerics/ball.h"
#include "numerics/dense.h"

namespace modicum {
namespace {

// Weights p on the directions, M = sum of p_i u_i u_i^T. K = Tr(M^(1/2)) M^(1/2) has u^T K^-1 u <=
// 1 for all u where p is best, and (Tr M^(1/2))^2 is never more than the least trace. Multiplying p
// by (u^T K^-1 u)^2 is exact for directions at right angles.
constexpr int most_improvements = 2000;
constexpr double close_enough = 1e-4;
// Of the eigenvalues of M, relative to the largest: of directions that span, and in doubles at all.
constexpr double least_spread = 1e-12, least_told = 1e-14;

struct WeightedRoot {
  Eigen::MatrixXd root, inverse;  // M^(1/2), and its inverse
  double trace;
};

// None where some eigenvalue is not above this share of the largest.
std::optional<WeightedRoot> weighted_root(const Eigen::MatrixXd& directions,
                                          const Eigen::VectorXd& weights, double least) {
  const SymmetricEigen axes =
      symmetric_eigen(directions.transpose() * weights.asDiagonal() * directions);
  const double largest = axes.values.maxCoeff();
  if (!(largest > 0.0 && axes.values.minCoeff() >= least * largest)) return {};
  const Eigen::VectorXd roots = axes.values.cwiseSqrt();
  return WeightedRoot{axes.vectors * roots.asDiagonal() * axes.vectors.transpose(),
                      axes.vectors * roots.cwiseInverse().asDiagonal() * axes.vectors.transpose(),
                      roots.sum()};
}

// |L^-1 u| for the lower triangle as it is, by forward substitution in balls.
double largest_reach(const Eigen::MatrixXd& lower, const Eigen::MatrixXd& directions) {
  const PrecisionScope scope(128);
  const Eigen::Index d = lower.rows();
  double largest = 0.0;
  std::vector<Ball> solved(static_cast<std::size_t>(d));
  for (Eigen::Index row = 0; row < directions.rows(); ++row) {
    Ball square(0.0);
    for (Eigen::Index i = 0; i < d; ++i) {
      Ball left(directions(row, i));
      for (Eigen::Index j = 0; j < i; ++j)
        left -= Ball(lower(i, j)) * solved[static_cast<std::size_t>(j)];
      solved[static_cast<std::size_t>(i)] = left / Ball(lower(i, i));
      square += solved[static_cast<std::size_t>(i)] * solved[static_cast<std::size_t>(i)];
    }
    const double reach = sqrt(square).upper();
    if (!(reach < HUGE_VAL)) return HUGE_VAL;  // nor is anything proved where it is no number
    largest = std::max(largest, reach);
  }
  return largest;
}

}  // namespace

DirectedNoise least_directed_noise(const Eigen::MatrixXd& directions) {
  const Eigen::Index count = directions.rows();
  if (count == 0 || directions.cols() == 0)
    throw InvalidParameter("directions", "none", "must be a row for each direction");
  if (!directions.allFinite())
    throw InvalidParameter("directions", "not finite", "must be finite numbers");
  Eigen::VectorXd weights = Eigen::VectorXd::Constant(count, 1.0 / static_cast<double>(count));
  auto at = weighted_root(directions, weights, least_spread);
  if (!at)
    throw InvalidParameter(
        "directions", "too few",
        "must span all coordinates: leave out of the output what no record moves");
  double least_trace = 0.0;
  for (int round = 0; round < most_improvements; ++round) {
    const Eigen::VectorXd pulls =
        (directions * at->inverse).cwiseProduct(directions).rowwise().sum() / at->trace;
    least_trace = std::max(least_trace, at->trace * at->trace);
    if (!(pulls.maxCoeff() > 1.0 + close_enough)) break;
    weights = weights.cwiseProduct(pulls.cwiseAbs2());
    weights /= weights.sum();
    auto next = weighted_root(directions, weights, least_told);
    if (!next) break;  // any weights will do
    at = std::move(next);
  }
  DirectedNoise found{CholeskyFactor(at->trace * at->root).lower(), 0.0, 0.0, least_trace};
  found.reach = largest_reach(found.root, directions);
  if (!(found.reach < HUGE_VAL))
    throw InvalidParameter("directions", "too few", "must span all coordinates");
  found.trace = found.root.squaredNorm() * found.reach * found.reach;
  return found;
}

}  // namespace modicum
