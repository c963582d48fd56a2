#include "modicum/mechanisms/least_squares.h"

#include <algorithm>
#include <cmath>

#include "mechanisms/regression/least_squares_cover.h"
#include "mechanisms/regression/ridge_leverage.h"
#include "mechanisms/regression/squared_bound.h"
#include "mechanisms/suprema/supremum.h"
#include "numerics/precise_ball.h"

namespace modicum {
namespace {

void require_shape(double columns, double features) {
  require_count("columns", columns);
  require_count("features", features);
}

// Not below 1e-50, a ridge of 1e50 l^2: a larger leverage only loses more, delta is below 1e-40 for
// any number of columns all the same, and squares of squares of a smaller one underflow.
double largest_full_leverage(double ridge, double row_norm_bound) {
  const PrecisionScope scope(proof_bits);
  return std::max(ridge_leverage(ridge, row_norm_bound).upper(), 1e-50);
}

// All (p, q) below full_leverage: on rays from the origin q only grows, so q = full_leverage.
LeastSquaresCover triangle(double columns, double features, double full_leverage) {
  return {columns, features, {{0.0, full_leverage, full_leverage, full_leverage}}};
}

ProfilePoint supremum(const LeastSquaresCover& cover, double columns, double features,
                      double epsilon, double slack) {
  const LeastSquaresCover::Worst worst = cover.search(epsilon);
  const ProfilePoint attained = profile(least_squares(columns, features, worst.row, worst.full),
                                        epsilon, Accuracy::certified);
  const Enclosure delta(attained.delta().lower(), cover.bound(epsilon, slack));
  return {epsilon, delta, delta, Proof::certified};
}

}  // namespace

PrivacyLoss least_squares(double columns, double features, double row_leverage,
                          double full_leverage) {
  require_shape(columns, features);
  if (!(row_leverage >= 0.0 && row_leverage < 1.0))
    throw InvalidParameter("row_leverage", row_leverage, "must be at least 0 and below 1");
  if (!(full_leverage >= row_leverage && full_leverage < 1.0))
    throw InvalidParameter("full_leverage", full_leverage,
                           "must be at least the row leverage and below 1");
  const PrecisionScope scope(proof_bits);
  const Ball p = row_leverage, q = full_leverage, rest = Ball(1.0) - q;
  const Ball row = (q - p - p + p * p) / rest, other = (q - p) / rest;
  GaussianSpectrum spectrum;
  spectrum.add({to_precise("full_leverage", row),
                to_precise("full_leverage", Ball(columns) * p * other), 1.0});
  if (features > 1.0)
    spectrum.add({to_precise("full_leverage", other), Precise::exactly(0.0), features - 1.0});
  return PrivacyLoss::gaussian(spectrum);
}

ProfilePoint least_squares_supremum(double columns, double features, double ridge,
                                    double row_norm_bound, double epsilon, double slack) {
  require_shape(columns, features);
  require_positive("ridge", ridge);
  require_positive("row_norm_bound", row_norm_bound);
  require_positive("slack", slack);
  const double full = largest_full_leverage(ridge, row_norm_bound);
  return supremum(triangle(columns, features, full), columns, features, epsilon, slack);
}

ProfilePoint least_squares_supremum_relative(double columns, double features, double set_leverage,
                                             double set_residual, double epsilon, double slack) {
  require_shape(columns, features);
  require_positive("slack", slack);
  require_non_negative("set_leverage", set_leverage);
  require_non_negative("set_residual", set_residual);
  const PrecisionScope scope(proof_bits);
  const double full = (Ball(set_leverage) + Ball(set_residual)).upper();
  if (!(full < 1.0))
    throw InvalidParameter("set_residual", set_residual,
                           "must be below 1 together with the leverage");
  // A ray leaves the rectangle through p = set_leverage or through q - p = set_residual.
  const LeastSquaresCover cover(
      columns, features,
      {{set_leverage, set_leverage, set_leverage, full}, {0.0, set_residual, set_leverage, full}});
  return supremum(cover, columns, features, epsilon, slack);
}

LeastSquaresCalibration calibrate_least_squares(const PrivacyTarget& target, double columns,
                                                double features, double row_norm_bound) {
  require_shape(columns, features);
  const double square = squared_bound(row_norm_bound);
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss of least squares is unbounded");
  const auto cover_of = [&](double ridge) {
    return triangle(columns, features, largest_full_leverage(ridge, row_norm_bound));
  };
  const auto log_excess = [&](double ridge) {
    return std::log(cover_of(ridge).search(target.epsilon).delta) - std::log(target.delta);
  };
  // By the bound that the loss itself will give.
  const auto is_proved = [&](double ridge) {
    return cover_of(ridge).proves(target.epsilon, target.delta);
  };
  // Less ridge than 1e-9 l^2 serves nobody, and 1 - Q would be lost in rounding.
  const double ridge = smallest_proved("ridge", log_excess, is_proved, square, 1e-9 * square, 2e-7);
  const LeastSquaresCover::Worst worst = cover_of(ridge).search(target.epsilon);
  const PrivacyLoss worst_pair = least_squares(columns, features, worst.row, worst.full);
  const Enclosure delta(profile(worst_pair, target.epsilon, Accuracy::certified).delta().lower(),
                        target.delta);
  return {columns,
          features,
          row_norm_bound,
          ridge,
          worst.full,
          worst.row,
          {target.epsilon, delta, delta, Proof::certified}};
}

PrivacyLoss least_squares_dominating(double columns, double features, double ridge,
                                     double row_norm_bound) {
  require_shape(columns, features);
  require_positive("ridge", ridge);
  require_positive("row_norm_bound", row_norm_bound);
  const LeastSquaresCover cover =
      triangle(columns, features, largest_full_leverage(ridge, row_norm_bound));
  return loss_of_supremum(
      {"least squares",
       {columns, features, ridge, row_norm_bound},
       [cover](double epsilon) { return cover.search(epsilon).delta; },
       [cover](double epsilon, double slack) { return cover.bound(epsilon, slack); },
       nullptr,
       cover.moving()},
      128, 0.01);
}

double published_least_squares_ridge(const PrivacyTarget& target, double columns, double features,
                                     double row_norm_bound) {
  require_shape(columns, features);
  const double square = squared_bound(row_norm_bound);
  require_positive("delta", target.delta);
  const auto family = [&](double excess_ridge) {
    const double full = std::min(2.0 / (2.0 + excess_ridge), std::nextafter(1.0, 0.0));
    return least_squares(columns, features, 0.5 * full, full);
  };
  return square * (2.0 + smallest_noise(family, target, 10.0, Accuracy::fast).parameter);
}

}  // namespace modicum
