// audit mechanism: what a release gives away on one data set, against all of its neighbors.
#include <fmt/format.h>

#include <memory>

#include "interfaces/audited_mechanism.h"
#include "interfaces/data_commands.h"
#include "data/number_text.h"
#include "interfaces/wording.h"

namespace modicum {
namespace {

// What follows from public numbers alone: a verdict on the data set would be an oracle for them.
Verdict public_verdict(const MechanismAudit& audit) {
  return verdict_on(audit.claim.delta, audit.result.everywhere.delta());
}

Value neighbor_json(const MechanismAudit& audit, const WorstNeighbor& worst) {
  Value result = Value::record();
  if (worst.number) result["row_number"] = *worst.number;
  Value row = Value::record();
  for (Eigen::Index i = 0; i < worst.row.size(); ++i)
    row[audit.coordinates.at(static_cast<std::size_t>(i))] = worst.row[i];
  result["coordinates"] = std::move(row);
  result["delta"] = to_json(worst.found.delta());
  result["forward"] = to_json(worst.found.forward);
  result["reverse"] = to_json(worst.found.reverse);
  result["proof"] = to_string(worst.found.proof);
  result["bound"] = worst.bound;
  result["exhaustive"] = worst.exhaustive;
  return result;
}

Value confidential_json(const MechanismAudit& audit) {
  const NeighborAudit& found = audit.result;
  const RowFigures& figures = found.figures;
  return {{"verdict", to_string(found.verdict)},
          {"rows", found.rows},
          {"removed", found.removed ? neighbor_json(audit, *found.removed) : Value(nullptr)},
          {"added", found.added ? neighbor_json(audit, *found.added) : Value(nullptr)},
          {"row_figures",
           {{"name", figures.name},
            {"median", figures.median},
            {"upper_quartile", figures.upper_quartile},
            {"upper_percent", figures.upper_percent},
            {"largest", figures.largest}}}};
}

Value in_json(const std::string& mechanism, const MechanismAudit& audit, bool confidential) {
  Value parameters = Value::record(), calibrated = Value::list();
  for (const AuditedParameter& each : audit.parameters) {
    parameters[each.name] = each.value;
    if (each.calibrated) calibrated.push_back(each.name);
  }
  Value result{{"verdict", to_string(public_verdict(audit))},
              {"claim", {{"epsilon", audit.claim.epsilon}, {"delta", audit.claim.delta}}},
              {"mechanism", mechanism},
              {"parameters", std::move(parameters)},
              {"calibrated", std::move(calibrated)},
              {"everywhere",
               {{"delta", to_json(audit.result.everywhere.delta())},
                {"proof", to_string(audit.result.everywhere.proof)}}}};
  if (confidential) result["confidential"] = confidential_json(audit);
  return result;
}

const char* public_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::violated:
      return "VIOLATED: some data sets have a larger delta";
    case Verdict::consistent:
      return "consistent: no data set has a larger delta";
    case Verdict::undecided:
      break;
  }
  return "undecided: the bound over all data sets is above the claim";
}

const char* confidential_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::violated:
      return "VIOLATED: a neighbor of this data set has a larger delta";
    case Verdict::consistent:
      return "consistent: no neighbor of this data set has a larger delta";
    case Verdict::undecided:
      break;
  }
  return "undecided: no neighbor with a larger delta was found, but one is not excluded";
}

std::string public_part(const std::string& mechanism, const MechanismAudit& audit) {
  std::vector<std::vector<std::string>> rows;
  for (const AuditedParameter& each : audit.parameters)
    rows.push_back(
        {each.name, fmt::format("{}", each.value), each.calibrated ? "as released" : ""});
  const Enclosure everywhere = audit.result.everywhere.delta();
  return fmt::format(
      "{} against the claim epsilon {}, delta {}\nVerdict: {}\n\n{}\nOver all data sets delta is "
      "at most {}{}.\n",
      mechanism, audit.claim.epsilon, audit.claim.delta, public_words(public_verdict(audit)),
      table(rows), at_most(everywhere),
      everywhere.lower() > 0.0 ? ", and at least " + at_least(everywhere) + " for some" : "");
}

std::vector<std::string> neighbor_line(const std::string& name,
                                        const std::optional<WorstNeighbor>& worst) {
  if (!worst) return {name, "none", "", ""};
  return {name, at_least(worst->found.delta()), at_most(worst->found.delta()),
          rounded_up(worst->bound)};
}

std::string row_in_words(const MechanismAudit& audit, const Eigen::VectorXd& row) {
  std::vector<std::string> parts;
  for (Eigen::Index i = 0; i < row.size(); ++i)
    parts.push_back(
        fmt::format("{} {:.6g}", audit.coordinates.at(static_cast<std::size_t>(i)), row[i]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string confidential_part(const MechanismAudit& audit) {
  const NeighborAudit& found = audit.result;
  const auto number = [](double value) { return fmt::format("{:.5g}", value); };
  std::string text = fmt::format(
      "\n{}\nThis data set: {}\n\n{}\n", confidential_heading, confidential_words(found.verdict),
      table({{"worst neighbor", "delta at least", "at most", "of its kind at most"},
             neighbor_line("a row removed", found.removed),
             neighbor_line("a row added", found.added)}));
  if (found.removed)
    text += fmt::format(
        "{} the row removed has number {}.\n",
        found.removed->exhaustive
            ? fmt::format("Of {} rows, all looked at,", found.rows)
            : fmt::format("Of {} rows, by one step of the solver, then exactly,", found.rows),
        *found.removed->number);
  if (found.added)
    text += fmt::format("The row added, in coordinates, found by search:\n  {}\n",
                        row_in_words(audit, found.added->row));
  const RowFigures& figures = found.figures;
  return text +
         fmt::format("\n{}",
                     table({{"", "median", "75 %", "99 %", "largest"},
                            {figures.name, number(figures.median), number(figures.upper_quartile),
                             number(figures.upper_percent), number(figures.largest)}}));
}

std::string answer(const AuditedMechanism& mechanism, const ReleaseOptions& options) {
  const MechanismAudit audit = mechanism.audit(options);
  if (options.given("--json"))
    return json_line(in_json(mechanism.name, audit, options.confidential()));
  const std::string text = public_part(mechanism.name, audit);
  if (options.confidential()) return text + confidential_part(audit);
  return text + "What this data set gives away, and which rows, is not private: --confidential.\n";
}

}  // namespace

void add_mechanism_command(CLI::App& audit, CommandResult& output) {
  const auto& mechanisms = audited_mechanisms();
  CLI::App* command =
      add_command(audit, "mechanism", "what a release gives away on a data set and its neighbors",
                  mechanisms.front().example);
  command->require_subcommand(1);
  for (const AuditedMechanism& mechanism : mechanisms) {
    CLI::App* one = add_command(*command, mechanism.name, mechanism.what,
                                mechanism.example +
                                    "\nParameters that are not given are those of the release. A "
                                    "violation that is found is\nan answer: the exit code is 0.");
    const auto options = std::make_shared<ReleaseOptions>();
    options->add_data_to(*one);
    options->add_target_to(*one);
    mechanism.add_options(*one, *options);
    one->callback([&output, &mechanism, options] { output = answer(mechanism, *options); });
  }
}

}  // namespace modicum
