#include "interfaces/release/objective_fields.h"

#include <fmt/format.h>

#include "data/counted.h"

namespace modicum {

Outcome drawn_objective(const TableRelease& release, const RowChoice& choice,
                        const std::string& what, const PredictionLoss& loss,
                        const std::optional<double>& regularization,
                        const std::optional<double>& largest_rows,
                        const std::function<ResponseRule(const Table&)>& response_of,
                        RandomSource& random, Progress& progress) {
  const PrivacyTarget target = release.budget.target();
  const TableSource& source = release.source;
  const Table table = source.open();
  const ResponseRule response = response_of(table);
  const bool numbers = std::holds_alternative<TargetRule>(response);
  const RowRule features = choice.feature_rule(table, column_of(response), numbers);
  const LabeledRows rows(table, features, response, choice.norm_bound(features));
  const PublicRows known(features, rows.clip().row_norm_bound(), source.bad_rows());
  progress.begin("calibrating");
  const ObjectivePlan plan =
      plan_objective(target, known, {loss, response, regularization, largest_rows});
  progress.begin("reading, once for each step of the solver");
  Released released = release_objective(plan, rows, random, source.read_options(progress));
  return {std::move(released),
          fmt::format("coefficients of {} of {} on {} by objective perturbation", what,
                      column_of(response), counted(known.dimension(), "feature")),
          [&source, table, features, response, bound = known.row_norm_bound, plan](
              const Released& drawn, Progress& again) {
            return diagnose_objective(drawn, plan, table,
                                      LabeledRows(table, features, response, bound),
                                      source.read_options(again));
          }};
}

}  // namespace modicum
