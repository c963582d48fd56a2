#include "modicum/mechanisms/matrix_noise.h"

#include "mechanisms/regression/squared_bound.h"
#include "numerics/precise_ball.h"

namespace modicum {

PrivacyLoss covariance_mechanism(double standard_deviation, double row_norm_bound) {
  require_positive("standard_deviation", standard_deviation);
  require_non_negative("row_norm_bound", row_norm_bound);
  const PrecisionScope scope(160);
  const Ball mu =
      Ball(row_norm_bound) * Ball(row_norm_bound) / (sqrt(Ball(2.0)) * Ball(standard_deviation));
  GaussianSpectrum spectrum;
  spectrum.add({Precise::exactly(0.0), to_precise("row_norm_bound", mu * mu), 1.0});
  return PrivacyLoss::gaussian(spectrum);
}

Calibration calibrate_covariance(const PrivacyTarget& target, double row_norm_bound) {
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss of Gaussian noise is unbounded");
  const auto family = [&](double deviation) {
    return covariance_mechanism(deviation, row_norm_bound);
  };
  return smallest_noise(family, target, squared_bound(row_norm_bound));
}

}  // namespace modicum
