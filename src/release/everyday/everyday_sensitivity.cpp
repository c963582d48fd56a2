#include "release/everyday/everyday_sensitivity.h"

#include <algorithm>
#include <cmath>

#include "release/everyday/everyday_layout.h"
#include "release/everyday/grouped_rows.h"

namespace modicum {
namespace {

// Squares of Euclidean norms, upper bounds.
struct RowSquares {
  double alone;       // of the numbers that one row adds to its group
  double difference;  // of what one row adds and another does, both to one group
};

// Of a sum, whose z runs between the bounds over the largest of them. Rounding z to the grid of
// 2^-32 moves the distance by that much at most.
double sum_difference(const EverydayQuestion& question, const Range& range) {
  const double low = question.integers ? std::round(range.low) : range.low;
  const double high = question.integers ? std::round(range.high) : range.high;
  const double scale = EverydayLayout(Everyday::sum, 1).scale(range);
  const double distance = std::min((high - low) / scale * (1.0 + 0x1p-50) + 0x1p-31, 2.0);
  return distance * distance;
}

RowSquares row_squares(Everyday statistic, const EverydayQuestion& question, double weight) {
  const auto columns = static_cast<double>(question.columns.size());
  switch (statistic) {
    case Everyday::count:
      return {1.0, 0.0};
    case Everyday::sum: {
      double difference = 0.0;
      for (const Range& range : question.ranges) difference += sum_difference(question, range);
      return {weight * weight + columns, difference};  // each between -1 and 1
    }
    case Everyday::mean:
      return {weight * weight + columns, 4.0 * columns};
    case Everyday::variance:
    case Everyday::standard_deviation:
      // z^2 + (z^2 - 1/2)^2 <= 5/4 and (z - t)^2 + (z^2 - t^2)^2 <= 4, and what rounding to the
      // grid of 2^-32 adds.
      return {weight * weight + columns * (1.25 + 0x1p-30), columns * (4.0 + 0x1p-30)};
  }
  throw Error("there is no such statistic");
}

// Upwards, by more than the rounding of a handful of operations.
double upwards_root(double square) { return std::sqrt(square) * (1.0 + 0x1p-50); }

double square_of_count_weight(Everyday statistic, const EverydayQuestion& question) {
  const auto columns = static_cast<double>(question.columns.size());
  if (statistic == Everyday::sum) return columns;  // as much for the threshold as for the sums
  if (question.neighbors == Adjacency::add_remove) {
    // The mean of z is off by the noise of the sum, deviation s, and by mean(z) times that of the
    // count, s/w; s grows as sqrt(w^2 + columns). With a typical mean(z)^2 = 1/3 the least is at
    // w^4 = columns / 3.
    return std::sqrt(columns / 3.0);
  }
  // As much as costs nothing beside the difference of two rows.
  const double own = statistic == Everyday::mean ? 1.0 : 1.25;
  return columns * (has_several_groups(question) ? 2.0 - own : 4.0 - own);
}

}  // namespace

bool has_several_groups(const EverydayQuestion& question) {
  return question.groups.discovered() || question.groups.size() > 1;
}

double row_count_weight(Everyday statistic, const EverydayQuestion& question) {
  if (statistic == Everyday::count) return 1.0;
  if (statistic == Everyday::sum && !question.groups.discovered()) return 0.0;
  const double units = std::ldexp(std::sqrt(square_of_count_weight(statistic, question)), 16);
  // A weight that costs nothing must not be rounded up.
  const bool free = question.neighbors != Adjacency::add_remove;
  return (free ? std::floor(units) : std::round(units)) * 0x1p-16;
}

double row_sensitivity(Everyday statistic, const EverydayQuestion& question) {
  if (statistic == Everyday::count) return 1.0;
  return upwards_root(
      row_squares(statistic, question, row_count_weight(statistic, question)).alone);
}

double everyday_sensitivity(Everyday statistic, const EverydayQuestion& question) {
  require_question(question);
  if (question.columns.empty() != (statistic == Everyday::count))
    throw InvalidParameter("select", static_cast<double>(question.columns.size()),
                           "must name columns, but none for a count");
  const RowSquares row = row_squares(statistic, question, row_count_weight(statistic, question));
  // Of several rows of one person the distances add up.
  const double rows = question.rows_of_one();
  if (question.neighbors == Adjacency::add_remove)
    return rows * row_sensitivity(statistic, question);
  if (statistic == Everyday::count && question.groups.columns.empty() && !question.unit)
    throw InvalidParameter("neighbors", "replace",
                           "must be add_remove where all rows are counted: tables that differ in "
                           "one row that is replaced have the same number of rows, it is public");
  const double moved = has_several_groups(question) ? 2.0 * row.alone : row.alone;
  const double largest = std::max(moved, row.difference);
  return rows * (largest == 1.0 ? 1.0 : upwards_root(largest));
}

}  // namespace modicum
