// What random projection and approximate least squares give away without any noise, on one data
// set: relative differential privacy [LuWei2024, Definitions 6 and 7] for the set of this data set
// and its neighbors, by removing one of its rows or adding one of them again.
//
// That set is itself private, and so is every number here: for the holder of the data only. All of
// it is computed in double arithmetic, with errors that grow with the condition of the table.
#pragma once

#include <optional>
#include <vector>

#include "modicum/data/rows.h"

namespace modicum {

/// A row of leverage p = `row` in the features and q = p + `residual` with the target, in the
/// larger one of two neighbors.
struct LeveragePair {
  double row, residual;
};

struct InherentRegression {
  double leverage;  ///< largest leverage of a row in the features
  double residual;  ///< largest e_i^2 / |e|^2
  /// Largest Euclidean distance by which removing a row moves the solution, in coordinates; it is
  /// infinite where that leaves no solution. Adding a row again moves it less.
  double solution_sensitivity;
  /// At every epsilon, for any number of columns, no pair of neighbors has a larger delta than the
  /// worst of these; with them are those that are not dominated, a few among all rows.
  std::vector<LeveragePair> worst;
  bool loses_rank;  ///< removing a row does, up to rounding: both are told apart
};

struct InherentPrivacy {
  double rows;
  double dimension, rank;  ///< of all coordinates
  double leverage;         ///< largest leverage of a row in all coordinates
  std::optional<InherentRegression> regression;
};

/// Two passes, n d^2 operations: a triangular factor, then a triangular solve for each row. With
/// `last_is_target` the regression of the last coordinate on the others is looked at too; then
/// throws InvalidParameter for features that depend on each other or determine the target. Throws
/// UnreadableFile for a table without rows.
InherentPrivacy analyze_inherent(const Table& table, const RowRule& rule, bool last_is_target,
                                 const ReadOptions& options = {});

/// Largest delta over the neighbors, in either direction, estimated.
double inherent_projection_delta(const InherentPrivacy& privacy, double columns, double epsilon);
/// The same for approximate least squares; needs `regression`.
double inherent_least_squares_delta(const InherentPrivacy& privacy, double columns, double epsilon);

}  // namespace modicum
