#include "modicum/release/lift.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "modicum/randomness/samplers.h"
#include "numerics/dense.h"
#include "release/certificates/public_certificate.h"
#include "release/sketches/gram_draws.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

GaussianDistribution lifted(GaussianDistribution law, double noise_variance) {
  law.covariance.diagonal().array() += noise_variance;
  return law;
}

void require_law(const GaussianDistribution& law) {
  const Eigen::Index d = law.mean.size();
  if (d == 0 || law.covariance.rows() != d || law.covariance.cols() != d)
    throw InvalidParameter("the output", "a mean and a covariance of different sizes",
                           "must be a mean and a square covariance of its size");
  if (!law.mean.allFinite() || !law.covariance.allFinite())
    throw InvalidParameter("the output", "not finite", "must have finite mean and covariance");
  // Beyond rounding: what is drawn instead would not keep the order of two such matrices.
  const Eigen::VectorXd eigenvalues = symmetric_eigenvalues(law.covariance);
  if (!(eigenvalues.minCoeff() >= -1e-9 * eigenvalues.cwiseAbs().maxCoeff()))
    throw InvalidParameter("the output", "a covariance with a negative eigenvalue",
                           "must have a covariance");
}

}  // namespace

LiftPlan plan_of_lift(const std::string& mechanism, const PrivacyTarget& target,
                      const LiftCalibration& calibration) {
  const ProfilePoint achieved = calibration.bounds.upper_bound();
  require_achieved(target, achieved);
  LiftPlan plan{calibration.noise_variance, grid_below(std::sqrt(calibration.noise_variance)),
                Certificate(mechanism, target, achieved)};
  plan.certificate.adjacency = add_or_remove_one_row;
  plan.certificate.theorem = "docs/derivations/lifting.md";
  describe_lift(plan.certificate, calibration);
  describe_arithmetic(plan.certificate, Exactness::mitigated, plan.grid);
  return plan;
}

Eigen::VectorXd draw_lifted(const Eigen::VectorXd& mean, const Eigen::MatrixXd& root,
                            double noise_variance, double grid, RandomSource& source) {
  require_positive("noise_variance", noise_variance);
  const double deviation =
      std::nextafter(std::sqrt(noise_variance), std::numeric_limits<double>::infinity());
  Eigen::VectorXd values = mean + draw_columns(root, 1, source).col(0);
  for (double& value : values)
    value = to_double(add_rounded_normal(split(value, grid), deviation, grid, source), grid);
  return values;
}

Eigen::VectorXd draw_lifted(const GaussianDistribution& output, double noise_variance, double grid,
                            RandomSource& source) {
  require_law(output);
  return draw_lifted(output.mean, square_root(output.covariance, 0.0), noise_variance, grid,
                     source);
}

AuditResult audit_lifted_pair(const LiftPlan& plan, const GaussianDistribution& x,
                              const GaussianDistribution& y) {
  const auto spectrum = reduce_pair(lifted(x, plan.noise_variance), lifted(y, plan.noise_variance));
  const PrivacyLoss loss =
      spectrum ? PrivacyLoss::gaussian(*spectrum) : PrivacyLoss::mutually_singular();
  return audit_loss(loss, plan.certificate.target);
}

bool within_sensitivity(const OutputSensitivity& sensitivity, double noise_variance,
                        const GaussianDistribution& x, const GaussianDistribution& y) {
  constexpr double rounding = 1e-9;
  const auto forward = reduce_pair(lifted(x, noise_variance), lifted(y, noise_variance));
  if (!forward) return false;
  const auto fits = [&](const GaussianSpectrum& spectrum) {
    double mean_square = 0.0, directions = 0.0;
    for (const SpectrumComponent& component : spectrum.components()) {
      const double excess = component.excess.high;
      if (!(excess >= -rounding &&
            excess <= sensitivity.variance_excess * (1.0 + rounding) + rounding))
        return false;
      if (excess > rounding) directions += component.multiplicity;
      mean_square += component.mean_square.high;
    }
    return std::sqrt(mean_square) <= sensitivity.mean_shift * (1.0 + rounding) + rounding &&
           directions <= sensitivity.rank;
  };
  return fits(*forward) || fits(forward->reversed());
}

}  // namespace modicum
