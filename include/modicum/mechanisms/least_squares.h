// Private least squares [LuWei2024]: [B, b] with a ridge appended, answered by a draw
// from N(x_opt, |e|^2 (B^T B)^-1 / r), the limit law of the sketched solution. Proofs:
// docs/derivations/least-squares.md.
#pragma once

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// The pair of a database with and without a row of leverage p = `row_leverage` in B and
/// q = `full_leverage` in [B, b], both in the larger (and augmented) database, p <= q < 1:
/// (1-p)^2/(1-q) in the direction of the row with m^2 = r p (q-p)/(1-q), and (1-p)/(1-q) in the
/// d - 1 others [LuWei2024, Theorem 4, Table 6 corrected]. X has the row.
PrivacyLoss least_squares(double columns, double features, double row_leverage,
                          double full_leverage);

/// sup over 0 <= p <= q <= l^2 / (ridge + l^2): the upper end is proved over the whole triangle,
/// the lower end is attained. `slack` is the relative width in delta that is good enough.
ProfilePoint least_squares_supremum(double columns, double features, double ridge,
                                    double row_norm_bound, double epsilon, double slack = 0.01);

/// The same over p <= set_leverage, q - p <= set_residual: no ridge, a declared set of databases
/// [LuWei2024, Definitions 6 and 7].
ProfilePoint least_squares_supremum_relative(double columns, double features, double set_leverage,
                                             double set_residual, double epsilon,
                                             double slack = 0.01);

struct LeastSquaresCalibration {
  double columns, features, row_norm_bound;
  double ridge;           ///< added to the Gram matrix of [B, b]; the safe end
  double full_leverage;   ///< Q = l^2 / (ridge + l^2)
  double row_leverage;    ///< p of the worst pair found, with q = Q
  ProfilePoint achieved;  ///< supremum over the triangle, proved
};

/// Smallest ridge that meets the target for every pair of neighbors. Needs delta > 0.
LeastSquaresCalibration calibrate_least_squares(const PrivacyTarget& target, double columns,
                                                double features, double row_norm_bound);

/// The ridge of [LuWei2024, Figure 4]: from the single point (2 l^2/s, l^2/s). Not a
/// guarantee: too small for one feature and few columns, about twice too large for many columns.
double published_least_squares_ridge(const PrivacyTarget& target, double columns, double features,
                                     double row_norm_bound);

/// A loss that dominates every pair of neighbors at once, from the supremum at many epsilon:
/// what a least-squares release brings into a composition.
PrivacyLoss least_squares_dominating(double columns, double features, double ridge,
                                     double row_norm_bound);

}  // namespace modicum
