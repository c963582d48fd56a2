#include "release/neighbors/neighbor_verdict.h"

#include <algorithm>

namespace modicum {
namespace {

Enclosure span(const Enclosure& smaller, const Enclosure& larger) {
  return {std::min(smaller.lower(), larger.lower()), std::max(smaller.upper(), larger.upper())};
}

}  // namespace

ProfilePoint between(const ProfilePoint& smaller, const ProfilePoint& larger, Proof proof) {
  return {smaller.epsilon, span(smaller.forward, larger.forward),
          span(smaller.reverse, larger.reverse), proof};
}

NeighborAudit judged(NeighborAudit audit, const PrivacyTarget& claim) {
  const double everywhere = audit.everywhere.delta().upper();
  bool violated = false, bounded = true;
  for (std::optional<WorstNeighbor>* kinds : {&audit.removed, &audit.added}) {
    std::optional<WorstNeighbor>& kind = *kinds;
    if (!kind) continue;
    kind->bound = std::min(kind->bound, everywhere);
    violated = violated || kind->found.delta().lower() > claim.delta;
    bounded = bounded && kind->bound <= claim.delta;
  }
  audit.verdict = violated ? Verdict::violated : bounded ? Verdict::consistent : Verdict::undecided;
  return audit;
}

}  // namespace modicum
