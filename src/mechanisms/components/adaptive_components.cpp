#include "modicum/mechanisms/adaptive_components.h"

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

// Of the mu that the target leaves to the draw. The rest pays for gaps that were overestimated: a
// larger part would need a larger margin.
constexpr double kept_share_of_mu = 0.95;

double normal_tail(double x) { return 0.5 * std::erfc(x * M_SQRT1_2); }

// Also where the tail is no double; the relative error of the series is below 15 x^-6.
double log_normal_tail(double x) {
  if (x < 30.0) return std::log(normal_tail(x));
  const double y = 1.0 / (x * x);
  return -0.5 * x * x - std::log(x * std::sqrt(2.0 * M_PI)) + std::log1p(-y * (1.0 - 3.0 * y));
}

// Of the Gaussian mechanism, in doubles; epsilon of either sign.
double gaussian_delta(double mu, double epsilon) {
  const double middle = epsilon / mu;
  return normal_tail(middle - 0.5 * mu) - std::exp(epsilon + log_normal_tail(middle + 0.5 * mu));
}

// The most that a draw of this mu, in place of `usual`, adds to delta where a loss of at least
// `left` is still allowed: the difference of the deltas falls from mu usual / 2 on and rises
// before.
double excess_delta(double usual, double mu, double left) {
  if (!(mu > usual)) return 0.0;
  if (!(mu < 1e3)) return 1.0;
  const double at = std::max(left, 0.5 * mu * usual);
  return std::clamp(gaussian_delta(mu, at) - gaussian_delta(usual, at), 0.0, 1.0);
}

// (mu / components_mu)^2 at most, where the gap used is `ratio` times the true one and the square
// of the mu of the plateau is thought to be at most `plateau` times components_mu^2.
double squared_mu_ratio(double ratio, double plateau) {
  if (!(ratio > 1.0)) return 1.0;
  const double turn = 1.0 - std::sqrt(1.0 - plateau);
  return ratio * turn <= 1.0 ? ratio * (2.0 - turn) / (2.0 - ratio * turn)
                             : ratio * ratio * plateau;
}

}  // namespace

AdaptiveCalibration::AdaptiveCalibration(const PrivacyTarget& target, double dimension,
                                         double components, double share, RowScaling scaling) {
  if (!(require_count("components", components) < require_count("dimension", dimension)))
    throw InvalidParameter("components", components, "must be fewer than the dimension");
  if (!(share > 0.0 && share < 1.0))
    throw InvalidParameter("calibration_share", share, "must be above 0 and below 1");
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss of the limit is unbounded");
  const double mu = matching_gaussian_mu(target.epsilon, target.delta).lower();
  gap_mu_ = mu * std::sqrt(share);
  components_mu_ = kept_share_of_mu * mu * std::sqrt(1.0 - share);
  deviation_ = range_multiple(scaling) / gap_mu_;
  floor_ = std::sqrt(0.5 * (dimension - components)) / (components_mu_ * deviation_);
  tail_ = std::sqrt(2.0 * std::log(1e4 / target.delta));
  const double together = std::hypot(gap_mu_, components_mu_) * (1.0 + 0x1p-50);
  const double within =
      profile(gaussian_differential_privacy(together), target.epsilon, Accuracy::certified)
          .delta()
          .upper();
  // Less with a larger margin, of which a hundredth of a deviation is enough to know.
  const auto delta_with = [&](double margin) {
    margin_ = margin;
    return (within + most_excess(target.epsilon)) * (1.0 + 1e-9);
  };
  double low = 0.0, high = 4.0;
  for (; !(delta_with(high) <= target.delta); high *= 2.0)
    if (high > 1e3) throw CalibrationFailed("no margin on the gap makes delta small enough");
  while (high - low > 1e-2) {
    const double middle = 0.5 * (low + high);
    (delta_with(middle) <= target.delta ? high : low) = middle;
  }
  delta_ = delta_with(high);
}

std::optional<double> AdaptiveCalibration::exponent_factor(double noisy_gap) const {
  const double seen = noisy_gap / deviation_;
  const double square = (seen - margin_) * (seen + margin_);
  // Not a number is none.
  if (!(seen > 0.0 && square >= floor_ * floor_) || !std::isfinite(noisy_gap)) return {};
  const double mu = components_mu_, plateau = floor_ * floor_ / square;
  return deviation_ * std::sqrt(square) * mu * mu * (1.0 + std::sqrt(1.0 - plateau));
}

// The true gap, in deviations, is in one of these cells. Below the first, all that is ever drawn is
// counted.
double AdaptiveCalibration::most_excess(double epsilon) const {
  constexpr double first = 0.02, last = 2000.0, step = 1.05;
  double most = normal_tail(std::hypot(floor_, margin_) - first);
  for (double low = first; low < last; low *= step)
    most = std::max(most, excess_between(low, low * step, epsilon));
  return std::max(most, excess_between(last, HUGE_VAL, epsilon));
}

// With z the noise, r = sqrt((gap + z)^2 - margin^2) / gap, the gap that is used over the true one,
// is largest at 1/gap = z / (margin^2 - z^2); what is thought of the plateau is worst at the least
// gap; and both it and the excess grow with z: sums over steps are from above.
double AdaptiveCalibration::excess_between(double low, double high, double epsilon) const {
  constexpr int steps = 100;
  const double usual = components_mu_, square = margin_ * margin_;
  const double from =
      std::max(square / (std::hypot(high, margin_) + high), std::hypot(floor_, margin_) - high);
  if (!(from < tail_)) return normal_tail(from);
  const double width = (tail_ - from) / steps;
  double sum = normal_tail(tail_), beyond = normal_tail(from);
  for (int i = 1; i <= steps; ++i) {
    const double z = from + i * width, after = normal_tail(z);
    const double turn = z < margin_ ? z / (square - z * z) : HUGE_VAL;
    const double inverse = std::clamp(turn, 1.0 / high, 1.0 / low);
    const double ratio = (1.0 + (z - margin_) * inverse) * (1.0 + (z + margin_) * inverse);
    const double used = (low + z - margin_) * (low + z + margin_);
    const double plateau = used > floor_ * floor_ ? floor_ * floor_ / used : 1.0;
    const double mu = usual * std::sqrt(squared_mu_ratio(std::sqrt(std::max(ratio, 0.0)), plateau));
    sum +=
        (beyond - after) * excess_delta(usual, mu, epsilon - gap_mu_ * z - 0.5 * gap_mu_ * gap_mu_);
    beyond = after;
  }
  return sum;
}

}  // namespace modicum
