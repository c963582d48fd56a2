#include "modicum/release/labeled_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/moment_width.h"
#include "modicum/numerics/errors.h"

namespace modicum {

const std::string& column_of(const ResponseRule& rule) {
  return std::visit([](const auto& any) -> const std::string& { return any.column; }, rule);
}

double response(const ResponseRule& rule, double value) {
  if (const auto* label = std::get_if<LabelRule>(&rule))
    return value > label->threshold ? 1.0 : -1.0;
  const Range& range = std::get<TargetRule>(rule).range;
  return std::clamp((value - range.middle()) / range.half_width(), -1.0, 1.0);
}

LabeledRows::LabeledRows(const Table& table, RowRule features, ResponseRule rule,
                         double row_norm_bound)
    : table_(table),
      features_(std::move(features)),
      response_(std::move(rule)),
      clip_(row_norm_bound),
      columns_(features_.table_columns()) {
  data::require_moment_width(features_.width());  // for the curvature of what is minimized
  if (const auto* label = std::get_if<LabelRule>(&response_))
    require_finite("threshold", label->threshold);
  const std::size_t place = table.index_of("target", column_of(response_));
  if (std::find(columns_.begin(), columns_.end(), place) != columns_.end())
    throw InvalidParameter("target", fmt::format("\"{}\"", column_of(response_)),
                           "must not be one of the features");
  table.require_numbers(place);
  columns_.push_back(place);
}

void LabeledRows::for_each_block(const ReadOptions& options, const LabeledWork& work) const {
  table_.for_each_block(columns_, options, [&](const RowBlock& block) {
    const Eigen::Index last = block.cols() - 1;
    LabeledBlock labeled;
    labeled.features = features_.apply(block.leftCols(last));
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      if (labeled.features.row(i).stableNorm() > clip_.row_norm_bound()) ++labeled.clipped;
    clip_.apply(labeled.features);
    labeled.labels.resize(block.rows());
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      labeled.labels[i] = modicum::response(response_, block(i, last));
    return work(labeled);
  });
}

PassOverRows LabeledRows::pass(const ReadOptions& options) const {
  return [this, &options](const LabeledWork& work) { for_each_block(options, work); };
}

}  // namespace modicum
