// Counts, sums, means, variances and quantiles in the units of the file, by group, each with an
// interval for what the noise may have done.
//
// A row is in one group at most, so that adding or removing it changes the numbers of one group,
// and replacing it those of two: all groups together cost as much as one or two
// (docs/derivations/everyday.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "modicum/mechanisms/optimal_noise.h"
#include "modicum/release/description.h"
#include "modicum/release/vector_release.h"

namespace modicum {

enum class Everyday { count, sum, mean, variance, standard_deviation };
const char* to_string(Everyday statistic);

/// Bins of each column, and a group for every combination of them. Rows in none of them are
/// dropped.
struct Groups {
  std::vector<std::string> columns;
  /// Of each column: public, or, where there are neither categories nor edges, all that rows have.
  std::vector<Bins> bins;

  /// Whether groups are taken from the rows. Then only those are shown whose noisy number of rows
  /// reaches a threshold.
  bool discovered() const;
  /// Of public groups. Throws InvalidParameter where there are more than a million.
  std::size_t size() const;
  /// "north", or "north, f" for two columns; nothing but one empty name where there are no columns.
  std::vector<std::string> names() const;
};

/// Whose rows are protected together: all rows with the same value in a column.
struct PersonRule {
  std::string column;
  double rows = 1.0;             ///< at most so many of each person are kept, at random
  std::optional<double> groups;  ///< in at most so many groups; as many as rows, if not given
  double most_groups() const { return groups.value_or(rows); }
};

/// Of numbers of rows and sums of whole numbers; all else has Gaussian noise. The others are drawn
/// on the integers.
enum class CountNoise {
  gaussian,           ///< rounded to whole numbers
  discrete_gaussian,  ///< mass proportional to exp(-k^2 / (2 sigma^2))
  discrete_laplace,   ///< mass proportional to exp(-|k| / scale)
  optimal,            ///< of least squared error
};
const char* to_string(CountNoise noise);

/// What every such release is asked.
struct EverydayQuestion {
  Groups groups;
  std::vector<std::string> columns;  ///< of numbers; none for counts
  std::vector<Range> ranges;         ///< of each: values are clamped to it
  bool integers = false;             ///< sums: the numbers are whole, and so is the answer
  double level = 0.95;               ///< of the intervals
  /// add_remove or replace_one. With the latter the number of rows is public.
  Adjacency neighbors = Adjacency::add_remove;
  std::optional<PersonRule> unit = {};  ///< none: one row is protected
  CountNoise noise = CountNoise::gaussian;
  BadRows bad_rows = BadRows::dropped;
  FileAssumptions files = {};

  /// How many rows a neighbor has more, or others.
  double rows_of_one() const { return unit ? unit->rows : 1.0; }
  /// Of what is released: the groups, the columns, or both.
  std::vector<std::string> row_names() const { return row_names(groups.names()); }
  std::vector<std::string> row_names(const std::vector<std::string>& group_names) const;
};

/// Noise on the integers for numbers of rows and sums of whole numbers.
struct WholeCounts {
  WholeNoise noise;
  double sensitivity;           ///< by which one number moves at most
  double moved;                 ///< how many numbers a neighbor moves: 1 or 2
  std::optional<double> scale;  ///< of discrete Laplace noise, as described
  ProfilePoint achieved;
  double reach = 0.0;  ///< the noise stays within it with the level of the intervals
};

struct EverydayPlan {
  Everyday statistic;
  EverydayQuestion question;
  VectorNoisePlan noise;
  double count_weight = 0.0;  ///< the number of rows is released times this; 0: it is not
  /// Of discovered groups: from where on that number is shown, and with it the group.
  std::optional<double> shown_from = {};
  std::optional<WholeCounts> whole = {};  ///< in place of Gaussian noise
  Certificate certificate;
};

/// Gaussian noise of least deviation; of discovered groups, with the least threshold for it.
/// Throws InvalidParameter, CalibrationFailed.
EverydayPlan plan_everyday(const PrivacyTarget& target, Everyday statistic,
                           EverydayQuestion question);

/// What is added up for each group: whole multiples of `grid`, of as many numbers as the plan has.
struct EverydaySums {
  double grid = 1.0;
  std::vector<Integer128> entries;
  std::vector<std::string> groups =
      {};  ///< names, where they are discovered: sorted, none is empty
};
/// What it asks of a table that lies elsewhere (modicum/data/gathered.h), and the answer.
Value question_of(const EverydayPlan& plan);
/// One pass over the rows. `choosing` draws which rows of a person are kept, and may be left out
/// where one row is protected.
EverydaySums accumulate_everyday(const Table& table, const EverydayPlan& plan,
                                 const ReadOptions& options = {}, RandomSource* choosing = nullptr);
/// The columns are "value", "lower" and "upper".
Released release_everyday(const EverydayPlan& plan, const EverydaySums& sums, RandomSource& source);
/// Without noise, for the holder of the data: one number a row, and their names. Of discovered
/// groups all, not only those that are shown.
std::vector<std::string> everyday_names(const EverydayPlan& plan, const EverydaySums& sums);
Eigen::VectorXd everyday_truth(const EverydayPlan& plan, const EverydaySums& sums);
/// How many groups have a released number of rows that is compatible with none, at the level of the
/// intervals: a function of what is released. Empty where no number of rows is.
std::optional<std::size_t> groups_like_empty(const EverydayPlan& plan, const Released& released);

/// What the noise will do to a number, before any row is read.
struct ExpectedNoise {
  std::string column;                        ///< empty for numbers of rows
  std::optional<double> rows;                ///< of a group of so many; none: whatever they are
  std::optional<double> standard_deviation;  ///< of counts and sums
  double half_width;                         ///< of the interval
};
/// Of counts and sums once, of all else for groups of so many rows whose values are spread evenly
/// over the bounds.
std::vector<ExpectedNoise> expected_noise(const EverydayPlan& plan,
                                          const std::vector<double>& rows);

struct QuantilePlan {
  EverydayQuestion question;
  std::vector<double> levels;  ///< between 0 and 1, as they are used: whole multiples of 2^-20
  double range;                ///< of each drawing: the exponential mechanism with this range
  double rank_error;  ///< rows by which a rank may be off, exceeded with probability 1 - level
  Certificate certificate;
  /// Of discovered groups: how many rows each has, by which it is shown or not.
  std::optional<EverydayPlan> counts = {};
};

/// The exponential mechanism on the 2^20 + 1 points of a grid between the bounds, or on all whole
/// numbers there. Discovered groups take a count beside, composed exactly. Throws InvalidParameter,
/// CalibrationFailed.
QuantilePlan plan_quantiles(const PrivacyTarget& target, EverydayQuestion question,
                            std::vector<double> levels);

/// For each group and column the points of the grid, sorted.
struct QuantileValues {
  std::vector<std::vector<std::uint32_t>> points;
  std::vector<std::string> groups = {};  ///< names, where they are discovered: sorted
};
/// The same as for sums.
Value question_of(const QuantilePlan& plan);
QuantileValues collect_quantiles(const Table& table, const QuantilePlan& plan,
                                 const ReadOptions& options = {}, RandomSource* choosing = nullptr);
/// The columns are "value", "lower" and "upper"; the last two are empty: an interval would take
/// more levels, which cost.
Released release_quantiles(const QuantilePlan& plan, const QuantileValues& values,
                           RandomSource& source);
/// Of public groups, or of all that were found.
std::vector<std::string> quantile_names(const QuantilePlan& plan, const QuantileValues& values);
Eigen::VectorXd quantile_truth(const QuantilePlan& plan, const QuantileValues& values);

}  // namespace modicum
