#include "interfaces/component_options.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

// Ranks lie in [-1, 1]: rounded upwards, sqrt p bounds every row.
double rank_norm_bound(const RowRule& rule) {
  return std::nextafter(std::sqrt(static_cast<double>(rule.width())), HUGE_VAL);
}

double norm_bound(const ComponentOptions& options, const RowRule& rule) {
  if (!options.ranks) return options.row_norm_bound(rule);
  options.refuse({"--range", "--range-of-all", "--row-norm-bound"}, "with --ranks");
  return rank_norm_bound(rule);
}

RowRule rule_beside(const std::string& label, const ComponentOptions& options, const Table& table) {
  const std::vector<std::string>& selected = options.selected();
  if (!label.empty()) table.index_of("--label", label);
  if (label.empty() || std::find(selected.begin(), selected.end(), label) != selected.end())
    return options.row_rule(table);
  if (options.used_columns(table) == std::vector<std::string>{label})
    throw UsageError("--label is the only column, but there must be others");
  return options.feature_rule(table, label);
}

}  // namespace

void ComponentOptions::add_scaling_to(CLI::App& command) {
  add_rows_to(command);
  command.add_flag("--ranks", ranks,
                   "replace values by their ranks within each column, mapped onto [-1, 1]: needs\n"
                   "no ranges, but a row then moves all the others, and proofs cost more");
}

ComponentTable::ComponentTable(const ComponentOptions& options, const std::string& label)
    : table(options.table()),
      rule(rule_beside(label, options, table)),
      rows(rule, norm_bound(options, rule), options.bad_rows()) {}

SecondMoments ComponentTable::moments(const ComponentOptions& options) const {
  ProgressLine progress("reading");
  const ReadOptions read = options.read_options(progress);
  if (options.ranks) return accumulate_rank_moments(table, rule, read);
  return accumulate_gram(table, rule, rows.row_norm_bound, read);
}

Eigen::MatrixXd normalized(const ComponentTable& from, const SecondMoments& moments) {
  if (const auto* ranks = std::get_if<RankMoments>(&moments)) return ranks->matrix;
  const double bound = from.rows.row_norm_bound;
  return std::get<IntegerGram>(moments).matrix() * (from.dimension() / bound / bound);
}

}  // namespace modicum
