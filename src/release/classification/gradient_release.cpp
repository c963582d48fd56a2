#include "modicum/release/gradient_release.h"

#include <algorithm>
#include <cmath>

#include "release/certificates/public_certificate.h"
#include "release/classification/coefficient_errors.h"
#include "release/classification/descent.h"
#include "release/classification/gradient_sums.h"
#include "release/classification/standardized_rows.h"
#include "release/descriptions/mechanisms.h"
#include "release/regression/coefficients.h"
#include "release/regression/linear_fit.h"
#include "release/tables/kept_rows.h"
#include "release/tables/labeled_diagnostics.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

// Of mu^2, where standard errors are asked for.
constexpr double errors_share = 0.1;
// Times the least regularization that costs no noise: rows of unit spread ask for no more.
constexpr double more_regularization = 2.0;
// Of the coefficients, in units of the spread: beyond it small steps do better.
constexpr double error_per_dimension = 21.0, largest_error = 0.3;

void require_rows_of_plan(const PublicRows& planned, const LabelRule& label,
                          const LabeledRows& rows) {
  if (!(rows.clip().row_norm_bound() == planned.row_norm_bound))
    throw InvalidParameter("row_norm_bound", rows.clip().row_norm_bound(),
                           "must be that of the plan");
  if (!(rows.response() == ResponseRule(label)))
    throw InvalidParameter("response", "another", "must be that of the plan");
  planned.require_same(rows.features());  // how far a row reaches depends on the ranges
}

// What the look has released is said in units of the rows.
void describe_units(Certificate& certificate, const PublicRows& rows) {
  certificate.set("released_centers", rows.centers);
  certificate.set("released_scales", rows.scales);
}

// Along the gradient of the clipped losses over the released count; the mean of the later half.
Eigen::VectorXd descend(const GradientPlan& plan, const Standardization& look,
                        const PassOverRows& pass, RandomSource& source) {
  const Eigen::Index d = plan.rows.dimension();
  // Rounded upwards by more than all roundings here.
  const double deviation = plan.clip / plan.step_mu * (1.0 + 0x1p-40);
  const double grid = grid_below(deviation);
  // Clipping shortens gradients by about this much.
  const double shortened = std::min(1.0, 2.0 * plan.clip / std::sqrt(static_cast<double>(d)));
  const double length = 1.0 / (look.count() * shortened);
  Eigen::VectorXd theta = Eigen::VectorXd::Zero(d), mean = theta;
  const int kept_from = plan.steps / 2;
  for (int step = 0; step < plan.steps; ++step) {
    const GradientSum sum = gradient_sum(pass, look.clip(), theta, plan.clip);
    for (Eigen::Index j = 0; j < d; ++j) {
      const OnGrid value = split(sum.values[static_cast<std::size_t>(j)], sum.grid, grid);
      theta[j] -= length * to_double(add_rounded_normal(value, deviation, grid, source), grid);
    }
    if (step >= kept_from) mean += theta / static_cast<double>(plan.steps - kept_from);
  }
  return mean;
}

}  // namespace

bool gradient_does_better(const PrivacyTarget& target, Eigen::Index dimension,
                          double expected_rows) {
  return error_per_dimension * static_cast<double>(dimension) >
         largest_error * target.epsilon * require_positive("expected_rows", expected_rows);
}

GradientPlan plan_gradient(const PrivacyTarget& target, const PublicRows& features,
                           const LabelRule& label, std::optional<double> steps) {
  require_finite("threshold", label.threshold);
  Descent descent =
      plan_descent(target, features, steps, 1.0, "gradient", [&](Certificate& certificate) {
        certificate.set("label", label.column);
        certificate.set("threshold", label.threshold);
      });
  return {features,
          label,
          descent.steps,
          descent.look_mu,
          descent.step_mu,
          descent.clip,
          std::move(descent.certificate)};
}

Released release_gradient(const GradientPlan& plan, const LabeledRows& rows, RandomSource& source,
                          const ReadOptions& options) {
  require_rows_of_plan(plan.rows, plan.label, rows);
  const PassOverRows pass = rows.pass(options);
  const Standardization look(plan.rows, pass, plan.look_mu, source);
  const Eigen::VectorXd found =
      descend(plan, look, kept_rows(look.pass(pass), options.threads), source);
  const PublicRows units = look.rows(plan.rows);
  Released released = coefficients_in_units(units, {0.0, 1.0}, found, plan.certificate);
  describe_units(released.certificate, units);
  return released;
}

StandardizedPlan plan_standardized(const PrivacyTarget& target, const PublicRows& features,
                                   const ObjectiveRequest& request, bool errors) {
  require_features(features);
  const double mu = 1.0 / calibrate_gaussian(target, 1.0).parameter;
  PublicRows rows = features;
  rows.row_norm_bound = standardized_norm_bound(features);
  ObjectiveRequest own = request;
  const double look_mu = part_of_mu(mu, look_share);
  const double curvature_mu = errors ? part_of_mu(mu, errors_share) : 0.0;
  own.look_mu = std::hypot(look_mu, curvature_mu) * (1.0 + 0x1p-50);
  if (!own.regularization)
    own.regularization = more_regularization * default_objective_regularization(
                                                   target, request.loss, rows.row_norm_bound);
  StandardizedPlan plan{features, look_mu, curvature_mu, plan_objective(target, rows, own)};
  Certificate& certificate = plan.objective.certificate;
  certificate.mechanism = "standardized_objective_perturbation";
  certificate.theorem = "docs/derivations/standardized.md";
  certificate.set("method", "standardized");
  certificate.set("look_mu", plan.look_mu);
  if (errors) certificate.set("curvature_mu", plan.curvature_mu);
  certificate.set("first_row_norm_bound", features.row_norm_bound);
  return plan;
}

Released release_standardized(const StandardizedPlan& plan, const LabeledRows& rows,
                              RandomSource& source, const ReadOptions& options) {
  require_rows_of_plan(plan.rows, std::get<LabelRule>(plan.objective.response), rows);
  const PassOverRows pass = rows.pass(options);
  const Standardization look(plan.rows, pass, plan.look_mu, source);
  const PassOverRows mapped = kept_rows(look.pass(pass), options.threads);
  const Eigen::VectorXd found = draw_objective(plan.objective, mapped, look.clip(), source);
  const PublicRows units = look.rows(plan.rows);
  Released released = coefficients_in_units(units, {0.0, 1.0}, found, plan.objective.certificate);
  describe_units(released.certificate, units);
  if (plan.curvature_mu > 0.0)
    add_errors(
        released, units,
        released_covariance(plan.objective, mapped, look.clip(), found, plan.curvature_mu, source));
  return released;
}

Diagnostics diagnose_standardized(const Released& released, const PublicRows& first,
                                  const Table& table, const LabeledRows& rows,
                                  const ReadOptions& options) {
  const Eigen::Index d = rows.dimension();
  const Eigen::VectorXd coefficients = released.values.col(0).tail(d);
  const Eigen::Map<const Eigen::VectorXd> centers(first.centers.data(), d);
  const Eigen::Map<const Eigen::VectorXd> scales(first.scales.data(), d);
  Eigen::VectorXd found = coefficients.cwiseProduct(scales);
  if (first.intercept) found[0] += coefficients.dot(centers);
  const double bound = rows.clip().row_norm_bound();
  const RegressionProblem problem{PredictionLoss::logistic(), bound * bound, LongVector::Zero(d)};
  const Eigen::VectorXd minimizer =
      minimize(rows.pass(options), rows.clip(), problem, 0x1p-20 / bound).coefficients;
  return diagnose_labeled({problem.loss, minimizer, found}, table, rows, options);
}

}  // namespace modicum
