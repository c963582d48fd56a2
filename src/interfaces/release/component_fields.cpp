#include "interfaces/release/component_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

// Ranks lie in [-1, 1]: rounded upwards, sqrt p bounds every row.
double rank_norm_bound(const RowRule& rule) {
  return std::nextafter(std::sqrt(static_cast<double>(rule.width())), HUGE_VAL);
}

double norm_bound(const ComponentFields& asked, const RowRule& rule) {
  const RowChoice& choice = asked.choice;
  if (!asked.ranks) return choice.norm_bound(rule);
  for (const auto& [name, given] : {std::pair{"range", !choice.ranges.empty()},
                                    {"range_of_all", choice.range_of_all.has_value()},
                                    {"row_norm_bound", choice.row_norm_bound.has_value()}})
    if (given) throw UsageError(fmt::format("`{}` must not be given with `ranks`", name));
  return rank_norm_bound(rule);
}

RowRule rule_beside(const std::string& label, const RowChoice& choice, const Table& table) {
  if (!label.empty()) table.index_of("label", label);
  if (label.empty() || std::ranges::find(choice.select, label) != choice.select.end())
    return choice.rule(table);
  if (choice.columns(table) == std::vector<std::string>{label})
    throw UsageError("`label` is the only column, but there must be others");
  return choice.feature_rule(table, label);
}

}  // namespace

void ComponentFields::scaling_fields(Fields& fields) {
  choice.column_fields(fields);
  choice.norm_field(fields);
  fields.add("ranks", ranks,
             "replace values by their ranks within each column, mapped onto [-1, 1]: needs\n"
             "no ranges, but a row then moves all the others, and proofs cost more");
}

ComponentRows::ComponentRows(const ComponentFields& asked, const std::string& label)
    : table(asked.source.open()),
      rule(rule_beside(label, asked.choice, table)),
      rows(rule, norm_bound(asked, rule), asked.source.bad_rows()) {}

SecondMoments ComponentRows::moments(const ComponentFields& asked, Progress& progress) const {
  progress.begin("reading");
  const ReadOptions read = asked.source.read_options(progress);
  if (asked.ranks) return accumulate_rank_moments(table, rule, read);
  return accumulate_gram(table, rule, rows.row_norm_bound, read);
}

Eigen::MatrixXd ComponentRows::normalized(const SecondMoments& moments) const {
  if (const auto* ranks = std::get_if<RankMoments>(&moments)) return ranks->matrix;
  const double bound = rows.row_norm_bound;
  return std::get<IntegerGram>(moments).matrix() * (dimension() / bound / bound);
}

void tell_outlook(Reply& reply, const ComponentOutlook& outlook, double rows, bool declared) {
  Value told{{"rows", rows}, {"noise", outlook.noise}, {"least_gap", outlook.least_gap}};
  std::string words = fmt::format(
      "About private means, with {} rows: a component shows where its variance is above that of "
      "the rest by\n{:.3g} % of all variance at least, and is hidden below.\n",
      rows, 100.0 * outlook.least_gap);
  if (declared) {
    told["overlaps"] = outlook.overlaps;
    told["frobenius_error"] = outlook.frobenius_error;
    told["captured"] = outlook.captured;
    words += fmt::format(
        "For rows of these eigenvalues: squared Frobenius error {:.3g}, variance captured {:.4g} "
        "of "
        "what is best.\n",
        outlook.frobenius_error, outlook.captured);
  }
  reply.tell("outlook", std::move(told));
  reply.say(words + "Expected, for rows without outliers; nothing is promised.\n");
}

}  // namespace modicum
