// calibrate lift, logistic and gaussian-process: noise on top of Gaussian outputs, from public
// numbers alone.
#include <fmt/format.h>

#include <chrono>

#include "interfaces/calibrate/calibrate.h"
#include "interfaces/release/declared_output.h"
#include "modicum/mechanisms/bayesian_logistic.h"
#include "modicum/mechanisms/gaussian_process.h"
#include "modicum/release/budget.h"
#include "release/certificates/certificate_json.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"

namespace modicum {
namespace {

constexpr const char* delta_help = "above 0 and below 1";
constexpr const char* plain_noise = "noise of this variance is added to each number";

// Of noise that somebody else draws.
Certificate lifted_certificate(const char* mechanism, const PrivacyTarget& target,
                               const ProfilePoint& achieved, const char* theorem,
                               std::vector<std::string> assumptions,
                               const char* noise = plain_noise) {
  Certificate certificate(mechanism, target, achieved);
  certificate.attained = false;
  certificate.adjacency = add_or_remove_one_row;
  certificate.theorem = theorem;
  certificate.assumptions = std::move(assumptions);
  certificate.assumptions.push_back(fmt::format(
      "{}, independent of all else; how it is sampled and rounded is not covered", noise));
  certificate.time = std::chrono::system_clock::now();
  return certificate;
}

Reply told(const Certificate& certificate, double noise_variance) {
  const PrivacyTarget& target = certificate.target;
  Reply reply;
  reply.say(fmt::format("The least noise that makes it ({}, {})-differentially private:\n",
                        target.epsilon, target.delta));
  reply.add("noise_variance", "noise variance", noise_variance);
  reply.add("standard_deviation", "standard deviation", std::sqrt(noise_variance));
  reply.add("delta", fmt::format("delta at epsilon {}", target.epsilon),
            certificate.achieved.delta());
  reply.tell("certificate", to_json(certificate));
  return reply.say(proof_with_assumptions(certificate));
}

// The noise of directions is no multiple of the identity.
void tell_covariance(Reply& reply, const DirectedNoise& directed, double noise_variance) {
  const Eigen::MatrixXd covariance = noise_variance * directed.covariance();
  Value::List rows;
  for (Eigen::Index i = 0; i < covariance.rows(); ++i) {
    const Eigen::VectorXd row = covariance.row(i).transpose();
    rows.emplace_back(std::vector<double>(row.begin(), row.end()));
  }
  reply.tell("noise_covariance", Value(std::move(rows)));
  reply.say(fmt::format("Along the directions: the covariance of the noise is of trace {:.6g}.\n",
                        covariance.trace()));
}

struct LiftCalibrationJob {
  PrivacyBudget budget = {};
  DeclaredOutput declared = {};
  void fields(Fields& fields) {
    budget.fields(fields, delta_help);
    declared.fields(fields);
  }
};

Reply run(const LiftCalibrationJob& job, Progress& progress) {
  progress.begin("calibrating");
  const PrivacyTarget target = job.budget.target();
  const LiftedOutput lifted(job.declared);
  const LiftCalibration found = calibrate_lift(
      target, [&](double noise) { return lifted.sensitivity(noise); }, lifted.start());
  Certificate certificate = lifted_certificate(
      "lifted_gaussian", target, found.bounds.upper_bound(), "docs/derivations/lifting.md",
      lifted.assumptions(), lifted.directed() ? "noise of this covariance is added" : plain_noise);
  describe_lift(certificate, found);
  lifted.describe(certificate, found.noise_variance);
  Reply reply = told(certificate, found.noise_variance);
  if (lifted.directed()) tell_covariance(reply, *lifted.directed(), found.noise_variance);
  return reply;
}

struct LogisticCalibrationJob {
  PrivacyBudget budget = {};
  double row_norm_bound = 0.0;
  std::optional<double> regularization = {}, largest_rows = {};
  void fields(Fields& fields) {
    budget.fields(fields, delta_help);
    fields.add("row_norm_bound", row_norm_bound, "largest norm of the features of a row")
        .required();
    fields.add("regularization", regularization,
               "lambda of lambda/2 |theta|^2; by default as `release logistic` takes it");
    fields.add("largest_rows", largest_rows, "no table has more rows: a promise");
  }
};

Reply run(const LogisticCalibrationJob& job, Progress& progress) {
  progress.begin("calibrating");
  const PrivacyTarget target = job.budget.target();
  const double lambda = job.regularization
                            ? *job.regularization
                            : default_logistic_regularization(target, job.row_norm_bound);
  const LogisticShape shape(lambda, job.row_norm_bound, 0.0, job.largest_rows);
  const LiftCalibration found = calibrate_bayesian_logistic(target, shape);
  Certificate certificate = lifted_certificate(
      "bayesian_logistic", target, found.bounds.upper_bound(), "docs/derivations/logistic.md",
      {fmt::format("what is released is a draw from N(theta, G^-1) with the noise, theta the exact "
                   "minimizer of the logistic losses plus {}/2 |theta|^2, G = {} I + X^T X/4",
                   lambda, lambda),
       fmt::format("every row of features has norm at most {}, every label is -1 or 1",
                   job.row_norm_bound)});
  if (job.largest_rows)
    certificate.assumptions.push_back(
        fmt::format("no data set has more than {} rows", *job.largest_rows));
  certificate.set("regularization", lambda);
  certificate.set("row_norm_bound", job.row_norm_bound);
  describe_lift(certificate, found);
  return told(certificate, found.noise_variance);
}

struct GaussianProcessCalibrationJob {
  PrivacyBudget budget = {};
  double kernel_bound = 1.0, noise_variance = 0.0, target_bound = 1.0, largest_rows = 0.0,
         prior_bound = 0.0;
  void fields(Fields& fields) {
    budget.fields(fields, delta_help);
    fields.add("largest_rows", largest_rows, "no table has more rows: a promise").required();
    fields.add("noise_variance", noise_variance, "of the observations").required();
    fields
        .add("prior_bound", prior_bound,
             "largest eigenvalue of the prior covariance of the public points")
        .required();
    fields.add("kernel_bound", kernel_bound, "largest prior variance of a row, 1 by default");
    fields.add("target_bound", target_bound, "largest size of a target, 1 by default");
  }
};

Reply run(const GaussianProcessCalibrationJob& job, Progress& progress) {
  progress.begin("calibrating");
  const PrivacyTarget target = job.budget.target();
  const GaussianProcessBounds bounds(job.kernel_bound, job.noise_variance, job.target_bound,
                                     job.largest_rows, job.prior_bound);
  const GaussianProcessCalibration found = calibrate_gaussian_process(target, bounds);
  Certificate certificate = lifted_certificate(
      "gaussian_process", {found.achieved.epsilon, target.delta}, found.achieved,
      "docs/derivations/gaussian-process.md",
      {fmt::format("what is released is a draw from the posterior at public points, whose prior "
                   "covariance has no eigenvalue above {}, with the noise",
                   job.prior_bound),
       fmt::format("every row has a prior variance of at most {} and a target of size at most {}, "
                   "and no data set has more than {} rows",
                   job.kernel_bound, job.target_bound, job.largest_rows)});
  for (const auto& [name, value] : {std::pair{"kernel_bound", job.kernel_bound},
                                    {"observation_noise_variance", job.noise_variance},
                                    {"target_bound", job.target_bound},
                                    {"largest_rows", job.largest_rows},
                                    {"prior_bound", job.prior_bound},
                                    {"lift_variance", found.lift}})
    certificate.set(name, value);
  describe_sharper_loss(certificate, description_of(described::GaussianProcessRelease{
                                         job.kernel_bound, job.noise_variance, job.target_bound,
                                         job.largest_rows, job.prior_bound, found.lift}));
  return told(certificate, found.lift);
}

}  // namespace

std::vector<JobKind> lifting_calibrations() {
  return {
      job_kind<LiftCalibrationJob>("calibrate lift",
                                   "noise on a Gaussian output, by how far one record moves it",
                                   "  modicum calibrate lift --epsilon 1 --delta 1e-6 --mean-shift "
                                   "0.1 --variance-excess 0.01"),
      job_kind<LogisticCalibrationJob>(
          "calibrate logistic", "noise of Bayesian logistic regression",
          "  modicum calibrate logistic --epsilon 1 --delta 1e-6 --row-norm-bound 1 "
          "--regularization 10"),
      job_kind<GaussianProcessCalibrationJob>(
          "calibrate gaussian-process", "noise on the posterior of a Gaussian process",
          "  modicum calibrate gaussian-process --epsilon 1 --delta 1e-6 --largest-rows 1000 \\\n"
          "    --noise-variance 0.1 --prior-bound 20")};
}

}  // namespace modicum
