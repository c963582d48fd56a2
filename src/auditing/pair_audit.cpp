#include "modicum/auditing/pair_audit.h"

namespace modicum {

const char* to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::violated:
      return "violated";
    case Verdict::consistent:
      return "consistent";
    case Verdict::undecided:
      break;
  }
  return "undecided";
}

Verdict verdict_on(double claimed, const Enclosure& truth) {
  if (truth.upper() <= claimed) return Verdict::consistent;
  return truth.lower() > claimed ? Verdict::violated : Verdict::undecided;
}

AuditResult audit_loss(const PrivacyLoss& loss, const PrivacyTarget& claim, Accuracy accuracy) {
  const auto judged = [&](const ProfilePoint& truth) -> AuditResult {
    return {verdict_on(claim.delta, truth.delta()), truth};
  };
  AuditResult result = judged(profile(loss, claim.epsilon, accuracy));
  if (result.truth.proof == Proof::certified || result.verdict == Verdict::undecided) return result;
  // An estimate accuses nobody, and clears nobody.
  try {
    return judged(profile(loss, claim.epsilon, Accuracy::certified));
  } catch (const TargetUnreachable&) {
    result.verdict = Verdict::undecided;
    return result;
  }
}

}  // namespace modicum
