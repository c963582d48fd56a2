#include "modicum/mechanisms/gaussian.h"

#include "modicum/numerics/errors.h"

namespace modicum {

PrivacyLoss gaussian_mechanism(double standard_deviation, double sensitivity) {
  require_positive("standard_deviation", standard_deviation);
  require_non_negative("sensitivity", sensitivity);
  return PrivacyLoss::gaussian(GaussianSpectrum::shift(sensitivity, standard_deviation));
}

PrivacyLoss gaussian_differential_privacy(double mu) {
  require_non_negative("mu", mu);
  return PrivacyLoss::gaussian(GaussianSpectrum::shift(mu, 1.0));
}

}  // namespace modicum
