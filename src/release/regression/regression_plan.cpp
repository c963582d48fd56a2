// What each method of regression costs in privacy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/release/regression_release.h"
#include "modicum/release/vector_release.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/matrices/moment_noise.h"
#include "release/regression/adaptive_statistics.h"
#include "release/regression/regression_methods.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

constexpr const char* page = "docs/derivations/least-squares.md";
constexpr const char* sketch_page = "docs/derivations/projection.md";

// The parts of a plan that the methods do not share.
RegressionPlan make_plan(const PrivacyTarget& target, const PublicRows& rows,
                         const RegressionRequest& request, const std::string& mechanism,
                         const ProfilePoint& achieved, const char* theorem,
                         decltype(RegressionPlan::draw) draw, double grid) {
  require_achieved(target, achieved);
  Certificate certificate(mechanism, target, achieved);
  certificate.set("method", name_of(request.method));
  certificate.theorem = theorem;
  describe_bound(certificate);
  return {rows, std::move(draw), grid, std::move(certificate)};
}

// From a sketch. Of an empty table the standardized coefficients have deviation 1 / sqrt(columns):
// a public scale for the grid.
template <class Draw>
RegressionPlan make_plan(const PrivacyTarget& target, const PublicRows& rows,
                         const RegressionRequest& request, const std::string& mechanism,
                         const ProfilePoint& achieved, const char* theorem, const Draw& draw) {
  RegressionPlan plan = make_plan(target, rows, request, mechanism, achieved, theorem, draw,
                                  grid_below(1.0 / std::sqrt(draw.sketch.columns)));
  plan.certificate.set("columns", draw.sketch.columns);
  plan.certificate.set("ridge", draw.sketch.ridge);
  return plan;
}

template <class Draw = DrawnSolution>
RegressionPlan plan_draw(const PrivacyTarget& target, const PublicRows& rows,
                         const RegressionRequest& request, double columns) {
  const double features = static_cast<double>(rows.dimension() - 1);
  const LeastSquaresCalibration found =
      calibrate_least_squares(target, columns, features, rows.row_norm_bound);
  RegressionPlan plan = make_plan(target, rows, request, "least_squares", found.achieved, page,
                                  Draw{{columns, found.ridge}});
  plan.certificate.set("features", features);
  plan.certificate.set("full_leverage", found.full_leverage);
  plan.certificate.set("row_leverage", found.row_leverage);
  plan.certificate.achieved = found.achieved;
  plan.certificate.attained = true;
  return plan;
}

RegressionPlan plan_approximate(const PrivacyTarget& target, const PublicRows& rows,
                                const RegressionRequest& request, double columns) {
  RegressionPlan plan = plan_draw<SolvedSketch>(target, rows, request, columns);
  Certificate& certificate = plan.certificate;
  certificate.mechanism = "approximate_least_squares";
  certificate.guarantee = Guarantee::asymptotic;
  describe_bound(certificate);
  // The solution is made from the sketch, so what the sketch costs is a proof for any columns.
  const ProfilePoint finite =
      profile(ridge_projection(columns, plan.sketch()->ridge, rows.row_norm_bound), target.epsilon,
              Accuracy::certified);
  certificate.set("finite_sample_delta", finite.delta().upper());
  certificate.assumptions.push_back(
      "the sketch has so many columns that its solution is practically normal; without that, the "
      "delta proved is finite_sample_delta");
  return plan;
}

void assume_set(Certificate& certificate, double leverage, double residual) {
  certificate.guarantee = Guarantee::relative;
  certificate.assumptions.push_back(fmt::format(
      "the data set and its neighbor belong to a set, declared from public knowledge, in which no "
      "row has a leverage above {} in the features, nor more than {} above that with the target",
      leverage, residual));
  certificate.assumptions.push_back(
      "in every data set of it the features are independent, and the residual is not zero: a run "
      "that ends because they are not tells so, and that is not covered");
}

RegressionPlan plan_relative(const PrivacyTarget& target, const PublicRows& rows,
                             const RegressionRequest& request, double columns) {
  const double features = static_cast<double>(rows.dimension() - 1);
  const double leverage = require_given("set_leverage", request.set_leverage);
  const double residual = require_given("set_residual", request.set_residual);
  const ProfilePoint inherent =
      least_squares_supremum_relative(columns, features, leverage, residual, target.epsilon);
  const bool enough =
      inherent.proof == Proof::certified && inherent.delta().upper() <= target.delta;
  RegressionPlan plan = enough ? make_plan(target, rows, request, "least_squares", inherent, page,
                                           DrawnSolution{{columns, 0.0}})
                               : plan_draw(target, rows, request, columns);
  plan.certificate.set("set_leverage", leverage);
  plan.certificate.set("set_residual", residual);
  if (!enough) return plan;
  plan.certificate.set("features", features);
  assume_set(plan.certificate, leverage, residual);
  return plan;
}

// The sketch is private, so whatever is solved from it is.
RegressionPlan plan_sketch(const PrivacyTarget& target, const PublicRows& rows,
                           const RegressionRequest& request, double columns) {
  const double bound = rows.row_norm_bound;
  if (request.method == RegressionMethod::additive) {
    const AdditiveProjectionCalibration found =
        calibrate_additive_projection(target, columns, bound);
    const RidgeSketch sketch{columns, found.standard_deviation * found.standard_deviation};
    RegressionPlan plan = make_plan(target, rows, request, "random_projection", found.achieved,
                                    sketch_page, SolvedSketch{sketch});
    plan.certificate.set("standard_deviation", found.standard_deviation);
    return plan;
  }
  const ProjectionCalibration found =
      request.method == RegressionMethod::singular_value
          ? calibrate_singular_value_projection(target, columns, bound)
          : calibrate_projection(target, columns, bound);
  RegressionPlan plan = make_plan(target, rows, request, "random_projection", found.achieved,
                                  sketch_page, SolvedSketch{{columns, found.ridge}});
  plan.certificate.set("leverage", found.leverage);
  return plan;
}

// A row has a leverage of q at most in [B, b]: p in the features and q - p more with the target, so
// the sketch itself tells no more than one of leverage set_leverage + set_residual. Its solution
// has the law of a draw, in the limit of many columns.
RegressionPlan plan_relative_sketch(const PrivacyTarget& target, const PublicRows& rows,
                                    const RegressionRequest& request, double columns) {
  const double features = static_cast<double>(rows.dimension() - 1);
  const double leverage =
      require_open_unit("set_leverage", require_given("set_leverage", request.set_leverage));
  const double residual =
      require_non_negative("set_residual", require_given("set_residual", request.set_residual));
  const double together = std::nextafter(leverage + residual, 2.0);
  if (!(together < 1.0))
    throw InvalidParameter("set_residual", residual,
                           "must leave the sum with set_leverage below 1");
  const bool limit = request.method == RegressionMethod::relative_approximate;
  const ProfilePoint inherent =
      limit ? least_squares_supremum_relative(columns, features, leverage, residual, target.epsilon)
            : profile(random_projection(columns, together), target.epsilon, Accuracy::certified);
  const bool enough =
      inherent.proof == Proof::certified && inherent.delta().upper() <= target.delta;
  RegressionPlan plan =
      enough  ? make_plan(target, rows, request,
                         limit ? "approximate_least_squares" : "random_projection", inherent,
                         limit ? page : sketch_page, SolvedSketch{{columns, 0.0}})
      : limit ? plan_approximate(target, rows, request, columns)
              : plan_sketch(target, rows, request, columns);
  plan.certificate.set("set_leverage", leverage);
  plan.certificate.set("set_residual", residual);
  if (!enough) return plan;
  assume_set(plan.certificate, leverage, residual);
  if (!limit) return plan;
  plan.certificate.guarantee = Guarantee::asymptotic;
  plan.certificate.assumptions.push_back(
      "the sketch has so many columns that its solution is practically normal");
  return plan;
}

RegressionPlan plan_moments(const PrivacyTarget& target, const PublicRows& rows,
                            const RegressionRequest& request) {
  const MomentNoise noise = plan_moment_noise(target, rows.row_norm_bound);
  RegressionPlan plan =
      make_plan(target, rows, request, "gaussian_orthogonal_ensemble", noise.achieved, sketch_page,
                SolvedMoments{noise.off_diagonal, noise.diagonal}, noise.grid);
  plan.certificate.set("standard_deviation", noise.off_diagonal);
  plan.certificate.set("diagonal_standard_deviation", noise.diagonal);
  return plan;
}

RegressionPlan plan_adaptive(const PrivacyTarget& target, const PublicRows& rows,
                             const RegressionRequest& request) {
  const AdaptiveStatistics statistics(target, rows);
  RegressionPlan plan =
      make_plan(target, rows, request, "adaptive_sufficient_statistics", statistics.achieved(),
                "docs/derivations/gaussian-spectrum.md",
                AdaptiveSolution{statistics.standard_deviation()}, statistics.grid());
  plan.certificate.set("standard_deviation", statistics.standard_deviation());
  plan.certificate.set("target_standard_deviation", statistics.target_standard_deviation());
  return plan;
}

RegressionPlan plan_solution_noise(const PrivacyTarget& target, const PublicRows& rows,
                                   const RegressionRequest& request) {
  const double sensitivity = require_given("solution_sensitivity", request.solution_sensitivity);
  const VectorNoisePlan noise = plan_vector_noise(
      target, VectorNoise::gaussian, static_cast<double>(rows.dimension() - 1), sensitivity, 0.0);
  const NoisySolution draw{noise.standard_deviation.value()};
  RegressionPlan plan = make_plan(target, rows, request, "gaussian", noise.achieved,
                                  "docs/derivations/gaussian-spectrum.md", draw, noise.grid);
  Certificate& certificate = plan.certificate;
  certificate.set("solution_sensitivity", sensitivity);
  certificate.set("standard_deviation", draw.standard_deviation);
  certificate.guarantee = Guarantee::relative;
  certificate.assumptions.push_back(fmt::format(
      "the data set and its neighbor belong to a set, declared from public knowledge, in which "
      "one row moves the standardized solution by at most {} in Euclidean distance",
      sensitivity));
  certificate.assumptions.push_back(
      "in every data set of it the features are independent: a run that ends because they are not "
      "tells so, and that is not covered");
  return plan;
}

RegressionPlan plan_method(const PrivacyTarget& target, const PublicRows& rows,
                           const RegressionRequest& request, double columns) {
  switch (request.method) {
    case RegressionMethod::least_squares:
      return plan_draw(target, rows, request, columns);
    case RegressionMethod::approximate:
      return plan_approximate(target, rows, request, columns);
    case RegressionMethod::projection:
    case RegressionMethod::singular_value:
    case RegressionMethod::additive:
      return plan_sketch(target, rows, request, columns);
    case RegressionMethod::covariance:
      return plan_moments(target, rows, request);
    case RegressionMethod::adaptive_sufficient_statistics:
      return plan_adaptive(target, rows, request);
    case RegressionMethod::relative:
      return plan_relative(target, rows, request, columns);
    case RegressionMethod::relative_projection:
    case RegressionMethod::relative_approximate:
      return plan_relative_sketch(target, rows, request, columns);
    case RegressionMethod::relative_gaussian:
      return plan_solution_noise(target, rows, request);
  }
  throw Error("there is no such method");
}

// Sketches are solved, so they need as many columns as there are coordinates; draws need one.
double columns_for(const RegressionRequest& request, double features) {
  const double columns = request.columns.value_or(default_regression_columns(features));
  require_count("columns", columns);
  const bool solved = solves_a_sketch(request.method);
  if (solved && !(columns >= features + 1.0))
    throw InvalidParameter("columns", columns,
                           "must be at least the number of features and one more");
  return columns;
}

}  // namespace

const char* name_of(RegressionMethod method) {
  switch (method) {
    case RegressionMethod::least_squares:
      return "least-squares";
    case RegressionMethod::approximate:
      return "approximate";
    case RegressionMethod::projection:
      return "projection";
    case RegressionMethod::covariance:
      return "covariance";
    case RegressionMethod::adaptive_sufficient_statistics:
      return "adaptive-sufficient-statistics";
    case RegressionMethod::singular_value:
      return "singular-value";
    case RegressionMethod::additive:
      return "additive";
    case RegressionMethod::relative:
      return "relative";
    case RegressionMethod::relative_projection:
      return "relative-projection";
    case RegressionMethod::relative_approximate:
      return "relative-approximate";
    case RegressionMethod::relative_gaussian:
      return "relative-gaussian";
  }
  return "";
}

bool solves_a_sketch(RegressionMethod method) {
  return method == RegressionMethod::approximate || method == RegressionMethod::projection ||
         method == RegressionMethod::singular_value || method == RegressionMethod::additive ||
         method == RegressionMethod::relative_projection ||
         method == RegressionMethod::relative_approximate;
}

const RidgeSketch* RegressionPlan::sketch() const {
  if (const auto* drawn = std::get_if<DrawnSolution>(&draw)) return &drawn->sketch;
  if (const auto* solved = std::get_if<SolvedSketch>(&draw)) return &solved->sketch;
  return nullptr;
}

double default_regression_columns(double features) {
  return std::max(100.0, 10.0 * (features + 1.0));
}

RegressionPlan plan_regression(const PrivacyTarget& target, const PublicRows& rows,
                               const RegressionRequest& request) {
  if (rows.dimension() < 2)
    throw InvalidParameter("coordinates", static_cast<double>(rows.dimension()),
                           "must be two at least: a feature and the target");
  const bool draws = request.method == RegressionMethod::least_squares ||
                     request.method == RegressionMethod::relative;
  const bool sketches = draws || solves_a_sketch(request.method);
  refuse_unused("columns", request.columns, sketches);
  const bool declares = request.method == RegressionMethod::relative ||
                        request.method == RegressionMethod::relative_projection ||
                        request.method == RegressionMethod::relative_approximate;
  refuse_unused("set_leverage", request.set_leverage, declares);
  refuse_unused("set_residual", request.set_residual, declares);
  refuse_unused("solution_sensitivity", request.solution_sensitivity,
                request.method == RegressionMethod::relative_gaussian);
  const double features = static_cast<double>(rows.dimension() - 1);
  RegressionPlan plan =
      plan_method(target, rows, request, sketches ? columns_for(request, features) : 0.0);
  describe_rows(plan.certificate, rows);
  describe_arithmetic(
      plan.certificate,
      request.method == RegressionMethod::covariance ? Exactness::exact : Exactness::mitigated,
      plan.grid);
  if (request.method == RegressionMethod::covariance)
    describe_loss(plan.certificate,
                  description_of(described::CovarianceRelease{
                      std::get<SolvedMoments>(plan.draw).standard_deviation, rows.row_norm_bound}));
  else if (request.method == RegressionMethod::projection)
    describe_sharper_loss(plan.certificate,
                          description_of(described::ProjectionRelease{
                              plan.sketch()->columns, plan.sketch()->ridge, rows.row_norm_bound}));
  else if (request.method == RegressionMethod::least_squares)
    describe_sharper_loss(plan.certificate, description_of(described::LeastSquaresRelease{
                                                plan.sketch()->columns, features,
                                                plan.sketch()->ridge, rows.row_norm_bound}));
  else if (request.method == RegressionMethod::adaptive_sufficient_statistics)
    describe_sharper_loss(plan.certificate, AdaptiveStatistics(target, rows).description());
  else describe_loss_by_target(plan.certificate);
  return plan;
}

}  // namespace modicum
