// What a release or a calibration may cost.
#pragma once

#include "modicum/calibration/calibrate.h"
#include "modicum/data/fields.h"

namespace modicum {

struct PrivacyBudget {
  double epsilon = 0.0, delta = 0.0;

  void fields(Fields& fields, const char* delta_help = "at least 0 and below 1") {
    fields.add("epsilon", epsilon, "privacy loss bound, at least 0").required();
    fields.add("delta", delta, delta_help).required();
  }
  /// Throws InvalidParameter.
  PrivacyTarget target() const { return {epsilon, delta}; }
};

}  // namespace modicum
