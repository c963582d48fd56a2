// What is proved about private principal components for any data: the exponential mechanism has
// bounded range. With exponent (beta p / (2 n)) sum of x_i^T V V^T x_i and a *public* n, a row of
// norm at most sqrt p moves every exponent by between 0 and beta p^2 / (2 n)
// [ChaudhuriSarwateSinha2013]; [DongDurfeeRogers2020]. For k > 1 the proof is of k draws of one
// direction each, every next one orthogonal to those before.
#pragma once

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// How the rows were made to have norm at most sqrt p.
enum class RowScaling {
  separate,  ///< each row by itself: a row moves its own term only
  ranks,     ///< by ranks within each column: a row moves all the others too
};
/// How many times the range of a row's own term all terms together have: 1; 4.5 by ranks.
constexpr double range_multiple(RowScaling scaling) {
  return scaling == RowScaling::ranks ? 4.5 : 1.0;
}

/// Range when a row is added or removed: beta p^2 / (2 n), times that multiple, rounded upwards.
double component_range(double beta, double dimension, double rows, RowScaling scaling);
/// The largest beta of this range, rounded downwards.
double beta_of_range(double range, double dimension, double rows, RowScaling scaling);

/// Pure differential privacy when a row is replaced by another, which is one removed and one added:
/// twice the range.
double pure_epsilon_of_replacing(double beta, double dimension, double rows, RowScaling scaling);

/// `draws` directions one after the other, each of this range.
struct ComponentGuarantee {
  double range, draws;
  double pure_epsilon;  ///< draws * range
  double zcdp;          ///< draws * range^2 / 8
  double delta;
  double epsilon;  ///< at delta: the least that pair, zCDP or pure give; rounded upwards
};
/// delta in [0, 1).
ComponentGuarantee component_guarantee(double range, double draws, double delta);

/// The largest range with which `draws` directions meet the target: by the dominating pair, by zCDP
/// or by pure privacy, whichever allows most. Throws CalibrationFailed.
double largest_component_range(const PrivacyTarget& target, double draws);

}  // namespace modicum
