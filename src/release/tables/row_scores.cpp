#include "modicum/release/row_scores.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "data/cells/number.h"
#include "data/rank_rows.h"
#include "numerics/dense.h"
#include "release/components/component_basis.h"

namespace modicum {
namespace {

struct TextAndNumbers {
  RowBlock numbers;
  std::vector<std::string> labels;
};
using MixedWork = std::function<std::function<void()>(const TextAndNumbers&)>;

// Numbers, then the label: what a table of numbers would drop is dropped here, too.
TextAndNumbers understood(const TextBlock& block, std::size_t columns) {
  TextAndNumbers result;
  result.numbers.resize(static_cast<Eigen::Index>(block.size()),
                        static_cast<Eigen::Index>(columns));
  Eigen::Index kept = 0;
  for (const std::vector<std::string>& fields : block) {
    std::size_t read = 0;
    while (read < columns &&
           data::parse_number(fields[read], result.numbers(kept, static_cast<Eigen::Index>(read))))
      ++read;
    if (read < columns) continue;
    result.labels.push_back(fields.back());
    ++kept;
  }
  result.numbers.conservativeResize(kept, Eigen::NoChange);
  return result;
}

void for_each_mixed_block(const Table& table, const RowRule& rule,
                          const std::optional<std::string>& label, const ReadOptions& options,
                          const MixedWork& work) {
  std::vector<std::size_t> columns = rule.table_columns();
  if (!label) {
    table.for_each_block(columns, options, [&](const RowBlock& block) {
      return work({block, {}});
    });
    return;
  }
  // Text is never refused for not being a number; this pass names the place.
  if (options.bad_rows == BadRows::refused)
    table.for_each_block(columns, options, [](const RowBlock&) { return nullptr; });
  const std::size_t numbers = columns.size();
  columns.push_back(table.index_of("label", *label));
  table.for_each_text_block(
      columns, options, [&](const TextBlock& block) { return work(understood(block, numbers)); });
}

void append(Eigen::MatrixXd& all, Eigen::Index& count, const Eigen::MatrixXd& more) {
  if (count + more.rows() > all.rows())
    all.conservativeResize(std::max(2 * all.rows(), count + more.rows()), Eigen::NoChange);
  all.middleRows(count, more.rows()) = more;
  count += more.rows();
}

RowScores score_separately(const Table& table, const RowRule& rule, const ScoredRows& rows,
                           const Eigen::MatrixXd& components, const ReadOptions& options) {
  const IntegerClip clip(rows.row_norm_bound);
  const double unit =
      clip.grid() * std::sqrt(static_cast<double>(rule.width())) / rows.row_norm_bound;
  RowScores result{Eigen::MatrixXd(0, components.cols()), {}, 0.0};
  Eigen::Index count = 0;
  for_each_mixed_block(table, rule, rows.label, options, [&](const TextAndNumbers& block) {
    RowBlock scaled = rule.apply(block.numbers);
    clip.apply(scaled);
    scaled *= unit;
    return [&, scores = Eigen::MatrixXd(scaled * components), labels = block.labels,
            lengths = scaled.squaredNorm()] {
      append(result.values, count, scores);
      result.labels.insert(result.labels.end(), labels.begin(), labels.end());
      result.squared_lengths += lengths;
    };
  });
  result.values.conservativeResize(count, Eigen::NoChange);
  return result;
}

RowScores score_ranks(const Table& table, const RowRule& rule, const ScoredRows& rows,
                      const Eigen::MatrixXd& components, const ReadOptions& options) {
  Eigen::MatrixXd values(0, components.rows());
  std::vector<std::string> all_labels;
  Eigen::Index count = 0;
  for_each_mixed_block(table, rule, rows.label, options, [&](const TextAndNumbers& block) {
    return [&, scaled = Eigen::MatrixXd(rule.apply(block.numbers)), labels = block.labels] {
      append(values, count, scaled);
      all_labels.insert(all_labels.end(), labels.begin(), labels.end());
    };
  });
  const RowBlock ranks = ranks_of(values.topRows(count));
  return {ranks * components, std::move(all_labels), ranks.squaredNorm()};
}

}  // namespace

RowScores score_rows(const Table& table, const RowRule& rule, const ScoredRows& rows,
                     const Eigen::MatrixXd& components, const ReadOptions& options) {
  if (components.rows() != static_cast<Eigen::Index>(rule.width()))
    throw InvalidParameter("components", static_cast<double>(components.rows()),
                           fmt::format("must have a row for each of {} coordinates", rule.width()));
  const auto score = rows.scaling == RowScaling::ranks ? score_ranks : score_separately;
  return score(table, rule, rows, components, options);
}

Eigen::MatrixXd top_components(const Eigen::MatrixXd& moments, Eigen::Index count) {
  if (!(count >= 1 && count <= moments.rows()))
    throw InvalidParameter("components", static_cast<double>(count),
                           fmt::format("must be from 1 to {}", moments.rows()));
  return with_positive_signs(component_basis(moments, 1.0).vectors.leftCols(count));
}

// With V^T goal = A S B^T, the trace of Q^T V^T goal is largest for Q = A B^T.
Eigen::MatrixXd turned_towards(const Eigen::MatrixXd& components, const Eigen::MatrixXd& goal) {
  if (components.rows() != goal.rows() || components.cols() != goal.cols())
    throw InvalidParameter("components", static_cast<double>(components.cols()),
                           "must be as many, with as many entries, as those to turn them to");
  const ThinSvd factors = thin_svd(components.transpose() * goal);
  return components * (factors.left * factors.right.transpose());
}

}  // namespace modicum
