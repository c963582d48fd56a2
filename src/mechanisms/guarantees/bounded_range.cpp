#include "modicum/mechanisms/bounded_range.h"

#include "modicum/numerics/errors.h"
#include "privacy/laws/bounded_range_law.h"

namespace modicum {

PrivacyLoss bounded_range(double range) {
  if (require_non_negative("range", range) == 0.0) return {};
  const auto law = bounded_range_law(range);
  return PrivacyLoss::law(law, law);
}

}  // namespace modicum
