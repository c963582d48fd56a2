// audit claim: what the literature claims against what is true.
#include <fmt/format.h>

#include <memory>

#include "interfaces/command.h"
#include "interfaces/json_output.h"
#include "interfaces/wording.h"
#include "modicum/auditing/claims.h"

namespace modicum {
namespace {

struct ClaimRequest {
  std::string name;
  bool json = false;
};

Value case_json(const Claim& claim, const ClaimCase& one) {
  Value result;
  if (one.epsilon) result["epsilon"] = *one.epsilon;
  result["claimed_" + claim.quantity] = one.claimed;
  result[claim.quantity] = to_json(one.truth);
  result["verdict"] = to_string(one.verdict);
  result["proof"] = to_string(one.proof);
  for (const auto& [name, value] : one.parameters) result[name] = value;
  return result;
}

Value claim_json(const Claim& claim, const std::vector<ClaimCase>& cases) {
  Value rows = Value::list();
  for (const ClaimCase& one : cases) rows.push_back(case_json(claim, one));
  return {{"name", claim.name},
          {"claim", claim.statement},
          {"source", claim.source},
          {"verdict", to_string(verdict_of(cases))},
          {"cases", std::move(rows)}};
}

std::string with_spaces(std::string name) {
  for (char& letter : name)
    if (letter == '_') letter = ' ';
  return name;
}

std::vector<std::string> heading(const Claim& claim, const ClaimCase& one) {
  std::vector<std::string> cells;
  for (const ClaimParameter& parameter : one.parameters)
    cells.push_back(with_spaces(parameter.name));
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

std::string claim_for_people(const Claim& claim, const std::vector<ClaimCase>& cases) {
  std::vector<std::vector<std::string>> rows{heading(claim, cases.front())};
  std::vector<Enclosure> values;
  Proof proof = Proof::certified;
  for (const ClaimCase& one : cases) {
    rows.push_back(row(one));
    values.push_back(one.truth);
    proof = weaker_of(proof, one.proof);
  }
  return fmt::format("Claim {}: {} {}\nVerdict: {}\n\n{}\n{}", claim.name, claim.statement,
                     claim.source, to_string(verdict_of(cases)), table(rows),
                     proof == Proof::certified ? proof_sentence(proof, values)
                                               : "Estimated in double arithmetic, not proved.\n");
}

std::string list(bool json) {
  Value entries = Value::list();
  std::vector<std::vector<std::string>> rows{{"name", "claim"}};
  for (const Claim& claim : published_claims()) {
    entries.push_back({{"name", claim.name}, {"claim", claim.statement}});
    rows.push_back({claim.name, claim.statement});
  }
  return json ? json_line({{"claims", std::move(entries)}}) : table(rows);
}

std::string answer(const ClaimRequest& request) {
  if (request.name.empty()) return list(request.json);
  const Claim& claim = published_claim(request.name);
  const ProgressLine progress("auditing");
  const std::vector<ClaimCase> cases = claim.cases();
  return request.json ? json_line(claim_json(claim, cases)) : claim_for_people(claim, cases);
}

}  // namespace

void add_claim_command(CLI::App& audit, CommandResult& output) {
  CLI::App* command = add_command(
      audit, "claim", "a published claim against the truth; without NAME a list of them",
      "  modicum audit claim r1smg\nA violation that is found is an answer: the exit code is 0.");
  const auto request = std::make_shared<ClaimRequest>();
  command->add_option("NAME", request->name, "which claim")->type_name("");
  command->add_flag("--json", request->json, "print one JSON object");
  command->callback([&output, request] { output = answer(*request); });
}

}  // namespace modicum
