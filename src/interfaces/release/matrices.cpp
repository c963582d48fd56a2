// release matrix: symmetric matrices computed elsewhere, and their least eigenvalues.
#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "interfaces/release/declared_output.h"
#include "interfaces/release/release.h"
#include "interfaces/release/sensitivity_neighbors.h"
#include "modicum/release/matrix_release.h"

namespace modicum {
namespace {

const Choices<MatrixNoise>& matrix_noises() {
  static const Choices<MatrixNoise> all{
      {"goe", MatrixNoise::gaussian_orthogonal_ensemble, "the default"},
      {"analyze-gauss", MatrixNoise::analyze_gauss, "with more of it off the diagonal"}};
  return all;
}

struct MatrixJob {
  TableRelease release = {};
  double sensitivity = 0.0;
  SensitivityNeighbors about = {};
  std::optional<MatrixNoise> noise = {};
  std::optional<double> failure = {};
  bool least_eigenvalue = false;

  void fields(Fields& fields) {
    Field& table = release.source.matrix_field(fields);
    table.help = "the matrix: CSV, NPY or JSON";
    release.source.header_field(fields);
    release.confidential.fields(fields);
    release.place.fields(fields);
    release.budget.fields(fields, release.place.payer);
    fields
        .add("sensitivity", sensitivity,
             "largest Frobenius norm of the difference of the matrices on neighboring\n"
             "data sets; the spectral norm will do for --smallest-eigenvalue")
        .required();
    about.fields(fields);
    fields.choice("noise", noise, matrix_noises(), "of the release");
    fields.add("failure", failure,
               "tell a bound that the norm of the noise exceeds with at most this\nprobability");
    fields.add("smallest_eigenvalue", least_eigenvalue, "release the smallest eigenvalue only");
  }
};

Planned planned_eigenvalue(const MatrixJob& job, const GivenMatrix& numbers, double dimension) {
  const auto plan = planned_with_noise(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_least_eigenvalue(target, dimension, job.sensitivity, job.failure);
  });
  return {plan.certificate, [numbers, plan](RandomSource& random, Progress&) -> Outcome {
            const Eigen::MatrixXd matrix = numbers.read();
            return {release_least_eigenvalue(plan, matrix, random),
                    fmt::format("the least eigenvalue of a matrix of {} rows", matrix.rows()),
                    [matrix](const Released& released, Progress&) {
                      return diagnose_least_eigenvalue(released, matrix);
                    }};
          }};
}

Planned planned_matrix(const MatrixJob& job, const GivenMatrix& numbers, double dimension) {
  const MatrixPlan plan = planned_with_noise(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_matrix(target, dimension, job.sensitivity,
                       job.noise.value_or(MatrixNoise::gaussian_orthogonal_ensemble), job.failure);
  });
  return {plan.certificate, [numbers, plan](RandomSource& random, Progress&) -> Outcome {
            const Eigen::MatrixXd matrix = numbers.read();
            return {release_matrix(plan, matrix, random),
                    fmt::format("a symmetric matrix of {} rows", matrix.rows()),
                    [matrix](const Released& released, Progress&) {
                      return diagnose_matrix(released, matrix);
                    }};
          }};
}

Planned planned(const MatrixJob& job, Progress& progress) {
  if (job.least_eigenvalue && job.noise)
    throw UsageError("`noise` must not be given with `smallest_eigenvalue`");
  const GivenMatrix numbers(job.release.source, "matrix");
  if (numbers.shape().rows != numbers.shape().columns)
    throw UnreadableFile(
        fmt::format("{} is no square matrix: as many rows as columns; a first line of names must "
                    "be declared a header",
                    numbers.name()));
  const auto dimension = static_cast<double>(numbers.shape().rows);
  progress.begin("calibrating");
  return job.about.told(job.least_eigenvalue ? planned_eigenvalue(job, numbers, dimension)
                                             : planned_matrix(job, numbers, dimension));
}

}  // namespace

std::vector<JobKind> matrix_releases() {
  return {
      job_kind<MatrixJob>(
          "release matrix", "a symmetric matrix computed elsewhere, or its smallest eigenvalue",
          "  modicum release matrix examples/hessian.csv --sensitivity 0.25 --output noisy.csv \\\n"
          "    --epsilon 1 --delta 1e-6 --failure 0.05"),
      lift_release()};
}

}  // namespace modicum
