// What a logistic regression costs in privacy, from public numbers alone.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/bayesian_logistic.h"
#include "modicum/release/logistic_release.h"
#include "release/certificates/public_certificate.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

void describe_numbers(Certificate& certificate, const LogisticPlan& plan,
                      const LiftCalibration& found) {
  certificate.set("method", "bayesian");
  certificate.set("label", plan.label.column);
  certificate.set("threshold", plan.label.threshold);
  certificate.set("regularization", plan.regularization);
  if (plan.largest_rows) certificate.set("largest_rows", *plan.largest_rows);
  certificate.set("minimizer_error", plan.tolerance);
  describe_lift(certificate, found);
}

void describe_assumptions(Certificate& certificate, const LogisticPlan& plan) {
  describe_solver(certificate);
  if (plan.largest_rows)
    certificate.assumptions.push_back(fmt::format(
        "the table and its neighbors have at most {} rows: a run that ends because there are more "
        "tells so, and that is not covered",
        *plan.largest_rows));
}

// Where the posterior hides a row by itself, so much noise is added nevertheless, next to nothing
// beside it: exact noise on top is what blurs the rounding of the rest.
double least_noise(double regularization, double bound, const std::optional<double>& rows) {
  return rows ? 0x1p-20 / (regularization + *rows * bound * bound / 4.0) : 0.0;
}

}  // namespace

LogisticPlan plan_logistic(const PrivacyTarget& target, const PublicRows& features,
                           const LogisticRequest& request) {
  if (features.dimension() < 1)
    throw InvalidParameter("coordinates", 0.0, "must be at least one: a feature");
  require_finite("threshold", request.label.threshold);
  const double bound = features.row_norm_bound;
  const double regularization = require_regularization(
      request.regularization ? require_positive("regularization", *request.regularization)
                             : default_logistic_regularization(target, bound),
      bound);
  const double tolerance = std::ldexp(bound / regularization, -16);
  LiftCalibration found = calibrate_bayesian_logistic(
      target, LogisticShape(regularization, bound, tolerance, request.largest_rows));
  found.noise_variance =
      std::max(found.noise_variance, least_noise(regularization, bound, request.largest_rows));
  const ProfilePoint achieved = found.bounds.upper_bound();
  require_achieved(target, achieved);
  LogisticPlan plan{features,
                    request.label,
                    regularization,
                    found.noise_variance,
                    tolerance,
                    request.largest_rows,
                    0.0,
                    Certificate("bayesian_logistic_regression", target, achieved)};
  plan.grid = grid_below(std::sqrt(plan.noise_variance));
  plan.certificate.theorem = "docs/derivations/logistic.md";
  describe_numbers(plan.certificate, plan, found);
  describe_rows(plan.certificate, features);
  describe_assumptions(plan.certificate, plan);
  describe_arithmetic(plan.certificate, Exactness::mitigated, plan.grid);
  return plan;
}

}  // namespace modicum
