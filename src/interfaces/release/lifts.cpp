// release lift: a draw from a Gaussian that was computed elsewhere, with noise on top.
#include <fmt/format.h>

#include "interfaces/release/declared_output.h"
#include "interfaces/release/release.h"

namespace modicum {

namespace {

struct LiftJob {
  TableRelease release = {};
  Input<Eigen::MatrixXd> covariance = {};
  DeclaredOutput declared = {};

  void fields(Fields& fields) {
    Field& table = release.source.matrix_field(fields);
    table.help = "the mean: CSV, NPY or JSON";
    release.source.header_field(fields);
    matrix_input(fields, "covariance", covariance, "the covariance, a square matrix in such a file")
        .required();
    release.confidential.fields(fields);
    release.place.fields(fields);
    release.budget.fields(fields, release.place.payer);
    declared.fields(fields);
  }
};

Outcome drawn(const LiftJob& job, const GivenMatrix& numbers, const LiftedOutput& lifted,
              const LiftPlan& plan, RandomSource& random) {
  const RowBlock mean = numbers.read();
  const Eigen::VectorXd values =
      Eigen::Map<const Eigen::VectorXd>(mean.data(), mean.size());  // either way
  const Eigen::MatrixXd covariance = matrix_of(job.covariance);
  if (!covariance.isApprox(covariance.transpose(), 1e-9))
    throw InvalidParameter("covariance", "not symmetric", "must be");
  Released released = release_lift(plan, lifted, {values, covariance}, random);
  released.values = lifted.in_output_coordinates(released.values);
  lifted.describe(released.certificate, plan.noise_variance);
  return {std::move(released),
          fmt::format("a draw from a Gaussian of {} numbers, with noise", values.size()),
          [values](const Released& drawn, Progress&) { return diagnose_vector(drawn, values); }};
}

Planned planned(const LiftJob& job, Progress& progress) {
  const GivenMatrix mean(job.release.source, "mean");
  if (!mean.is_vector())
    throw InvalidParameter("FILE", "a matrix", "must be one row or one column");
  const Eigen::Index size = mean.shape().size();
  const auto& given = job.covariance.content;
  const MatrixShape shape =
      given ? MatrixShape{given->rows(), given->cols()} : matrix_shape(job.covariance.path);
  if (shape != MatrixShape{size, size})
    throw InvalidParameter("covariance", static_cast<double>(shape.rows),
                           "must have as many rows and columns as the mean has numbers");
  progress.begin("calibrating");
  const LiftedOutput lifted(job.declared);
  lifted.require_size(size);
  const LiftPlan plan = planned_within(job.release.budget, [&](const PrivacyTarget& target) {
    return plan_lift(lifted, target, lifted.start());
  });
  return {plan.certificate, [&job, mean, lifted, plan](RandomSource& random, Progress&) {
            return drawn(job, mean, lifted, plan, random);
          }};
}

}  // namespace

JobKind lift_release() {
  return job_kind<LiftJob>(
      "release lift", "a draw from a Gaussian that was computed elsewhere, with noise",
      "  modicum release lift mean.csv --covariance covariance.csv --mean-shift 0.1 \\\n"
      "    --variance-excess 0.01 --epsilon 1 --delta 1e-6 --output draw.csv");
}

}  // namespace modicum
