#include "modicum/mechanisms/calibrate_discrete.h"

#include <cmath>

#include "calibration/laplace_start.h"
#include "modicum/mechanisms/discrete.h"
#include "privacy/laws/discrete_law.h"

namespace modicum {
namespace {

void require_whole_shift(double sensitivity) {
  if (!(sensitivity >= 1.0 && sensitivity <= 0x1p25 && sensitivity == std::floor(sensitivity)))
    throw InvalidParameter("sensitivity", sensitivity, "must be a whole number from 1 to 2^25");
}

}  // namespace

Calibration calibrate_discrete_gaussian(const PrivacyTarget& target, double sensitivity,
                                        double count) {
  require_whole_shift(sensitivity);
  const double start = calibrate_gaussian(target, sensitivity, count).parameter;
  const auto family = [&](double sigma) {
    if (!(sigma <= largest_discrete_sigma))
      throw CalibrationFailed("discrete Gaussian noise is computed up to sigma = 4096 only");
    return discrete_gaussian(sigma, sensitivity).repeated(count);
  };
  return smallest_noise(family, target, std::min(start, largest_discrete_sigma));
}

// Where delta is 0 the largest loss decides: sensitivity / scale each.
Calibration calibrate_discrete_laplace(const PrivacyTarget& target, double sensitivity,
                                       double count) {
  require_whole_shift(sensitivity);
  require_count("count", count);
  const auto family = [&](double scale) {
    return discrete_laplace(scale, sensitivity).repeated(count);
  };
  if (target.delta > 0.0)
    return smallest_noise(family, target, laplace_start(target, sensitivity, count));
  const double start = calibrate_laplace(target, sensitivity, count).parameter;
  return {start, profile(family(start), target.epsilon, Accuracy::certified)};
}

}  // namespace modicum
