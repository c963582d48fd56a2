#include "modicum/release/logistic_release.h"

#include <algorithm>
#include <cmath>

#include "modicum/release/lift.h"
#include "numerics/dense.h"
#include "release/regression/coefficients.h"
#include "release/tables/labeled_diagnostics.h"

namespace modicum {
namespace {

// Less noise than planned would be the worst mistake there is.
void require_as_planned(const LogisticPlan& plan, const LogisticModel& model) {
  if (!(model.row_norm_bound == plan.rows.row_norm_bound))
    throw InvalidParameter("row_norm_bound", model.row_norm_bound, "must be that of the plan");
  if (!(model.regularization == plan.regularization))
    throw InvalidParameter("regularization", model.regularization, "must be that of the plan");
  if (!(model.label == plan.label))
    throw InvalidParameter("label", "another", "must be that of the plan");
  if (model.minimizer.size() != plan.rows.dimension() ||
      model.precision.rows() != plan.rows.dimension() ||
      model.precision.cols() != plan.rows.dimension())
    throw InvalidParameter("coordinates", static_cast<double>(model.minimizer.size()),
                           "must be those of the plan");
  if (!(model.minimizer_error <= plan.tolerance))
    throw InvalidParameter("minimizer_error", model.minimizer_error,
                           "must be at most that of the plan");
  if (plan.largest_rows && !(model.rows <= *plan.largest_rows))
    throw Error("the table has more rows than was promised; nothing is released");
}

// F with F F^T = G^-1, by eigenvectors of G, none of whose eigenvalues is below the regularization,
// whatever rounding says.
Eigen::MatrixXd posterior_root(const LogisticPlan& plan, const LogisticModel& model) {
  const SymmetricEigen axes = symmetric_eigen(model.precision);
  const Eigen::ArrayXd precisions = axes.values.array().max(plan.regularization);
  return axes.vectors * precisions.rsqrt().matrix().asDiagonal();
}

}  // namespace

LogisticModel fit(const LogisticPlan& plan, const LabeledRows& rows, const ReadOptions& options) {
  return fit_logistic(rows, plan.regularization, plan.tolerance, options);
}

Released release_logistic(const LogisticPlan& plan, const LogisticModel& model,
                          RandomSource& source) {
  require_as_planned(plan, model);
  const Eigen::VectorXd drawn = draw_lifted(model.minimizer, posterior_root(plan, model),
                                            plan.noise_variance, plan.grid, source);
  // Log-odds have no units.
  return coefficients_in_units(plan.rows, {0.0, 1.0}, drawn, plan.certificate);
}

Diagnostics diagnose_logistic(const Released& released, const LogisticModel& model,
                              const Table& table, const LabeledRows& rows,
                              const ReadOptions& options) {
  const Eigen::VectorXd found = released.values.col(1).tail(model.minimizer.size());
  return diagnose_labeled({PredictionLoss::logistic(), model.minimizer, found}, table, rows,
                          options);
}

}  // namespace modicum
