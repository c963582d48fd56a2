// The least eigenvalue of a given matrix, and how far releases of either are off.
#include <cmath>

#include "modicum/numerics/largest_eigenvalue.h"
#include "modicum/release/matrix_release.h"
#include "numerics/ball.h"
#include "numerics/dense.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/matrices/matrix_eigenvalue.h"
#include "release/matrices/matrix_given.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

// Factors in balls take seconds at 500 rows.
constexpr double largest_dimension = 1000.0;
// Of the sensitivity: adds two millionths to it, and takes matrices of a billion times its norm.
constexpr double share_of_precision = 0x1p-20;

// On neighboring data sets both eigenvalues may be off.
double with_precision(double sensitivity, double precision) {
  const PrecisionScope scope(128);
  return (Ball(sensitivity) + Ball(2.0) * Ball(precision)).upper();
}

// |N(0, deviation^2)| is above this with probability `failure`: one row of the ensemble is N(0, 2).
double absolute_quantile(double deviation, double grid, double failure) {
  require_failure(failure);
  const double quantile = goe_largest_eigenvalue_quantile(1.0, 0.5 * failure).upper();
  const PrecisionScope scope(128);
  return (Ball(deviation) * Ball(quantile) / sqrt(Ball(2.0)) + Ball(grid) / 2.0).upper();
}

}  // namespace

EigenvaluePlan plan_least_eigenvalue(const PrivacyTarget& target, double dimension,
                                     double sensitivity, std::optional<double> failure) {
  require_dimension(dimension, largest_dimension);
  const double precision = require_positive(
      "sensitivity", require_positive("sensitivity", sensitivity) * share_of_precision);
  const double calibrated = with_precision(sensitivity, precision);
  const Calibration found = calibrate_gaussian(target, calibrated);
  require_achieved(target, found.achieved);
  Certificate certificate("gaussian", target, found.achieved);
  certificate.set("statistic", "least eigenvalue");
  certificate.set("dimension", dimension);
  certificate.set("sensitivity", calibrated);
  certificate.set("spectral_sensitivity", sensitivity);
  certificate.set("precision", precision);
  certificate.set("standard_deviation", found.parameter);
  const double grid = grid_below(found.parameter);
  if (failure) {
    certificate.set("noise_bound", absolute_quantile(found.parameter, grid, *failure));
    certificate.set("noise_failure", *failure);
  }
  describe_given_matrix(certificate, sensitivity, "spectral");
  certificate.assumptions.push_back(
      "the least eigenvalue can be proved to that precision for every data set, as it can unless "
      "the matrix is some billion times the sensitivity");
  describe_arithmetic(certificate, Exactness::exact, grid);
  describe_loss(certificate, description_of(described::Gaussian{found.parameter, calibrated}));
  return {dimension, sensitivity, precision, found.parameter, grid, std::move(certificate)};
}

Released release_least_eigenvalue(const EigenvaluePlan& plan, const Eigen::MatrixXd& matrix,
                                  RandomSource& source) {
  require_given_matrix(matrix, plan.dimension);
  const double answer = least_eigenvalue_within(from_upper_triangle(matrix), plan.precision);
  const double value = to_double(
      add_rounded_normal(split(answer, plan.grid), plan.standard_deviation, plan.grid, source),
      plan.grid);
  return {
      {"least eigenvalue"}, {"value"}, Eigen::MatrixXd::Constant(1, 1, value), plan.certificate};
}

Diagnostics diagnose_matrix(const Released& released, const Eigen::MatrixXd& matrix) {
  const auto norm = [](const Eigen::MatrixXd& symmetric) {
    return symmetric_eigenvalues(symmetric).cwiseAbs().maxCoeff();
  };
  const Eigen::MatrixXd truth = from_upper_triangle(matrix), error = released.values - truth;
  return {{"spectral_error", norm(error)},
          {"relative_spectral_error", norm(error) / norm(truth)},
          {"frobenius_error", error.norm()},
          {"relative_frobenius_error", error.norm() / truth.norm()}};
}

Diagnostics diagnose_least_eigenvalue(const Released& released, const Eigen::MatrixXd& matrix) {
  const double truth = symmetric_eigenvalues(from_upper_triangle(matrix))[0];
  return {{"least_eigenvalue", truth}, {"error", released.values(0, 0) - truth}};
}

}  // namespace modicum
