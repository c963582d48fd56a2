// audit pair: an exact profile against a claim.
#include <fmt/format.h>

#include "interfaces/audit/audit.h"
#include "interfaces/query/accuracy.h"
#include "interfaces/wording.h"
#include "modicum/auditing/pair_audit.h"
#include "modicum/release/loss_source.h"

namespace modicum {
namespace {

struct PairJob {
  LossSource source = {};
  ClaimFields claimed = {};
  AccuracyFields accuracy = {};

  void fields(Fields& fields) {
    source.fields(fields);
    claimed.fields(fields);
    accuracy.fields(fields);
  }
};

// `suggested` by what may be an estimate, which decides nothing.
const char* in_words(Verdict verdict, Verdict suggested) {
  switch (verdict) {
    case Verdict::violated:
      return "VIOLATED: delta is larger than the claim";
    case Verdict::consistent:
      return "consistent: delta is at most the claim";
    case Verdict::undecided:
      break;
  }
  if (suggested == Verdict::undecided)
    return "undecided: the claim lies between the bounds of delta";
  return suggested == Verdict::violated
             ? "undecided: delta is estimated to be larger than the claim; --certified proves it"
             : "undecided: delta is estimated to be at most the claim; --certified proves it";
}

Reply run(const PairJob& job, Progress& progress) {
  const PrivacyTarget claim = job.claimed.claim();
  const Accuracy accuracy = job.accuracy.chosen();
  progress.begin("auditing");
  const Description description = job.source.load(accuracy);
  const AuditResult result = audit_loss(description.loss, claim, accuracy);
  const ProfilePoint& truth = result.truth;
  Reply reply;
  reply.say(fmt::format("{}\nClaim: epsilon {}, delta {}\nVerdict: {}\n", description.label,
                        claim.epsilon, claim.delta,
                        in_words(result.verdict, verdict_on(claim.delta, truth.delta()))));
  reply.tell("verdict", to_string(result.verdict)).tell("claim", in_tree(claim));
  reply.show({fmt::format("at epsilon {}", claim.epsilon), "at least", "at most"});
  for (const auto& [name, value] :
       {std::pair{"delta", truth.delta()}, {"forward", truth.forward}, {"reverse", truth.reverse}})
    reply.tell(name, value).show({name, at_least(value), at_most(value)});
  reply.tell("proof", to_string(truth.proof));
  return reply.say(singularity_sentence(description.loss) +
                   proof_sentence(truth.proof, {truth.forward, truth.reverse}));
}

}  // namespace

std::vector<JobKind> pair_audit() {
  return {job_kind<PairJob>("audit pair", "the exact delta of a description against a claim",
                            "  modicum audit pair mechanism.json --epsilon 1 --delta 1e-6",
                            violation_note)};
}

}  // namespace modicum
