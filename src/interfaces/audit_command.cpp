// audit pair: an exact profile against a claim.
#include <fmt/format.h>

#include <memory>

#include "interfaces/command.h"
#include "interfaces/data_commands.h"
#include "interfaces/json_output.h"
#include "interfaces/wording.h"
#include "modicum/auditing/pair_audit.h"

namespace modicum {
namespace {

struct AuditRequest {
  std::string file, epsilon, delta;
  CommonFlags flags;
};

const char* in_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::violated:
      return "VIOLATED: delta is larger than the claim";
    case Verdict::consistent:
      return "consistent: delta is at most the claim";
    case Verdict::undecided:
      break;
  }
  return "undecided: the claim lies between the bounds of delta";
}

std::string for_people(const Description& description, const PrivacyTarget& claim,
                       const AuditResult& result) {
  const ProfilePoint& truth = result.truth;
  const auto bounds = [](const Enclosure& value) {
    return std::vector<std::string>{at_least(value), at_most(value)};
  };
  const auto row = [&](const char* name, const Enclosure& value) {
    auto cells = bounds(value);
    cells.insert(cells.begin(), name);
    return cells;
  };
  return fmt::format("{}\nClaim: epsilon {}, delta {}\nVerdict: {}\n\n{}\n{}{}", description.label,
                     claim.epsilon, claim.delta, in_words(result.verdict),
                     table({{fmt::format("at epsilon {}", claim.epsilon), "at least", "at most"},
                            row("delta", truth.delta()),
                            row("forward", truth.forward),
                            row("reverse", truth.reverse)}),
                     singularity_sentence(description.loss),
                     proof_sentence(truth.proof, {truth.forward, truth.reverse}));
}

std::string answer(const AuditRequest& request) {
  const PrivacyTarget claim(parse_number("--epsilon", request.epsilon),
                            parse_number("--delta", request.delta));
  const ProgressLine progress("auditing");
  const Description description = load_description(request.file, request.flags);
  const AuditResult result = audit_loss(description.loss, claim, request.flags.accuracy());
  return request.flags.json ? json_line(audit_json(claim, result))
                            : for_people(description, claim, result);
}

}  // namespace

void add_audit_command(CLI::App& program, CommandResult& output) {
  const std::string example = "  modicum audit pair mechanism.json --epsilon 1 --delta 1e-6";
  CLI::App* audit = add_command(program, "audit", "is a privacy claim true?", example);
  audit->require_subcommand(1);
  CLI::App* pair =
      add_command(*audit, "pair", "the exact delta of a description against a claim",
                  example + "\nA violation that is found is an answer: the exit code is 0.");
  const auto request = std::make_shared<AuditRequest>();
  pair->add_option("FILE", request->file, "mechanism description in JSON, - for standard input")
      ->type_name("")
      ->required();
  pair->add_option("--epsilon", request->epsilon, "claimed epsilon, at least 0")
      ->type_name("NUMBER")
      ->required();
  pair->add_option("--delta", request->delta, "claimed delta, at least 0 and below 1")
      ->type_name("NUMBER")
      ->required();
  add_common_flags(*pair, request->flags);
  pair->callback([&output, request] { output = answer(*request); });
  add_claim_command(*audit, output);
  add_component_audit(*audit, output);
  add_inherent_command(*audit, output);
  add_mechanism_command(*audit, output);
  add_program_command(*audit, output);
}

}  // namespace modicum
