// compare regression and compare projection: the error of every method on one data set.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <functional>
#include <memory>

#include "interfaces/contest.h"
#include "interfaces/data_commands.h"
#include "modicum/release/projection_release.h"
#include "modicum/release/regression_release.h"
#include "release/regression_methods.h"

namespace modicum {
namespace {

using Values = std::vector<double>;

struct ComparisonRequest {
  ReleaseOptions options;
  std::vector<std::string> methods;
};

struct Task {
  PublicRows rows;
  PrivacyTarget target;
  IntegerGram gram;
  std::size_t trials;
};

Task read(const ReleaseOptions& options, const std::string& predicted) {
  require_confidential(options, "errors on a data set tell about its rows");
  const PrivacyTarget target = options.target();
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the losses of all methods are unbounded");
  const std::size_t trials = trial_count(options);
  const Table table = options.table();
  const RowRule rule = options.row_rule(table, predicted);
  const PublicRows rows(rule, options.row_norm_bound(rule), options.bad_rows());
  ProgressLine progress("reading");
  return {rows, target,
          accumulate_gram(table, rule, rows.row_norm_bound, options.read_options(progress)),
          trials};
}

std::string report(const ReleaseOptions& options, const Task& task, Contest& contest,
                   const std::string& what, const std::string& remarks) {
  contest.run();
  if (options.given("--json"))
    return json_line({{"confidential", true},
                      {"trials", task.trials},
                      {"row_norm_bound", task.rows.row_norm_bound},
                      {"methods", contest.methods_json()},
                      {"left_out", contest.left_out_json()}});
  return fmt::format("{}\n{}, ({}, {})-differentially private, {} trials each:\n\n{}\n{}{}",
                     confidential_heading, what, task.target.epsilon, task.target.delta,
                     task.trials, contest.methods_in_words(), remarks, contest.remarks_in_words());
}

// The methods that need nothing declared, the simplest to explain first.
constexpr std::array always_possible{
    RegressionMethod::least_squares,
    RegressionMethod::approximate,
    RegressionMethod::projection,
    RegressionMethod::covariance,
    RegressionMethod::adaptive_sufficient_statistics,
    RegressionMethod::singular_value,
    RegressionMethod::additive,
};

bool has_columns(RegressionMethod method) {
  return method == RegressionMethod::least_squares || solves_a_sketch(method);
}

Candidate candidate(const Task& task, const RegressionRequest& request) {
  const RegressionPlan plan = plan_regression(task.target, task.rows, request);
  return {name_of(request.method), plan.certificate, plan.ridge,
          [&task, plan](RandomSource& source) {
            const Released released = release_regression(plan, task.gram, source);
            const Diagnostics errors = diagnose_regression(released, task.gram);
            return Values{value_of(errors, "relative_error"), value_of(errors, "residual_ratio")};
          }};
}

// Sketches that are solved need as many columns as there are coordinates.
bool solvable(const Task& task, const RegressionRequest& request) {
  const auto dimension = static_cast<double>(task.rows.dimension());
  const double columns = request.columns.value_or(default_regression_columns(dimension - 1.0));
  return !solves_a_sketch(request.method) || !(columns < dimension);
}

void enter_regressions(Contest& contest, const Task& task, const ReleaseOptions& options) {
  const auto columns = options.number("--columns");
  const auto enter = [&](const RegressionRequest& request) {
    const char* name = name_of(request.method);
    if (!solvable(task, request))
      contest.leave_out(name, "it needs as many columns as there are coordinates");
    else contest.enter(name, [&] { return candidate(task, request); });
  };
  for (const RegressionMethod method : always_possible)
    enter(has_columns(method) ? RegressionRequest{method, columns, {}, {}, {}}
                              : RegressionRequest{method, {}, {}, {}, {}});
  const auto leverage = options.number("--set-leverage"),
             residual = options.number("--set-residual"),
             sensitivity = options.number("--solution-sensitivity");
  if (leverage && residual) enter({RegressionMethod::relative, columns, leverage, residual, {}});
  else contest.leave_out("relative", "--set-leverage and --set-residual are not given");
  if (sensitivity) enter({RegressionMethod::relative_gaussian, {}, {}, {}, sensitivity});
  else contest.leave_out("relative-gaussian", "--solution-sensitivity is not given");
}

std::string compare_regressions(const ComparisonRequest& request) {
  const ReleaseOptions& options = request.options;
  const std::string& predicted = options.word("--target");
  const Task task = read(options, predicted);
  Contest contest({{"relative_error", "relative error"}, {"residual_ratio", "residual ratio"}},
                  task.trials, request.methods);
  enter_regressions(contest, task, options);
  return report(
      options, task, contest,
      fmt::format("Regressions of {} on {} features", predicted, task.rows.dimension() - 1),
      "The relative error is |x - x*| / |x*| of the standardized coefficients, x* the "
      "solution of least\nsquares on the same clipped rows. Zeros instead of x have "
      "error 1. The residual ratio is |B x - b| / |B x* - b|:\n1 is as good as can be.\n");
}

// The ridge that the sketch was made with, which may have come out of a test.
double ridge_of(const Released& released, const ProjectionPlan& plan) {
  return plan.test ? number_in(released.certificate, "ridge").value() : plan.ridge;
}

Candidate candidate(const Task& task, const std::string& name, const ProjectionRequest& request) {
  const ProjectionPlan plan = plan_projection(task.target, task.rows, request);
  return {
      name, plan.certificate, plan.test ? 0.0 : plan.ridge, [&task, plan](RandomSource& source) {
        const Released released = release_projection(plan, task.gram, source);
        const double ridge = ridge_of(released, plan);
        const SketchGeometry geometry = sketch_geometry(released, task.gram);
        return Values{
            geometry.distance_ratio, geometry.dot_product_correlation,
            geometry.off_diagonal_correlation,
            value_of(diagnose_projection(released, task.gram, ridge), "relative_spectral_error"),
            ridge};
      }};
}

std::string compare_projections(const ComparisonRequest& request) {
  const ReleaseOptions& options = request.options;
  using enum ProjectionMethod;
  const Task task = read(options, "");
  Contest contest({{"distance_ratio", "distance ratio"},
                   {"dot_product_correlation", "correlation"},
                   {"off_diagonal_correlation", "off the diagonal"},
                   {"relative_spectral_error", "spectral error"},
                   {"ridge_used", "ridge"}},
                  task.trials, request.methods);
  const auto columns = options.number("--columns"), leverage = options.number("--set-leverage");
  const auto enter = [&](const std::string& name, ProjectionMethod method,
                         const std::optional<double>& set_leverage) {
    contest.enter(name, [&] {
      return candidate(task, name, {method, columns, {}, set_leverage, {}, {}});
    });
  };
  enter("projection", projection, {});
  enter("propose-test-release", propose_test_release, {});
  enter("singular-value", singular_value, {});
  enter("additive", additive, {});
  if (leverage) enter("relative", relative, leverage);
  else contest.leave_out("relative", "--set-leverage is not given");
  contest.leave_out("subsampled", "each trial would need a pass over the data of its own");
  return report(
      options, task, contest, "Sketches",
      "The distance ratio is the mean of |M_i - M_j| / (sqrt(columns) |D_i - D_j|) over pairs of "
      "columns of D,\nthe correlation that of their dot products before and after, also without "
      "those "
      "of a column with\nitself, where the ridge is; all are best at 1. The spectral error is\n"
      "|M M^T / columns - ridge I - D^T D| / |D^T D|. D are the clipped rows.\n");
}

void add_comparison(CLI::App& compare, CommandResult& output, const std::string& name,
                    const std::string& what, const std::string& example,
                    const std::function<void(CLI::App&, ReleaseOptions&)>& add_own,
                    std::string (*answer)(const ComparisonRequest&)) {
  CLI::App* command = add_command(compare, name, what, example);
  const auto request = std::make_shared<ComparisonRequest>();
  ReleaseOptions& options = request->options;
  add_report_options(*command, options);
  options.add_norm_bound_to(*command);
  options.add_target_to(*command);
  command->add_option("--method", request->methods, "methods to compare, all by default")
      ->type_name("NAME");
  options.add_number(*command, "--columns", "columns of the sketches, a public number");
  options.add_number(*command, "--trials", "releases by each method, 100 by default");
  options.add_number(*command, "--set-leverage",
                     "relative: largest leverage of a row in the declared set");
  add_own(*command, options);
  command->callback([&output, answer, request] { output = answer(*request); });
}

}  // namespace

void add_release_comparisons(CLI::App& compare, CommandResult& output) {
  add_comparison(
      compare, output, "regression", "errors of private regressions on one data set",
      "  modicum compare regression examples/wages.csv --target wage --row-norm-bound 100 \\\n"
      "    --epsilon 1 --delta 1e-6 --confidential",
      [](CLI::App& command, ReleaseOptions& options) {
        options.add_word(command, "--target", "the column to be predicted", "");
        command.get_option("--target")->required();
        options.add_number(command, "--set-residual",
                           "relative: largest leverage that the target adds in the declared set");
        options.add_number(command, "--solution-sensitivity",
                           "relative-gaussian: how far a row moves the standardized solution");
      },
      compare_regressions);
  add_comparison(
      compare, output, "projection", "errors of private sketches of one data set",
      "  modicum compare projection examples/wages.csv --columns 300 \\\n"
      "    --row-norm-bound 100 --epsilon 1 --delta 1e-6 --confidential",
      [](CLI::App&, ReleaseOptions&) {}, compare_projections);
}

}  // namespace modicum
