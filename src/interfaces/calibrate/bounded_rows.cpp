// calibrate least-squares and covariance: what is added to the second moments of rows whose norm is
// bounded.
#include "interfaces/calibrate/bounded_rows.h"

#include <fmt/format.h>

#include <chrono>

#include "interfaces/calibrate/calibrate.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "release/certificates/certificate_json.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"

namespace modicum {
namespace {

Certificate certificate_of(const BoundedRows& rows, const NoiseFound& noise) {
  Certificate certificate(noise.mechanism.at("mechanism").text(), rows.target(), noise.achieved);
  for (const auto& [key, value] : noise.mechanism.members())
    if (key != "mechanism") certificate.set(key, value.number());
  certificate.attained = noise.attained;
  certificate.guarantee = noise.guarantee;
  certificate.adjacency = add_or_remove_one_row;
  certificate.assumptions = {
      fmt::format("the Euclidean norm of every row is at most {}: longer rows are scaled down, "
                  "whatever the others are",
                  rows.row_norm_bound)};
  for (const std::string& assumption : noise.assumptions)
    certificate.assumptions.push_back(assumption);
  certificate.theorem = noise.theorem;
  if (noise.is_sharp) describe_loss(certificate, noise.mechanism);
  else describe_loss_by_target(certificate);
  certificate.time = std::chrono::system_clock::now();
  return certificate;
}

struct LeastSquaresJob {
  double columns = 0.0, features = 0.0;
  BoundedRows rows = {};
  void fields(Fields& fields) {
    fields.add("columns", columns, "columns of the sketch that it stands for").required();
    fields.add("features", features, "number of features").required();
    rows.fields(fields);
  }
};

Reply run(const LeastSquaresJob& job, Progress& progress) {
  progress.begin("calibrating");
  const LeastSquaresCalibration found = calibrate_least_squares(
      job.rows.target(), job.columns, job.features, job.rows.row_norm_bound);
  const double published = published_least_squares_ridge(job.rows.target(), job.columns,
                                                         job.features, job.rows.row_norm_bound);
  return told(
      job.rows,
      {.heading = "The least ridge that makes a least-squares solution",
       .mechanism = description_of(described::LeastSquaresRelease{
           found.columns, found.features, found.ridge, found.row_norm_bound}),
       .is_sharp = false,  // the loss that dominates all pairs is larger at the target
       .figures = {{"ridge", "ridge", found.ridge},
                   {"full_leverage", "largest leverage", found.full_leverage},
                   {"row_leverage", "of it the features", found.row_leverage},
                   {"published_ridge", "ridge as published", published}},
       .achieved = found.achieved,
       .theorem = "docs/derivations/least-squares.md",
       .assumptions = {
           "the ridge is added to the second moments of features and target together, and the "
           "solution is drawn from the normal distribution around it; how it is sampled and "
           "rounded is not covered"}});
}

struct CovarianceJob {
  BoundedRows rows = {};
  void fields(Fields& fields) { rows.fields(fields); }
};

Reply run(const CovarianceJob& job, Progress& progress) {
  progress.begin("calibrating");
  const Calibration found = calibrate_covariance(job.rows.target(), job.rows.row_norm_bound);
  const double deviation = found.parameter;
  return told(
      job.rows,
      {.heading = "The least noise that makes a matrix of second moments",
       .mechanism =
           description_of(described::CovarianceRelease{deviation, job.rows.row_norm_bound}),
       .is_sharp = true,
       .figures = {{"standard_deviation", "standard deviation", deviation},
                   {"mean_squared_error", "mean squared error", deviation * deviation}},
       .achieved = found.achieved,
       .assumptions = {
           "each entry off the diagonal has this deviation, each one on it sqrt(2) times as much, "
           "independent up to symmetry; how the noise is sampled and rounded is not covered"}});
}

}  // namespace

Reply told(const BoundedRows& rows, const NoiseFound& noise) {
  const Certificate certificate = certificate_of(rows, noise);
  const PrivacyTarget& target = certificate.target;
  Reply reply;
  reply.say(fmt::format("{} ({}, {})-differentially private:\n", noise.heading, target.epsilon,
                        target.delta));
  for (const Figure& figure : noise.figures) reply.add(figure.key, figure.in_words, figure.value);
  reply.add("delta", fmt::format("delta at epsilon {}", target.epsilon), noise.achieved.delta());
  reply.tell("certificate", to_json(certificate));
  return reply.say(proof_with_assumptions(certificate));
}

std::vector<JobKind> moment_calibrations() {
  return {job_kind<LeastSquaresJob>(
              "calibrate least-squares", "ridge of a least-squares solution",
              "  modicum calibrate least-squares --columns 1000 --features 10 --row-norm-bound 1 "
              "--epsilon 1 --delta 1e-6"),
          job_kind<CovarianceJob>(
              "calibrate covariance", "noise on a matrix of second moments",
              "  modicum calibrate covariance --row-norm-bound 1 --epsilon 1 --delta 1e-6")};
}

}  // namespace modicum
