// What an audit of a release on one data set tells.
#pragma once

#include <string>
#include <vector>

#include "interfaces/reply.h"
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

/// Only what is public, unless it may be confidential.
Reply told(const std::string& mechanism, const MechanismAudit& audit, bool confidential);

}  // namespace modicum
