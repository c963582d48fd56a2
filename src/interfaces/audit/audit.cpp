#include "interfaces/audit/audit.h"

namespace modicum {

std::vector<JobKind> audit_jobs() {
  return joined({{{"audit", "is a privacy claim true?",
                   "  modicum audit pair mechanism.json --epsilon 1 --delta 1e-6"}},
                 pair_audit(),
                 claim_audit(),
                 component_audit(),
                 inherent_audit(),
                 mechanism_audits(),
                 program_audit()});
}

}  // namespace modicum
