#include "interfaces/audited_mechanism.h"

#include <fmt/format.h>

#include "interfaces/gaussian_process_options.h"
#include "interfaces/release_source.h"
#include "modicum/mechanisms/bayesian_logistic.h"
#include "modicum/release/covariance_release.h"
#include "modicum/release/projection_release.h"
#include "modicum/release/regression_release.h"
#include "modicum/release/vector_release.h"

namespace modicum {
namespace {

// A table that is only looked at.
struct Audited {
  explicit Audited(const ReleaseOptions& options, const std::string& target = "")
      : table(options.table()),
        rule(options.row_rule(table, target)),
        rows(rule, options.row_norm_bound(rule), options.bad_rows()),
        progress("reading") {}
  AuditedTable audited(const ReleaseOptions& options) {
    return {table, rule, rows.row_norm_bound, options.read_options(progress)};
  }
  Table table;
  RowRule rule;
  PublicRows rows;
  ProgressLine progress;
};

const std::string& target_of(const ReleaseOptions& options) {
  const std::string& target = options.word("--target");
  if (target.empty()) throw UsageError("--target is missing, but must be given");
  return target;
}

MechanismAudit audited_projection(const ReleaseOptions& options) {
  const PrivacyTarget claim = options.target();
  Audited from(options);
  ProjectionRequest request;
  request.columns = options.number("--columns");
  const std::optional<double> given = options.number("--ridge");
  double columns = request.columns.value_or(default_sketch_columns(from.rows.dimension()));
  double ridge = given.value_or(0.0);
  if (!given) {
    const ProjectionPlan plan = planned([&] { return plan_projection(claim, from.rows, request); });
    columns = plan.columns;
    ridge = plan.ridge;
  }
  return {claim,
          {{"columns", columns, !request.columns},
           {"ridge", ridge, !given},
           {"row_norm_bound", from.rows.row_norm_bound}},
          from.rows.names,
          audit_projection(from.audited(options), columns, ridge, claim)};
}

MechanismAudit audited_covariance(const ReleaseOptions& options) {
  const PrivacyTarget claim = options.target();
  Audited from(options);
  const std::optional<double> given = options.number("--standard-deviation");
  const double deviation =
      given ? *given
            : planned([&] { return plan_covariance(claim, from.rows, {}).standard_deviation; });
  return {claim,
          {{"standard_deviation", deviation, !given}, {"row_norm_bound", from.rows.row_norm_bound}},
          from.rows.names,
          audit_covariance(from.audited(options), deviation, claim)};
}

MechanismAudit audited_sum(const ReleaseOptions& options) {
  const PrivacyTarget claim = options.target();
  Audited from(options);
  const std::optional<double> given = options.number("--standard-deviation");
  const double deviation = given ? *given : planned([&] {
    return plan_sum(claim, from.rows, VectorNoise::gaussian).noise.standard_deviation.value();
  });
  return {claim,
          {{"standard_deviation", deviation, !given}, {"row_norm_bound", from.rows.row_norm_bound}},
          from.rows.names,
          audit_sum(from.audited(options), deviation, claim)};
}

MechanismAudit audited_least_squares(const ReleaseOptions& options) {
  const PrivacyTarget claim = options.target();
  Audited from(options, target_of(options));
  RegressionRequest request;
  request.method = RegressionMethod::least_squares;
  request.columns = options.number("--columns");
  const std::optional<double> given = options.number("--ridge");
  const auto features = static_cast<double>(from.rows.dimension() - 1);
  double columns = request.columns.value_or(default_regression_columns(features));
  double ridge = given.value_or(0.0);
  std::optional<ProfilePoint> proved;
  if (!given) {
    const RegressionPlan plan = planned([&] { return plan_regression(claim, from.rows, request); });
    columns = plan.columns;
    ridge = plan.ridge;
    proved = plan.certificate.achieved;
  }
  return {claim,
          {{"columns", columns, !request.columns},
           {"ridge", ridge, !given},
           {"row_norm_bound", from.rows.row_norm_bound}},
          from.rows.names,
          audit_least_squares(from.audited(options), columns, ridge, claim, proved)};
}

MechanismAudit audited_logistic(const ReleaseOptions& options) {
  const PrivacyTarget claim = options.target();
  const LabelRule label{target_of(options), options.number("--threshold").value_or(0.0)};
  const Table table = options.table();
  const RowRule rule = options.feature_rule(table, label.column);
  const PublicRows known(rule, options.row_norm_bound(rule), options.bad_rows());
  const std::optional<double> lambda = options.number("--regularization");
  const std::optional<double> noise = options.number("--noise-variance");
  AuditedLogistic mechanism{0.0, noise.value_or(0.0), options.number("--largest-rows")};
  std::optional<ProfilePoint> proved;
  if (noise) {
    mechanism.regularization =
        lambda ? *lambda : default_logistic_regularization(claim, known.row_norm_bound);
  } else {
    const LogisticPlan plan = planned([&] {
      return plan_logistic(claim, known,
                           {LogisticMethod::bayesian, label, lambda, mechanism.largest_rows});
    });
    mechanism.regularization = plan.regularization;
    mechanism.noise_variance = plan.noise_variance;
    proved = plan.certificate.achieved;
  }
  ProgressLine progress("reading, once for each step of the solver");
  MechanismAudit result{
      claim,
      {{"regularization", mechanism.regularization, !lambda},
       {"noise_variance", mechanism.noise_variance, !noise},
       {"threshold", label.threshold},
       {"row_norm_bound", known.row_norm_bound}},
      known.names,
      audit_logistic({table, rule, known.row_norm_bound, options.read_options(progress)}, label,
                     mechanism, claim, proved)};
  if (mechanism.largest_rows)
    result.parameters.push_back({"largest_rows", *mechanism.largest_rows});
  result.coordinates.push_back("label");
  return result;
}

MechanismAudit audited_gaussian_process(const ReleaseOptions& options) {
  const GaussianProcessInput input(options);
  const PrivacyTarget claim = options.target();
  GaussianProcessPlan plan = planned(
      [&] { return plan_gaussian_process(claim, input.rows, input.points, input.request); });
  const std::optional<double> lift = options.number("--lift");
  if (lift) plan.lift = require_positive("--lift", *lift);
  ProgressLine progress("reading");
  return {
      claim,
      {{"lift", plan.lift, !lift},
       {"noise_variance", plan.bounds.noise_variance},
       {"amplitude", plan.amplitude},
       {"target_bound", plan.bounds.target_bound},
       {"largest_rows", plan.bounds.largest_rows},
       {"queries", static_cast<double>(plan.queries.rows())}},
      input.rows.names,
      audit_gaussian_process(plan, input.table, input.rule, claim, options.read_options(progress))};
}

void add_rows(CLI::App& command, ReleaseOptions& options) {
  options.add_rows_to(command);
  options.add_intercept_to(command);
}

void add_projection(CLI::App& command, ReleaseOptions& options) {
  add_rows(command, options);
  options.add_number(command, "--columns", "columns of the sketch");
  options.add_number(command, "--ridge", "added to the second moments");
}

void add_deviation(CLI::App& command, ReleaseOptions& options) {
  add_rows(command, options);
  options.add_number(command, "--standard-deviation", "of the noise, off the diagonal of a matrix");
}

void add_least_squares(CLI::App& command, ReleaseOptions& options) {
  add_projection(command, options);
  options.add_word(command, "--target", "the column to be predicted (required)", "");
}

void add_logistic(CLI::App& command, ReleaseOptions& options) {
  add_rows(command, options);
  options.add_word(command, "--target", "the column to be predicted (required)", "");
  options.add_number(command, "--threshold", "the label is positive above this, 0 by default");
  options.add_number(command, "--regularization", "lambda, as in the release by default");
  options.add_number(command, "--noise-variance", "added to each variance");
  options.add_number(command, "--largest-rows", "a promise that there are at most so many rows");
}

void add_gaussian_process(CLI::App& command, ReleaseOptions& options) {
  options.add_columns_to(command);
  add_gaussian_process_options(command, options);
  options.add_number(command, "--lift", "added to each variance, in squared units of the rows");
}

}  // namespace

const std::vector<AuditedMechanism>& audited_mechanisms() {
  static const std::string start = "  modicum audit mechanism ", end = " --epsilon 1 --delta 1e-6";
  static const std::vector<AuditedMechanism> all{
      {"projection", "a sketch over a ridge",
       start +
           "projection examples/wages.csv --row-norm-bound 100 --columns 200 \\\n    --ridge "
           "100000" +
           end,
       add_projection, audited_projection},
      {"covariance", "second moments with noise",
       start + "covariance examples/wages.csv --row-norm-bound 100" + end, add_deviation,
       audited_covariance},
      {"sum", "the sum of the rows with Gaussian noise",
       start + "sum examples/wages.csv --row-norm-bound 100 --standard-deviation 300" + end,
       add_deviation, audited_sum},
      {"least-squares", "a draw around the solution of least squares over a ridge",
       start + "least-squares examples/wages.csv --target wage --row-norm-bound 100" + end,
       add_least_squares, audited_least_squares},
      {"logistic", "a draw from the posterior of a logistic regression",
       start +
           "logistic examples/wages.csv --target wage --threshold 20 \\\n    --row-norm-bound "
           "100" +
           end,
       add_logistic, audited_logistic},
      {"gaussian-process", "a draw from the posterior of a Gaussian process",
       start +
           "gaussian-process examples/wages.csv --target wage --select schooling \\\n    "
           "--queries examples/schooling.csv --range schooling=0:20 --range wage=0:60 \\\n    "
           "--noise-variance 1 --largest-rows 1000" +
           end,
       add_gaussian_process, audited_gaussian_process}};
  return all;
}

}  // namespace modicum
