// Propose-test-release and the projection with added noise: where part of delta pays for an event.
#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "mechanisms/regression/squared_bound.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/numerics/bracketing.h"
#include "numerics/precise_ball.h"

namespace modicum {
namespace {

// A number, close to the smallest, that the decreasing `tail` is proved to be at most `probability`
// beyond. Needs 0 < probability < tail(0).
double quantile_above(const std::function<Ball(double)>& tail, double probability) {
  const PrecisionScope scope(proof_bits);
  const auto excess = [&](double x) { return tail(x).upper() - probability; };
  Bracket bracket{0.0, 1.0};
  while (!(excess(bracket.high) <= 0.0)) {
    if (bracket.high > 1e12) throw CalibrationFailed("a quantile could not be bounded");
    bracket = {bracket.high, 2.0 * bracket.high};
  }
  while (bracket.high - bracket.low > 1e-14 * bracket.high) {
    const double middle = 0.5 * (bracket.low + bracket.high);
    (excess(middle) <= 0.0 ? bracket.high : bracket.low) = middle;
    if (middle == bracket.low && middle == bracket.high) break;
  }
  return bracket.high;
}

// P[chi-square with r degrees > x^2] = Q(r/2, x^2/2).
Ball chi_tail(double degrees, double x) {
  Ball result;
  arb_hypgeom_gamma_upper(result.raw(), (Ball(degrees) / 2.0).raw(),
                          (Ball(x) * Ball(x) / 2.0).raw(), 1, PrecisionScope::bits());
  return result;
}

double margin_for(double eigenvalue_noise, double failure) {
  const PrecisionScope scope(proof_bits);
  return (Ball(eigenvalue_noise) * Ball(quantile_above(normal_above, failure))).upper();
}

// A row of norm 1 moves the least eigenvalue by at most 1, and what is computed of it in doubles by
// a millionth more, for tables of up to 10^10 rows (docs/derivations/projection.md).
constexpr double eigenvalue_move = 1.0 + 0x1p-20;

// Everything about the mechanism that is public before the data is seen, for rows of norm 1.
class Proposal {
 public:
  Proposal(const PrivacyTarget& target, double columns) : target_(target), columns_(columns) {}

  // The least eigenvalue with noise, and that it misleads.
  static PrivacyLoss test(double eigenvalue_noise, double failure) {
    PrivacyLoss result = gaussian_mechanism(eigenvalue_noise, eigenvalue_move);
    result.compose(PrivacyLoss::infinite_with_probability(failure));
    return result;
  }
  // Whether the test leaves anything of the budget.
  bool affordable(double eigenvalue_noise, double failure) const {
    return profile(test(eigenvalue_noise, failure), target_.epsilon).delta().upper() <
           target_.delta;
  }
  // The projection over a ridge that keeps 1/leverage - 1, after the test.
  Calibration calibrate(double eigenvalue_noise, double failure, Accuracy accuracy) const {
    const auto family = [&](double ridge) {
      PrivacyLoss result = test(eigenvalue_noise, failure);
      result.compose(ridge_projection(columns_, ridge, 1.0));
      return result;
    };
    return smallest_noise(family, target_, 30.0, accuracy);
  }
  // What a database with a large least eigenvalue pays: ridge target and margin. Infinite where the
  // test leaves too little for any ridge.
  double cost(double eigenvalue_noise, double failure) const {
    if (!affordable(eigenvalue_noise, failure)) return infinity;
    try {
      return calibrate(eigenvalue_noise, failure, Accuracy::fast).parameter + 1.0 +
             margin_for(eigenvalue_noise, failure);
    } catch (const CalibrationFailed&) {
      return infinity;
    }
  }

 private:
  PrivacyTarget target_;
  double columns_;
};

struct Choice {
  double noise, failure, cost;
};

// The noise at which the cost is least, on a logarithmic scale. Only good, not proved best.
Choice best_noise(const Proposal& proposal, double failure) {
  const auto cost = [&](double log_noise) { return proposal.cost(std::exp(log_noise), failure); };
  Choice best{1.0, failure, infinity};
  const double step = 0.7;
  for (double log_noise = step; log_noise < 12.0; log_noise += step) {
    const Choice next{std::exp(log_noise), failure, cost(log_noise)};
    if (next.cost > best.cost) break;
    best = next;
  }
  const double middle = std::log(best.noise);
  const Bracket around = narrow_to_minimum(cost, {middle - step, middle + step}, 0.02);
  const double log_noise = 0.5 * (around.low + around.high);
  return {std::exp(log_noise), failure, cost(log_noise)};
}

// The same over a few shares of delta for the test to fail: the cost is flat in it.
Choice best_choice(const Proposal& proposal, double delta) {
  Choice best = best_noise(proposal, 0.05 * delta);
  for (const double share : {0.1, 0.2, 0.35}) {
    const Choice next = best_noise(proposal, share * delta);
    if (next.cost < best.cost) best = next;
  }
  return best;
}

}  // namespace

// Given g the loss is that of a shift by a |g|, a = l/sd, of moment exp(z (z + 1) a^2 |g|^2 / 2);
// over the law of g its mean is (1 - z (z + 1) a^2)^{-r/2}. That is the moment of r coordinates
// with ratio 1 + t and r with 1/(1 + t), where t (-t/(1+t)) = -a^2: t = a (a + sqrt(a^2 + 4))/2.
PrivacyLoss additive_projection(double columns, double standard_deviation, double row_norm_bound) {
  require_count("columns", columns);
  require_positive("standard_deviation", standard_deviation);
  require_positive("row_norm_bound", row_norm_bound);
  const PrecisionScope scope(proof_bits);
  const Ball a = Ball(row_norm_bound) / Ball(standard_deviation);
  const Ball t = a * (a + sqrt(a * a + 4.0)) / 2.0;
  GaussianSpectrum spectrum;
  for (const Ball& excess : {t, -t / (t + 1.0)})
    spectrum.add({to_precise("row_norm_bound", excess), Precise::exactly(0.0), columns});
  return PrivacyLoss::gaussian(spectrum);
}

AdditiveProjectionCalibration calibrate_additive_projection(const PrivacyTarget& target,
                                                            double columns, double row_norm_bound) {
  require_count("columns", columns);
  require_positive("row_norm_bound", row_norm_bound);
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the norm of a column of G is unbounded");
  const auto family = [&](double deviation) {
    return additive_projection(columns, deviation, row_norm_bound);
  };
  const Calibration found =
      smallest_noise(family, target, require_positive("row_norm_bound", row_norm_bound));
  const double norm =
      quantile_above([&](double x) { return chi_tail(columns, x); }, 0.5 * target.delta);
  return {columns, row_norm_bound, found.parameter, norm, found.achieved};
}

double ProposeTestRelease::ridge(double eigenvalue_bound) const {
  require_non_negative("eigenvalue_bound", eigenvalue_bound);
  const PrecisionScope scope(proof_bits);
  const double missing = (Ball(ridge_target) - Ball(eigenvalue_bound)).upper();
  return std::clamp(missing, 0.0, largest_ridge);
}

double ProposeTestRelease::eigenvalue_sensitivity() const {
  const PrecisionScope scope(proof_bits);
  return (Ball(row_norm_bound) * Ball(row_norm_bound) * Ball(eigenvalue_move)).upper();
}

ProposeTestRelease calibrate_propose_test_release(const PrivacyTarget& target, double columns,
                                                  double row_norm_bound,
                                                  std::optional<double> eigenvalue_noise,
                                                  std::optional<double> failure) {
  require_count("columns", columns);
  squared_bound(row_norm_bound);
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss of a projection is unbounded");
  if (failure && !(*failure > 0.0 && *failure < target.delta))
    throw InvalidParameter("failure", *failure, "must be above 0 and below delta");
  const PrecisionScope scope(proof_bits);
  const Ball square = Ball(row_norm_bound) * Ball(row_norm_bound);
  const Proposal proposal(target, columns);
  // In units of l^2: rows of norm 1.
  const Choice choice = [&] {
    if (!eigenvalue_noise)
      return failure ? best_noise(proposal, *failure) : best_choice(proposal, target.delta);
    return Choice{require_positive("eigenvalue_noise", *eigenvalue_noise) / square.upper(),
                  failure.value_or(0.1 * target.delta), 0.0};
  }();
  const double noise = choice.noise, spent = choice.failure;
  if (!proposal.affordable(noise, spent))
    throw CalibrationFailed(
        "the test of the least eigenvalue alone spends the budget: more eigenvalue noise, or no "
        "propose-test-release");
  const Calibration found = proposal.calibrate(noise, spent, Accuracy::certified);
  const Ball ridge = found.parameter;
  ProposeTestRelease result{columns,
                            row_norm_bound,
                            (Ball(noise) * square).upper(),
                            spent,
                            0.0,
                            (Ball(1.0) / (Ball(1.0) + ridge)).lower(),
                            ((ridge + 1.0) * square).upper(),
                            (ridge * square).upper(),
                            found.achieved};
  // A deviation rounded upwards and a ridge rounded upwards only lose less.
  result.margin = margin_for(result.eigenvalue_noise, spent);
  if (!(result.achieved.delta().upper() <= target.delta))
    throw CalibrationFailed("propose-test-release could not be proved to meet the target");
  return result;
}

}  // namespace modicum
