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

/// The certificate with its kind of guarantee, "proved", and the version of the program.
Json to_json(const Certificate& certificate);

/// "2024-05-01T12:00:00Z".
std::string utc_time(std::chrono::system_clock::time_point time);

}  // namespace modicum
