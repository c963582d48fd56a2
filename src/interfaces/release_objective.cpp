#include "interfaces/release_objective.h"

#include <fmt/format.h>

#include "data/number_text.h"
#include "interfaces/release_source.h"
#include "modicum/release/objective_release.h"

namespace modicum {
namespace {

CommandResult answer(const ReleaseOptions& options, const std::string& what,
                     const PredictionLoss& loss,
                     const std::function<ResponseRule(const Table&)>& response_of) {
  const PrivacyTarget target = options.target();
  const ReleaseFiles places = options.places();
  const Table table = options.table();
  const ResponseRule response = response_of(table);
  const bool numbers = std::holds_alternative<TargetRule>(response);
  const RowRule features = options.feature_rule(table, column_of(response), numbers);
  const LabeledRows rows(table, features, response, options.row_norm_bound(features));
  const PublicRows known(features, rows.clip().row_norm_bound(), options.bad_rows());
  const ObjectiveRequest request{loss, response, options.number("--regularization"),
                                 options.number("--largest-rows")};
  const ObjectivePlan plan = planned([&] { return plan_objective(target, known, request); });
  SecureSource source;
  ProgressLine progress("reading, once for each step of the solver");
  const ReadOptions read = options.read_options(progress);
  Released released = release_objective(plan, rows, source, read);
  return options.finish(
      released, places,
      fmt::format("coefficients of {} of {} on {} features by objective perturbation", what,
                  column_of(response), known.dimension()),
      [&] { return diagnose_objective(released, plan, table, rows, read); });
}

}  // namespace

const std::string& required_target(const ReleaseOptions& options) {
  const std::string& target = options.word("--target");
  if (target.empty()) throw UsageError("--target is missing, but must be given");
  return target;
}

CommandResult release_objective_of_label(const ReleaseOptions& options) {
  static const Choices<PredictionLossKind> losses{
      {"logistic", PredictionLossKind::logistic},
      {"smoothed-hinge", PredictionLossKind::smoothed_hinge}};
  const LabelRule label{required_target(options), options.number("--threshold").value_or(0.0)};
  const bool logistic =
      chosen("--loss", options.word("--loss"), losses) == PredictionLossKind::logistic;
  if (logistic) options.refuse({"--hinge-width"}, "with the logistic loss");
  const PredictionLoss loss =
      logistic ? PredictionLoss::logistic()
               : PredictionLoss::smoothed_hinge(options.number("--hinge-width").value_or(0.5));
  return answer(options, logistic ? "a logistic regression" : "a classifier with a smoothed hinge",
                loss, [&](const Table&) { return label; });
}

CommandResult release_objective_of_number(const ReleaseOptions& options) {
  static const Choices<PredictionLossKind> losses{{"huber", PredictionLossKind::huber},
                                                  {"squared", PredictionLossKind::squared}};
  const std::string& predicted = required_target(options);
  options.refuse({"--columns", "--set-leverage", "--set-residual", "--solution-sensitivity"},
                 "with --method objective");
  const bool huber = chosen("--loss", options.word("--loss"), losses) == PredictionLossKind::huber;
  options.refuse({huber ? "--prediction-bound" : "--huber-threshold"}, "with this --loss");
  const PredictionLoss loss =
      huber ? PredictionLoss::huber(options.number("--huber-threshold").value_or(0.25))
            : PredictionLoss::squared(options.number("--prediction-bound").value_or(1.0));
  return answer(
      options, huber ? "a robust regression" : "a regression", loss, [&](const Table& table) {
        table.index_of("--target", predicted);
        const std::map<std::string, Range> ranges = options.ranges(table);
        const auto found = ranges.find(predicted);
        if (found == ranges.end())
          throw UsageError(
              fmt::format("--range is missing for {}, but must be given", in_quotes(predicted)));
        return TargetRule{predicted, found->second};
      });
}

void add_objective_options_for_numbers(CLI::App& command, ReleaseOptions& options) {
  options.add_word(command, "--loss", "objective: huber (the default) or squared", "huber");
  options.add_number(command, "--huber-threshold",
                     "objective: where the loss turns linear, in half ranges of the target; 0.25");
  options.add_number(command, "--prediction-bound",
                     "objective, squared: predictions beyond it count linearly; 1, the range");
  options.add_number(command, "--regularization",
                     "objective: lambda, a public number; by default a tenth of epsilon is spent "
                     "on it");
  options.add_number(command, "--largest-rows",
                     "objective: a promise that there are at most so many rows, 2^24 by default");
}

}  // namespace modicum
