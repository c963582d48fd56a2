// compare regression and compare projection: the error of every method on one data set.
#include <fmt/format.h>

#include <array>

#include "data/counted.h"
#include "interfaces/compare/compare.h"
#include "interfaces/compare/contest.h"
#include "interfaces/release/output.h"
#include "modicum/release/budget.h"
#include "modicum/release/objective_release.h"
#include "modicum/release/preconditioned_regression.h"
#include "modicum/release/projection_release.h"
#include "modicum/release/regression_release.h"
#include "modicum/release/table_source.h"
#include "release/regression/regression_methods.h"

namespace modicum {
namespace {

using Values = std::vector<double>;

// What both are asked.
struct ReleaseComparison {
  TableSource source = {};
  ConfidentialField confidential = {};
  RowChoice choice = {};
  PrivacyBudget budget = {};
  ContestFields contest = {};
  std::optional<double> columns = {}, set_leverage = {};

  void fields(Fields& fields) {
    source.fields(fields);
    confidential.required_field(fields);
    choice.fields(fields);
    budget.fields(fields);
    contest.fields(fields);
    fields.add("columns", columns, "columns of the sketches, a public number");
    fields.add("set_leverage", set_leverage,
               "relative: largest leverage of a row in the declared set");
  }
};

struct RegressionComparison : ReleaseComparison {
  std::string target = {};
  std::optional<double> set_residual = {}, solution_sensitivity = {};

  void fields(Fields& fields) {
    ReleaseComparison::fields(fields);
    fields.add("target", target, "the column to be predicted").required();
    fields.add("set_residual", set_residual,
               "relative: largest leverage that the target adds in the declared set");
    fields.add("solution_sensitivity", solution_sensitivity,
               "relative-gaussian: how far a row moves the standardized solution");
  }
};

struct ProjectionComparison : ReleaseComparison {};

// Trials refer to it while the contest lasts.
struct ReleaseTask {
  PublicRows rows;
  PrivacyTarget target;
  IntegerGram gram;
};

ReleaseTask read(const ReleaseComparison& job, const std::string& predicted, Progress& progress) {
  job.confidential.require("errors on a data set tell about its rows");
  const PrivacyTarget target = job.budget.target();
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the losses of all methods are unbounded");
  job.contest.trial_count();
  const OpenedTable from(job.source, job.choice, predicted);
  progress.begin("reading");
  return {from.rows, target,
          accumulate_gram(from.table, from.rule, from.rows.row_norm_bound,
                          job.source.read_options(progress))};
}

Reply told(const ReleaseTask& task, const Contest& contest, const std::string& what,
           const std::string& remarks) {
  Reply reply;
  reply.say(fmt::format("{}\n{}, ({}, {})-differentially private, {} trials each:\n",
                        confidential_heading, what, task.target.epsilon, task.target.delta,
                        contest.trials()));
  reply.tell("confidential", true).tell("trials", contest.trials());
  reply.tell("row_norm_bound", task.rows.row_norm_bound);
  contest.tell(reply, remarks);
  return reply;
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

Values errors_of(const Released& released, const ReleaseTask& task) {
  const Diagnostics errors = diagnose_regression(released, task.gram);
  return {number_in(errors, "relative_error"), number_in(errors, "residual_ratio"),
          number_in(errors, "constant_ratio")};
}

Candidate candidate(const ReleaseTask& task, const RegressionRequest& request) {
  const RegressionPlan plan = plan_regression(task.target, task.rows, request);
  const RidgeSketch* const sketch = plan.sketch();
  return {name_of(request.method), plan.certificate, sketch != nullptr ? sketch->ridge : 0.0,
          [&task, plan](RandomSource& source) {
            return errors_of(release_regression(plan, task.gram, source), task);
          }};
}

// All rows in memory, for methods that read them more than once in each trial.
class RowsAtHand {
 public:
  RowsAtHand(const TableSource& source, const RowChoice& choice, const std::string& target,
             Progress& progress)
      : bad_rows_(source.bad_rows()) {
    const OpenedTable from(source, choice, target);
    const std::vector<std::size_t>& columns = from.rule.table_columns();
    std::vector<RowBlock> blocks;
    Eigen::Index rows = 0;
    from.table.for_each_block(columns, source.read_options(progress), [&](const RowBlock& block) {
      return [&blocks, &rows, block] {
        rows += block.rows();
        blocks.push_back(block);
      };
    });
    values_.resize(rows, static_cast<Eigen::Index>(columns.size()));
    rows = 0;
    for (const RowBlock& block : blocks) {
      values_.middleRows(rows, block.rows()) = block;
      rows += block.rows();
    }
    TableFiles files;
    files.memory = RowsInMemory{values_.data(), static_cast<std::size_t>(values_.rows()),
                                columns.size(), static_cast<std::ptrdiff_t>(columns.size()), 1};
    for (const std::size_t column : columns) files.names.push_back(from.table.columns()[column]);
    table_.emplace(files);
    rule_.emplace(choice.rule(*table_, target));
  }
  RowsAtHand(const RowsAtHand&) = delete;
  const Table& table() const { return *table_; }
  const RowRule& rule() const { return *rule_; }
  BadRows bad_rows() const { return bad_rows_; }

 private:
  BadRows bad_rows_;
  RowBlock values_;
  std::optional<Table> table_;
  std::optional<RowRule> rule_;
};

Candidate looking_candidate(const ReleaseTask& task, const RowsAtHand& rows) {
  const PreconditionedPlan plan = plan_preconditioned(task.target, task.rows);
  return {"preconditioned", plan.certificate, 0.0, [&task, &rows, plan](RandomSource& source) {
            const auto begin = [] { return ReadOptions{}; };
            return errors_of(release_preconditioned(plan, rows.table(), rows.rule(), begin, source),
                             task);
          }};
}

// Its Huber loss, with what `release regression --method objective` takes by default.
Candidate objective_candidate(const ReleaseTask& task, const RowsAtHand& rows,
                              const RegressionComparison& job) {
  constexpr double usual_threshold = 0.25;
  const ResponseRule response =
      TargetRule{job.target, job.choice.range_of(rows.table(), job.target)};
  const RowRule features = job.choice.feature_rule(rows.table(), job.target, true);
  const double bound = job.choice.norm_bound(features);
  const ObjectivePlan plan =
      plan_objective(task.target, PublicRows(features, bound, rows.bad_rows()),
                     {.loss = PredictionLoss::huber(usual_threshold), .response = response});
  return {"objective", plan.certificate, 0.0,
          [&task, &rows, plan, features, response, bound](RandomSource& source) {
            const LabeledRows labeled(rows.table(), features, response, bound);
            return errors_of(release_objective(plan, labeled, source), task);
          }};
}

// Sketches that are solved need as many columns as there are coordinates.
bool solvable(const ReleaseTask& task, const RegressionRequest& request) {
  const auto dimension = static_cast<double>(task.rows.dimension());
  const double columns = request.columns.value_or(default_regression_columns(dimension - 1.0));
  return !solves_a_sketch(request.method) || !(columns < dimension);
}

void enter_regressions(Contest& contest, const ReleaseTask& task, const RowsAtHand& rows,
                       const RegressionComparison& job) {
  const auto enter = [&](const RegressionRequest& request) {
    const char* name = name_of(request.method);
    if (!solvable(task, request))
      contest.leave_out(name, "it needs as many columns as there are coordinates");
    else contest.enter(name, [&] { return candidate(task, request); });
  };
  contest.enter("preconditioned", [&] { return looking_candidate(task, rows); });
  if (!task.rows.ranges.contains(job.target))
    contest.leave_out("objective", "the target has no range");
  else contest.enter("objective", [&] { return objective_candidate(task, rows, job); });
  for (const RegressionMethod method : always_possible)
    enter(has_columns(method) ? RegressionRequest{method, job.columns, {}, {}, {}}
                              : RegressionRequest{method, {}, {}, {}, {}});
  for (const RegressionMethod method :
       {RegressionMethod::relative, RegressionMethod::relative_projection,
        RegressionMethod::relative_approximate})
    if (job.set_leverage && job.set_residual)
      enter({method, job.columns, job.set_leverage, job.set_residual, {}});
    else
      contest.leave_out(name_of(method),
                        "the leverage and the residual of a declared set are not given");
  if (job.solution_sensitivity)
    enter({RegressionMethod::relative_gaussian, {}, {}, {}, job.solution_sensitivity});
  else contest.leave_out("relative-gaussian", "the sensitivity of the solution is not given");
}

Reply run(const RegressionComparison& job, Progress& progress) {
  const ReleaseTask task = read(job, job.target, progress);
  const RowsAtHand rows(job.source, job.choice, job.target, progress);
  Contest contest({{"relative_error", "relative error"},
                   {"residual_ratio", "residual ratio"},
                   {"constant_ratio", "over the constant"}},
                  job.contest);
  enter_regressions(contest, task, rows, job);
  contest.run(progress);
  contest.rank_by("residual_ratio");
  return told(
      task, contest,
      fmt::format("Regressions of {} on {}", job.target,
                  counted(task.rows.dimension() - 1, "feature")),
      "The relative error is |x - x*| / |x*| of the standardized coefficients, x* the "
      "solution of least\nsquares on the same clipped rows. Zeros instead of x have "
      "error 1. The residual ratio is |B x - b| / |B x* - b|:\n1 is as good as can be; the "
      "methods are in the order of its median. Over the constant: the same, relative to\nthe best "
      "constant (without an intercept, to 0): what is above 1 is of no use.\n");
}

// The ridge that the sketch was made with, which may have come out of a test.
double ridge_of(const Released& released, const ProjectionPlan& plan) {
  return plan.test ? number_in(released.certificate, "ridge").value() : plan.ridge;
}

Candidate candidate(const ReleaseTask& task, const std::string& name,
                    const ProjectionRequest& request) {
  const ProjectionPlan plan = plan_projection(task.target, task.rows, request);
  return {
      name, plan.certificate, plan.test ? 0.0 : plan.ridge, [&task, plan](RandomSource& source) {
        const Released released = release_projection(plan, task.gram, source);
        const double ridge = ridge_of(released, plan);
        const SketchGeometry geometry = sketch_geometry(released, task.gram);
        return Values{
            geometry.distance_ratio, geometry.dot_product_correlation,
            geometry.off_diagonal_correlation,
            number_in(diagnose_projection(released, task.gram, ridge), "relative_spectral_error"),
            ridge};
      }};
}

Reply run(const ProjectionComparison& job, Progress& progress) {
  using enum ProjectionMethod;
  const ReleaseTask task = read(job, "", progress);
  Contest contest({{"distance_ratio", "distance ratio"},
                   {"dot_product_correlation", "correlation"},
                   {"off_diagonal_correlation", "off the diagonal"},
                   {"relative_spectral_error", "spectral error"},
                   {"ridge_used", "ridge"}},
                  job.contest);
  const auto enter = [&](const std::string& name, ProjectionMethod method,
                         const std::optional<double>& set_leverage = {}) {
    contest.enter(name, [&] {
      return candidate(task, name, {method, job.columns, {}, set_leverage, {}, {}});
    });
  };
  enter("projection", projection);
  enter("propose-test-release", propose_test_release);
  enter("singular-value", singular_value);
  enter("additive", additive);
  if (job.set_leverage) enter("relative", relative, job.set_leverage);
  else contest.leave_out("relative", "the leverage of a declared set is not given");
  contest.leave_out("subsampled", "each trial would need a pass over the data of its own");
  contest.run(progress);
  return told(
      task, contest, "Sketches",
      "The distance ratio is the mean of |M_i - M_j| / (sqrt(columns) |D_i - D_j|) over pairs of "
      "columns of D,\nthe correlation that of their dot products before and after, also without "
      "those of a column with\nitself, where the ridge is; all are best at 1. The spectral error "
      "is\n"
      "|M M^T / columns - ridge I - D^T D| / |D^T D|. D are the clipped rows.\n");
}

}  // namespace

std::vector<JobKind> release_comparisons() {
  return {
      job_kind<RegressionComparison>(
          "compare regression", "errors of private regressions on one data set",
          "  modicum compare regression examples/wages.csv --target wage --row-norm-bound 100 \\\n"
          "    --epsilon 1 --delta 1e-6 --confidential"),
      job_kind<ProjectionComparison>(
          "compare projection", "errors of private sketches of one data set",
          "  modicum compare projection examples/wages.csv --columns 300 \\\n"
          "    --row-norm-bound 100 --epsilon 1 --delta 1e-6 --confidential"),
      component_comparison()};
}

}  // namespace modicum
