// Groups that are taken from the rows, as they are described.
#pragma once

#include "release/descriptions/mechanisms.h"

namespace modicum::described {

struct DiscoveredGroups {
  static constexpr const char* name = "discovered_groups";
  double standard_deviation = 0.0;
  std::vector<double> sensitivities = {}, probabilities = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

}  // namespace modicum::described
