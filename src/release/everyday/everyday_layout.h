// What is added up for a group: the number of rows, then for each column its sum, and for variances
// that of its squares; all in whole multiples of a grid.
#pragma once

#include <algorithm>
#include <cmath>

#include "modicum/data/gathered.h"
#include "modicum/release/everyday_release.h"

namespace modicum {

/// All that hangs on the rows.
struct GroupTotals {
  Everyday statistic;
  EverydayQuestion question;
  double count_weight;
  bool whole;  ///< for noise on the integers
  explicit GroupTotals(const EverydayPlan& plan)
      : GroupTotals(plan.statistic, plan.question, plan.count_weight, plan.whole.has_value()) {}
  GroupTotals(Everyday which, EverydayQuestion asked, double weight, bool on_integers)
      : statistic(which), question(std::move(asked)), count_weight(weight), whole(on_integers) {}
};

class EverydayLayout {
 public:
  /// `counted`: the number of rows is there in any case, as discovered groups need it.
  EverydayLayout(Everyday statistic, std::size_t columns, bool counted = false)
      : statistic_(statistic), columns_(columns), counted_(counted) {}
  explicit EverydayLayout(const EverydayPlan& plan)
      : EverydayLayout(plan.statistic, plan.question.columns.size(),
                       plan.question.groups.discovered()) {
    whole_ = plan.whole.has_value();
  }
  explicit EverydayLayout(const GroupTotals& totals)
      : EverydayLayout(totals.statistic, totals.question.columns.size(),
                       totals.question.groups.discovered()) {
    whole_ = totals.whole;
  }

  bool has_count() const { return counted_ || statistic_ != Everyday::sum; }
  bool has_squares() const {
    return statistic_ == Everyday::variance || statistic_ == Everyday::standard_deviation;
  }
  std::size_t size() const { return (has_count() ? 1 : 0) + columns_ * (has_squares() ? 2 : 1); }
  std::size_t total(std::size_t column) const {
    return (has_count() ? 1 : 0) + column * (has_squares() ? 2 : 1);
  }
  std::size_t square(std::size_t column) const { return total(column) + 1; }
  double grid() const { return whole_ || statistic_ == Everyday::count ? 1.0 : 0x1p-32; }

  /// value = offset + scale z with z between -1 and 1. A sum has no offset: the largest absolute
  /// value is the scale. Its noise is that of offset times a noisy count plus scale times a noisy
  /// sum, at the weight where that is least, and one number less. A sum of whole numbers with noise
  /// on the integers is taken as it is.
  double offset(const Range& range) const {
    return statistic_ == Everyday::sum ? 0.0 : range.middle();
  }
  double scale(const Range& range) const {
    if (whole_) return 1.0;
    return statistic_ == Everyday::sum ? std::max(std::abs(range.low), std::abs(range.high))
                                       : range.half_width();
  }

  /// One row. z is rounded to the grid and stays between -1 and 1; z^2 - 1/2 is rounded, too.
  void add(const GroupTotals& totals, const RowBlock& numbers, Eigen::Index row,
           Integer128* sums) const {
    if (has_count()) sums[0] += static_cast<Integer128>(totals.count_weight / grid());
    for (std::size_t j = 0; j < columns_; ++j) {
      const Range& range = totals.question.ranges[j];
      const double value = numbers(row, static_cast<Eigen::Index>(j));
      if (whole_) {
        sums[total(j)] += static_cast<std::int64_t>(std::round(value));
        continue;
      }
      const double whole =
          totals.statistic == Everyday::sum && totals.question.integers ? std::round(value) : value;
      const double z = std::clamp((whole - offset(range)) / scale(range), -1.0, 1.0);
      const auto multiple = static_cast<std::int64_t>(std::round(std::ldexp(z, 32)));
      sums[total(j)] += multiple;
      if (!has_squares()) continue;
      const double rounded = std::ldexp(static_cast<double>(multiple), -32);
      sums[square(j)] +=
          static_cast<std::int64_t>(std::round(std::ldexp(rounded * rounded - 0.5, 32)));
    }
  }

 private:
  Everyday statistic_;
  std::size_t columns_;
  bool counted_;
  bool whole_ = false;  // noise on the integers
};

/// What the rows of a piece add up to for question_of(plan); and for that of quantiles.
WholeSums answer_groups(const Table& table, const Value& asked, const ReadOptions& options,
                        RandomSource& choosing);
WholeSums answer_points(const Table& table, const Value& asked, const ReadOptions& options,
                        RandomSource& choosing);

}  // namespace modicum
