// audit: is a privacy claim true? By kinds of what is audited.
#pragma once

#include <vector>

#include "interfaces/job.h"
#include "modicum/calibration/calibrate.h"

namespace modicum {

std::vector<JobKind> pair_audit();
std::vector<JobKind> claim_audit();
std::vector<JobKind> component_audit();
std::vector<JobKind> inherent_audit();
std::vector<JobKind> mechanism_audits();
std::vector<JobKind> program_audit();

inline constexpr const char* violation_note =
    "A violation that is found is an answer: the exit code is 0.";

/// What is claimed.
struct ClaimFields {
  double epsilon = 0.0, delta = 0.0;

  void fields(Fields& fields) {
    fields.add("epsilon", epsilon, "claimed epsilon, at least 0").required();
    fields.add("delta", delta, "claimed delta, at least 0 and below 1").required();
  }
  /// Throws InvalidParameter.
  PrivacyTarget claim() const { return {epsilon, delta}; }
};

inline Value in_tree(const PrivacyTarget& claim) {
  return {{"epsilon", claim.epsilon}, {"delta", claim.delta}};
}

}  // namespace modicum
