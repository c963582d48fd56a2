// audit mechanism: what a release gives away on one data set, against all of its neighbors.
#include <fmt/format.h>

#include "interfaces/audit/audit.h"
#include "interfaces/audit/mechanism.h"
#include "interfaces/other_table.h"
#include "interfaces/release/gaussian_process_fields.h"
#include "interfaces/release/objective_fields.h"
#include "interfaces/release/output.h"
#include "modicum/mechanisms/bayesian_logistic.h"
#include "modicum/release/covariance_release.h"
#include "modicum/release/projection_release.h"
#include "modicum/release/regression_release.h"
#include "modicum/release/vector_release.h"

namespace modicum {
namespace {

// Whether the rows are read at all, and a second table to compare them with.
struct DataFields {
  ConfidentialField shown = {};
  TableSource neighbor = {};

  void fields(Fields& fields) {
    shown.fields(fields);
    neighbor
        .files_field(fields, "neighbor",
                     "with `confidential`: a table with one row more or less, to be compared")
        .shown_as("PATH")
        .takes_several = false;
  }
  /// Throws UsageError.
  std::optional<Table> open(const TableSource& source) const {
    if (neighbor.given() && !shown.confidential)
      throw UsageError(
          "`neighbor` must not be given without `confidential`: what two tables give away is not "
          "private");
    return opened_like(source, neighbor);
  }
  AuditedTable audited(const Table& table, const RowRule& rule, double row_norm_bound,
                       const ReadOptions& options, const std::optional<Table>& other) const {
    return {table, rule, row_norm_bound, options, shown.confidential, other ? &*other : nullptr};
  }
};

// What the audits of tables with bounded rows are asked. Parameters that are not given are those
// of the release that meets the claim.
struct TableAudit {
  TableSource source = {};
  DataFields data = {};
  ClaimFields claimed = {};
  RowChoice choice = {};

  void fields(Fields& fields) {
    source.fields(fields);
    data.fields(fields);
    claimed.fields(fields);
    choice.fields(fields);
  }
};

// A table and its neighbor, for audits of all of its columns.
struct TableToAudit : OpenedTable {
  TableToAudit(const TableAudit& job, const std::string& target = "")
      : OpenedTable(job.source, job.choice, target), other(job.data.open(job.source)) {}
  AuditedTable audited(const TableAudit& job, Progress& progress) const {
    progress.begin("reading");
    return job.data.audited(table, rule, rows.row_norm_bound, job.source.read_options(progress),
                            other);
  }
  std::optional<Table> other;
};

struct SketchAudit : TableAudit {
  std::optional<double> columns = {}, ridge = {};

  void fields(Fields& fields) {
    TableAudit::fields(fields);
    fields.add("columns", columns, "columns of the sketch");
    fields.add("ridge", ridge, "added to the second moments");
  }
  std::vector<AuditedParameter> parameters(double used_columns, double used_ridge,
                                           const OpenedTable& from) const {
    return {{"columns", used_columns, !columns},
            {"ridge", used_ridge, !ridge},
            {"row_norm_bound", from.rows.row_norm_bound}};
  }
};

struct ProjectionAudit : SketchAudit {
  static constexpr const char* name = "projection";
};

MechanismAudit audited(const ProjectionAudit& job, Progress& progress) {
  const PrivacyTarget claim = job.claimed.claim();
  const TableToAudit from(job);
  double columns = job.columns.value_or(default_sketch_columns(from.rows.dimension()));
  double ridge = job.ridge.value_or(0.0);
  if (!job.ridge) {
    progress.begin("calibrating");
    ProjectionRequest request;
    request.columns = job.columns;
    const ProjectionPlan plan = plan_projection(claim, from.rows, request);
    columns = plan.columns;
    ridge = plan.ridge;
  }
  return {claim, job.parameters(columns, ridge, from), from.rows.names,
          audit_projection(from.audited(job, progress), columns, ridge, claim)};
}

struct LeastSquaresAudit : SketchAudit {
  static constexpr const char* name = "least-squares";
  std::string target = {};

  void fields(Fields& fields) {
    SketchAudit::fields(fields);
    fields.add("target", target, "the column to be predicted").shown_as("NAME").required();
  }
};

MechanismAudit audited(const LeastSquaresAudit& job, Progress& progress) {
  const PrivacyTarget claim = job.claimed.claim();
  const TableToAudit from(job, job.target);
  const auto features = static_cast<double>(from.rows.dimension() - 1);
  double columns = job.columns.value_or(default_regression_columns(features));
  double ridge = job.ridge.value_or(0.0);
  std::optional<ProfilePoint> proved;
  if (!job.ridge) {
    progress.begin("calibrating");
    RegressionRequest request;
    request.method = RegressionMethod::least_squares;
    request.columns = job.columns;
    const RegressionPlan plan = plan_regression(claim, from.rows, request);
    columns = plan.sketch()->columns;
    ridge = plan.sketch()->ridge;
    proved = plan.certificate.achieved;
  }
  return {claim, job.parameters(columns, ridge, from), from.rows.names,
          audit_least_squares(from.audited(job, progress), columns, ridge, claim, proved)};
}

struct NoiseAudit : TableAudit {
  std::optional<double> standard_deviation = {};

  void fields(Fields& fields) {
    TableAudit::fields(fields);
    fields.add("standard_deviation", standard_deviation,
               "of the noise, off the diagonal of a matrix");
  }
};

struct CovarianceAudit : NoiseAudit {
  static constexpr const char* name = "covariance";
  static constexpr auto audit = audit_covariance;
  static double calibrated(const PrivacyTarget& claim, const PublicRows& rows) {
    return plan_covariance(claim, rows, {}).standard_deviation;
  }
};

struct SumAudit : NoiseAudit {
  static constexpr const char* name = "sum";
  static constexpr auto audit = audit_sum;
  static double calibrated(const PrivacyTarget& claim, const PublicRows& rows) {
    return plan_sum(claim, rows, VectorNoise::gaussian).noise.standard_deviation.value();
  }
};

template <std::derived_from<NoiseAudit> Audit>
MechanismAudit audited(const Audit& job, Progress& progress) {
  const PrivacyTarget claim = job.claimed.claim();
  const TableToAudit from(job);
  const bool given = job.standard_deviation.has_value();
  if (!given) progress.begin("calibrating");
  const double deviation = given ? *job.standard_deviation : Audit::calibrated(claim, from.rows);
  return {claim,
          {{"standard_deviation", deviation, !given}, {"row_norm_bound", from.rows.row_norm_bound}},
          from.rows.names,
          Audit::audit(from.audited(job, progress), deviation, claim)};
}

struct LogisticAudit : TableAudit {
  static constexpr const char* name = "logistic";
  LabelRule label = {};
  std::optional<double> regularization = {}, noise_variance = {}, largest_rows = {};

  void fields(Fields& fields) {
    TableAudit::fields(fields);
    fields.add("target", label.column, "the column to be predicted").shown_as("NAME").required();
    fields.add("threshold", label.threshold, "the label is positive above this, 0 by default");
    fields.add("regularization", regularization, "lambda, as in the release by default");
    fields.add("noise_variance", noise_variance, "added to each variance");
    fields.add("largest_rows", largest_rows, "a promise that there are at most this many rows");
  }
};

MechanismAudit audited(const LogisticAudit& job, Progress& progress) {
  const PrivacyTarget claim = job.claimed.claim();
  const Table table = job.source.open();
  const RowRule rule = job.choice.feature_rule(table, job.label.column);
  const PublicRows known(rule, job.choice.norm_bound(rule), job.source.bad_rows());
  const std::optional<Table> other = job.data.open(job.source);
  AuditedLogistic mechanism{0.0, job.noise_variance.value_or(0.0), job.largest_rows};
  std::optional<ProfilePoint> proved;
  if (job.noise_variance) {
    mechanism.regularization = job.regularization
                                   ? *job.regularization
                                   : default_logistic_regularization(claim, known.row_norm_bound);
  } else {
    progress.begin("calibrating");
    const LogisticPlan plan =
        plan_logistic(claim, known, {job.label, job.regularization, job.largest_rows});
    mechanism.regularization = plan.regularization;
    mechanism.noise_variance = plan.noise_variance;
    proved = plan.certificate.achieved;
  }
  progress.begin("reading, once for each step of the solver");
  MechanismAudit result{claim,
                        {{"regularization", mechanism.regularization, !job.regularization},
                         {"noise_variance", mechanism.noise_variance, !job.noise_variance},
                         {"threshold", job.label.threshold},
                         {"row_norm_bound", known.row_norm_bound}},
                        known.names,
                        audit_logistic(job.data.audited(table, rule, known.row_norm_bound,
                                                        job.source.read_options(progress), other),
                                       job.label, mechanism, claim, proved)};
  if (job.largest_rows) result.parameters.push_back({"largest_rows", *job.largest_rows});
  result.coordinates.push_back("label");
  return result;
}

using AuditedLoss = std::variant<LogisticObjective, HingeObjective, HuberObjective,
                                 LogCoshObjective, SquaredObjective>;

struct ObjectiveAudit : TableAudit, ObjectiveMethod<AuditedLoss> {
  static constexpr const char* name = "objective";
  std::string target = {};
  double threshold = 0.0;
  std::optional<double> standard_deviation = {}, draws = {};

  void fields(Fields& fields) {
    static const Methods<AuditedLoss> losses{
        {"logistic", LogisticObjective{}, "of labels, the default"},
        {"smoothed-hinge", HingeObjective{}, "of labels, of a support vector machine"},
        {"huber", HuberObjective{}, "of numbers, squared in the middle, linear beyond"},
        {"log-cosh", LogCoshObjective{}, "of numbers, much like Huber's"},
        {"squared", SquaredObjective{}, "of numbers, linear beyond a bound on predictions"}};
    TableAudit::fields(fields);
    fields.add("target", target, "the column to be predicted").shown_as("NAME").required();
    fields.add("threshold", threshold, "a label is positive above this, 0 by default");
    objective_fields(fields, losses);
    fields.add("standard_deviation", standard_deviation, "of the linear term");
    fields.add("draws", draws,
               "with `confidential`: of the noise, for each neighbor; 200 to 3000 by default");
  }
};

MechanismAudit audited(const ObjectiveAudit& job, Progress& progress) {
  const PrivacyTarget claim = job.claimed.claim();
  const PredictionLoss loss =
      std::visit([](const auto& objective) { return objective.loss(); }, job.objective);
  if (job.draws) require_count("draws", *job.draws);
  const Table table = job.source.open();
  const ResponseRule response =
      loss.takes_labels() ? ResponseRule(LabelRule{job.target, job.threshold})
                          : TargetRule{job.target, job.choice.range_of(table, job.target)};
  const RowRule rule = job.choice.feature_rule(table, job.target, !loss.takes_labels());
  const PublicRows known(rule, job.choice.norm_bound(rule), job.source.bad_rows());
  const std::optional<Table> other = job.data.open(job.source);
  AuditedObjective mechanism{loss,
                             job.regularization.value_or(default_objective_regularization(
                                 claim, loss, known.row_norm_bound)),
                             job.standard_deviation.value_or(0.0), job.largest_rows,
                             job.draws.value_or(0.0)};
  if (!job.standard_deviation) {
    progress.begin("calibrating");
    const ObjectivePlan plan =
        plan_objective(claim, known, {loss, response, mechanism.regularization, job.largest_rows});
    mechanism.standard_deviation = plan.noise.standard_deviation;
  }
  progress.begin("reading");
  SecureSource random;
  MechanismAudit result{
      claim,
      {{"regularization", mechanism.regularization, !job.regularization},
       {"standard_deviation", mechanism.standard_deviation, !job.standard_deviation},
       {"row_norm_bound", known.row_norm_bound}},
      known.names,
      audit_objective(job.data.audited(table, rule, known.row_norm_bound,
                                       job.source.read_options(progress), other),
                      response, mechanism, claim, random)};
  if (loss.kind() != PredictionLossKind::logistic)
    result.parameters.push_back({"loss_parameter", loss.parameter()});
  if (job.largest_rows) result.parameters.push_back({"largest_rows", *job.largest_rows});
  result.coordinates.push_back(loss.takes_labels() ? "label" : job.target);
  return result;
}

struct GaussianProcessAudit {
  static constexpr const char* name = "gaussian-process";
  GaussianProcessFields model = {};
  DataFields data = {};
  ClaimFields claimed = {};
  std::optional<double> lift = {};

  void fields(Fields& fields) {
    model.table_fields(fields);
    data.fields(fields);
    claimed.fields(fields);
    model.model_fields(fields);
    fields.add("lift", lift, "added to each variance, in squared units of the rows");
  }
};

MechanismAudit audited(const GaussianProcessAudit& job, Progress& progress) {
  const PrivacyTarget claim = job.claimed.claim();
  const GaussianProcessRows from(job.model);
  const std::optional<Table> other = job.data.open(job.model.source);
  progress.begin("calibrating");
  GaussianProcessPlan plan = plan_gaussian_process(claim, from.rows, from.points, from.request);
  if (job.lift) plan.lift = require_positive("lift", *job.lift);
  progress.begin("reading");
  return {claim,
          {{"lift", plan.lift, !job.lift},
           {"noise_variance", plan.bounds.noise_variance},
           {"amplitude", plan.amplitude},
           {"target_bound", plan.bounds.target_bound},
           {"largest_rows", plan.bounds.largest_rows},
           {"queries", static_cast<double>(plan.queries.rows())}},
          from.rows.names,
          audit_gaussian_process(plan,
                                 job.data.audited(from.table, from.rule, plan.rows.row_norm_bound,
                                                  job.model.source.read_options(progress), other),
                                 claim)};
}

template <class Audit>
requires requires(const Audit& job) { job.data; }
Reply run(const Audit& job, Progress& progress) {
  return told(Audit::name, audited(job, progress), job.data.shown.confidential);
}

template <class Audit>
JobKind kind(const std::string& what, const std::string& options) {
  return job_kind<Audit>(
      fmt::format("audit mechanism {}", Audit::name), what,
      fmt::format("  modicum audit mechanism {} examples/wages.csv {} "
                  "--epsilon 1 --delta 1e-6",
                  Audit::name, options),
      std::string("Parameters that are not given are those of the release. ") + violation_note);
}

}  // namespace

std::vector<JobKind> mechanism_audits() {
  return {
      {"audit mechanism", "what a release gives away on a data set and its neighbors",
       "  modicum audit mechanism covariance examples/wages.csv --row-norm-bound 100 --epsilon 1 "
       "\\\n    --delta 1e-6"},
      kind<ProjectionAudit>("a sketch over a ridge",
                            "--row-norm-bound 100 --columns 200 \\\n    --ridge 100000"),
      kind<CovarianceAudit>("second moments with noise", "--row-norm-bound 100"),
      kind<SumAudit>("the sum of the rows with Gaussian noise",
                     "--row-norm-bound 100 --standard-deviation 300 \\\n   "),
      kind<LeastSquaresAudit>("a draw around the solution of least squares over a ridge",
                              "--target wage --row-norm-bound 100 \\\n   "),
      kind<LogisticAudit>("a draw from the posterior of a logistic regression",
                          "--target wage --threshold 20 \\\n    --row-norm-bound 100"),
      kind<ObjectiveAudit>("the minimizer of an objective with a random linear term",
                           "--target wage --threshold 20 \\\n    --row-norm-bound 100"),
      kind<GaussianProcessAudit>(
          "a draw from the posterior of a Gaussian process",
          "--target wage --select schooling \\\n    --queries examples/schooling.csv --range "
          "schooling=0:20 --range wage=0:60 \\\n    --noise-variance 1 --largest-rows 1000")};
}

}  // namespace modicum
