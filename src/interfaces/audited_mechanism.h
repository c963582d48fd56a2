// The mechanisms that `audit mechanism` knows: their options, and from these to an audit.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "interfaces/release_options.h"
#include "modicum/release/neighbor_audit.h"

namespace modicum {

/// A public parameter of the audited release.
struct AuditedParameter {
  std::string name;
  double value;
  bool calibrated = false;  ///< as the release would choose it for the claim; else given
};

/// An audit with what is public about it.
struct MechanismAudit {
  PrivacyTarget claim;
  std::vector<AuditedParameter> parameters;
  std::vector<std::string> coordinates;  ///< of the rows that the audit names
  NeighborAudit result;
};

struct AuditedMechanism {
  std::string name, what, example;
  void (*add_options)(CLI::App&, ReleaseOptions&);
  MechanismAudit (*audit)(const ReleaseOptions&);
};

const std::vector<AuditedMechanism>& audited_mechanisms();

}  // namespace modicum
