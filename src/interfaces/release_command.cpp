// release: private numbers from a table, and what is promised about them.
#include <fmt/format.h>

#include <memory>

#include "interfaces/release_objective.h"
#include "interfaces/release_source.h"
#include "modicum/release/covariance_release.h"
#include "modicum/release/projection_release.h"
#include "modicum/release/regression_release.h"

namespace modicum {
namespace {

const Choices<ProjectionMethod>& projection_methods() {
  using enum ProjectionMethod;
  static const Choices<ProjectionMethod> methods{{"projection", projection},
                                                 {"subsampled", subsampled},
                                                 {"propose-test-release", propose_test_release},
                                                 {"relative", relative},
                                                 {"singular-value", singular_value},
                                                 {"additive", additive}};
  return methods;
}

const Choices<CovarianceMethod>& covariance_methods() {
  using enum CovarianceMethod;
  static const Choices<CovarianceMethod> methods{
      {"gaussian-orthogonal-ensemble", gaussian_orthogonal_ensemble},
      {"projection", projection},
      {"singular-value", singular_value}};
  return methods;
}

const Choices<RegressionMethod>& regression_methods() {
  using Method = RegressionMethod;
  static const Choices<Method> methods{
      {"covariance", Method::covariance},
      {"least-squares", Method::least_squares},
      {"approximate", Method::approximate},
      {"projection", Method::projection},
      {"adaptive-sufficient-statistics", Method::adaptive_sufficient_statistics},
      {"singular-value", Method::singular_value},
      {"additive", Method::additive},
      {"relative", Method::relative},
      {"relative-gaussian", Method::relative_gaussian}};
  return methods;
}

// What is known of the rows and their second moments, and of this release.
Diagnostics all_diagnostics(const ReleaseOptions& options, const Source& source,
                            const IntegerGram& gram, const Diagnostics& of_this_release) {
  ProgressLine progress("reading again");
  Diagnostics all = diagnose_rows(source.table, source.rule, source.rows.row_norm_bound,
                                  options.read_options(progress));
  for (const Diagnostics& more : {diagnose_spectrum(gram), of_this_release})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

// The ridge that the sketch was made with, which may have come out of a test.
double ridge_of(const Released& released, const ProjectionPlan& plan) {
  const ParameterValue* tested = released.certificate.find("ridge");
  return plan.test && tested != nullptr ? std::get<double>(*tested) : plan.ridge;
}

CommandResult answer_projection(const ReleaseOptions& options) {
  const ProjectionRequest request{
      chosen("--method", options.word("--method"), projection_methods()),
      options.number("--columns"),
      options.number("--sampling-rate"),
      options.number("--set-leverage"),
      options.number("--eigenvalue-noise"),
      options.number("--failure")};
  const PrivacyTarget target = options.target();
  const Source from(options, "");
  const ProjectionPlan plan = planned([&] { return plan_projection(target, from.rows, request); });
  SecureSource source;
  ProgressLine progress("reading");
  const IntegerGram gram =
      accumulate(plan, from.table, from.rule, source, options.read_options(progress));
  Released released = release_projection(plan, gram, source);
  return options.finish(released, from.places,
                        fmt::format("a sketch of {} columns of the table with {} coordinates",
                                    plan.columns, from.rows.dimension()),
                        [&] {
                          return all_diagnostics(
                              options, from, gram,
                              diagnose_projection(released, gram, ridge_of(released, plan)));
                        });
}

IntegerGram second_moments(const ReleaseOptions& options, const Source& from) {
  ProgressLine progress("reading");
  return accumulate_gram(from.table, from.rule, from.rows.row_norm_bound,
                         options.read_options(progress));
}

CommandResult answer_covariance(const ReleaseOptions& options) {
  const CovarianceRequest request{
      chosen("--method", options.word("--method"), covariance_methods()),
      options.number("--columns")};
  const PrivacyTarget target = options.target();
  const Source from(options, "");
  const CovariancePlan plan = planned([&] { return plan_covariance(target, from.rows, request); });
  SecureSource source;
  const IntegerGram gram = second_moments(options, from);
  Released released = release_covariance(plan, gram, source);
  return options.finish(
      released, from.places,
      fmt::format("the second moments of {} coordinates", from.rows.dimension()),
      [&] { return all_diagnostics(options, from, gram, diagnose_covariance(released, gram)); });
}

// Whoever says how large the sketch is wants one.
RegressionMethod regression_method(const ReleaseOptions& options) {
  const std::string& method = options.word("--method");
  if (!method.empty()) return chosen("--method", method, regression_methods());
  return options.number("--columns") ? RegressionMethod::least_squares
                                     : RegressionMethod::covariance;
}

CommandResult answer_regression(const ReleaseOptions& options) {
  if (options.word("--method") == "objective") return release_objective_of_number(options);
  options.refuse(
      {"--loss", "--huber-threshold", "--prediction-bound", "--regularization", "--largest-rows"},
      "without --method objective");
  const RegressionRequest request{
      regression_method(options), options.number("--columns"), options.number("--set-leverage"),
      options.number("--set-residual"), options.number("--solution-sensitivity")};
  const PrivacyTarget target = options.target();
  const std::string& predicted = required_target(options);
  const Source from(options, predicted);
  const RegressionPlan plan = planned([&] { return plan_regression(target, from.rows, request); });
  SecureSource source;
  const IntegerGram gram = second_moments(options, from);
  Released released = release_regression(plan, gram, source);
  return options.finish(
      released, from.places,
      fmt::format("coefficients of a regression of {} on {} features", predicted, plan.features()),
      [&] { return all_diagnostics(options, from, gram, diagnose_regression(released, gram)); });
}

struct Kind {
  std::string name, what, example;
  CommandResult (*answer)(const ReleaseOptions&);
  void (*add_own)(CLI::App&, ReleaseOptions&);
};

const char* columns_help = "columns of the sketch, a public number";

void add_projection_options(CLI::App& command, ReleaseOptions& options) {
  options.add_rows_to(command);
  options.add_intercept_to(command);
  options.add_word(command, "--method",
                   "projection (the default), subsampled, propose-test-release, relative,\n"
                   "singular-value or additive",
                   "projection");
  options.add_number(command, "--columns", columns_help);
  options.add_number(command, "--sampling-rate", "subsampled: probability that a row is drawn");
  options.add_number(command, "--set-leverage", "relative: largest leverage in the declared set");
  options.add_number(command, "--eigenvalue-noise",
                     "propose-test-release: noise on the least eigenvalue");
  options.add_number(command, "--failure", "propose-test-release: share of delta for the test");
}

void add_covariance_options(CLI::App& command, ReleaseOptions& options) {
  options.add_rows_to(command);
  options.add_intercept_to(command);
  options.add_word(command, "--method",
                   "gaussian-orthogonal-ensemble (the default), projection or singular-value",
                   "gaussian-orthogonal-ensemble");
  options.add_number(command, "--columns", columns_help);
}

void add_regression_options(CLI::App& command, ReleaseOptions& options) {
  options.add_rows_to(command);
  options.add_intercept_to(command);
  options.add_word(command, "--target", "the column to be predicted (required)", "");
  options.add_word(command, "--method",
                   "covariance (the default), least-squares (the default with --columns),\n"
                   "approximate, projection, adaptive-sufficient-statistics, singular-value,\n"
                   "additive, relative, relative-gaussian or objective",
                   "");
  options.add_number(command, "--columns", columns_help);
  options.add_number(command, "--set-leverage",
                     "relative: largest leverage of the features in the declared set");
  options.add_number(command, "--set-residual",
                     "relative: largest leverage that the target adds in the declared set");
  options.add_number(command, "--solution-sensitivity",
                     "relative-gaussian: how far a row moves the standardized solution");
  add_objective_options_for_numbers(command, options);
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{
      {"projection", "a sketch: random combinations of the rows of a table",
       "  modicum release projection examples/wages.csv --output sketch.csv --epsilon 1 --delta "
       "1e-6 \\\n    --row-norm-bound 100 --columns 200",
       answer_projection, add_projection_options},
      {"covariance", "the second moments of a table",
       "  modicum release covariance examples/wages.csv --output moments.csv --epsilon 1 --delta "
       "1e-6 \\\n    --range age=18:70 --range schooling=0:20 --range hours=0:80 --range wage=0:60",
       answer_covariance, add_covariance_options},
      {"regression", "coefficients of a linear regression",
       "  modicum release regression examples/wages.csv --target wage --output fit.csv "
       "--epsilon 1 \\\n    --delta 1e-6 --intercept --range age=18:70 --range schooling=0:20 \\\n"
       "    --range hours=0:80 --range wage=0:60",
       answer_regression, add_regression_options}};
  return all;
}

}  // namespace

void add_release_command(CLI::App& program, CommandResult& output) {
  CLI::App* release =
      add_command(program, "release", "private numbers from a table, with a certificate",
                  "  modicum release covariance examples/wages.csv --output moments.csv --epsilon "
                  "1 \\\n    --delta 1e-6 --row-norm-bound 100");
  release->require_subcommand(1);
  add_release_vector_command(*release, output);
  for (const Kind& kind : kinds()) {
    CLI::App* command = add_command(*release, kind.name, kind.what, kind.example);
    const auto options = std::make_shared<ReleaseOptions>();
    options->add_data_to(*command);
    options->add_output_to(*command);
    options->add_target_to(*command);
    kind.add_own(*command, *options);
    command->callback([&output, &kind, options] { output = kind.answer(*options); });
  }
  add_release_logistic_command(*release, output);
  add_release_gaussian_process_command(*release, output);
  add_release_matrix_command(*release, output);
  add_release_components_command(*release, output);
}

}  // namespace modicum
