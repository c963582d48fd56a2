#include "modicum/mechanisms/random_projection.h"

#include <algorithm>
#include <cmath>

#include "mechanisms/regression/ridge_leverage.h"
#include "mechanisms/regression/squared_bound.h"
#include "mechanisms/sampling/sampled_law.h"
#include "numerics/precise_ball.h"

namespace modicum {
namespace {

// One eigenvalue 1 + excess in each column.
PrivacyLoss projection_pair(double columns, const Precise& excess) {
  GaussianSpectrum spectrum;
  spectrum.add({excess, Precise::exactly(0.0), columns});
  return PrivacyLoss::gaussian(spectrum);
}

double published_ridge(double leverage, double row_norm_bound) {
  return row_norm_bound * row_norm_bound / leverage;
}

ProjectionCalibration of_ridge(double ridge, double columns, double row_norm_bound,
                               const ProfilePoint& achieved) {
  const PrecisionScope scope(proof_bits);
  const double leverage = ridge_leverage(ridge, row_norm_bound).lower();
  return {columns, row_norm_bound, ridge, leverage, published_ridge(leverage, row_norm_bound),
          achieved};
}

double require_leverage(double leverage) {
  if (!(leverage >= 0.0 && leverage < 1.0))
    throw InvalidParameter("leverage", leverage, "must be at least 0 and below 1");
  return leverage;
}

void require_some_delta(const PrivacyTarget& target) {
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss of a projection is unbounded");
}

// With the record the database is the mixture q X + (1-q) Y. Both directions follow from those of
// (X, Y) [docs/derivations/projection.md]; epsilon is rounded to the side that bounds delta.
ProfilePoint sampled(const PrivacyLoss& loss, double epsilon, double rate) {
  const PrecisionScope scope(proof_bits);
  const Ball q = rate, growth = exp(Ball(epsilon));
  const auto scaled = [&](const DirectedLoss& directed, const Ball& inner, const Ball& factor) {
    const double high = directed_delta(directed, inner.lower(), Accuracy::certified).value.upper();
    const double low = directed_delta(directed, inner.upper(), Accuracy::certified).value.lower();
    return Enclosure((factor * Ball(low)).lower(), (factor * Ball(high)).upper()).within(0.0, 1.0);
  };
  const Ball kept = Ball(1.0) - growth * (Ball(1.0) - q);
  return {epsilon, scaled(loss.forward(), log1p(expm1(Ball(epsilon)) / q), q),
          kept.surely_positive() ? scaled(loss.reverse(), log(growth * q / kept), kept)
                                 : Enclosure(0.0, std::max(0.0, kept.upper())),
          Proof::certified};
}

}  // namespace

PrivacyLoss random_projection(double columns, double leverage) {
  require_count("columns", columns);
  require_leverage(leverage);
  const PrecisionScope scope(proof_bits);
  return projection_pair(columns,
                         to_precise("leverage", Ball(leverage) / (Ball(1.0) - Ball(leverage))));
}

PrivacyLoss ridge_projection(double columns, double ridge, double row_norm_bound) {
  require_count("columns", columns);
  require_positive("ridge", ridge);
  require_positive("row_norm_bound", row_norm_bound);
  const PrecisionScope scope(proof_bits);
  return projection_pair(
      columns,
      to_precise("row_norm_bound", Ball(row_norm_bound) * Ball(row_norm_bound) / Ball(ridge)));
}

double largest_leverage(const PrivacyTarget& target, double columns, Accuracy accuracy) {
  require_some_delta(target);
  const auto family = [&](double ridge) { return ridge_projection(columns, ridge, 1.0); };
  const PrecisionScope scope(proof_bits);
  return ridge_leverage(smallest_noise(family, target, 10.0, accuracy).parameter, 1.0).lower();
}

ProjectionCalibration calibrate_projection(const PrivacyTarget& target, double columns,
                                           double row_norm_bound) {
  require_some_delta(target);
  const auto family = [&](double ridge) {
    return ridge_projection(columns, ridge, row_norm_bound);
  };
  const Calibration found = smallest_noise(family, target, 10.0 * squared_bound(row_norm_bound));
  return of_ridge(found.parameter, columns, row_norm_bound, found.achieved);
}

ProjectionCalibration calibrate_subsampled_projection(const PrivacyTarget& target, double columns,
                                                      double row_norm_bound, double sampling_rate) {
  require_some_delta(target);
  if (!(sampling_rate > target.delta && sampling_rate <= 1.0))
    throw InvalidParameter("sampling_rate", sampling_rate, "must be above delta and at most 1");
  const PrecisionScope scope(proof_bits);
  const PrivacyTarget inner(log1p(expm1(Ball(target.epsilon)) / Ball(sampling_rate)).lower(),
                            (Ball(target.delta) / Ball(sampling_rate)).lower());
  ProjectionCalibration result = calibrate_projection(inner, columns, row_norm_bound);
  result.achieved = sampled(ridge_projection(columns, result.ridge, row_norm_bound), target.epsilon,
                            sampling_rate);
  if (!(result.achieved.delta().upper() <= target.delta))
    throw CalibrationFailed(
        "the ridge for the sampled rows could not be proved to meet the target");
  return result;
}

PrivacyLoss subsampled_projection(double columns, double ridge, double row_norm_bound,
                                  double sampling_rate) {
  return sampled_loss(ridge_projection(columns, ridge, row_norm_bound), sampling_rate,
                      {columns, ridge, row_norm_bound});
}

ProjectionCalibration calibrate_relative_projection(const PrivacyTarget& target, double columns,
                                                    double row_norm_bound, double set_leverage) {
  require_positive("row_norm_bound", row_norm_bound);
  const ProfilePoint inherent = profile(random_projection(columns, require_leverage(set_leverage)),
                                        target.epsilon, Accuracy::certified);
  if (inherent.delta().upper() <= target.delta)
    return {columns, row_norm_bound, 0.0, set_leverage, 0.0, inherent};
  return calibrate_projection(target, columns, row_norm_bound);
}

double singular_value_leverage(const PrivacyTarget& target, double columns) {
  require_positive("delta", target.delta);
  require_count("columns", columns);
  const double log_term = std::log(4.0 / target.delta);
  return target.epsilon / (4.0 * (std::sqrt(2.0 * columns * log_term) + log_term));
}

ProjectionCalibration calibrate_singular_value_projection(const PrivacyTarget& target,
                                                          double columns, double row_norm_bound) {
  const double leverage = require_positive("epsilon", singular_value_leverage(target, columns));
  const double ridge = published_ridge(leverage, row_norm_bound);
  const ProfilePoint achieved = profile(ridge_projection(columns, ridge, row_norm_bound),
                                        target.epsilon, Accuracy::certified);
  if (!(achieved.delta().upper() <= target.delta))
    throw CalibrationFailed("the ridge by the least singular value does not meet the target");
  return {columns, row_norm_bound, ridge, leverage, ridge, achieved};
}

}  // namespace modicum
