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
  const ProfilePoint truth = profile(loss, claim.epsilon, accuracy);
  return {verdict_on(claim.delta, truth.delta()), truth};
}

}  // namespace modicum
