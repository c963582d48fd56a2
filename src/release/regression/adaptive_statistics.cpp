#include "release/regression/adaptive_statistics.h"

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "numerics/dense.h"
#include "release/descriptions/mechanisms.h"
#include "release/sketches/gram_draws.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

constexpr double failure = 0.05;  // of the bound on the norm of the noise: utility, not privacy

// Of moments 1; of the eigenvalue as computed a millionth more (docs/derivations/projection.md).
constexpr double eigenvalue_sensitivity = 1.0 + 0x1p-20;

Calibration calibrate_three(const PrivacyTarget& target) {
  if (!(target.delta > 0.0 && target.epsilon > 0.0))
    throw CalibrationFailed("adaptive sufficient statistics need epsilon and delta above 0");
  const auto family = [&](double deviation) {
    PrivacyLoss loss = gaussian_mechanism(deviation, 1.0).repeated(2.0);
    loss.compose(gaussian_mechanism(deviation, eigenvalue_sensitivity));
    return loss;
  };
  return smallest_noise(family, target, 1.0);
}

}  // namespace

// A coordinate with a range is at most 1, and rounded by half a grid at most. Rounded upwards by
// more than products of these are.
StatisticBounds::StatisticBounds(const PublicRows& rows) {
  const std::size_t last = rows.names.size() - 1;
  bool all = true;
  for (std::size_t i = rows.intercept ? 1 : 0; i < last; ++i)
    all = all && rows.ranges.contains(rows.names[i]);
  const double bound = rows.row_norm_bound, rounding = IntegerClip(bound).grid();
  const double root = std::sqrt(static_cast<double>(last));
  const auto at_most = [&](double natural) {
    return std::min(bound, natural + root * rounding) * (1.0 + 0x1p-40);
  };
  features = at_most(all ? root : HUGE_VAL);
  target = at_most(rows.ranges.contains(rows.names[last]) ? 1.0 : HUGE_VAL);
}

AdaptiveStatistics::AdaptiveStatistics(const PrivacyTarget& target, const PublicRows& rows)
    : AdaptiveStatistics(target, rows, calibrate_three(target)) {}

AdaptiveStatistics::AdaptiveStatistics(const PrivacyTarget& target, const PublicRows& rows,
                                       const Calibration& found)
    : target_(target),
      features_(rows.dimension() - 1),
      row_norm_bound_(rows.row_norm_bound),
      bounds_(rows),
      unit_(found.parameter),
      achieved_(found.achieved) {}

double AdaptiveStatistics::grid() const {
  return moment_grid(std::min(standard_deviation(), target_standard_deviation()), row_norm_bound_);
}

Value AdaptiveStatistics::description() const {
  return described::composition_of(
      {description_of(described::Gaussian{unit_, 1.0}, 2.0),
       description_of(described::Gaussian{unit_, eigenvalue_sensitivity})});
}

Eigen::VectorXd AdaptiveStatistics::solve(const IntegerGram& gram, RandomSource& source) const {
  const Eigen::Index d = features_;
  const auto count = static_cast<double>(d);
  const double deviation = standard_deviation();
  // The published constants, in units of the deviation that they would call for.
  const double log_term = std::log(6.0 / target_.delta), step = grid_below(deviation);
  const Eigen::MatrixXd features = with_ridge(gram, 0.0).topLeftCorner(d, d);
  const OnGrid least = split(std::max(least_eigenvalue_bound(features), 0.0), step);
  const double noisy_least = to_double(add_rounded_normal(least, deviation, step, source), step);
  const double least_bound = std::max(noisy_least - std::sqrt(log_term) * deviation, 0.0);
  const double noise_norm = std::sqrt(count * std::log(2.0 * count * count / failure)) * deviation;
  const double ridge = std::max(0.0, noise_norm - least_bound);
  const double entry_grid = gram.grid * gram.grid;
  const auto noisy = [&](Eigen::Index i, Eigen::Index j, double size) {
    return to_double(
        add_rounded_normal(split(gram.at(i, j), entry_grid, grid()), size, grid(), source), grid());
  };
  Eigen::MatrixXd system(d, d);
  Eigen::VectorXd right(d);
  for (Eigen::Index i = 0; i < d; ++i) {
    for (Eigen::Index j = 0; j <= i; ++j) system(i, j) = system(j, i) = noisy(i, j, deviation);
    right[i] = noisy(i, d, target_standard_deviation());
  }
  system.diagonal().array() += ridge;
  return solve_square(system, right);
}

}  // namespace modicum
