// release lift: a draw from a Gaussian that was computed elsewhere, with noise on top.
#include <fmt/format.h>

#include "interfaces/release/declared_output.h"
#include "interfaces/release/release.h"

namespace modicum {

std::vector<std::string> DeclaredOutput::assumptions() const {
  return {
      fmt::format("on neighboring data sets the means differ by at most {} in Euclidean distance",
                  mean_shift),
      fmt::format("of their covariances one is the larger in every direction, by at most {}, and "
                  "they differ in at most {} directions",
                  variance_excess, rank)};
}

namespace {

struct LiftJob {
  TableRelease release = {};
  Input<Eigen::MatrixXd> covariance = {};
  DeclaredOutput declared = {};

  void fields(Fields& fields) {
    Field& table = release.source.matrix_field(fields);
    table.help = "the mean: CSV, NPY or JSON";
    release.source.header_field(fields);
    fields
        .input("covariance", covariance, "the covariance, a square matrix in such a file",
               [this](const Value& given) {
                 Eigen::MatrixXd values;
                 Fields matrix;
                 matrix.add("covariance", values, "");
                 matrix.set("covariance", given);
                 covariance.content = values;
               })
        .required();
    release.confidential.fields(fields);
    release.place.fields(fields);
    release.budget.fields(fields, release.place.payer);
    declared.fields(fields);
  }
};

Outcome drawn(const LiftJob& job, RandomSource& random, Progress& progress) {
  const RowBlock mean = given_matrix(job.release.source, "mean");
  if (mean.rows() != 1 && mean.cols() != 1)
    throw InvalidParameter("FILE", "a matrix", "must be one row or one column");
  const Eigen::VectorXd values =
      Eigen::Map<const Eigen::VectorXd>(mean.data(), mean.size());  // either way
  const Eigen::MatrixXd covariance = job.covariance.content
                                         ? *job.covariance.content
                                         : Eigen::MatrixXd(read_matrix(job.covariance.path));
  if (covariance.rows() != values.size() || covariance.cols() != values.size())
    throw InvalidParameter("covariance", static_cast<double>(covariance.rows()),
                           "must have as many rows and columns as the mean has numbers");
  if (!covariance.isApprox(covariance.transpose(), 1e-9))
    throw InvalidParameter("covariance", "not symmetric", "must be");
  const GaussianDistribution output{values, covariance};
  progress.begin("calibrating");
  const LiftPlan plan = plan_lift(job.declared, job.release.budget.target(), job.declared.start());
  return {
      release_lift(plan, job.declared, output, random),
      fmt::format("a draw from a Gaussian of {} numbers, with noise", values.size()),
      [values](const Released& released, Progress&) { return diagnose_vector(released, values); }};
}

}  // namespace

JobKind lift_release() {
  return job_kind<LiftJob>(
      "release lift", "a draw from a Gaussian that was computed elsewhere, with noise",
      "  modicum release lift mean.csv --covariance covariance.csv --mean-shift 0.1 \\\n"
      "    --variance-excess 0.01 --epsilon 1 --delta 1e-6 --output draw.csv");
}

}  // namespace modicum
