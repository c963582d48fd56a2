#include "modicum/mechanisms/discrete.h"

#include <cmath>

#include "modicum/numerics/errors.h"
#include "privacy/laws/discrete_law.h"

namespace modicum {
namespace {

double require_whole_sensitivity(double sensitivity) {
  if (!(sensitivity >= 0.0 && sensitivity <= 0x1p25 && sensitivity == std::floor(sensitivity)))
    throw InvalidParameter("sensitivity", sensitivity, "must be a whole number from 0 to 2^25");
  return sensitivity;
}

}  // namespace

PrivacyLoss discrete_gaussian(double sigma, double sensitivity) {
  if (!(sigma > 0.0 && sigma <= largest_discrete_sigma))
    throw InvalidParameter("sigma", sigma, "must be above 0 and at most 4096");
  if (require_whole_sensitivity(sensitivity) == 0.0) return {};
  const auto law = discrete_gaussian_law(sigma, sensitivity);
  return PrivacyLoss::law(law, law);
}

PrivacyLoss discrete_laplace(double scale, double sensitivity) {
  require_positive("scale", scale);
  if (require_whole_sensitivity(sensitivity) == 0.0) return {};
  if (sensitivity == 1.0) return PrivacyLoss::two_point(Precise::ratio(1.0, scale));
  const auto law = discrete_laplace_law(scale, sensitivity);
  return PrivacyLoss::law(law, law);
}

}  // namespace modicum
