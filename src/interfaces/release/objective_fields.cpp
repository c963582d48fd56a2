#include "interfaces/release/objective_fields.h"

#include <fmt/format.h>

#include "data/counted.h"

namespace modicum {
namespace {

// What is known before any row is read.
struct PlannedObjective {
  explicit PlannedObjective(const ObjectiveQuestion& question)
      : target(question.release.budget.target()),
        source(question.release.source),
        table(source.open()),
        response(question.response(table)),
        features(question.choice.feature_rule(table, column_of(response),
                                              std::holds_alternative<TargetRule>(response))),
        rows(table, features, response, question.choice.norm_bound(features)),
        known(features, rows.clip().row_norm_bound(), source.bad_rows()) {}

  ObjectivePlan plan(const ObjectiveQuestion& question) const {
    return plan_objective(
        target, known, {question.loss, response, question.regularization, question.largest_rows});
  }

  PrivacyTarget target;
  const TableSource& source;
  Table table;
  ResponseRule response;
  RowRule features;
  LabeledRows rows;
  PublicRows known;
};

}  // namespace

Outcome drawn(const ObjectiveQuestion& question, RandomSource& random, Progress& progress) {
  const PlannedObjective from(question);
  progress.begin("calibrating");
  const ObjectivePlan plan = from.plan(question);
  progress.begin("reading, once for each step of the solver");
  const TableSource& source = from.source;
  Released released = release_objective(plan, from.rows, random, source.read_options(progress));
  return {std::move(released),
          fmt::format("coefficients of {} of {} on {} by objective perturbation", question.what,
                      column_of(from.response), counted(from.known.dimension(), "feature")),
          [&source, table = from.table, features = from.features, response = from.response,
           bound = from.known.row_norm_bound, plan](const Released& drawn, Progress& again) {
            return diagnose_objective(drawn, plan, table,
                                      LabeledRows(table, features, response, bound),
                                      source.read_options(again));
          }};
}

Planned planned(const ObjectiveQuestion& question) {
  return {PlannedObjective(question).plan(question).certificate};
}

}  // namespace modicum
