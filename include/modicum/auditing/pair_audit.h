// White-box audit: an exact profile against a claim.
#pragma once

#include "modicum/calibration/calibrate.h"
#include "modicum/privacy/profile.h"

namespace modicum {

enum class Verdict {
  violated,    ///< delta is proved to exceed the claim
  consistent,  ///< delta is proved to be at most the claim
  undecided,   ///< the claim lies inside the enclosure, or there is an estimate only
};

const char* to_string(Verdict verdict);

/// A claimed upper bound against the truth.
Verdict verdict_on(double claimed, const Enclosure& truth);

struct AuditResult {
  Verdict verdict;
  ProfilePoint truth;
};

/// Compares delta at claim.epsilon, in both directions, with claim.delta. What an estimate suggests
/// is proved, or is undecided.
AuditResult audit_loss(const PrivacyLoss& loss, const PrivacyTarget& claim,
                       Accuracy accuracy = Accuracy::automatic);

}  // namespace modicum
