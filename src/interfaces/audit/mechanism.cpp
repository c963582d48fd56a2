#include "interfaces/audit/mechanism.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "data/number_text.h"
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

void add_parameters(Reply& reply, const std::vector<AuditedParameter>& parameters) {
  Value values = Value::record(), calibrated = Value::list();
  for (const auto& [name, value, by_release] : parameters) {
    values[name] = value;
    if (by_release) calibrated.push_back(name);
    reply.show({name, fmt::format("{}", value), by_release ? "as released" : ""});
  }
  reply.tell("parameters", std::move(values)).tell("calibrated", std::move(calibrated));
}

Value in_tree(const MechanismAudit& audit, const std::optional<WorstNeighbor>& worst) {
  if (!worst) return nullptr;
  Value result = Value::record();
  if (worst->number) result["row_number"] = *worst->number;
  Value row = Value::record();
  for (Eigen::Index i = 0; i < worst->row.size(); ++i)
    row[audit.coordinates.at(static_cast<std::size_t>(i))] = worst->row[i];
  result["coordinates"] = std::move(row);
  result["delta"] = worst->found.delta();
  result["forward"] = worst->found.forward;
  result["reverse"] = worst->found.reverse;
  result["proof"] = to_string(worst->found.proof);
  result["bound"] = worst->bound;
  result["exhaustive"] = worst->exhaustive;
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
  if (!added) return text;
  std::vector<std::string> parts;
  for (Eigen::Index i = 0; i < added->row.size(); ++i)
    parts.push_back(
        fmt::format("{} {:.6g}", audit.coordinates.at(static_cast<std::size_t>(i)), added->row[i]));
  return text + fmt::format("The row added, in coordinates, found by search:\n  {}\n",
                            fmt::join(parts, ", "));
}

void add_confidential(Reply& reply, const MechanismAudit& audit) {
  const NeighborAudit& found = audit.result;
  const RowFigures& figures = found.figures;
  reply.say(fmt::format("\n{}\nThis data set: {}\n", confidential_heading,
                        confidential_words(found.verdict)));
  reply.show({"worst neighbor", "delta at least", "at most", "of its kind at most"});
  show_neighbor(reply, "a row removed", found.removed);
  show_neighbor(reply, "a row added", found.added);
  reply.say(rows_in_words(audit));
  ReplyTable spread({"", "median", "75 %", "99 %", "largest"});
  const auto number = [](double value) { return fmt::format("{:.5g}", value); };
  spread.add({}, {figures.name, number(figures.median), number(figures.upper_quartile),
                  number(figures.upper_percent), number(figures.largest)});
  reply.add("", spread);
  reply.tell("confidential", {{"verdict", to_string(found.verdict)},
                              {"rows", found.rows},
                              {"removed", in_tree(audit, found.removed)},
                              {"added", in_tree(audit, found.added)},
                              {"row_figures",
                               {{"name", figures.name},
                                {"median", figures.median},
                                {"upper_quartile", figures.upper_quartile},
                                {"upper_percent", figures.upper_percent},
                                {"largest", figures.largest}}}});
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
  reply.tell("everywhere", {{"delta", delta}, {"proof", to_string(everywhere.proof)}});
  reply.say(
      fmt::format("Over all data sets delta is at most {}{}.\n", at_most(delta),
                  delta.lower() > 0.0 ? ", and at least " + at_least(delta) + " for some" : ""));
  if (confidential) add_confidential(reply, audit);
  else
    reply.say("What this data set gives away, and which rows, is not private: --confidential.\n");
  return reply;
}

}  // namespace modicum
