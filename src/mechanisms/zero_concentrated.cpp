#include "modicum/mechanisms/zero_concentrated.h"

#include <algorithm>
#include <cmath>

#include "mechanisms/supremum.h"
#include "modicum/numerics/bracketing.h"
#include "modicum/numerics/errors.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

// The least over z > 0 of e^{rho z (z+1) - z epsilon} z^z / (1+z)^{1+z}: Chernoff's bound with the
// moments that zero-concentrated privacy allows. Every z proves it.
double bound_at(double rho, double epsilon) {
  const auto exponent = [&](double log_z) {
    const double z = std::exp(log_z);
    return rho * z * (z + 1.0) - z * epsilon + z * log_z - (1.0 + z) * std::log1p(z);
  };
  const Bracket place = narrow_to_minimum(exponent, {-20.0, 20.0}, 1e-7);
  const PrecisionScope scope(128);
  const Ball z = exp(Ball(0.5 * (place.low + place.high)));
  const Ball best =
      exp(Ball(rho) * z * (z + 1.0) - z * Ball(epsilon) + z * log(z) - (z + 1.0) * log1p(z));
  return best.finite() ? std::min(1.0, best.upper()) : 1.0;
}

}  // namespace

PrivacyLoss zero_concentrated(double rho) {
  if (require_non_negative("rho", rho) == 0.0) return {};
  constexpr double kind = -2016.0;  // tells these families from others
  return loss_of_supremum({{kind, rho},
                           [rho](double epsilon) { return bound_at(rho, epsilon); },
                           [rho](double epsilon, double) { return bound_at(rho, epsilon); }},
                          2000, 0.0, 0.0);
}

}  // namespace modicum
