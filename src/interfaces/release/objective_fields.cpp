#include "interfaces/release/objective_fields.h"

#include <fmt/format.h>

#include "data/counted.h"

namespace modicum {
namespace {

// What is known before any row is read.
struct PlannedObjective {
  explicit PlannedObjective(const ObjectiveQuestion& question)
      : source(question.release.source),
        table(source.open()),
        response(question.response(table)),
        features(question.choice.feature_rule(table, column_of(response),
                                              std::holds_alternative<TargetRule>(response))),
        rows(table, features, response, question.choice.norm_bound(features)),
        known(features, rows.clip().row_norm_bound(), source.bad_rows()) {}

  ObjectivePlan plan(const ObjectiveQuestion& question) const {
    const ObjectiveRequest request{question.loss, response, question.regularization,
                                   question.largest_rows};
    return planned_within(question.release.budget, [&](const PrivacyTarget& target) {
      return plan_objective(target, known, request);
    });
  }

  const TableSource& source;
  Table table;
  ResponseRule response;
  RowRule features;
  LabeledRows rows;
  PublicRows known;
};

}  // namespace

Planned planned(const ObjectiveQuestion& question, Progress& progress) {
  const auto from = std::make_shared<const PlannedObjective>(question);
  progress.begin("calibrating");
  const ObjectivePlan plan = from->plan(question);
  return {plan.certificate,
          [from, plan, what = question.what](RandomSource& random, Progress& reading) -> Outcome {
            reading.begin("reading, once for each step of the solver");
            return {
                release_objective(plan, from->rows, random, from->source.read_options(reading)),
                fmt::format("coefficients of {} of {} on {} by objective perturbation", what,
                            column_of(from->response), counted(from->known.dimension(), "feature")),
                [from, plan](const Released& drawn, Progress& again) {
                  return diagnose_objective(drawn, plan, from->table, from->rows,
                                            from->source.read_options(again));
                }};
          }};
}

}  // namespace modicum
