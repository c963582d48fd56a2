// Rows with labels, each made from one row of the file alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "modicum/release/logistic_release.h"

namespace modicum {

LabelledRows::LabelledRows(const Table& table, RowRule features, LabelRule label,
                           double row_norm_bound)
    : table_(table),
      features_(std::move(features)),
      label_(std::move(label)),
      clip_(row_norm_bound),
      columns_(features_.table_columns()) {
  require_finite("threshold", label_.threshold);
  const std::size_t place = table.index_of("target", label_.column);
  if (std::find(columns_.begin(), columns_.end(), place) != columns_.end())
    throw InvalidParameter("target", fmt::format("\"{}\"", label_.column),
                           "must not be one of the features");
  columns_.push_back(place);
}

void LabelledRows::for_each_block(const ReadOptions& options, const LabelledWork& work) const {
  table_.for_each_block(columns_, options, [&](const RowBlock& block) {
    const Eigen::Index last = block.cols() - 1;
    LabelledBlock labelled;
    labelled.features = features_.apply(block.leftCols(last));
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      if (labelled.features.row(i).stableNorm() > clip_.row_norm_bound()) ++labelled.clipped;
    clip_.apply(labelled.features);
    labelled.labels.resize(block.rows());
    for (Eigen::Index i = 0; i < block.rows(); ++i)
      labelled.labels[i] = block(i, last) > label_.threshold ? 1.0 : -1.0;
    return work(labelled);
  });
}

}  // namespace modicum
