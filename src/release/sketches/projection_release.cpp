#include "modicum/release/projection_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "modicum/randomness/samplers.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/sketches/gram_draws.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

// A plan by what the calibrations say; the certificate is filled in as far as all methods agree.
ProjectionPlan make_plan(const char* method, const PrivacyTarget& target, const PublicRows& rows,
                         double columns, double ridge, const ProfilePoint& achieved) {
  require_achieved(target, achieved);
  Certificate certificate("random_projection", target, achieved);
  certificate.set("method", method);
  certificate.set("columns", columns);
  certificate.theorem = "docs/derivations/projection.md";
  certificate.attained = true;
  return {rows, columns, ridge, 1.0, 0.0, std::nullopt, std::move(certificate)};
}

ProjectionPlan of_calibration(const char* method, const PrivacyTarget& target,
                              const PublicRows& rows, const ProjectionCalibration& found) {
  ProjectionPlan plan = make_plan(method, target, rows, found.columns, found.ridge, found.achieved);
  plan.certificate.set("leverage", found.leverage);
  plan.certificate.set("ridge", found.ridge);
  return plan;
}

ProjectionPlan plan_subsampled(const PrivacyTarget& target, const PublicRows& rows, double columns,
                               double rate) {
  ProjectionPlan plan =
      of_calibration("subsampled", target, rows,
                     calibrate_subsampled_projection(target, columns, rows.row_norm_bound, rate));
  plan.sampling_rate = rate;
  plan.certificate.set("sampling_rate", rate);
  plan.certificate.assumptions.push_back("nothing else tells which rows were drawn");
  return plan;
}

ProjectionPlan plan_test(const PrivacyTarget& target, const PublicRows& rows, double columns,
                         const ProjectionRequest& request) {
  const ProposeTestRelease test = calibrate_propose_test_release(
      target, columns, rows.row_norm_bound, request.eigenvalue_noise, request.failure);
  ProjectionPlan plan =
      make_plan("propose-test-release", target, rows, columns, 0.0, test.achieved);
  Certificate& certificate = plan.certificate;
  certificate.attained = false;
  certificate.set("leverage", test.leverage);
  certificate.set("eigenvalue_noise", test.eigenvalue_noise);
  certificate.set("failure", test.failure);
  certificate.set("margin", test.margin);
  certificate.set("ridge_target", test.ridge_target);
  plan.test = test;
  return plan;
}

// Without a ridge the guarantee stands on what was declared; with one it does not need that.
ProjectionPlan plan_relative(const PrivacyTarget& target, const PublicRows& rows, double columns,
                             double leverage) {
  ProjectionPlan plan =
      of_calibration("relative", target, rows,
                     calibrate_relative_projection(target, columns, rows.row_norm_bound, leverage));
  plan.certificate.set("set_leverage", leverage);
  if (plan.ridge > 0.0) return plan;
  plan.certificate.guarantee = Guarantee::relative;
  plan.certificate.attained = false;
  plan.certificate.assumptions.push_back(
      fmt::format("the data set and its neighbor belong to a set, declared from public knowledge, "
                  "in which no row has a leverage above {}",
                  leverage));
  return plan;
}

ProjectionPlan plan_additive(const PrivacyTarget& target, const PublicRows& rows, double columns) {
  const AdditiveProjectionCalibration found =
      calibrate_additive_projection(target, columns, rows.row_norm_bound);
  // D^T G + N, both unknown to the reader, has the law of a projection over the ridge s^2.
  const double ridge = found.standard_deviation * found.standard_deviation;
  ProjectionPlan plan = make_plan("additive", target, rows, columns, ridge, found.achieved);
  plan.certificate.attained = false;
  plan.certificate.set("standard_deviation", found.standard_deviation);
  plan.certificate.set("norm_bound", found.norm_bound);
  return plan;
}

ProjectionPlan plan_method(const PrivacyTarget& target, const PublicRows& rows,
                           const ProjectionRequest& request, double columns) {
  switch (request.method) {
    case ProjectionMethod::projection:
      return of_calibration("projection", target, rows,
                            calibrate_projection(target, columns, rows.row_norm_bound));
    case ProjectionMethod::subsampled:
      return plan_subsampled(target, rows, columns,
                             require_given("sampling_rate", request.sampling_rate));
    case ProjectionMethod::propose_test_release:
      return plan_test(target, rows, columns, request);
    case ProjectionMethod::relative:
      return plan_relative(target, rows, columns,
                           require_given("set_leverage", request.set_leverage));
    case ProjectionMethod::singular_value:
      return of_calibration(
          "singular-value", target, rows,
          calibrate_singular_value_projection(target, columns, rows.row_norm_bound));
    case ProjectionMethod::additive:
      return plan_additive(target, rows, columns);
  }
  throw Error("there is no such method");
}

// The noisy eigenvalue, the projection over the largest ridge, and that the test fails.
Value description_of_test(const ProposeTestRelease& test) {
  return described::composition_of(
      {description_of(described::Gaussian{test.eigenvalue_noise, test.eigenvalue_sensitivity()}),
       description_of(
           described::ProjectionRelease{test.columns, test.largest_ridge, test.row_norm_bound}),
       description_of(described::Approximate{0.0, test.failure})});
}

// The size of the noise that is there whatever the data: a public number.
double noise_scale(const ProjectionPlan& plan) {
  if (plan.test) return std::sqrt(plan.test->ridge_target);
  return plan.ridge > 0.0 ? std::sqrt(plan.ridge) : plan.rows.row_norm_bound;
}

// The ridge that a private lower bound on the least eigenvalue leaves necessary.
double tested_ridge(const ProposeTestRelease& test, const IntegerGram& gram, Certificate& record,
                    RandomSource& source) {
  const double grid = grid_below(test.eigenvalue_noise);
  const OnGrid least = split(least_eigenvalue_bound(with_ridge(gram, 0.0)), grid);
  const double noisy =
      to_double(add_rounded_normal(least, test.eigenvalue_noise, grid, source), grid);
  // One grid more than the margin pays for the rounding.
  const double bound = std::max(noisy - test.margin - grid, 0.0);
  const double ridge = test.ridge(bound);
  record.set("noisy_eigenvalue", noisy);
  record.set("eigenvalue_bound", bound);
  record.set("ridge", ridge);
  return ridge;
}

}  // namespace

double default_sketch_columns(Eigen::Index dimension) {
  return std::max(10.0 * static_cast<double>(dimension), 100.0);
}

ProjectionPlan plan_projection(const PrivacyTarget& target, const PublicRows& rows,
                               const ProjectionRequest& request) {
  using enum ProjectionMethod;
  const bool tests = request.method == propose_test_release;
  refuse_unused("sampling_rate", request.sampling_rate, request.method == subsampled);
  refuse_unused("set_leverage", request.set_leverage, request.method == relative);
  refuse_unused("eigenvalue_noise", request.eigenvalue_noise, tests);
  refuse_unused("failure", request.failure, tests);
  const double columns =
      require_count("columns", request.columns.value_or(default_sketch_columns(rows.dimension())));
  // A sketch is held in memory: 2 GiB of it.
  if (!(columns * static_cast<double>(rows.dimension()) <= 0x1p28))
    throw InvalidParameter("columns", columns, "must make a sketch of at most 2^28 numbers");
  ProjectionPlan plan = plan_method(target, rows, request, columns);
  plan.grid = grid_below(noise_scale(plan));
  describe_rows(plan.certificate, rows);
  describe_arithmetic(plan.certificate, Exactness::mitigated, plan.grid);
  if (plan.test) describe_sharper_loss(plan.certificate, description_of_test(*plan.test));
  else if (request.method == subsampled)
    describe_sharper_loss(plan.certificate, description_of(described::SubsampledProjection{
                                                {plan.columns, plan.ridge, rows.row_norm_bound},
                                                plan.sampling_rate}));
  // An earlier theorem is told by what it promises, though its ridge would prove more.
  else if (request.method == singular_value || request.method == additive)
    describe_loss_by_target(plan.certificate);
  else
    describe_sharper_loss(plan.certificate, description_of(described::ProjectionRelease{
                                                plan.columns, plan.ridge, rows.row_norm_bound}));
  return plan;
}

IntegerGram accumulate(const ProjectionPlan& plan, const Table& table, const RowRule& rule,
                       RandomSource& source, const ReadOptions& options) {
  if (plan.certificate.find("sampling_rate") == nullptr)
    return accumulate_gram(table, rule, plan.rows.row_norm_bound, options);
  return accumulate_sampled_gram(table, rule, plan.rows.row_norm_bound, plan.sampling_rate, source,
                                 options);
}

Released release_projection(const ProjectionPlan& plan, const IntegerGram& gram,
                            RandomSource& source) {
  plan.rows.require_same(gram, plan.sampling_rate);
  Certificate certificate = plan.certificate;
  const double ridge = plan.test ? tested_ridge(*plan.test, gram, certificate, source) : plan.ridge;
  const Eigen::MatrixXd root = square_root(with_ridge(gram, ridge), ridge);
  const auto columns = static_cast<Eigen::Index>(plan.columns);
  std::vector<std::string> names;
  for (Eigen::Index i = 1; i <= columns; ++i) names.push_back(fmt::format("{}", i));
  return {plan.rows.names, std::move(names),
          rounded(draw_columns(root, columns, source), plan.grid), std::move(certificate)};
}

}  // namespace modicum
