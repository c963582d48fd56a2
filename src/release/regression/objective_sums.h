// Gradient and Hessian of a sum of losses in whole numbers: a record changes them by its own terms,
// exactly.
#pragma once

#include <vector>

#include "modicum/data/gram.h"
#include "modicum/mechanisms/prediction_loss.h"
#include "modicum/release/labeled_rows.h"

namespace modicum {

/// Sums over clipped rows x = grid v of slope x, and of curvature x x^T, at given coefficients.
/// Slopes are rounded to the nearest, curvatures downwards, each by itself.
struct ObjectiveSums {
  std::vector<Integer128> gradient;  ///< whole numbers of gradient_grid
  double gradient_grid;
  std::vector<Integer128> hessian;  ///< lower triangle by rows, of hessian_grid
  double hessian_grid;
  double rows;

  Integer128 hessian_at(Eigen::Index i, Eigen::Index j) const;
};

/// What rounding can add to the slope of a record, as a share of the largest slope.
inline constexpr double slope_rounding = 0x1p-30;

/// How many bits the largest slope and the largest curvature have.
struct SumBits {
  int slopes, curvatures;
};
/// Few enough that noise can be added on a grid 2^52 times as coarse, at most (split).
inline constexpr SumBits noisy_bits{32, 20};
/// As many as 2^26 rows leave room for: what is computed from such sums hangs on the losses alone.
inline constexpr SumBits all_bits{60, 60};

ObjectiveSums objective_sums(const PassOverRows& pass, const IntegerClip& clip,
                             const PredictionLoss& loss, const Eigen::VectorXd& coefficients,
                             const SumBits& bits = noisy_bits);

/// What the rows add up to for their question.
std::vector<Integer128> answer_objective_sums(const PassOverRows& pass, const Value& question);

}  // namespace modicum
