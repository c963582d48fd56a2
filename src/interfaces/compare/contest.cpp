#include "interfaces/compare/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

std::string noise_in_words(const Candidate& candidate) {
  if (candidate.ridge > 0.0) return fmt::format("sigma {:.5g}", std::sqrt(candidate.ridge));
  const auto deviation = number_in(candidate.certificate, "standard_deviation");
  return deviation ? fmt::format("deviation {:.5g}", *deviation) : "-";
}

// There is no number for an infinity, or for what is undefined.
Value finite_or_nothing(double value) { return std::isfinite(value) ? Value(value) : Value(); }

}  // namespace

void ContestFields::fields(Fields& fields) {
  fields.add("method", methods, "methods to compare, all by default").shown_as("NAME");
  fields.add("trials", trials, "releases by each method, 100 by default");
}

std::size_t ContestFields::trial_count() const {
  if (!(trials >= 2.0 && trials <= 1e6 && trials == std::floor(trials)))
    throw InvalidParameter("trials", trials, "must be a whole number from 2 to 1000000");
  return static_cast<std::size_t>(trials);
}

std::optional<double> number_in(const Certificate& certificate, const std::string& name) {
  const ParameterValue* value = certificate.find(name);
  const double* number = value == nullptr ? nullptr : std::get_if<double>(value);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

double number_in(const Diagnostics& diagnostics, const std::string& name) {
  const auto found = std::ranges::find(diagnostics, name, &Diagnostic::name);
  if (found == diagnostics.end()) throw Error(fmt::format("there is no diagnostic {}", name));
  return found->value;
}

Contest::Contest(std::vector<Measure> measures, const ContestFields& asked)
    : measures_(std::move(measures)), trials_(asked.trial_count()), wanted_(asked.methods) {
  for (std::string& name : wanted_) std::ranges::replace(name, '_', '-');
}

bool Contest::is_wanted(const std::string& name) {
  if (std::ranges::find(known_, name) == known_.end()) known_.push_back(name);
  return wanted_.empty() || std::ranges::find(wanted_, name) != wanted_.end();
}

void Contest::leave_out(const std::string& name, const std::string& reason) {
  if (is_wanted(name)) left_out_.push_back({name, reason});
}

void Contest::run(Progress& progress) {
  for (const std::string& name : wanted_) place_of_word("method", name, known_);
  SecureSource source;
  progress.begin("trying");
  for (const Candidate& candidate : candidates_) {
    progress.report(outcomes_.size(), candidates_.size());
    outcomes_.push_back(try_out(candidate, source));
  }
}

void Contest::rank_by(const std::string& measure) {
  const auto place = static_cast<std::size_t>(std::ranges::find(measures_, measure, &Measure::key) -
                                              measures_.begin());
  const auto median = [&](std::size_t i) {
    const std::vector<Spread>& spreads = outcomes_[i].spreads;
    const double found = place < spreads.size() ? spreads[place].median : NAN;
    return std::isnan(found) ? HUGE_VAL : found;
  };
  std::vector<std::size_t> order(outcomes_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, median);
  std::vector<Candidate> candidates;
  std::vector<Outcome> outcomes;
  for (const std::size_t i : order) {
    candidates.push_back(candidates_[i]);
    outcomes.push_back(outcomes_[i]);
  }
  candidates_ = std::move(candidates);
  outcomes_ = std::move(outcomes);
}

Contest::Outcome Contest::try_out(const Candidate& candidate, RandomSource& source) const {
  std::vector<std::vector<double>> values(measures_.size());
  Outcome outcome;
  for (std::size_t i = 0; i < trials_; ++i) {
    std::vector<double> one;
    try {
      one = candidate.trial(source);
    } catch (const Error&) {
      ++outcome.failures;
      continue;
    }
    for (std::size_t j = 0; j < values.size(); ++j) values[j].push_back(one.at(j));
  }
  if (values.front().size() >= 2)
    for (std::vector<double>& each : values) outcome.spreads.push_back(spread_of(std::move(each)));
  return outcome;
}

Value Contest::in_tree(const Candidate& candidate, const Outcome& outcome) const {
  Value row{{"name", candidate.name}, {"guarantee", to_string(candidate.certificate.guarantee)}};
  for (const char* name : {"columns", "standard_deviation"})
    if (const auto value = number_in(candidate.certificate, name)) row[name] = *value;
  if (candidate.ridge > 0.0) {
    row["ridge"] = candidate.ridge;
    row["sigma"] = std::sqrt(candidate.ridge);
  }
  row["delta"] = candidate.certificate.achieved.delta();
  for (std::size_t j = 0; j < outcome.spreads.size(); ++j) {
    const Spread& spread = outcome.spreads[j];
    row[measures_[j].key] = {{"mean", finite_or_nothing(spread.mean)},
                             {"half_width", finite_or_nothing(spread.half_width)},
                             {"median", finite_or_nothing(spread.median)},
                             {"upper_decile", finite_or_nothing(spread.upper_decile)}};
  }
  row["failed_trials"] = outcome.failures;
  return row;
}

std::vector<std::string> Contest::in_words(const Candidate& candidate,
                                           const Outcome& outcome) const {
  const auto columns = number_in(candidate.certificate, "columns");
  std::vector<std::string> cells{candidate.name, to_string(candidate.certificate.guarantee),
                                 columns ? fmt::format("{}", *columns) : "-",
                                 noise_in_words(candidate)};
  for (const Spread& spread : outcome.spreads)
    cells.push_back(std::isnan(spread.mean)
                        ? "undefined"
                        : fmt::format("{:.4g} +- {:.2g}", spread.mean, spread.half_width));
  return cells;
}

void Contest::tell(Reply& reply, const std::string& remarks) const {
  std::vector<std::string> heading{"method", "guarantee", "columns", "noise"};
  for (const Measure& measure : measures_) heading.push_back(measure.in_words);
  ReplyTable rows(std::move(heading));
  std::string out = remarks;
  for (std::size_t i = 0; i < outcomes_.size(); ++i) {
    rows.add(in_tree(candidates_[i], outcomes_[i]), in_words(candidates_[i], outcomes_[i]));
    if (outcomes_[i].failures > 0.0)
      out += fmt::format("{}: {} of {} trials had no solution.\n", candidates_[i].name,
                         outcomes_[i].failures, trials_);
  }
  Value left_out = Value::list();
  for (const LeftOut& each : left_out_) {
    left_out.push_back({{"name", each.name}, {"reason", each.reason}});
    out += fmt::format("Left out: {}: {}.\n", each.name, each.reason);
  }
  reply.add("methods", rows).tell("left_out", std::move(left_out));
  reply.say(out + "Means with 95 % confidence intervals, by the normal approximation.\n");
}

}  // namespace modicum
