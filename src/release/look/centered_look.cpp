#include "release/look/centered_look.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace modicum {
namespace {

// Hundredths of mu^2; the moments get the rest.
constexpr int share_of_means = 10, share_of_norms = 5;

// Edges of norms fall by this factor.
const double edge_factor = std::exp2(0.125);
constexpr int edge_count = 160;

// Beside rows that are clipped to 1.
constexpr double constant_beside = 1.0 / 3.0;

// Where clipping is feared to cost as much as the noise of longer rows, both relative to what rows
// of median length add to the moments.
double moment_radius(const NoisyNorms& norms, double rows, Eigen::Index dimension, double mu) {
  const double unit_noise = std::sqrt(0.5 * static_cast<double>(dimension)) / mu;
  const double median = norms.radius_with(0.5 * rows);
  double best = std::numeric_limits<double>::infinity(), radius = median;
  for (std::size_t i = 0; i < norms.edges.size() && norms.edges[i] >= median; ++i) {
    const double ratio = norms.edges[i] / median, noise = ratio * ratio * unit_noise / rows;
    const double clipped = std::min(norms.above[i] / rows, 1.0);
    const double price = noise * noise + clipped * clipped;
    if (!(price < best)) continue;
    best = price;
    radius = norms.edges[i];
  }
  return radius;
}

}  // namespace

CenteredLook look_at_covariance(const MappedRows& rows, double row_norm_bound,
                                const LookBudget& budget,
                                const std::optional<Eigen::VectorXd>& center,
                                RandomSource& source) {
  const Eigen::Index p = rows.dimension();
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(p);
  LookRounds rounds(budget);
  CenteredLook found{0.0, center.value_or(Eigen::VectorXd::Zero(p)), {}, 0.0};
  // The number of rows, and their sum where it is needed.
  const double constant = row_norm_bound / std::sqrt(2.0);
  const Eigen::VectorXd scales = center ? Eigen::VectorXd::Zero(p) : ones;
  const NoisySum sum =
      look_at_sum(rows, AffineMap::scaled(constant, Eigen::VectorXd::Zero(p), scales),
                  center ? constant : std::hypot(constant, row_norm_bound), rounds,
                  center ? 1 : share_of_means, source);
  const double counted = std::max(sum.values[0] / constant, 1.0);
  if (!center)
    found.mean = (sum.values.tail(p) / (counted + sum.deviation / constant))
                     .cwiseMax(-row_norm_bound)
                     .cwiseMin(row_norm_bound);
  // Twice the bound, or farther where the center lies beyond it.
  const double top = std::max(2.0 * row_norm_bound, row_norm_bound + found.mean.norm());
  const NoisyNorms norms = look_at_norms(rows, AffineMap::scaled(0.0, found.mean, ones), top,
                                         edge_factor, edge_count, rounds, share_of_norms, source);
  const double radius = moment_radius(norms, counted, p, budget.mu());
  // A constant beside each row shows what is left of the mean, which is taken off.
  const double beside = radius * constant_beside;
  const NoisyMoments moments =
      look_at_moments(rows, AffineMap::scaled(beside, found.mean, ones), std::hypot(radius, beside),
                      rounds, rounds.left(), source);
  const double squared = std::max(moments.values(0, 0), 2.0 * moments.deviation);
  const Eigen::VectorXd first = moments.values.row(0).tail(p);
  const double weight = beside * beside / squared;  // one over the number of rows
  found.covariance = moments.values.bottomRightCorner(p, p) * weight;
  if (!center) {
    const Eigen::VectorXd left = first * (beside / squared);
    found.covariance -= left * left.transpose();
    found.mean += left;
  }
  found.rows = counted;
  found.noise = moments.deviation * weight;
  return found;
}

double expected_covariance_noise(double mu, double rows, const Eigen::VectorXd& eigenvalues) {
  const double total = eigenvalues.sum(), squares = eigenvalues.squaredNorm();
  if (!(total > 0.0)) return 0.0;
  // A sum of squares of normals is about a multiple of a chi-square with so many degrees, whose
  // third root is about normal [WilsonHilferty1931].
  const double spread = 2.0 / 9.0 * (squares / (total * total));
  const auto above = [&](double norm) {
    const double place = (std::cbrt(norm * norm / total) - 1.0 + spread) / std::sqrt(spread);
    return rows * 0.5 * std::erfc(place / std::sqrt(2.0));
  };
  NoisyNorms norms{{}, {}, 0.0};
  for (int i = 0; i < edge_count; ++i) {
    norms.edges.push_back(16.0 * std::sqrt(total) * std::pow(edge_factor, -i));
    norms.above.push_back(above(norms.edges.back()));
  }
  const double radius = moment_radius(norms, rows, eigenvalues.size(), mu);
  const double squared = radius * radius * (1.0 + constant_beside * constant_beside);
  const double share = 0.01 * (100 - share_of_means - share_of_norms);
  return squared / (mu * std::sqrt(2.0 * share) * rows);
}

}  // namespace modicum
