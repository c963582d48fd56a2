#include "modicum/auditing/monte_carlo.h"

#include <algorithm>
#include <cmath>

#include "modicum/numerics/errors.h"

namespace modicum {

double monte_carlo_draws(double accuracy, double failure_probability) {
  require_open_unit("accuracy", accuracy);
  require_open_unit("failure_probability", failure_probability);
  return std::ceil(std::log(2.0 / failure_probability) / (2.0 * accuracy * accuracy));
}

Enclosure monte_carlo_delta(const GaussianSpectrum& spectrum, double epsilon, double accuracy,
                            double failure_probability,
                            const std::function<double()>& standard_normal) {
  require_finite("epsilon", epsilon);
  const double draws = monte_carlo_draws(accuracy, failure_probability);
  double sum = 0.0;
  for (double draw = 0.0; draw < draws; draw += 1.0) {
    // With X = sqrt(tau) Z + m: log dX/dY = -1/2 log tau + (X^2 - Z^2) / 2, one coordinate of a
    // component carrying all of its mean.
    double loss = 0.0;
    for (const SpectrumComponent& component : spectrum.components()) {
      const double ratio = 1.0 + component.excess.high;
      double mean = std::sqrt(component.mean_square.high);
      for (double i = 0.0; i < component.multiplicity; i += 1.0) {
        const double z = standard_normal(), x = std::sqrt(ratio) * z + mean;
        loss += 0.5 * (x * x - z * z - std::log(ratio));
        mean = 0.0;
      }
    }
    sum += std::max(0.0, -std::expm1(epsilon - loss));
  }
  const double estimate = sum / draws;
  return {std::max(0.0, estimate - accuracy), std::min(1.0, estimate + accuracy)};
}

}  // namespace modicum
