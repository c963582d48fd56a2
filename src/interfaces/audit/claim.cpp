// audit claim: what the literature claims against what is true.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "interfaces/audit/audit.h"
#include "interfaces/wording.h"
#include "modicum/auditing/claims.h"

namespace modicum {
namespace {

struct ClaimJob {
  std::string claim = {};  ///< none: list them
  std::optional<double> dimension = {}, delta = {};
  std::vector<double> epsilons = {};

  void fields(Fields& fields) {
    fields.add("claim", claim, "which claim").shown_as("NAME").positional();
    fields.add("dimension", dimension, "of r1smg: another one, from 3 on, with epsilon and delta");
    fields.add("epsilon", epsilons, "of r1smg, above 0; several allowed");
    fields.add("delta", delta, "of r1smg, above 0 and below 1");
  }
};

Value in_tree(const Claim& claim, const ClaimCase& one) {
  Value result;
  if (one.epsilon) result["epsilon"] = *one.epsilon;
  result["claimed_" + claim.quantity] = one.claimed;
  result[claim.quantity] = one.truth;
  result["verdict"] = to_string(one.verdict);
  result["proof"] = to_string(one.proof);
  for (const auto& [name, value] : one.parameters) result[name] = value;
  return result;
}

std::vector<std::string> heading(const Claim& claim, const ClaimCase& one) {
  std::vector<std::string> cells;
  for (const ClaimParameter& parameter : one.parameters) {
    cells.push_back(parameter.name);
    std::ranges::replace(cells.back(), '_', ' ');
  }
  if (one.epsilon) cells.emplace_back("epsilon");
  cells.insert(cells.end(),
               {"claimed " + claim.quantity, "true " + claim.quantity + " from", "to", "verdict"});
  return cells;
}

std::vector<std::string> row(const ClaimCase& one) {
  const auto text = [](double number) { return fmt::format("{:.7g}", number); };
  std::vector<std::string> cells;
  for (const ClaimParameter& parameter : one.parameters) cells.push_back(text(parameter.value));
  if (one.epsilon) cells.push_back(text(*one.epsilon));
  cells.insert(cells.end(), {text(one.claimed), at_least(one.truth), at_most(one.truth),
                             to_string(one.verdict)});
  return cells;
}

Reply list_of_claims() {
  ReplyTable rows({"name", "claim"});
  for (const Claim& claim : published_claims())
    rows.add({{"name", claim.name}, {"claim", claim.statement}}, {claim.name, claim.statement});
  Reply reply;
  return reply.add("claims", rows);
}

// Those of the literature, or one's own.
std::vector<ClaimCase> cases_of(const ClaimJob& job, const Claim& claim) {
  if (!job.dimension && !job.delta && job.epsilons.empty()) return claim.cases();
  if (claim.chosen == nullptr)
    throw UsageError(fmt::format(
        "`dimension`, `epsilon` and `delta` must not be given with the claim {}", claim.name));
  if (!job.dimension || !job.delta || job.epsilons.empty())
    throw UsageError("`dimension`, `epsilon` and `delta` must be given together");
  std::vector<ClaimCase> cases;
  for (const double epsilon : job.epsilons)
    cases.push_back(claim.chosen({*job.dimension, epsilon, *job.delta}, Accuracy::certified));
  return cases;
}

Reply run(const ClaimJob& job, Progress& progress) {
  if (job.claim.empty()) return list_of_claims();
  const Claim& claim = published_claim(job.claim);
  progress.begin("auditing");
  const std::vector<ClaimCase> cases = cases_of(job, claim);
  ReplyTable rows(heading(claim, cases.front()));
  std::vector<Enclosure> values;
  Proof proof = Proof::certified;
  for (const ClaimCase& one : cases) {
    rows.add(in_tree(claim, one), row(one));
    values.push_back(one.truth);
    proof = weaker_of(proof, one.proof);
  }
  const char* const verdict = to_string(verdict_of(cases));
  Reply reply;
  reply.say(fmt::format("Claim {}: {} {}\nVerdict: {}\n", claim.name, claim.statement, claim.source,
                        verdict));
  reply.tell("name", claim.name).tell("claim", claim.statement).tell("source", claim.source);
  reply.tell("verdict", verdict).add("cases", rows);
  return reply.say(proof == Proof::certified ? proof_sentence(proof, values)
                                             : "Estimated in double arithmetic, not proved.\n");
}

}  // namespace

std::vector<JobKind> claim_audit() {
  return {job_kind<ClaimJob>("audit claim",
                             "a published claim against the truth; without NAME a list of them",
                             "  modicum audit claim r1smg", violation_note)};
}

}  // namespace modicum
