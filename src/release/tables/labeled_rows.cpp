#include "modicum/release/labeled_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/moment_width.h"
#include "modicum/data/fields.h"
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

void PassOverRows::operator()(const LabeledWork& work) const {
  if (elsewhere_)
    throw UsageError(
        "`gathered` sums are there in place of rows, but this reads rows one by one: give the "
        "table "
        "itself");
  pass_(work);
}

PassOverRows PassOverRows::mapped(const char* how, Value map) const {
  Value rows = rows_;
  rows[how] = std::move(map);
  return {elsewhere_, std::move(rows)};
}

std::vector<Integer128> PassOverRows::sums(
    Value question, std::size_t entries,
    const std::function<std::vector<Integer128>()>& read) const {
  if (!elsewhere_) return read();
  question["labeled"] = rows_;
  WholeSums found = elsewhere_->sums(question);
  if (found.entries.size() != entries)
    throw Error("gathered pieces answer with another number of sums; nothing is released");
  return std::move(found.entries);
}

Value LabeledRows::to_value() const {
  Value value{{"rows", modicum::to_value(features_)},
              {"row_norm_bound", clip_.row_norm_bound()},
              {"target", column_of(response_)}};
  if (const auto* label = std::get_if<LabelRule>(&response_)) value["threshold"] = label->threshold;
  else {
    const Range& range = std::get<TargetRule>(response_).range;
    value["range"] = std::vector<double>{range.low, range.high};
  }
  return value;
}

LabeledRows LabeledRows::in(const Table& table, const Value& value) {
  const std::string target = value.at("target").text();
  const auto response = [&]() -> ResponseRule {
    if (const Value* threshold = value.find("threshold"))
      return LabelRule{target, threshold->number()};
    const std::vector<double> ends = value.at("range").numbers();
    if (ends.size() != 2) throw Error("a range must have two ends");
    return TargetRule{target, Range(ends[0], ends[1])};
  }();
  return {table, rule_in(table, value.at("rows")), response, value.at("row_norm_bound").number()};
}

PassOverRows LabeledRows::pass(const ReadOptions& options) const {
  if (table_.elsewhere()) return {table_.elsewhere(), to_value()};
  return [this, &options](const LabeledWork& work) { for_each_block(options, work); };
}

}  // namespace modicum
