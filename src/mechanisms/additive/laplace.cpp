#include "modicum/mechanisms/laplace.h"

#include "modicum/numerics/errors.h"

namespace modicum {

PrivacyLoss laplace_mechanism(double scale, double sensitivity) {
  require_positive("scale", scale);
  require_non_negative("sensitivity", sensitivity);
  return PrivacyLoss::laplace(Precise::ratio(sensitivity, scale));
}

}  // namespace modicum
