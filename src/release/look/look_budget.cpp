#include "release/look/look_budget.h"

#include <cmath>

#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"

namespace modicum {

LookBudget::LookBudget(const PrivacyTarget& target) : found_(calibrate_gaussian(target, 1.0)) {
  require_achieved(target, found_.achieved);
}

Value LookBudget::description() const {
  return description_of(described::Gaussian{unit_deviation(), 1.0});
}

double LookRounds::deviation(int hundredths, double sensitivity) {
  if (!(hundredths > 0 && hundredths <= left_))
    throw Error("a round asks for more than what is left of the budget; nothing is released");
  left_ -= hundredths;
  // mu^2 of the round is (hundredths / 100) / unit_deviation^2, less 2^-39 of it: four roundings
  // here, and three where sensitivities are found, move it by less than 2^-49.
  const double share = static_cast<double>(hundredths) / 100.0;
  return require_positive("noise scale", require_positive("sensitivity", sensitivity) *
                                             budget_.unit_deviation() / std::sqrt(share) *
                                             (1.0 + 0x1p-40));
}

}  // namespace modicum
