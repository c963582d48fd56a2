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

Json case_json(const ClaimCase& one) {
  Json result{{"epsilon", one.epsilon},
              {"claimed_delta", one.claimed_delta},
              {"delta", to_json(one.delta)},
              {"verdict", to_string(one.verdict)},
              {"proof", to_string(one.proof)}};
  for (const auto& [name, value] : one.parameters) result[name] = value;
  return result;
}

Json claim_json(const Claim& claim, const std::vector<ClaimCase>& cases) {
  Json rows = Json::array();
  for (const ClaimCase& one : cases) rows.push_back(case_json(one));
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

std::vector<std::string> heading(const ClaimCase& one) {
  std::vector<std::string> cells;
  for (const ClaimParameter& parameter : one.parameters)
    cells.push_back(with_spaces(parameter.name));
  for (const char* text : {"epsilon", "claimed delta", "true delta from", "to", "verdict"})
    cells.emplace_back(text);
  return cells;
}

std::vector<std::string> row(const ClaimCase& one) {
  std::vector<std::string> cells;
  for (const ClaimParameter& parameter : one.parameters)
    cells.push_back(fmt::format("{:.7g}", parameter.value));
  for (const double number : {one.epsilon, one.claimed_delta})
    cells.push_back(fmt::format("{:.7g}", number));
  cells.insert(cells.end(), {at_least(one.delta), at_most(one.delta), to_string(one.verdict)});
  return cells;
}

std::string claim_for_people(const Claim& claim, const std::vector<ClaimCase>& cases) {
  std::vector<std::vector<std::string>> rows{heading(cases.front())};
  std::vector<Enclosure> values;
  Proof proof = Proof::certified;
  for (const ClaimCase& one : cases) {
    rows.push_back(row(one));
    values.push_back(one.delta);
    proof = weaker_of(proof, one.proof);
  }
  return fmt::format("Claim {}: {} {}\nVerdict: {}\n\n{}\n{}", claim.name, claim.statement,
                     claim.source, to_string(verdict_of(cases)), table(rows),
                     proof == Proof::certified ? proof_sentence(proof, values)
                                               : "Estimated in double arithmetic, not proved.\n");
}

std::string list(bool json) {
  Json entries = Json::array();
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
  const Progress progress("auditing");
  const std::vector<ClaimCase> cases = claim.cases();
  return request.json ? json_line(claim_json(claim, cases)) : claim_for_people(claim, cases);
}

}  // namespace

void add_claim_command(CLI::App& audit, std::string& output) {
  CLI::App* command = add_command(
      audit, "claim", "a published claim against the truth; without NAME a list of them",
      "  modicum audit claim r1smg\nA violation that is found is an answer: the exit code is 0.");
  const auto request = std::make_shared<ClaimRequest>();
  command->add_option("NAME", request->name, "which claim")->type_name("");
  command->add_flag("--json", request->json, "print one JSON object");
  command->callback([&output, request] { output = answer(*request); });
}

}  // namespace modicum
