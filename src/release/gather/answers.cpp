#include "release/gather/answers.h"

#include "modicum/release/labeled_rows.h"
#include "modicum/release/vector_release.h"
#include "release/classification/gradient_sums.h"
#include "release/classification/logistic_features.h"
#include "release/classification/standardized_rows.h"
#include "release/everyday/everyday_layout.h"
#include "release/look/mapped_rows.h"
#include "release/regression/linear_objective.h"
#include "release/regression/objective_sums.h"

namespace modicum {
namespace {

// Sums and second moments of rows, as they are or mapped.
struct AskedRows {
  AskedRows(const Table& table, const Value& question) : rule(rule_in(table, question.at("rows"))) {
    const Value* described = question.find("map");
    if (described == nullptr) return;
    const std::int64_t first = described->at("first").whole(),
                       dimension = described->at("dimension").whole();
    const std::size_t center = described->at("affine").at("center").size();
    if (first < 0 || dimension < 1 || static_cast<std::size_t>(first + dimension) != rule.width() ||
        static_cast<std::size_t>(dimension) != center)
      throw Error("a question maps another number of coordinates than the rows have");
    map = affine_row_map(*described);
  }
  RowRule rule;
  std::optional<RowMap> map;
};

WholeSums answer_sum(const Table& table, const Value& question, const ReadOptions& options) {
  const AskedRows asked(table, question);
  const double bound = question.at("row_norm_bound").number();
  IntegerSum sum = asked.map ? accumulate_sum(table, asked.rule, *asked.map, bound, options)
                             : accumulate_sum(table, asked.rule, bound, options);
  sum.entries.push_back(sum.rows);
  return {std::move(sum.entries)};
}

WholeSums answer_moments(const Table& table, const Value& question, const ReadOptions& options) {
  const AskedRows asked(table, question);
  const double bound = question.at("row_norm_bound").number();
  return {(asked.map ? accumulate_gram(table, asked.rule, *asked.map, bound, options)
                     : accumulate_gram(table, asked.rule, bound, options))
              .entries};
}

WholeSums answer_norms(const Table& table, const Value& question, const ReadOptions& options) {
  const AskedRows asked(table, question);
  if (!asked.map) throw Error("a question about norms must have a map");
  const std::vector<double> edges = question.at("edges").numbers();
  if (edges.empty()) throw Error("a question about norms must have edges");
  return {count_norms(table, asked.rule, *asked.map, edges, options)};
}

WholeSums answer_bins(const Table& table, const Value& question, const ReadOptions& options) {
  const Bins bins = bins_in(question.at("bins"));
  const std::size_t column = table.index_of("select", question.at("column").text());
  if (!bins.edges.empty()) table.require_numbers(column);
  return {count_bins(table, column, bins, options)};
}

// Everything about rows with labels, standardized where that is asked.
WholeSums answer_labeled(const Table& table, const std::string& kind, const Value& question,
                         const ReadOptions& options) {
  const Value& described = question.at("labeled");
  const LabeledRows rows = LabeledRows::in(table, described);
  const auto require_width = [&](std::size_t width) {
    if (width != static_cast<std::size_t>(rows.dimension()))
      throw Error("a question has another number of coefficients than the rows have coordinates");
  };
  PassOverRows pass = rows.pass(options);
  std::optional<Standardization> standardized;
  if (const Value* map = described.find("standardized")) {
    require_width(map->at("center").size() + static_cast<std::size_t>(map->at("ones").whole()));
    pass = standardized.emplace(*map).pass(pass);
  }
  if (kind == "look") {
    require_width(
        static_cast<std::size_t>(question.at("ones").whole() + question.at("features").whole()));
    return {answer_look(pass, question)};
  }
  if (kind == "gradient") {
    require_width(question.at("coefficients").size());
    return {answer_gradient(pass, question)};
  }
  if (kind == "features") return {answer_features(pass, rows.dimension())};
  require_width(question.at("at").at("whole").size());
  return {kind == "point" ? answer_point(pass, question) : answer_objective_sums(pass, question)};
}

}  // namespace

WholeSums answer(const Table& table, const Value& question, const ReadOptions& options,
                 RandomSource& choosing) {
  const std::string& kind = question.at("sums").text();
  if (kind == "sum") return answer_sum(table, question, options);
  if (kind == "moments") return answer_moments(table, question, options);
  if (kind == "norms") return answer_norms(table, question, options);
  if (kind == "bins") return answer_bins(table, question, options);
  if (kind == "groups") return answer_groups(table, question, options, choosing);
  if (kind == "points") return answer_points(table, question, options, choosing);
  for (const char* each : {"look", "gradient", "features", "point", "curvatures"})
    if (kind == each) return answer_labeled(table, kind, question, options);
  throw Error("a question asks for sums that are not known");
}

}  // namespace modicum
