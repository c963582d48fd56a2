// What predictions of a Gaussian process cost in privacy.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "numerics/ball.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/lifting/gaussian_process_kernel.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

double require_rows(const GaussianProcessRequest& request) {
  if (!request.largest_rows)
    throw InvalidParameter(
        "largest_rows", "missing",
        "must be given: how far a row can move the posterior grows with the number of rows, which "
        "is private");
  const double rows = require_count("largest_rows", *request.largest_rows);
  if (request.kernel != PriorKernel::linear && rows > most_rows_of_distance_kernels)
    throw InvalidParameter("largest_rows", rows,
                           fmt::format("must be at most {} unless the kernel is linear: all pairs "
                                       "of rows are held in memory",
                                       most_rows_of_distance_kernels));
  return rows;
}

// k(x, x) of a row, rounded up.
double kernel_bound(const GaussianProcessRequest& request, double row_norm_bound) {
  if (request.kernel != PriorKernel::linear) return request.amplitude;
  const PrecisionScope scope(128);
  const Ball norm = row_norm_bound;
  return require_positive("amplitude", (Ball(request.amplitude) * norm * norm).upper());
}

// The matrix that is factorized has a condition of at most rows * l^2 / s^2 + 1. What rounding does
// to the posterior must stay small beside what a row does.
void require_well_conditioned(const GaussianProcessBounds& bounds, double size) {
  const double least = 0x1p-43 * size * bounds.largest_rows * bounds.kernel_bound;
  if (!(bounds.noise_variance >= least))
    throw InvalidParameter(
        "noise_variance", bounds.noise_variance,
        fmt::format("must be at least {} for so many rows: else rounding would matter", least));
}

RowBlock require_queries(const RowBlock& queries, const PublicRows& rows, PriorKernel kernel) {
  if (queries.cols() != rows.dimension() - 1)
    throw InvalidParameter(
        "queries", fmt::format("{} columns wide", queries.cols()),
        fmt::format("must have a column for each of the {} features", rows.dimension() - 1));
  if (queries.rows() < 1 || queries.rows() > most_queries)
    throw InvalidParameter("queries", fmt::format("{} points", queries.rows()),
                           fmt::format("must be 1 to {}", most_queries));
  if (!queries.allFinite()) throw InvalidParameter("queries", "not finite", "must be");
  if (kernel != PriorKernel::linear) return queries;
  const IntegerClip clip(rows.row_norm_bound);
  RowBlock clipped = queries;
  clip.apply(clipped);
  return clipped * clip.grid();
}

void describe(GaussianProcessPlan& plan) {
  Certificate& certificate = plan.certificate;
  const GaussianProcessBounds& bounds = plan.bounds;
  certificate.attained = false;
  certificate.theorem = "docs/derivations/gaussian-process.md";
  certificate.set("kernel", name_of(plan.kernel));
  if (plan.kernel != PriorKernel::linear) certificate.set("length_scale", plan.length_scale);
  certificate.set("amplitude", plan.amplitude);
  certificate.set("queries", static_cast<double>(plan.queries.rows()));
  certificate.set("kernel_bound", bounds.kernel_bound);
  certificate.set("noise_variance", bounds.noise_variance);
  certificate.set("target_bound", bounds.target_bound);
  certificate.set("largest_rows", bounds.largest_rows);
  certificate.set("prior_bound", bounds.prior_bound);
  certificate.set("lift_variance", plan.lift);
  certificate.set("noise_standard_deviation", plan.rows.scales.back() * std::sqrt(plan.lift));
  describe_columns(certificate, plan.rows);
  if (plan.kernel == PriorKernel::linear)
    certificate.set("row_norm_bound", plan.rows.row_norm_bound);
  describe_table(certificate, plan.rows.bad_rows, plan.rows.files);
  certificate.assumptions.push_back(
      fmt::format("no data set, neighbors included, has more than {} rows: a run that ends because "
                  "there are more tells so, and that is not covered",
                  bounds.largest_rows));
  certificate.assumptions.push_back(
      "the posterior computed in double arithmetic is as good as the true one");
  describe_arithmetic(certificate, Exactness::mitigated, plan.grid);
  describe_loss(certificate, description_of(described::GaussianProcessRelease{
                                 bounds.kernel_bound, bounds.noise_variance, bounds.target_bound,
                                 bounds.largest_rows, bounds.prior_bound, plan.lift}));
}

}  // namespace

RowBlock query_coordinates(const RowRule& rule, const RowBlock& points) {
  const auto features = static_cast<Eigen::Index>(rule.table_columns().size()) - 1;
  if (points.cols() != features)
    throw InvalidParameter("queries", fmt::format("{} columns wide", points.cols()),
                           fmt::format("must have a column for each of the {} features", features));
  RowBlock block = RowBlock::Zero(points.rows(), features + 1);
  block.leftCols(features) = points;
  return rule.apply(block).leftCols(static_cast<Eigen::Index>(rule.width()) - 1);
}

GaussianProcessPlan plan_gaussian_process(const PrivacyTarget& target, const PublicRows& rows,
                                          const RowBlock& queries,
                                          const GaussianProcessRequest& request) {
  if (rows.dimension() < 2)
    throw InvalidParameter("coordinates", static_cast<double>(rows.dimension()),
                           "must be two at least: a feature and the target");
  const bool linear = request.kernel == PriorKernel::linear;
  refuse_unused("length_scale", request.length_scale, !linear);
  const double length_scale = require_positive("length_scale", request.length_scale.value_or(1.0));
  require_positive("amplitude", request.amplitude);
  const double largest_rows = require_rows(request);
  const RowBlock points = require_queries(queries, rows, request.kernel);
  const double row_bound = kernel_bound(request, rows.row_norm_bound);
  // Not 0, as it would be for a linear kernel at the origin: any larger number is a bound, too.
  const double prior_bound =
      std::max(0x1p-40 * row_bound, largest_eigenvalue_bound(kernel_matrix(
                                        request.kernel, length_scale, request.amplitude, points)));
  const GaussianProcessBounds bounds(
      row_bound, require_given("noise_variance", request.noise_variance),
      require_given("target_bound", request.target_bound), largest_rows, prior_bound);
  require_well_conditioned(bounds, linear ? static_cast<double>(rows.dimension()) : largest_rows);
  const GaussianProcessCalibration found = calibrate_gaussian_process(target, bounds);
  require_achieved(target, found.achieved);
  GaussianProcessPlan plan{
      rows,
      request.kernel,
      length_scale,
      request.amplitude,
      bounds,
      points,
      found.lift,
      grid_below(std::sqrt(found.lift)),
      Certificate("gaussian_process", {found.achieved.epsilon, target.delta}, found.achieved)};
  describe(plan);
  return plan;
}

}  // namespace modicum
