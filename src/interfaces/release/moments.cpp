// release projection and release covariance: sketches and second moments of a table.
#include <fmt/format.h>

#include "data/counted.h"
#include "interfaces/release/centering.h"
#include "interfaces/release/release.h"
#include "modicum/release/centered_components.h"
#include "modicum/release/covariance_release.h"
#include "modicum/release/projection_release.h"

namespace modicum {
namespace {

constexpr const char* columns_help = "columns of the sketch, a public number";

// Each method with what it needs.

template <ProjectionMethod which>
struct Sketch {
  std::optional<double> columns = {};
  void fields(Fields& fields) { fields.add("columns", columns, columns_help); }
  ProjectionRequest request() const { return {which, columns, {}, {}, {}, {}}; }
};

struct SampledSketch {
  std::optional<double> columns = {};
  double sampling_rate = 0.0;
  void fields(Fields& fields) {
    fields.add("columns", columns, columns_help);
    fields.add("sampling_rate", sampling_rate, "probability that a row is drawn").required();
  }
  ProjectionRequest request() const {
    return {ProjectionMethod::subsampled, columns, sampling_rate, {}, {}, {}};
  }
};

struct TestedSketch {
  std::optional<double> columns = {}, eigenvalue_noise = {}, failure = {};
  void fields(Fields& fields) {
    fields.add("columns", columns, columns_help);
    fields.add("eigenvalue_noise", eigenvalue_noise, "noise on the least eigenvalue");
    fields.add("failure", failure, "share of delta for the test");
  }
  ProjectionRequest request() const {
    return {ProjectionMethod::propose_test_release, columns, {}, {}, eigenvalue_noise, failure};
  }
};

struct RelativeSketch {
  std::optional<double> columns = {};
  double set_leverage = 0.0;
  void fields(Fields& fields) {
    fields.add("columns", columns, columns_help);
    fields.add("set_leverage", set_leverage, "largest leverage in the declared set").required();
  }
  ProjectionRequest request() const {
    return {ProjectionMethod::relative, columns, {}, set_leverage, {}, {}};
  }
};

using PlainSketch = Sketch<ProjectionMethod::projection>;
using SingularValueSketch = Sketch<ProjectionMethod::singular_value>;
using AdditiveSketch = Sketch<ProjectionMethod::additive>;
using SketchChoice = std::variant<PlainSketch, SampledSketch, TestedSketch, RelativeSketch,
                                  SingularValueSketch, AdditiveSketch>;

struct ProjectionJob {
  TableRelease release = {};
  RowChoice rows = {};
  SketchChoice method = PlainSketch{};

  void fields(Fields& fields) {
    static const Methods<SketchChoice> methods{
        {"projection", PlainSketch{}, "over a ridge; the default"},
        {"subsampled", SampledSketch{}, "of a sample of the rows"},
        {"propose-test-release", TestedSketch{},
         "over what a private bound on the least eigenvalue leaves missing"},
        {"relative", RelativeSketch{}, "without a ridge, if a declared set of tables needs none"},
        {"singular-value", SingularValueSketch{}, "over the ridge of an earlier theorem"},
        {"additive", AdditiveSketch{}, "by a matrix that may be known, plus noise"}};
    release.fields(fields);
    rows.fields(fields);
    fields.methods("method", method, methods, "how it is released",
                   [](const Fields&) { return "projection"; });
  }
};

// The ridge that the sketch was made with, which may have come out of a test.
double ridge_of(const Released& released, const ProjectionPlan& plan) {
  const ParameterValue* tested = released.certificate.find("ridge");
  return plan.test && tested != nullptr ? std::get<double>(*tested) : plan.ridge;
}

ProjectionPlan plan_of(const ProjectionJob& job, const PublicRows& rows) {
  return planned_within(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_projection(
        target, rows, std::visit([](const auto& method) { return method.request(); }, job.method));
  });
}

Planned planned(const ProjectionJob& job, Progress& progress) {
  const TableSource& source = job.release.source;
  const OpenedTable from(source, job.rows);
  progress.begin("calibrating");
  const ProjectionPlan plan = plan_of(job, from.rows);
  return {
      plan.certificate, [&source, from, plan](RandomSource& random, Progress& reading) -> Outcome {
        reading.begin("reading");
        const auto gram = std::make_shared<const IntegerGram>(
            accumulate(plan, from.table, from.rule, random, source.read_options(reading)));
        return {release_projection(plan, *gram, random),
                fmt::format("a sketch of {} of the table with {}", counted(plan.columns, "column"),
                            counted(from.rows.dimension(), "coordinate")),
                [&source, from, gram, plan](const Released& released, Progress& again) {
                  return moment_diagnostics(
                      source, from, *gram, again,
                      diagnose_projection(released, *gram, ridge_of(released, plan)));
                }};
      }};
}

Reply explained(const ProjectionJob& job) { return explained(job.release.source, job.rows); }

struct NoisyMoments {
  void fields(Fields&) {}
  CovarianceRequest request() const { return {CovarianceMethod::gaussian_orthogonal_ensemble, {}}; }
};

template <CovarianceMethod which>
struct SketchedMoments {
  std::optional<double> columns = {};
  void fields(Fields& fields) { fields.add("columns", columns, columns_help); }
  CovarianceRequest request() const { return {which, columns}; }
};

using ProjectedMoments = SketchedMoments<CovarianceMethod::projection>;
using SingularValueMoments = SketchedMoments<CovarianceMethod::singular_value>;
using MomentChoice = std::variant<NoisyMoments, ProjectedMoments, SingularValueMoments>;

struct CovarianceJob {
  TableRelease release = {};
  RowChoice rows = {};
  MomentChoice method = NoisyMoments{};
  CenteringFields centering = {};

  void fields(Fields& fields) {
    static const Methods<MomentChoice> methods{
        {"gaussian-orthogonal-ensemble", NoisyMoments{}, "symmetric noise; the default"},
        {"projection", ProjectedMoments{}, "of a sketch"},
        {"singular-value", SingularValueMoments{},
         "of a sketch over the ridge of another theorem"}};
    release.fields(fields);
    rows.fields(fields);
    centering.fields(fields,
                     "a covariance about these, in the units of the file, in place of sums of\n"
                     "squares and products",
                     "how many rows there are and how long they are is looked at, too");
    fields.methods("method", method, methods, "how it is released",
                   [](const Fields&) { return "gaussian-orthogonal-ensemble"; });
  }
  /// About a mean, or sums about the origin.
  bool centered() const {
    const bool can = std::holds_alternative<NoisyMoments>(method) && !rows.intercept;
    return centering.chosen(can, Centering::not_at_all,
                            "the method gaussian-orthogonal-ensemble without `intercept`") !=
           Centering::not_at_all;
  }
};

// Three passes over the rows, with a progress of their own.
auto passes(const TableSource& source, Progress& progress) {
  return [&source, &progress] {
    progress.begin("reading");
    return source.read_options(progress);
  };
}

CenteredPlan centered_plan_of(const CovarianceJob& job, const PublicRows& rows) {
  return planned_within(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_centered_covariance(target, rows, job.centering.given());
  });
}

Planned planned_centered(const CovarianceJob& job, Progress& progress) {
  const TableSource& source = job.release.source;
  const OpenedTable from(source, job.rows);
  progress.begin("calibrating");
  const CenteredPlan plan = centered_plan_of(job, from.rows);
  return {
      plan.certificate, [&source, from, plan](RandomSource& random, Progress& reading) -> Outcome {
        return {release_centered_covariance(plan, from.table, from.rule, passes(source, reading),
                                            random),
                fmt::format("the covariance of {}", counted(from.rows.dimension(), "column")),
                [&source, from, plan](const Released& released, Progress& again) {
                  again.begin("reading again");
                  Diagnostics all = diagnose_rows(from.table, from.rule, from.rows.row_norm_bound,
                                                  source.read_options(again));
                  const Diagnostics more = diagnose_centered_covariance(
                      plan, released, from.table, from.rule, source.read_options(again));
                  all.insert(all.end(), more.begin(), more.end());
                  return all;
                }};
      }};
}

CovariancePlan plan_of(const CovarianceJob& job, const PublicRows& rows) {
  return planned_with_noise(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_covariance(
        target, rows, std::visit([](const auto& method) { return method.request(); }, job.method));
  });
}

Planned planned(const CovarianceJob& job, Progress& progress) {
  if (job.centered()) return planned_centered(job, progress);
  const TableSource& source = job.release.source;
  const OpenedTable from(source, job.rows);
  progress.begin("calibrating");
  const CovariancePlan plan = plan_of(job, from.rows);
  return {
      plan.certificate, [&source, from, plan](RandomSource& random, Progress& reading) -> Outcome {
        const auto gram = second_moments(source, from, reading);
        return {
            release_covariance(plan, *gram, random),
            fmt::format("the second moments of {}", counted(from.rows.dimension(), "coordinate")),
            [&source, from, gram](const Released& released, Progress& again) {
              return moment_diagnostics(source, from, *gram, again,
                                        diagnose_covariance(released, *gram));
            }};
      }};
}

Reply explained(const CovarianceJob& job) { return explained(job.release.source, job.rows); }

struct ScalesJob {
  TableRelease release = {};
  RowChoice rows = {};

  void fields(Fields& fields) {
    release.fields(fields);
    rows.column_fields(fields);
    rows.norm_field(fields);
  }
};

Planned planned(const ScalesJob& job, Progress& progress) {
  const TableSource& source = job.release.source;
  const OpenedTable from(source, job.rows);
  progress.begin("calibrating");
  const CenteredPlan plan = planned_within(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_scales(target, from.rows);
  });
  return {plan.certificate,
          [&source, from, plan](RandomSource& random, Progress& reading) -> Outcome {
            return {release_scales(plan, from.table, from.rule, passes(source, reading), random),
                    fmt::format("means and standard deviations of {}",
                                counted(from.rows.dimension(), "column")),
                    [&source, from](const Released&, Progress& again) {
                      again.begin("reading again");
                      return diagnose_rows(from.table, from.rule, from.rows.row_norm_bound,
                                           source.read_options(again));
                    }};
          }};
}

Reply explained(const ScalesJob& job) { return explained(job.release.source, job.rows); }

}  // namespace

std::vector<JobKind> moment_releases() {
  return {job_kind<ProjectionJob>(
              "release projection", "a sketch: random combinations of the rows of a table",
              "  modicum release projection examples/wages.csv --output sketch.csv --epsilon 1 "
              "--delta 1e-6 \\\n    --row-norm-bound 100 --columns 200"),
          job_kind<CovarianceJob>(
              "release covariance", "the second moments of a table, or its covariance",
              "  modicum release covariance examples/wages.csv --output moments.csv --epsilon 1 "
              "--delta 1e-6 \\\n    --range age=18:70 --range schooling=0:20 --range hours=0:80 "
              "--range wage=0:60"),
          job_kind<ScalesJob>(
              "release scales", "means and standard deviations of columns, to scale them by",
              "  modicum release scales examples/wages.csv --output scales.csv --epsilon 0.2 "
              "--delta 1e-6 \\\n    --range age=18:70 --range schooling=0:20 --range hours=0:80 "
              "--range wage=0:60")};
}

}  // namespace modicum
