#include "modicum/release/logistic_release.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <memory>

#include "modicum/release/lift.h"
#include "release/coefficients.h"

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
  if (model.minimiser.size() != plan.rows.dimension() ||
      model.precision.rows() != plan.rows.dimension() ||
      model.precision.cols() != plan.rows.dimension())
    throw InvalidParameter("coordinates", static_cast<double>(model.minimiser.size()),
                           "must be those of the plan");
  if (!(model.minimiser_error <= plan.tolerance))
    throw InvalidParameter("minimiser_error", model.minimiser_error,
                           "must be at most that of the plan");
  if (plan.largest_rows && !(model.rows <= *plan.largest_rows))
    throw Error("the table has more rows than was promised; nothing is released");
}

// F with F F^T = G^-1, by eigenvectors of G, none of whose eigenvalues is below the regularization,
// whatever rounding says.
Eigen::MatrixXd posterior_root(const LogisticPlan& plan, const LogisticModel& model) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(model.precision);
  if (solver.info() != Eigen::Success)
    throw Error("the second moments could not be factorised; nothing is released");
  const Eigen::ArrayXd precisions = solver.eigenvalues().array().max(plan.regularization);
  return solver.eigenvectors() * precisions.rsqrt().matrix().asDiagonal();
}

// Rows on the right side of the plane; one on it counts as negative.
double classified(const LabelledBlock& block, const Eigen::VectorXd& theta) {
  const Eigen::ArrayXd odds = block.features * theta;
  return static_cast<double>(((odds > 0.0) == (block.labels.array() > 0.0)).count());
}

}  // namespace

LogisticModel fit(const LogisticPlan& plan, const LabelledRows& rows, const ReadOptions& options) {
  return fit_logistic(rows, plan.regularization, plan.tolerance, options);
}

Released release_logistic(const LogisticPlan& plan, const LogisticModel& model,
                          RandomSource& source) {
  require_as_planned(plan, model);
  const Eigen::VectorXd drawn = draw_lifted(model.minimiser, posterior_root(plan, model),
                                            plan.noise_variance, plan.grid, source);
  // Log-odds have no units.
  return coefficients_in_units(plan.rows, {0.0, 1.0}, drawn, plan.certificate);
}

Diagnostics diagnose_logistic(const Released& released, const LogisticModel& model,
                              const Table& table, const LabelledRows& rows,
                              const ReadOptions& options) {
  const Eigen::VectorXd found = released.values.col(1).tail(model.minimiser.size());
  double used = 0.0, clipped = 0.0, positive = 0.0, by_minimiser = 0.0, by_release = 0.0;
  rows.for_each_block(options, [&](const LabelledBlock& block) {
    const auto size = static_cast<double>(block.labels.size());
    const auto above = static_cast<double>((block.labels.array() > 0.0).count());
    const double longer = block.clipped, exact = classified(block, model.minimiser),
                 noisy = classified(block, found);
    return [&, size, above, longer, exact, noisy] {
      used += size;
      clipped += longer;
      positive += above;
      by_minimiser += exact;
      by_release += noisy;
    };
  });
  double readable = 0.0;
  std::vector<std::size_t> columns = rows.features().table_columns();
  columns.push_back(table.index_of("target", rows.label().column));
  table.for_each_text_block(columns, options, [&](const TextBlock& block) {
    return [&readable, size = static_cast<double>(block.size())] { readable += size; };
  });
  return {{"rows_used", used},
          {"rows_with_unreadable_numbers", readable - used},
          {"rows_clipped", clipped},
          {"share_of_the_larger_class", std::max(positive, used - positive) / used},
          {"accuracy_of_the_minimiser", by_minimiser / used},
          {"accuracy_of_the_release", by_release / used},
          {"distance_to_the_minimiser", (found - model.minimiser).norm()},
          {"norm_of_the_minimiser", model.minimiser.norm()}};
}

}  // namespace modicum
