#include "release/reports/report_promise.h"

#include <cmath>

#include "modicum/mechanisms/per_instance_gaussian.h"
#include "release/regression/objective_sums.h"
#include "release/reports/publishable_report_quantiles.h"

namespace modicum {

double epsilon_of_report(double mu, double delta) {
  return GaussianInstance(mu, 1.0).epsilon(delta).upper();
}

std::optional<ReportPromise> promise_of(const ReportPlan& plan) {
  if (plan.settings.kind == ReportKind::data_independent) return std::nullopt;
  const PrivacyTarget& target = plan.certificate.target;
  return ReportPromise{target, plan.mu, epsilon_of_report(plan.mu, target.delta)};
}

ObjectiveBounds as_computed(const ObjectiveBounds& bounds) {
  return {bounds.lipschitz * (1.0 + 2.0 * slope_rounding),
          bounds.smoothness * (1.0 + 4.0 * eigenvalue_precision), bounds.regularization,
          bounds.signs, bounds.tie};
}

// The length of b and of the noise on top, and what the noise on the coefficients moves, as in
// spread_of_gradient (publishable_report.cpp).
double longest_gradient(const ObjectiveRelease& release, double noise, double rows) {
  const auto dimension = static_cast<double>(release.coefficients.size());
  return 1.001 *
         (std::hypot(release.standard_deviation, noise) * norm_quantile_above(dimension, 1e-9) +
          release.output_spread * (release.regularization + release.bounds().smoothness * rows));
}

bool noise_explains(const PublishableReport& report) {
  if (report.settings().kind == ReportKind::data_independent) return true;
  return report.released().gradient.stableNorm() <=
         longest_gradient(report.release(), report.settings().noise.gradient,
                          report.settings().largest_rows.value_or(default_largest_rows));
}

}  // namespace modicum
