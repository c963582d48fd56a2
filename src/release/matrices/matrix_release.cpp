#include "modicum/release/matrix_release.h"

#include <fmt/format.h>

#include <cmath>

#include "modicum/numerics/largest_eigenvalue.h"
#include "numerics/ball.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/matrices/matrix_given.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

constexpr double largest_matrix = 10000.0;

// t / sqrt 2, rounded upwards: more noise, less loss.
double over_root_two(double deviation) {
  const PrecisionScope scope(128);
  return (Ball(deviation) / sqrt(Ball(2.0))).upper();
}

// The loss is that of one Gaussian: with what is on the diagonal as its deviation, the Frobenius
// norm of the difference is the distance.
void describe_as_gaussian(Certificate& certificate, double deviation, double sensitivity) {
  describe_loss(certificate, description_of(described::Gaussian{deviation, sensitivity}));
}

Certificate describe(const PrivacyTarget& target, const MatrixPlan& plan,
                     const ProfilePoint& achieved) {
  const bool ensemble = plan.noise == MatrixNoise::gaussian_orthogonal_ensemble;
  Certificate certificate(ensemble ? "gaussian_orthogonal_ensemble" : "analyze_gauss", target,
                          achieved);
  certificate.set("statistic", "matrix");
  certificate.set("dimension", plan.dimension);
  certificate.set("sensitivity", plan.sensitivity);
  certificate.set("standard_deviation", plan.standard_deviation);
  certificate.set("diagonal_standard_deviation", plan.diagonal_standard_deviation);
  describe_given_matrix(certificate, plan.sensitivity, "Frobenius");
  certificate.assumptions.push_back("its entries are below 2^100 grids for every data set");
  return certificate;
}

}  // namespace

double noise_norm_bound(const MatrixPlan& plan, double failure) {
  require_failure(failure);
  // Both ends of the spectrum have the law of the largest eigenvalue. Less noise on the diagonal
  // than the ensemble has makes the norm smaller [Anderson1955].
  const double quantile = goe_largest_eigenvalue_quantile(plan.dimension, 0.5 * failure).upper();
  const PrecisionScope scope(128);
  // A matrix of roundings has entries of at most half a grid.
  return (Ball(plan.standard_deviation) * Ball(quantile) +
          Ball(plan.dimension) * Ball(plan.grid) / 2.0)
      .upper();
}

MatrixPlan plan_matrix(const PrivacyTarget& target, double dimension, double sensitivity,
                       MatrixNoise noise, std::optional<double> failure) {
  require_dimension(dimension, largest_matrix);
  require_positive("sensitivity", sensitivity);
  const Calibration found = calibrate_gaussian(target, sensitivity);
  require_achieved(target, found.achieved);
  const bool ensemble = noise == MatrixNoise::gaussian_orthogonal_ensemble;
  const double off_diagonal = ensemble ? over_root_two(found.parameter) : found.parameter;
  MatrixPlan plan{noise,
                  dimension,
                  sensitivity,
                  off_diagonal,
                  found.parameter,
                  grid_below(off_diagonal),
                  Certificate("", target, found.achieved)};
  plan.certificate = describe(target, plan, found.achieved);
  if (failure) {
    plan.certificate.set("noise_norm_bound", noise_norm_bound(plan, *failure));
    plan.certificate.set("noise_norm_failure", *failure);
  }
  describe_arithmetic(plan.certificate, Exactness::exact, plan.grid);
  describe_as_gaussian(plan.certificate, found.parameter, sensitivity);
  return plan;
}

Released release_matrix(const MatrixPlan& plan, const Eigen::MatrixXd& matrix,
                        RandomSource& source) {
  require_given_matrix(matrix, plan.dimension);
  const Eigen::Index size = matrix.rows();
  Eigen::MatrixXd values(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = i; j < size; ++j) {
      const double deviation = i == j ? plan.diagonal_standard_deviation : plan.standard_deviation;
      values(i, j) = values(j, i) = to_double(
          add_rounded_normal(split(matrix(i, j), plan.grid), deviation, plan.grid, source),
          plan.grid);
    }
  const std::vector<std::string> names = numbered(size);
  return {names, names, std::move(values), plan.certificate};
}

}  // namespace modicum
