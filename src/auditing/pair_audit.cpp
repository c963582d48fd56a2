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

AuditResult audit_loss(const PrivacyLoss& loss, const PrivacyTarget& claim, Mode mode) {
  const ProfilePoint truth = profile(loss, claim.epsilon, mode);
  const Enclosure delta = truth.delta();
  Verdict verdict = Verdict::undecided;
  if (delta.upper() <= claim.delta) verdict = Verdict::consistent;
  if (delta.lower() > claim.delta) verdict = Verdict::violated;
  return {verdict, truth};
}

}  // namespace modicum
