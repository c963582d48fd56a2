#include "interfaces/audit/mechanism.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/cells/number_text.h"
#include "interfaces/audit/audit.h"
#include "interfaces/release/output.h"
#include "interfaces/wording.h"

namespace modicum {
namespace {

// What follows from public numbers alone: a verdict on the data set would be an oracle for them.
Verdict public_verdict(const MechanismAudit& audit) {
  return verdict_on(audit.claim.delta, audit.result.everywhere.delta());
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
  return "undecided: no data set with a larger delta is known, but one is not excluded";
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

void add_parameters(Reply& reply, const std::vector<AuditedParameter>& parameters) {
  Value values = Value::record(), calibrated = Value::list();
  for (const auto& [name, value, by_release] : parameters) {
    values[name] = value;
    if (by_release) calibrated.push_back(name);
    reply.show({name, fmt::format("{}", value), by_release ? "as released" : ""});
  }
  reply.tell("parameters", std::move(values)).tell("calibrated", std::move(calibrated));
}

Value row_in_tree(const MechanismAudit& audit, const Eigen::VectorXd& row) {
  Value result = Value::record();
  for (Eigen::Index i = 0; i < row.size(); ++i)
    result[audit.coordinates.at(static_cast<std::size_t>(i))] = row[i];
  return result;
}

std::string row_in_words(const MechanismAudit& audit, const Eigen::VectorXd& row) {
  std::vector<std::string> parts;
  for (Eigen::Index i = 0; i < row.size(); ++i)
    parts.push_back(
        fmt::format("{} {:.6g}", audit.coordinates.at(static_cast<std::size_t>(i)), row[i]));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Value in_tree(const MechanismAudit& audit, const std::optional<WorstNeighbor>& worst) {
  if (!worst) return nullptr;
  Value result = Value::record();
  if (worst->number) result["row_number"] = *worst->number;
  result["coordinates"] = row_in_tree(audit, worst->row);
  result["delta"] = worst->found.delta();
  result["forward"] = worst->found.forward;
  result["reverse"] = worst->found.reverse;
  result["proof"] = to_string(worst->found.proof);
  result["bound"] = worst->bound;
  result["exhaustive"] = worst->exhaustive;
  if (worst->chance > 0.0) result["chance"] = worst->chance;
  return result;
}

void show_neighbor(Reply& reply, const std::string& name,
                   const std::optional<WorstNeighbor>& worst) {
  if (!worst) reply.show({name, "none", "", ""});
  else
    reply.show({name, at_least(worst->found.delta()), at_most(worst->found.delta()),
                rounded_up(worst->bound)});
}

std::string rows_in_words(const MechanismAudit& audit) {
  const auto& [removed, added] = std::tie(audit.result.removed, audit.result.added);
  std::string text;
  if (removed)
    text += fmt::format(
        "Of {} rows, {}, the row removed has number {}.\n", audit.result.rows,
        removed->exhaustive ? "all looked at" : "by one step of the solver, then exactly",
        *removed->number);
  if (added)
    text += fmt::format("The row added, in coordinates, found by search:\n  {}\n",
                        row_in_words(audit, added->row));
  if (const auto& given = audit.result.given)
    text += fmt::format("The neighbor given is {} {}:\n  {}\n",
                        given->number ? "without" : "with one row more",
                        given->number ? fmt::format("row {}", *given->number) : "",
                        row_in_words(audit, given->row));
  return text;
}

// What two given tables say about the claim.
Verdict verdict_on_given(const MechanismAudit& audit) {
  const WorstNeighbor& given = *audit.result.given;
  return verdict_on(audit.claim.delta,
                    {std::min(given.found.delta().lower(), given.bound), given.bound});
}

const char* given_words(Verdict verdict) {
  switch (verdict) {
    case Verdict::violated:
      return "VIOLATED: delta between the two is larger";
    case Verdict::consistent:
      return "consistent: delta between the two is at most the claim";
    case Verdict::undecided:
      break;
  }
  return "undecided: the claim lies between the bounds of delta";
}

// The data set that shows the lower end, for all to see.
Value witness_tree(const MechanismAudit& audit) {
  Value rows = Value::list();
  for (const Witness::Rows& each : audit.result.witness.table)
    rows.push_back({{"count", each.count}, {"coordinates", row_in_tree(audit, each.row)}});
  return {{"table", std::move(rows)}, {"added", row_in_tree(audit, audit.result.witness.added)}};
}

std::string witness_words(const MechanismAudit& audit) {
  const Witness& witness = audit.result.witness;
  std::string text = fmt::format("It is, where this row (in coordinates) is added:\n  {}\n",
                                 row_in_words(audit, witness.added));
  if (witness.table.empty()) return text + "to a table without rows.\n";
  text += "to a table of\n";
  for (const Witness::Rows& each : witness.table)
    text += fmt::format("  {} times {}\n", each.count, row_in_words(audit, each.row));
  return text;
}

void add_confidential(Reply& reply, const MechanismAudit& audit) {
  const NeighborAudit& found = audit.result;
  const RowFigures& figures = found.figures;
  reply.say(fmt::format("\n{}\nThis data set: {}\n", confidential_heading,
                        confidential_words(found.verdict)));
  reply.show({"worst neighbor", "delta at least", "at most", "of its kind at most"});
  show_neighbor(reply, "a row removed", found.removed);
  show_neighbor(reply, "a row added", found.added);
  if (found.given) show_neighbor(reply, "the neighbor given", found.given);
  reply.say(rows_in_words(audit));
  for (const auto& worst : {found.removed, found.added, found.given})
    if (worst && worst->chance > 0.0) {
      reply.say(
          fmt::format("Lower ends come from draws of the noise: all of them hold but with "
                      "probability {}.\n",
                      worst->chance));
      break;
    }
  if (found.given)
    reply.say(fmt::format("These two tables: {}\n", given_words(verdict_on_given(audit))));
  ReplyTable spread({"", "median", "75 %", "99 %", "largest"});
  const auto number = [](double value) { return fmt::format("{:.5g}", value); };
  spread.add({}, {figures.name, number(figures.median), number(figures.upper_quartile),
                  number(figures.upper_percent), number(figures.largest)});
  reply.add("", spread);
  Value tree{{"verdict", to_string(found.verdict)},
             {"rows", found.rows},
             {"removed", in_tree(audit, found.removed)},
             {"added", in_tree(audit, found.added)}};
  if (found.given) {
    tree["given"] = in_tree(audit, found.given);
    tree["given"]["verdict"] = to_string(verdict_on_given(audit));
  }
  tree["row_figures"] = {{"name", figures.name},
                         {"median", figures.median},
                         {"upper_quartile", figures.upper_quartile},
                         {"upper_percent", figures.upper_percent},
                         {"largest", figures.largest}};
  reply.tell("confidential", std::move(tree));
}

}  // namespace

Reply told(const std::string& mechanism, const MechanismAudit& audit, bool confidential) {
  const Verdict verdict = public_verdict(audit);
  const ProfilePoint& everywhere = audit.result.everywhere;
  const Enclosure delta = everywhere.delta();
  Reply reply;
  reply.say(fmt::format("{} against the claim epsilon {}, delta {}\nVerdict: {}\n", mechanism,
                        audit.claim.epsilon, audit.claim.delta, public_words(verdict)));
  reply.tell("verdict", to_string(verdict)).tell("claim", in_tree(audit.claim));
  reply.tell("mechanism", mechanism);
  add_parameters(reply, audit.parameters);
  reply.tell(
      "everywhere",
      {{"delta", delta}, {"proof", to_string(everywhere.proof)}, {"witness", witness_tree(audit)}});
  reply.say(
      fmt::format("Over all data sets delta is at most {}{}.\n", at_most(delta),
                  delta.lower() > 0.0 ? ", and at least " + at_least(delta) + " for some" : ""));
  if (verdict == Verdict::violated) reply.say(witness_words(audit));
  if (confidential) add_confidential(reply, audit);
  else
    reply.say("What this data set gives away, and which rows, is not private: --confidential.\n");
  return reply;
}

}  // namespace modicum
