#include "modicum/mechanisms/per_instance_gaussian.h"

#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

// Phi^-1(1 - tail).
Ball normal_quantile(const Ball& tail) {
  Ball result;
  const Ball twice = Ball(2.0) * tail;
  arb_hypgeom_erfcinv(result.raw(), twice.raw(), PrecisionScope::bits());
  return sqrt(Ball(2.0)) * result;
}

// sqrt(2 log(1/tail)), the bound on the same.
Ball chernoff_quantile(const Ball& tail) { return sqrt(Ball(-2.0) * log(tail)); }

// mu^2/2 + mu quantile.
Enclosure tail_bound(const Ball& mu, const Ball& quantile) {
  const Enclosure bound = (mu * mu / 2.0 + mu * quantile).enclosure();
  return {std::max(0.0, bound.lower()), std::max(0.0, bound.upper())};
}

}  // namespace

GaussianInstance::GaussianInstance(double shift, double standard_deviation)
    : shift_(require_non_negative("shift", shift)),
      standard_deviation_(require_positive("standard_deviation", standard_deviation)) {}

PrivacyLoss GaussianInstance::loss() const {
  return gaussian_mechanism(standard_deviation_, shift_);
}

Enclosure GaussianInstance::epsilon(double delta) const {
  require_open_unit("delta", delta);
  return epsilon_at(loss(), delta, Accuracy::certified).value;
}

Enclosure GaussianInstance::tail_epsilon(double delta) const {
  const PrecisionScope scope(proof_bits);
  const Ball tail = require_open_unit("delta", delta);
  return tail_bound(Ball(shift_) / Ball(standard_deviation_), normal_quantile(tail));
}

Enclosure GaussianInstance::published_epsilon(double delta) const {
  const PrecisionScope scope(proof_bits);
  const Ball tail = require_open_unit("delta", delta);
  return tail_bound(Ball(shift_) / Ball(standard_deviation_), chernoff_quantile(tail));
}

Enclosure GaussianInstance::ex_post_quantile(double failure) const {
  require_open_unit("failure", failure);
  if (shift_ == 0.0) return Enclosure::exactly(0.0);
  const PrecisionScope scope(proof_bits);
  const Ball mu = Ball(shift_) / Ball(standard_deviation_), half = mu * mu / 2.0;
  // Decreases from 1 at t = 0; each side has at most failure/2 at the tail bound.
  const auto beyond = [&](double t) {
    return normal_above((Ball(t) - half) / mu) + normal_above((Ball(t) + half) / mu);
  };
  double low = 0.0, high = tail_ex_post(failure).upper();
  for (;;) {
    const double middle = low + 0.5 * (high - low);
    if (!(low < middle && middle < high)) return {low, high};
    const Ball excess = beyond(middle) - Ball(failure);
    if (excess.surely_positive()) low = middle;
    else if (excess.surely_nonpositive()) high = middle;
    else return {low, high};
  }
}

Enclosure GaussianInstance::tail_ex_post(double failure) const {
  const PrecisionScope scope(proof_bits);
  const Ball tail = Ball(require_open_unit("failure", failure)) / 2.0;
  return tail_bound(Ball(shift_) / Ball(standard_deviation_), normal_quantile(tail));
}

Enclosure GaussianInstance::published_ex_post(double failure) const {
  const PrecisionScope scope(proof_bits);
  const Ball tail = Ball(require_open_unit("failure", failure)) / 2.0;
  return tail_bound(Ball(shift_) / Ball(standard_deviation_), chernoff_quantile(tail));
}

double gaussian_ex_post_loss(const Eigen::VectorXd& shift, const Eigen::VectorXd& noise,
                             double standard_deviation) {
  require_positive("standard_deviation", standard_deviation);
  if (shift.size() != noise.size())
    throw InvalidParameter("noise", static_cast<double>(noise.size()),
                           "must have as many numbers as the shift");
  if (!shift.allFinite() || !noise.allFinite())
    throw InvalidParameter("shift", "not finite", "must be finite, as the noise");
  const Eigen::VectorXd moved = shift / standard_deviation, drawn = noise / standard_deviation;
  return std::abs(0.5 * moved.squaredNorm() - moved.dot(drawn));
}

}  // namespace modicum
