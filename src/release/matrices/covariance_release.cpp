#include "modicum/release/covariance_release.h"

#include <cmath>

#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/mechanisms/random_projection.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/matrices/moment_noise.h"
#include "release/sketches/gram_draws.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

constexpr const char* page = "docs/derivations/projection.md";
constexpr double most_columns = 1e6;

CovariancePlan plan_noise(const PrivacyTarget& target, const PublicRows& rows) {
  const MomentNoise noise = plan_moment_noise(target, rows.row_norm_bound);
  Certificate certificate("gaussian_orthogonal_ensemble", target, noise.achieved);
  certificate.set("method", "gaussian-orthogonal-ensemble");
  certificate.set("standard_deviation", noise.off_diagonal);
  certificate.set("diagonal_standard_deviation", noise.diagonal);
  certificate.attained = true;
  certificate.theorem = page;
  return {rows,           std::nullopt, noise.off_diagonal,
          noise.diagonal, noise.grid,   std::move(certificate)};
}

CovariancePlan plan_sketch(const PrivacyTarget& target, const PublicRows& rows,
                           CovarianceMethod method, double columns) {
  const bool published = method == CovarianceMethod::singular_value;
  const ProjectionCalibration found =
      published ? calibrate_singular_value_projection(target, columns, rows.row_norm_bound)
                : calibrate_projection(target, columns, rows.row_norm_bound);
  // Of an empty table, off the diagonal: ridge times a mean of products of independent normals.
  const double deviation = found.ridge / std::sqrt(columns);
  Certificate certificate("random_projection", target, found.achieved);
  certificate.set("method", published ? "singular-value" : "projection");
  certificate.set("columns", columns);
  certificate.set("leverage", found.leverage);
  certificate.set("ridge", found.ridge);
  certificate.set("standard_deviation", deviation);
  certificate.attained = true;
  certificate.theorem = page;
  return {rows,
          RidgeSketch{columns, found.ridge},
          deviation,
          std::sqrt(2.0) * deviation,
          grid_below(deviation),
          std::move(certificate)};
}

// M M^T / r - ridge I, from a root of M M^T.
Eigen::MatrixXd sketched_moments(const RidgeSketch& sketch, double grid, const IntegerGram& gram,
                                 RandomSource& source) {
  const Eigen::MatrixXd root = square_root(with_ridge(gram, sketch.ridge), sketch.ridge);
  const Eigen::MatrixXd drawn = draw_moment_root(root, sketch.columns, source);
  Eigen::MatrixXd moments = drawn * drawn.transpose() / sketch.columns;
  moments.diagonal().array() -= sketch.ridge;
  return rounded(0.5 * (moments + moments.transpose()), grid);
}

}  // namespace

MomentNoise plan_moment_noise(const PrivacyTarget& target, double row_norm_bound) {
  const Calibration found = calibrate_covariance(target, row_norm_bound);
  require_achieved(target, found.achieved);
  // sqrt 2 times as much on the diagonal, rounded upwards: more noise, less loss.
  const double diagonal =
      std::nextafter(std::nextafter(found.parameter * std::sqrt(2.0), HUGE_VAL), HUGE_VAL);
  return {found.parameter, diagonal, moment_grid(found.parameter, row_norm_bound), found.achieved};
}

CovariancePlan plan_covariance(const PrivacyTarget& target, const PublicRows& rows,
                               const CovarianceRequest& request) {
  const bool noise = request.method == CovarianceMethod::gaussian_orthogonal_ensemble;
  refuse_unused("columns", request.columns, !noise);
  CovariancePlan plan =
      noise ? plan_noise(target, rows)
            : plan_sketch(target, rows, request.method,
                          require_count("columns", request.columns.value_or(most_columns)));
  describe_rows(plan.certificate, rows);
  describe_arithmetic(plan.certificate, noise ? Exactness::exact : Exactness::mitigated, plan.grid);
  if (noise)
    describe_loss(plan.certificate, description_of(described::CovarianceRelease{
                                        plan.standard_deviation, rows.row_norm_bound}));
  else if (request.method == CovarianceMethod::projection)
    describe_loss(plan.certificate,
                  description_of(described::ProjectionRelease{
                      plan.sketch->columns, plan.sketch->ridge, rows.row_norm_bound}));
  else describe_loss_by_target(plan.certificate);
  return plan;
}

Released release_covariance(const CovariancePlan& plan, const IntegerGram& gram,
                            RandomSource& source) {
  plan.rows.require_same(gram);
  Eigen::MatrixXd values = plan.sketch
                               ? sketched_moments(*plan.sketch, plan.grid, gram, source)
                               : noisy_moments(gram, plan.standard_deviation,
                                               plan.diagonal_standard_deviation, plan.grid, source);
  return {plan.rows.names, plan.rows.names, std::move(values), plan.certificate};
}

}  // namespace modicum
