// release logistic: coefficients of a logistic regression.
#include <fmt/format.h>

#include <memory>

#include "interfaces/release_objective.h"
#include "interfaces/release_source.h"
#include "modicum/release/logistic_release.h"

namespace modicum {
namespace {

CommandResult answer_bayesian(const ReleaseOptions& options) {
  options.refuse({"--loss", "--hinge-width"}, "with --method bayesian");
  const std::string& predicted = required_target(options);
  const LogisticRequest request{LogisticMethod::bayesian,
                                {predicted, options.number("--threshold").value_or(0.0)},
                                options.number("--regularization"),
                                options.number("--largest-rows")};
  const PrivacyTarget target = options.target();
  const ReleaseFiles places = options.places();
  const Table table = options.table();
  const RowRule features = options.feature_rule(table, predicted);
  const LabeledRows rows(table, features, request.label, options.row_norm_bound(features));
  const PublicRows known(features, rows.clip().row_norm_bound(), options.bad_rows());
  const LogisticPlan plan = planned([&] { return plan_logistic(target, known, request); });
  SecureSource source;
  ProgressLine progress("reading, once for each step of the solver");
  const ReadOptions read = options.read_options(progress);
  const LogisticModel model = fit(plan, rows, read);
  Released released = release_logistic(plan, model, source);
  return options.finish(released, places,
                        fmt::format("coefficients of a logistic regression of {} on {} features",
                                    predicted, known.dimension()),
                        [&] { return diagnose_logistic(released, model, table, rows, read); });
}

CommandResult answer(const ReleaseOptions& options) {
  static const Choices<CommandResult (*)(const ReleaseOptions&)> methods{
      {"bayesian", answer_bayesian}, {"objective", release_objective_of_label}};
  return chosen("--method", options.word("--method"), methods)(options);
}

}  // namespace

void add_release_logistic_command(CLI::App& release, CommandResult& output) {
  CLI::App* command = add_command(
      release, "logistic", "coefficients of a logistic regression",
      "  modicum release logistic examples/wages.csv --target wage --threshold 20 --output "
      "fit.csv \\\n    --epsilon 1 --delta 1e-6 --intercept --range age=18:70 --range "
      "schooling=0:20 \\\n    --range hours=0:80");
  const auto options = std::make_shared<ReleaseOptions>();
  options->add_data_to(*command);
  options->add_output_to(*command);
  options->add_target_to(*command);
  options->add_rows_to(*command);
  options->add_intercept_to(*command);
  options->add_word(*command, "--target", "the column to be predicted (required)", "");
  options->add_number(*command, "--threshold",
                      "the label is positive where the target is above this, 0 by default");
  options->add_word(*command, "--method",
                    "bayesian (the default), or objective: a random linear term in what is\n"
                    "minimized; see also `report per-instance`",
                    "bayesian");
  options->add_number(
      *command, "--regularization",
      "lambda, a public number: more of it needs less noise and says less of the\n"
      "data; by default 2 l^2 / mu, l the row norm bound and mu about epsilon / 4,\n"
      "for objective a tenth of epsilon is spent on it");
  options->add_number(
      *command, "--largest-rows",
      "a promise that there are at most so many rows: for bayesian less noise may do\n"
      "then, objective takes 2^24 where nothing is said");
  options->add_word(*command, "--loss", "objective: logistic (the default) or smoothed-hinge",
                    "logistic");
  options->add_number(*command, "--hinge-width",
                      "smoothed-hinge: half the width of its bend, 0.5 by default");
  command->callback([&output, options] { output = answer(*options); });
}

}  // namespace modicum
