#include "privacy/engines/step.h"

namespace modicum {

Ball step(const Ball& x) {
  if (x.surely_positive()) return 1.0;
  if (x.surely_nonpositive()) return 0.0;
  return Ball::between(0.0, 1.0);
}

Ball point_quantity(const Ball& shift, Kernel kernel) {
  switch (kernel) {
    case Kernel::profile:
      return shift.surely_positive() ? Ball(0.0) : max(-expm1(shift), 0.0);
    case Kernel::upper_tail:
      return step(-shift);
    case Kernel::lower_tail:
      return Ball(1.0) - step(-shift);
    case Kernel::tilted_upper:
      return exp(shift) * step(-shift);
    case Kernel::tilted_lower:
      break;
  }
  return exp(shift) * (Ball(1.0) - step(-shift));
}

}  // namespace modicum
