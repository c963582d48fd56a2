// Certificates of calibrations: noise that somebody else will draw.
#pragma once

#include <string>
#include <vector>

#include "interfaces/json_output.h"
#include "modicum/release/certificate.h"
#include "release/certificate_json.h"

namespace modicum {

/// Noise that is added to an answer, with what it is to hide.
struct AddedNoise {
  std::string mechanism;
  std::vector<Parameter> parameters;  ///< those besides sensitivity and count
  double sensitivity, count;
  std::string distance;  ///< in which the sensitivity is measured
  std::string theorem;
};

/// Of noise just calibrated, at the present time.
Certificate noise_certificate(const AddedNoise& noise, const PrivacyTarget& target,
                              const ProfilePoint& achieved);

}  // namespace modicum
