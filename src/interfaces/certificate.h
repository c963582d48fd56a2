// What is promised, on which grounds: the record that goes with a calibration.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "interfaces/json_output.h"

namespace modicum {

struct Certificate {
  std::string mechanism;
  Json parameters;  ///< under the keys of a description
  PrivacyTarget target;
  ProfilePoint achieved;  ///< certified
  std::string adjacency;
  std::vector<std::string> assumptions;
  std::string theorem;
  std::chrono::system_clock::time_point time;
};

/// Noise that is added to an answer, with what it is to hide.
struct AddedNoise {
  std::string mechanism;
  Json parameters;  ///< those besides sensitivity and count
  double sensitivity, count;
  std::string distance;  ///< in which the sensitivity is measured
  std::string theorem;
};

/// Of noise just calibrated, at the present time.
Certificate noise_certificate(const AddedNoise& noise, const PrivacyTarget& target,
                              const ProfilePoint& achieved);

/// "Proved, provided that" and the assumptions, a line each.
std::string proof_with_assumptions(const Certificate& certificate);

/// The certificate with its kind of guarantee, "proved", and the version of the program.
Json to_json(const Certificate& certificate);

/// "2024-05-01T12:00:00Z".
std::string utc_time(std::chrono::system_clock::time_point time);

}  // namespace modicum
