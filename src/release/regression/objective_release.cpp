#include "modicum/release/objective_release.h"

#include <algorithm>
#include <cmath>

#include "modicum/randomness/samplers.h"
#include "release/regression/coefficients.h"
#include "release/regression/linear_fit.h"
#include "release/tables/kept_rows.h"
#include "release/tables/labeled_diagnostics.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

// A tilt b of exactly normal numbers, each known up to half a grid: the theorem is about the real
// numbers, and what the rest of their digits could do to the minimizer is part of its error.
RegressionProblem drawn_problem(const ObjectivePlan& plan, RandomSource& source) {
  const Eigen::Index d = plan.rows.dimension();
  const double root = std::sqrt(static_cast<double>(d));
  const double grid = power_of_two_below(
      std::max(0x1p-40 * plan.bounds().lipschitz / root, 0x1p-50 * plan.noise.standard_deviation));
  RegressionProblem problem{plan.loss, plan.regularization, LongVector(d)};
  for (long double& each : problem.tilt)
    each = static_cast<long double>(
               rounded_normal(plan.noise.standard_deviation / grid, 0.0, source)) *
           grid;
  problem.tilt_error = 0.51 * grid * root;
  return problem;
}

// Less noise than planned would be the worst mistake there is.
void require_as_planned(const ObjectivePlan& plan, const LabeledRows& rows) {
  if (!(rows.clip().row_norm_bound() == plan.rows.row_norm_bound))
    throw InvalidParameter("row_norm_bound", rows.clip().row_norm_bound(),
                           "must be that of the plan");
  if (!(rows.response() == plan.response))
    throw InvalidParameter("response", "another", "must be that of the plan");
  if (rows.dimension() != plan.rows.dimension())
    throw InvalidParameter("coordinates", static_cast<double>(rows.dimension()),
                           "must be those of the plan");
}

TargetUnits units_of(const ResponseRule& response) {
  const auto* target = std::get_if<TargetRule>(&response);
  // Log-odds and margins have no units.
  return target ? TargetUnits{target->range.middle(), target->range.half_width()}
                : TargetUnits{0.0, 1.0};
}

}  // namespace

Eigen::VectorXd draw_objective(const ObjectivePlan& plan, const PassOverRows& pass,
                               const IntegerClip& clip, RandomSource& source) {
  const RegressionProblem problem = drawn_problem(plan, source);
  Eigen::VectorXd values = minimize(pass, clip, problem, plan.noise.minimizer_error).coefficients;
  for (double& value : values)
    value = to_double(add_rounded_normal(split(value, plan.grid),
                                         plan.noise.output_standard_deviation, plan.grid, source),
                      plan.grid);
  return values;
}

Released release_objective(const ObjectivePlan& plan, const LabeledRows& rows, RandomSource& source,
                           const ReadOptions& options) {
  require_as_planned(plan, rows);
  const Eigen::VectorXd drawn =
      draw_objective(plan, kept_rows(rows.pass(options), options.threads), rows.clip(), source);
  return coefficients_in_units(plan.rows, units_of(plan.response), drawn, plan.certificate);
}

Diagnostics diagnose_objective(const Released& released, const ObjectivePlan& plan,
                               const Table& table, const LabeledRows& rows,
                               const ReadOptions& options) {
  const RegressionProblem problem{plan.loss, plan.regularization,
                                  LongVector::Zero(plan.rows.dimension())};
  const Eigen::VectorXd minimizer =
      minimize(rows.pass(options), rows.clip(), problem, plan.noise.minimizer_error).coefficients;
  return diagnose_labeled({plan.loss, minimizer, released.values.col(1).tail(minimizer.size())},
                          table, rows, options);
}

}  // namespace modicum
