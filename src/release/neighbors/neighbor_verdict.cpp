#include "release/neighbors/neighbor_verdict.h"

#include <algorithm>
#include <cmath>

#include "numerics/precise_ball.h"

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

// delta grows with |m| (docs/derivations/least-squares.md, lemma 1), so the least shift will do.
ProfilePoint proved_point(const Ball& shift, const Ball& with, const Ball& without,
                          double epsilon) {
  const PrecisionScope scope(proof_bits);
  const Ball excess = with / without - Ball(1.0);
  if (!(with.surely_positive() && without.surely_positive() && excess.finite()))
    return {epsilon, {0.0, 1.0}, {0.0, 1.0}, Proof::certified};
  const Ball least(std::max(0.0, abs(shift).lower()));
  GaussianSpectrum spectrum;
  spectrum.add(
      {to_precise("a variance", excess), to_precise("a shift", least * least / without), 1.0});
  return profile(PrivacyLoss::gaussian(spectrum), epsilon, Accuracy::certified);
}

ProfilePoint with_lower_ends(const ProfilePoint& proved, const ProfilePoint& estimate) {
  const auto ends = [](const Enclosure& lower, const Enclosure& upper) {
    return Enclosure(std::min(lower.lower(), upper.upper()), upper.upper());
  };
  return {estimate.epsilon, ends(proved.forward, estimate.forward),
          ends(proved.reverse, estimate.reverse), Proof::estimated};
}

NeighborAudit public_part(const ProfilePoint& above, const ProfilePoint& attained,
                          Witness witness) {
  const auto ends = [](const Enclosure& lower, const Enclosure& upper) {
    return Enclosure(lower.lower(), upper.upper());
  };
  NeighborAudit audit{
      Verdict::undecided,
      {above.epsilon, ends(attained.forward, above.forward), ends(attained.reverse, above.reverse),
       weaker_of(above.proof, attained.proof)},
      std::move(witness)};
  return audit;
}

NeighborAudit judged(NeighborAudit audit, const PrivacyTarget& claim) {
  const double everywhere = audit.everywhere.delta().upper();
  if (!audit.removed && !audit.added && !audit.given) {
    audit.verdict = verdict_on(claim.delta, audit.everywhere.delta());
    return audit;
  }
  bool violated = false, bounded = true;
  for (std::optional<WorstNeighbor>* kinds : {&audit.removed, &audit.added, &audit.given}) {
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
