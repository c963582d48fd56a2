#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "modicum/data/rows.h"

namespace modicum {
Range::Range(double low_end, double high_end) : low(low_end), high(high_end) {
  require_finite("the low end of a range", low);
  require_finite("the high end of a range", high);
  if (!(low < high))
    throw InvalidParameter("the high end of a range", high, "must be above the low end");
  if (!(half_width() > 0.0))
    throw InvalidParameter("the high end of a range", high, "is too close to the low end");
}

RowRule::RowRule(const Table& table, const std::vector<std::string>& columns,
                 const std::map<std::string, Range>& ranges, bool intercept)
    : ranges_(ranges), intercept_(intercept), assumptions_(table.assumptions()) {
  if (intercept) {
    names_.push_back("intercept");
    offsets_.push_back(0.0);
    scales_.push_back(1.0);
    ranged_.push_back(true);  // the ones are as bounded as a column with a range
  }
  const std::vector<std::string>& selected = columns.empty() ? table.columns() : columns;
  std::unordered_set<std::string> taken(names_.begin(), names_.end());
  for (const std::string& name : selected) {
    const std::size_t index = table.index_of("column", name);
    if (!taken.insert(name).second) throw InvalidParameter("column", name, "is there already");
    table.require_numbers(index);
    const auto found = ranges.find(name);
    names_.push_back(name);
    table_columns_.push_back(index);
    ranged_.push_back(found != ranges.end());
    offsets_.push_back(found != ranges.end() ? found->second.middle() : 0.0);
    scales_.push_back(found != ranges.end() ? found->second.half_width() : 1.0);
  }
  for (const auto& entry : ranges)
    if (!taken.contains(entry.first) || (intercept && entry.first == names_.front()))
      throw InvalidParameter("range", entry.first, "must be for a selected column");
}

std::size_t RowRule::width() const { return names_.size(); }
double RowRule::offset(std::size_t column) const { return offsets_.at(column); }
double RowRule::scale(std::size_t column) const { return scales_.at(column); }

double RowRule::natural_norm_bound(std::size_t columns) const {
  for (std::size_t column = 0; column < columns; ++column)
    if (!has_range(column)) return std::numeric_limits<double>::infinity();
  // Entries lie in [-1, 1]. Rounded up: fma tells the sign of bound^2 - columns without error.
  const auto squared = static_cast<double>(columns);
  double bound = std::sqrt(squared);
  while (std::fma(bound, bound, -squared) < 0.0)
    bound = std::nextafter(bound, std::numeric_limits<double>::infinity());
  return bound;
}

// Every entry by itself, with the same operations wherever in a block its row lies: several at a
// time, which changes none of them.
RowBlock RowRule::apply(const RowBlock& block) const {
  const Eigen::Index first = intercept_ ? 1 : 0, columns = block.cols();
  if (static_cast<std::size_t>(columns) != table_columns_.size())
    throw Error("a block of rows has another number of columns than its rule");
  const Eigen::Map<const Eigen::ArrayXd> offsets(offsets_.data() + first, columns),
      scales(scales_.data() + first, columns);
  // Less 0, over 1 and within these ends any number is itself.
  Eigen::ArrayXd least(columns), most(columns);
  for (Eigen::Index j = 0; j < columns; ++j) {
    most[j] = ranged_[static_cast<std::size_t>(first + j)]
                  ? 1.0
                  : std::numeric_limits<double>::infinity();
    least[j] = -most[j];
  }
  RowBlock result(block.rows(), static_cast<Eigen::Index>(width()));
  for (Eigen::Index i = 0; i < block.rows(); ++i) {
    const Eigen::Map<const Eigen::ArrayXd> from(block.data() + i * columns, columns);
    double* const to = result.data() + i * result.cols();
    if (intercept_) to[0] = 1.0;
    // Clamping afterwards is the same as before, and covers the rounding of the map.
    Eigen::Map<Eigen::ArrayXd>(to + first, columns) =
        ((from - offsets) / scales).max(least).min(most);
  }
  return result;
}

}  // namespace modicum
