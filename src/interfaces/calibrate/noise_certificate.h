// Certificates of calibrations: noise that somebody else will draw.
#pragma once

#include <string>
#include <vector>

#include "modicum/release/certificate.h"
#include "release/certificates/certificate_json.h"

namespace modicum {

/// Noise that is added to an answer, with what it is to hide.
struct AddedNoise {
  std::string mechanism;
  std::vector<Parameter> parameters;  ///< those besides sensitivity and count
  double sensitivity = 0.0, count = 1.0;
  std::string distance;  ///< in which the sensitivity is measured
  std::string theorem;
  Value loss = {};  ///< what it brings into a composition
};

/// Of noise just calibrated, at the present time.
Certificate noise_certificate(const AddedNoise& noise, const PrivacyTarget& target,
                              const ProfilePoint& achieved);

}  // namespace modicum
