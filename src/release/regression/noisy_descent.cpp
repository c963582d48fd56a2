#include "release/regression/noisy_descent.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

constexpr int descent_steps = 25, share_of_step = 2, share_of_lengths = 5, share_of_center = 10;
static_assert(descent_steps * share_of_step + 3 * share_of_lengths + share_of_center ==
              descent_share);

// Gradients of rows are about as long as 1; shorter ones than this would bend the solution too far.
constexpr double longest_gradient = 2.0, shortest_gradient = 0.3;
// What all steps together may add to the squares of slopes, in units of the target.
constexpr double noise_allowed = 2.0;

// Of targets.
constexpr double spread_over_median = 1.5;

// The curvature is at most about 1, and less along each of many directions.
double step_length(double features) { return 2.0 * features / (features + 3.0); }

// About the median distance of rows from the center, in what the scales leave, by counts between
// few distances, each twice the next: from the longest on that a quarter of the rows seems to have,
// two shorter ones at most. Noise makes it too long, if anything: that slows the descent, where a
// distance that is far too short would send it anywhere.
double usual_length(const MappedRows& rows, const Eigen::VectorXd& center,
                    const Eigen::VectorXd& scales, double bound, double count, LookRounds& rounds,
                    RandomSource& source) {
  const NoisyNorms norms = look_at_norms(rows, AffineMap::scaled(0.0, center, scales), 2.0 * bound,
                                         2.0, 16, rounds, share_of_lengths, source);
  // Where none has a quarter, half of the largest count will do: one reaches it, always.
  const double most = *std::max_element(norms.counts.begin(), norms.counts.end());
  const double wanted = std::min(0.25 * count, most > 0.0 ? 0.5 * most : most);
  std::size_t place = 0;
  while (norms.counts[place] < wanted) ++place;
  double longer = norms.counts[place];
  for (int i = 0; i < 2 && longer < 0.5 * count && place + 1 < norms.edges.size(); ++i)
    longer += norms.counts[++place];
  return 0.75 * norms.edges[place];
}

}  // namespace

double descent_clip(double mu, double features, double rows) {
  const double share = 0.01 * descent_steps * share_of_step;
  const double clip = std::sqrt(noise_allowed * share / features) * mu * rows /
                      (descent_steps * step_length(features));
  return clip >= shortest_gradient ? std::min(clip, longest_gradient) : 0.0;
}

DescentSlopes descend(const MappedRows& rows, Eigen::VectorXd center, double feature_bound,
                      double target_bound, double constant, double count, double clip,
                      LookRounds& rounds, RandomSource& source) {
  const Eigen::Index d = rows.dimension() - 1;
  const Eigen::VectorXd target = Eigen::VectorXd::Unit(d + 1, d),
                        features = Eigen::VectorXd::Ones(d + 1) - target;
  const auto feature_length = [&] {
    return usual_length(rows, center, features, feature_bound, count, rounds, source);
  };
  double length = feature_length();
  if (constant > 0.0) {
    // Wide ranges leave the center farther from the rows than these are from each other. Of rows
    // scaled down to their usual distance from it another mean follows, with far less noise.
    const NoisySum sum = look_at_sum(rows, AffineMap::scaled(length, center, features),
                                     std::sqrt(2.0) * length, rounds, share_of_center, source);
    const double weight = std::max(sum.values[0], 0.0) + sum.deviation;
    center.head(d) += sum.values.segment(1, d) * (length / std::max(weight, length));
    length = feature_length();
  }
  const double spread =
      spread_over_median * usual_length(rows, center, target, target_bound, count, rounds, source);
  Eigen::MatrixXd map = Eigen::MatrixXd::Zero(d + 1, d + 1);
  map.diagonal().head(d).setConstant(1.0 / length);
  map(d, d) = 1.0 / spread;
  const double step = step_length(static_cast<double>(d)) / count;
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(d + 1), sum = theta;
  int averaged = 0;
  for (int i = 0; i < descent_steps; ++i) {
    // The last number is the residual; the constant moves the center of the target.
    Eigen::VectorXd moved = center;
    moved[d] += spread * constant * theta[0];
    map.row(d).head(d) = -theta.tail(d).transpose() / length;
    const AffineMap gradient = AffineMap::turned(constant, moved, map).products();
    theta += step * look_at_sum(rows, gradient, clip, rounds, share_of_step, source).values;
    if (2 * i < descent_steps) continue;
    sum += theta;
    ++averaged;
  }
  return {std::move(center), sum.tail(d) * (spread / length / averaged), spread};
}

}  // namespace modicum
