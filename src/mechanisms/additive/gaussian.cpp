#include "modicum/mechanisms/gaussian.h"

#include <cmath>

#include "modicum/numerics/errors.h"

namespace modicum {

PrivacyLoss gaussian_mechanism(double standard_deviation, double sensitivity) {
  require_positive("standard_deviation", standard_deviation);
  require_non_negative("sensitivity", sensitivity);
  return PrivacyLoss::gaussian(GaussianSpectrum::shift(sensitivity, standard_deviation));
}

double classical_gaussian_deviation(double epsilon, double delta, double sensitivity) {
  require_positive("epsilon", epsilon);
  require_open_unit("delta", delta);
  return sensitivity * std::sqrt(2.0 * std::log(1.25 / delta)) / epsilon;
}

PrivacyLoss gaussian_differential_privacy(double mu) {
  require_non_negative("mu", mu);
  return PrivacyLoss::gaussian(GaussianSpectrum::shift(mu, 1.0));
}

}  // namespace modicum
