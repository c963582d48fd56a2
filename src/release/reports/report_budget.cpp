// What a report costs, and the least noise that a budget allows it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/per_instance_gaussian.h"
#include "modicum/release/per_instance.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

constexpr long bits = 128;

void require_costs(const ReportNoise& noise, double slope, double curvature) {
  require_non_negative("gradient noise", noise.gradient);
  require_non_negative("matrix noise", noise.matrix);
  require_non_negative("eigenvalue noise", noise.eigenvalue);
  require_non_negative("slope", slope);
  require_non_negative("curvature", curvature);
}

// (shift/deviation)^2, nothing where there is no noise because nothing is released.
Ball squared_ratio(double shift, double deviation) {
  if (deviation == 0.0) return 0.0;
  const Ball ratio = Ball(shift) / Ball(deviation);
  return ratio * ratio;
}

// The deviation on the diagonal of sigma_3 (Z + Z^T)/sqrt 2, rounded downwards.
double least_diagonal_deviation(double matrix_noise) {
  const PrecisionScope scope(bits);
  return (sqrt(Ball(2.0)) * Ball(matrix_noise)).lower();
}

double published_epsilon(double shift, double deviation, double delta) {
  return deviation == 0.0 ? 0.0
                          : GaussianInstance(shift, deviation).published_epsilon(delta).upper();
}

// shift / (mu sqrt(share)), and a little more: the cost computed from it, rounded upwards, is then
// not above mu.
double noise_for(double shift, double mu, const Ball& share) {
  return (Ball(shift) / (Ball(mu) * sqrt(share)) * Ball(1.0 + 0x1p-50)).upper();
}

void require_shares(ReportKind kind, const ReportShares& shares) {
  if (kind == ReportKind::data_independent)
    throw InvalidParameter("kind", to_string(kind), "must be one that releases something");
  require_positive("gradient share", shares.gradient);
  require_positive("matrix share", shares.matrix);
  if (kind == ReportKind::adaptive) require_positive("eigenvalue share", shares.eigenvalue);
  else if (shares.eigenvalue != 0.0)
    throw InvalidParameter("eigenvalue share", shares.eigenvalue,
                           "must be 0: this kind of report releases none");
}

ReportNoise divided(double mu, const ObjectiveBounds& bounds, const ReportShares& shares) {
  const PrecisionScope scope(bits);
  const Ball sum = Ball(shares.gradient) + Ball(shares.matrix) + Ball(shares.eigenvalue);
  ReportNoise noise;
  noise.gradient = noise_for(bounds.lipschitz, mu, Ball(shares.gradient) / sum);
  noise.matrix = noise_for(bounds.smoothness, mu, Ball(2.0) * Ball(shares.matrix) / sum);
  if (shares.eigenvalue > 0.0)
    noise.eigenvalue = noise_for(bounds.smoothness, mu, Ball(shares.eigenvalue) / sum);
  return noise;
}

}  // namespace

double report_cost(const ReportNoise& noise, double slope, double curvature) {
  require_costs(noise, slope, curvature);
  const PrecisionScope scope(bits);
  return sqrt(squared_ratio(slope, noise.gradient) + squared_ratio(curvature, noise.matrix) / 2.0 +
              squared_ratio(curvature, noise.eigenvalue))
      .upper();
}

// With t = epsilon/mu - mu/2, M(t) = P[N > t]/phi(t) and M convex and decreasing,
//   delta(epsilon) = phi(t) (M(t) - M(t + mu)) <= phi(t) min(M(t), mu (1 - t M(t))),
// and 2/(t + sqrt(t^2 + 4)) <= M(t) <= 4/(3 t + sqrt(t^2 + 8)) for t >= 0 (Birnbaum, Sampford). The
// bound falls with t.
double report_epsilon(double mu, double delta) {
  require_non_negative("mu", mu);
  require_open_unit("delta", delta);
  const auto delta_at = [&](double t) {
    const double root = std::sqrt(t * t + 4.0);
    return std::exp(-0.5 * t * t) / std::sqrt(2.0 * M_PI) *
           std::min(4.0 / (3.0 * t + std::sqrt(t * t + 8.0)), mu * (root - t) / (root + t));
  };
  // Beyond 40 it is below any delta.
  double low = 0.0, high = delta_at(0.0) <= delta ? 0.0 : 40.0;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (delta_at(middle) <= delta * (1.0 - 1e-12) ? high : low) = middle;
  }
  return mu * (high + 0.5 * mu) * (1.0 + 1e-9);
}

PublishedReportCost published_report_cost(const ReportNoise& noise, double slope, double curvature,
                                          double delta) {
  require_costs(noise, slope, curvature);
  require_open_unit("delta", delta);
  return {published_epsilon(slope, noise.gradient, delta),
          published_epsilon(curvature, least_diagonal_deviation(noise.matrix), delta),
          published_epsilon(curvature, noise.eigenvalue, delta),
          GaussianInstance(report_cost(noise, slope, curvature), 1.0).epsilon(delta).upper()};
}

ReportShares ReportShares::of(ReportKind kind) {
  switch (kind) {
    case ReportKind::data_independent:
      return {0.0, 0.0, 0.0};
    case ReportKind::data_dependent:
      return {0.6, 0.4, 0.0};
    case ReportKind::adaptive:
      break;
  }
  return {0.6, 0.2, 0.2};
}

ReportBudget plan_report(const PrivacyTarget& total, const PrivacyLoss& released_before,
                         const ObjectiveBounds& bounds, ReportKind kind,
                         const ReportShares& shares) {
  require_shares(kind, shares);
  require_positive("smoothness", bounds.smoothness);
  if (!(total.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss of the noise of a report is unbounded");
  const double spent = profile(released_before, total.epsilon, Accuracy::certified).delta().upper();
  // What would be left is noise that says nothing.
  if (!(spent < 0.999 * total.delta))
    throw CalibrationFailed(
        fmt::format("the release alone has delta {:.6g} at epsilon = {}: less than a thousandth is "
                    "left of {} for "
                    "a report",
                    spent, total.epsilon, total.delta));
  const auto family = [&](double noise) {
    PrivacyLoss loss = released_before;
    loss.compose(gaussian_differential_privacy(1.0 / noise));
    return loss;
  };
  const Calibration found = smallest_proved_noise(family, total, 0.5, 10.0);
  const double mu = 1.0 / found.parameter;
  return {mu, divided(mu, bounds, shares), found.achieved};
}

}  // namespace modicum
