// release regression: coefficients of a linear regression.
#include <fmt/format.h>

#include "data/counted.h"
#include "interfaces/release/objective_fields.h"
#include "interfaces/release/release.h"
#include "modicum/release/preconditioned_regression.h"
#include "modicum/release/regression_release.h"

namespace modicum {
namespace {

constexpr const char* columns_help = "columns of the sketch, a public number";

// Each method with what it needs.

struct Preconditioned {
  std::optional<double> rows = {};
  void fields(Fields& fields) {
    fields.add("rows", rows,
               "about how many rows there are, a public number, with `explain`: to tell what\n"
               "error to expect at best");
  }
};

template <RegressionMethod which>
struct Moments {
  void fields(Fields&) {}
  RegressionRequest request() const { return {which, {}, {}, {}, {}}; }
};

template <RegressionMethod which>
struct Sketched {
  std::optional<double> columns = {};
  void fields(Fields& fields) { fields.add("columns", columns, columns_help); }
  RegressionRequest request() const { return {which, columns, {}, {}, {}}; }
};

template <RegressionMethod which>
struct RelativeTo {
  std::optional<double> columns = {};
  double set_leverage = 0.0, set_residual = 0.0;
  void fields(Fields& fields) {
    fields.add("columns", columns, columns_help);
    fields.add("set_leverage", set_leverage, "largest leverage of the features in the declared set")
        .required();
    fields
        .add("set_residual", set_residual,
             "largest leverage that the target adds in the declared set")
        .required();
  }
  RegressionRequest request() const { return {which, columns, set_leverage, set_residual, {}}; }
};

struct RelativeGaussian {
  double solution_sensitivity = 0.0;
  void fields(Fields& fields) {
    fields
        .add("solution_sensitivity", solution_sensitivity,
             "how far a row moves the standardized solution")
        .required();
  }
  RegressionRequest request() const {
    return {RegressionMethod::relative_gaussian, {}, {}, {}, solution_sensitivity};
  }
};

using RegressionObjective = std::variant<HuberObjective, LogCoshObjective, SquaredObjective>;

struct Objective : ObjectiveMethod<RegressionObjective> {
  void fields(Fields& fields) {
    static const Methods<RegressionObjective> losses{
        {"huber", HuberObjective{}, "squared in the middle, linear beyond; the default"},
        {"log-cosh", LogCoshObjective{}, "much like Huber's, with a fifth of the regularization"},
        {"squared", SquaredObjective{}, "linear beyond a bound on predictions"}};
    objective_fields(fields, losses);
  }
};

using Relative = RelativeTo<RegressionMethod::relative>;
using RelativeProjection = RelativeTo<RegressionMethod::relative_projection>;
using RelativeApproximate = RelativeTo<RegressionMethod::relative_approximate>;
using NoisyMoments = Moments<RegressionMethod::covariance>;
using AdaptiveStatistics = Moments<RegressionMethod::adaptive_sufficient_statistics>;
using LeastSquaresDraw = Sketched<RegressionMethod::least_squares>;
using ApproximateSketch = Sketched<RegressionMethod::approximate>;
using PrivateSketch = Sketched<RegressionMethod::projection>;
using SingularValueSketch = Sketched<RegressionMethod::singular_value>;
using AdditiveSketch = Sketched<RegressionMethod::additive>;
using MethodChoice =
    std::variant<Preconditioned, NoisyMoments, LeastSquaresDraw, ApproximateSketch, PrivateSketch,
                 AdaptiveStatistics, SingularValueSketch, AdditiveSketch, Relative,
                 RelativeProjection, RelativeApproximate, RelativeGaussian, Objective>;

const Methods<MethodChoice>& methods() {
  static const Methods<MethodChoice> all{
      {"preconditioned", Preconditioned{},
       "looks at means and spread first, then solves with noise on the second moments\nof whitened "
       "rows; the default"},
      {"covariance", NoisyMoments{}, "solves with noise on the second moments"},
      {"least-squares", LeastSquaresDraw{},
       "a draw around the solution over a ridge; the default with --columns"},
      {"approximate", ApproximateSketch{}, "solves a sketch; private in the limit of many columns"},
      {"projection", PrivateSketch{}, "solves a sketch that is private itself"},
      {"adaptive-sufficient-statistics", AdaptiveStatistics{}, "AdaSSP"},
      {"singular-value", SingularValueSketch{}, "a sketch over the ridge of another theorem"},
      {"additive", AdditiveSketch{}, "a sketch by a matrix that may be known, plus noise"},
      {"relative", Relative{},
       "least-squares, without a ridge if a declared set needs none; refuses singular tables"},
      {"relative-projection", RelativeProjection{},
       "projection, without a ridge if a declared set needs none; refuses singular tables"},
      {"relative-approximate", RelativeApproximate{}, "approximate, likewise"},
      {"relative-gaussian", RelativeGaussian{},
       "noise on the solution, of a declared sensitivity; refuses singular tables"},
      {"objective", Objective{}, "a random linear term in what is minimized"}};
  return all;
}

struct RegressionJob {
  TableRelease release = {};
  RowChoice rows = {};
  std::string target = {};
  MethodChoice method = Preconditioned{};

  void fields(Fields& fields) {
    release.fields(fields);
    rows.fields(fields);
    fields.add("target", target, "the column to be predicted").required();
    // Whoever says how large the sketch is wants one.
    fields.methods("method", method, methods(), "how it is released", [](const Fields& given) {
      return given.given("columns") ? "least-squares" : "preconditioned";
    });
  }
};

ObjectiveQuestion question_of(const RegressionJob& job, const Objective& method) {
  return objective_question(job.release, job.rows, method, [&job](const Table& table) {
    return TargetRule{job.target, job.rows.range_of(table, job.target)};
  });
}

std::string what_of(const RegressionJob& job, double features) {
  return fmt::format("coefficients of a regression of {} on {}", job.target,
                     counted(features, "feature"));
}

Planned planned(const RegressionJob& job, const Objective& method, Progress& progress) {
  return planned(question_of(job, method), progress);
}

PreconditionedPlan plan_of(const RegressionJob& job, const OpenedTable& from) {
  return planned_within(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_preconditioned(target, from.rows);
  });
}

Planned planned(const RegressionJob& job, const Preconditioned& method, Progress& progress) {
  if (method.rows && !job.release.explain.explain)
    throw UsageError("`rows` must not be given without `explain`");
  const TableSource& source = job.release.source;
  const OpenedTable from(source, job.rows, job.target);
  progress.begin("calibrating");
  const PreconditionedPlan plan = plan_of(job, from);
  return {plan.certificate, [&job, &source, from, plan](RandomSource& random, Progress& reading) {
            const auto begin = [&] {
              reading.begin("reading");
              return source.read_options(reading);
            };
            Outcome outcome{release_preconditioned(plan, from.table, from.rule, begin, random),
                            what_of(job, plan.features()),
                            [&source, from](const Released& released, Progress& again) {
                              const auto gram = second_moments(source, from, again);
                              return moment_diagnostics(source, from, *gram, again,
                                                        diagnose_regression(released, *gram));
                            }};
            if (fell_back(outcome.released))
              outcome.warnings.push_back(
                  "The released number of rows is too small for coefficients at this budget: they "
                  "are 0, and the rest of the budget went to the mean.");
            if (descended(outcome.released))
              outcome.warnings.push_back(
                  "The released number of rows is too small for second moments at this budget: "
                  "coefficients come from noisy gradient descent, and have no standard errors.");
            return outcome;
          }};
}

template <class Method>
Planned planned(const RegressionJob& job, const Method& method, Progress& progress) {
  const TableSource& source = job.release.source;
  const OpenedTable from(source, job.rows, job.target);
  progress.begin("calibrating");
  const RegressionPlan plan = planned_within(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_regression(target, from.rows, method.request());
  });
  return {plan.certificate,
          [&job, &source, from, plan](RandomSource& random, Progress& reading) -> Outcome {
            const auto gram = second_moments(source, from, reading);
            return {release_regression(plan, *gram, random), what_of(job, plan.features()),
                    [&source, from, gram](const Released& released, Progress& again) {
                      return moment_diagnostics(source, from, *gram, again,
                                                diagnose_regression(released, *gram));
                    }};
          }};
}

Planned planned(const RegressionJob& job, Progress& progress) {
  return std::visit([&](const auto& method) { return planned(job, method, progress); }, job.method);
}

// From public numbers alone.
void expect(Reply& reply, const RegressionJob& job, double rows) {
  const OpenedTable from(job.release.source, job.rows, job.target);
  const PreconditionedPlan plan = plan_of(job, from);
  const PreconditionedOutlook outlook = preconditioned_outlook(plan.target, plan.features(), rows);
  reply.tell("least_error_ratio", outlook.error_ratio).tell("falls_back", outlook.falls_back);
  reply.tell("descends", outlook.descends);
  reply.say(
      outlook.descends
          ? fmt::format("{} rows are too few for second moments at this budget: coefficients would "
                        "come from noisy gradient\ndescent, without standard errors.\n",
                        rows)
      : outlook.falls_back
          ? fmt::format("{} rows are too few for coefficients at this budget: the mean would be "
                        "released.\n",
                        rows)
          : fmt::format(
                "With {} rows the root mean square error would be at best {:.4f} times that "
                "of least squares,\nif the features vary enough to be told from noise.\n",
                rows, outlook.error_ratio));
}

Reply explained(const RegressionJob& job) {
  const TableSource& source = job.release.source;
  if (const auto* method = std::get_if<Preconditioned>(&job.method)) {
    Reply reply = explained(source, job.rows, job.target);
    if (method->rows) expect(reply, job, *method->rows);
    return reply;
  }
  if (!std::holds_alternative<Objective>(job.method))
    return explained(source, job.rows, job.target);
  const Table table = source.open();
  return explained(source, table, job.rows,
                   TargetRule{job.target, job.rows.range_of(table, job.target)});
}

}  // namespace

std::vector<JobKind> regression_releases() {
  return {job_kind<RegressionJob>(
      "release regression", "coefficients of a linear regression",
      "  modicum release regression examples/wages.csv --target wage --output fit.csv "
      "--epsilon 1 \\\n    --delta 1e-6 --intercept --range age=18:70 --range schooling=0:20 \\\n"
      "    --range hours=0:80 --range wage=0:60")};
}

}  // namespace modicum
