// Counts, sums, means, variances and quantiles in the units of the file, by group, each with an
// interval for what the noise may have done.
//
// A row is in one group at most, so that adding or removing it changes the numbers of one group:
// all groups together cost as much as one (docs/derivations/everyday.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "modicum/release/vector_release.h"

namespace modicum {

enum class Everyday { count, sum, mean, variance, standard_deviation };
const char* to_string(Everyday statistic);

/// Public groups: bins of each column, and a group for every combination of them. Rows in none of
/// them are dropped.
struct Groups {
  std::vector<std::string> columns;
  std::vector<Bins> bins;  ///< of each column

  /// Throws InvalidParameter where there are more than a million.
  std::size_t size() const;
  /// "north", or "north, f" for two columns; nothing but one empty name where there are no columns.
  std::vector<std::string> names() const;
};

/// What every such release is asked.
struct EverydayQuestion {
  Groups groups;
  std::vector<std::string> columns;  ///< of numbers; none for counts
  std::vector<Range> ranges;         ///< of each: values are clamped to it
  bool integers = false;             ///< sums: the numbers are whole, and so is the answer
  double level = 0.95;               ///< of the intervals
  BadRows bad_rows = BadRows::dropped;
  FileAssumptions files = {};

  /// Of what is released: the groups, the columns, or both.
  std::vector<std::string> row_names() const;
};

struct EverydayPlan {
  Everyday statistic;
  EverydayQuestion question;
  VectorNoisePlan noise;
  double count_weight = 0.0;  ///< the number of rows is released times this; 0: it is not
  Certificate certificate;
};

/// Gaussian noise of least deviation. Throws InvalidParameter, CalibrationFailed.
EverydayPlan plan_everyday(const PrivacyTarget& target, Everyday statistic,
                           EverydayQuestion question);

/// What is added up for each group: whole multiples of `grid`, of as many numbers as the plan has.
struct EverydaySums {
  double grid = 1.0;
  std::vector<Integer128> entries;
};
/// One pass over the rows.
EverydaySums accumulate_everyday(const Table& table, const EverydayPlan& plan,
                                 const ReadOptions& options = {});
/// The columns are "value", "lower" and "upper".
Released release_everyday(const EverydayPlan& plan, const EverydaySums& sums, RandomSource& source);
/// Without noise, for the holder of the data: one number a row of the release.
Eigen::VectorXd everyday_truth(const EverydayPlan& plan, const EverydaySums& sums);
/// How many groups have a released number of rows that is compatible with none, at the level of the
/// intervals: a function of what is released. Empty where no number of rows is.
std::optional<std::size_t> groups_like_empty(const EverydayPlan& plan, const Released& released);

struct QuantilePlan {
  EverydayQuestion question;
  std::vector<double> levels;  ///< between 0 and 1, as they are used: whole multiples of 2^-20
  double range;                ///< of each drawing: the exponential mechanism with this range
  double rank_error;  ///< rows by which a rank may be off, exceeded with probability 1 - level
  Certificate certificate;
};

/// The exponential mechanism on the 2^20 + 1 points of a grid between the bounds, or on all whole
/// numbers there. Throws InvalidParameter, CalibrationFailed.
QuantilePlan plan_quantiles(const PrivacyTarget& target, EverydayQuestion question,
                            std::vector<double> levels);

/// For each group and column the points of the grid, sorted.
using QuantileValues = std::vector<std::vector<std::uint32_t>>;
QuantileValues collect_quantiles(const Table& table, const QuantilePlan& plan,
                                 const ReadOptions& options = {});
/// The columns are "value", "lower" and "upper"; the last two are empty: an interval would take
/// more levels, which cost.
Released release_quantiles(const QuantilePlan& plan, const QuantileValues& values,
                           RandomSource& source);
Eigen::VectorXd quantile_truth(const QuantilePlan& plan, const QuantileValues& values);

}  // namespace modicum
