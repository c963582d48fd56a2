// What a regression by objective perturbation costs in privacy, from public numbers alone.
#include <algorithm>
#include <cmath>

#include "modicum/release/objective_release.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/regression/linear_objective.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

// How near the computed minimizer must be, in terms of the gradient: some 2^-36 of what one record
// can do to it, and room for as much as the gradient of so many rows is known, and as doubles tell
// coefficients. |theta| <= 2 |b|/lambda + sqrt(2 rows f(0)/lambda), for J + b^T theta is not above
// its value at 0.
double gradient_tolerance(const ObjectivePlan& plan) {
  const double unit = unit_of(IntegerClip(plan.rows.row_norm_bound));
  const double dimension = static_cast<double>(plan.rows.dimension());
  const double of_a_row =
      1.1 * WholeSlopes(plan.loss).error() + 0x1p-60 * plan.loss.largest_slope();
  const double at_zero = plan.loss.at(0.0, 1.0).value;
  return 0x1p-36 * plan.bounds().lipschitz + plan.largest_rows * of_a_row * unit +
         0x1p-46 * plan.noise.standard_deviation * std::sqrt(dimension) +
         0x1p-50 * std::sqrt(2.0 * plan.largest_rows * at_zero * plan.regularization);
}

void require_fitting(const PredictionLoss& loss, const ResponseRule& response) {
  if (loss.takes_labels() == std::holds_alternative<LabelRule>(response)) return;
  throw InvalidParameter("loss", loss.name(),
                         loss.takes_labels()
                             ? "must be one for numbers: huber, squared or log_cosh"
                             : "must be one for labels: logistic or smoothed_hinge");
}

void describe_response(Certificate& certificate, const ResponseRule& response) {
  if (const auto* label = std::get_if<LabelRule>(&response)) {
    certificate.set("label", label->column);
    certificate.set("threshold", label->threshold);
    return;
  }
  const auto& target = std::get<TargetRule>(response);
  certificate.set("target", target.column);
  certificate.set("target_range", std::vector<double>{target.range.low, target.range.high});
}

// Enough to make the rows again: whether the first coordinate is 1, what is clamped, and where to.
void describe_ranges(Certificate& certificate, const PublicRows& rows) {
  certificate.set("intercept", rows.intercept ? column_of_ones : "none");
  std::vector<std::string> names;
  std::vector<double> lows, highs;
  for (const auto& [name, range] : rows.ranges) {
    names.push_back(name);
    lows.push_back(range.low);
    highs.push_back(range.high);
  }
  if (names.empty()) return;
  certificate.set("ranged", names);
  certificate.set("range_lows", lows);
  certificate.set("range_highs", highs);
}

void describe_numbers(Certificate& certificate, const ObjectivePlan& plan) {
  const ObjectiveBounds bounds = plan.bounds();
  certificate.set("method", "objective");
  certificate.set("loss", plan.loss.name());
  if (plan.loss.kind() != PredictionLossKind::logistic)
    certificate.set("loss_parameter", plan.loss.parameter());
  describe_response(certificate, plan.response);
  certificate.set("regularization", plan.regularization);
  certificate.set("largest_rows", plan.largest_rows);
  certificate.set("lipschitz", bounds.lipschitz);
  certificate.set("smoothness", bounds.smoothness);
  certificate.set("standard_deviation", plan.noise.standard_deviation);
  certificate.set("minimizer_error", plan.noise.minimizer_error);
  certificate.set("output_standard_deviation", plan.noise.output_standard_deviation);
}

}  // namespace

double default_objective_regularization(const PrivacyTarget& target, const PredictionLoss& loss,
                                        double row_norm_bound) {
  const double smoothness = loss.bounds(row_norm_bound, 1.0).smoothness;
  const double epsilon = require_positive("epsilon", target.epsilon);
  // However large epsilon is, enough to be told from rounding.
  const double least = 1e-6 * smoothness;
  switch (curvature_tie_of(loss.name())) {
    case CurvatureTie::logistic:
      return std::max(4.0 * smoothness / epsilon, least);
    case CurvatureTie::log_cosh:
      return std::max(2.0 * smoothness / epsilon, least);
    case CurvatureTie::none:
      break;
  }
  return std::max(smoothness / std::expm1(0.1 * epsilon), least);
}

ObjectivePlan plan_objective(const PrivacyTarget& target, const PublicRows& features,
                             const ObjectiveRequest& request) {
  if (features.dimension() < 1)
    throw InvalidParameter("coordinates", 0.0, "must be at least one: a feature");
  require_fitting(request.loss, request.response);
  const double largest_rows =
      require_count("largest_rows", request.largest_rows.value_or(default_largest_table));
  const double bound = features.row_norm_bound;
  const double regularization = require_regularization(
      request.regularization ? require_positive("regularization", *request.regularization)
                             : default_objective_regularization(target, request.loss, bound),
      bound);
  const ObjectiveBounds bounds = request.loss.bounds(bound, regularization);
  const Calibration found = calibrate_solved_objective(target, bounds, request.look_mu);
  require_achieved(target, found.achieved);
  ObjectivePlan plan{features,
                     request.loss,
                     request.response,
                     regularization,
                     largest_rows,
                     {found.parameter, 0.0, 0.0},
                     0.0,
                     Certificate("objective_perturbation", target, found.achieved)};
  plan.noise =
      solved_objective_noise(bounds, found.parameter, gradient_tolerance(plan) / regularization);
  plan.grid = grid_below(plan.noise.output_standard_deviation);
  Certificate& certificate = plan.certificate;
  certificate.attained = false;
  certificate.theorem = "docs/derivations/objective-perturbation.md";
  describe_numbers(certificate, plan);
  describe_rows(certificate, features);
  describe_ranges(certificate, features);
  describe_solver(certificate);
  certificate.assumptions.push_back(
      "the table has at most largest_rows rows: with more, the solver may fail");
  describe_arithmetic(certificate, Exactness::exact, plan.grid);
  const Value own = description_of(
      described::ObjectiveRelease{{plan.noise.standard_deviation, bounds.lipschitz,
                                   bounds.smoothness, plan.regularization, plan.loss.name()},
                                  plan.noise.minimizer_error,
                                  plan.noise.output_standard_deviation});
  describe_loss(certificate,
                request.look_mu > 0.0
                    ? described::composition_of(
                          {description_of(described::GaussianPrivacy{request.look_mu}), own})
                    : own);
  return plan;
}

}  // namespace modicum
