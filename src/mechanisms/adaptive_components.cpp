#include "modicum/mechanisms/adaptive_components.h"

#include <algorithm>
#include <cmath>

#include "modicum/randomness/samplers.h"

namespace modicum {

AdaptiveBudget::AdaptiveBudget(double given_calibration_mu, double given_components_mu)
    : calibration_mu(require_positive("calibration_mu", given_calibration_mu)),
      components_mu(require_positive("components_mu", given_components_mu)) {}

double AdaptiveBudget::total_mu() const { return std::hypot(calibration_mu, components_mu); }

// One row moves lambda_k - lambda_{k+1} by at most p/n and lambda_k by at most p/n; to first order
// the statistics move by n/p^2, |H'| p/n and H'' p^4/(2 n^3). Over these deviations that is eta
// times 1/sqrt 6, 1/sqrt 3 and 1/sqrt 3: the squares add up to 5/6 of eta^2.
AdaptiveStatistics adaptive_statistics(const ComponentSpectrum& spectrum, double calibration_mu) {
  require_positive("calibration_mu", calibration_mu);
  if (spectrum.is_whole_space())
    throw InvalidParameter("components", static_cast<double>(spectrum.components()),
                           "must be fewer than the dimension");
  if (!(spectrum.gap() > 0.0))
    throw InvalidParameter("eigenvalues", spectrum.eigenvalues()[spectrum.components()],
                           "must be below the one before");
  const auto p = static_cast<double>(spectrum.dimension());
  const double theta = spectrum.theta(), square = theta * theta, slope = spectrum.slope();
  const double step = p / spectrum.rows();
  return {square * spectrum.gap(),
          spectrum.transform(),
          -slope / (2.0 * square),
          std::sqrt(6.0) * square * step / calibration_mu,
          std::sqrt(3.0) * -slope * step / calibration_mu,
          std::sqrt(3.0) * spectrum.curvature() / (2.0 * square) * step / calibration_mu};
}

std::optional<double> draw_adaptive_beta(const ComponentSpectrum& spectrum,
                                         const AdaptiveBudget& budget, RandomSource& source) {
  if (!spectrum.is_whole_space() && !(spectrum.gap() > 0.0)) return {};
  const AdaptiveStatistics s = adaptive_statistics(spectrum, budget.calibration_mu);
  const auto noisy = [&source](double value, double deviation) {
    const double sum = value + deviation * standard_normal(source);
    return sum < 0.0 ? 0.0 : sum;  // not a number stays so
  };
  const double gap = noisy(s.gap, s.gap_deviation);
  const double transform = noisy(s.transform, s.transform_deviation);
  // Three deviations more, so that "reachable" is seldom said in error.
  const double least = noisy(s.least + 3.0 * s.least_deviation, s.least_deviation);
  const double mu = budget.components_mu, square = mu * mu;
  // Next to a tie the statistics may be beyond doubles, and a noisy one not a number.
  if (!(square >= least)) return {};
  const double beta = 2.0 * gap * (square + mu * std::sqrt(square - least)) + transform;
  if (!std::isfinite(beta)) return {};
  return beta;
}

}  // namespace modicum
