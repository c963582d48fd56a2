// Your own algorithm, lifted: whatever answers with a draw from N(mean(D), covariance(D)), and says
// how far one record moves that law, is made private by noise on top.
//
//   struct NoisyMean {
//     using Data = std::vector<double>;
//     std::string name() const;
//     std::vector<std::string> assumptions() const;         // what the sensitivity relies on
//     GaussianDistribution output(const Data&) const;
//     OutputSensitivity sensitivity(double noise_variance) const;
//   };
//   const LiftPlan plan = plan_lift(NoisyMean{}, {1.0, 1e-6});
//   const Released released = release_lift(plan, NoisyMean{}, data, source);
#pragma once

#include <concepts>
#include <string>
#include <vector>

#include "modicum/auditing/pair_audit.h"
#include "modicum/mechanisms/lifting.h"
#include "modicum/privacy/gaussian_pair.h"
#include "modicum/randomness/random_source.h"
#include "modicum/release/released.h"

namespace modicum {

template <class Algorithm>
concept GaussianOutput = requires(const Algorithm& algorithm, const typename Algorithm::Data& data,
                                  double noise_variance) {
  { algorithm.name() } -> std::convertible_to<std::string>;
  { algorithm.assumptions() } -> std::convertible_to<std::vector<std::string>>;
  { algorithm.output(data) } -> std::convertible_to<GaussianDistribution>;
  /// For every pair of neighbors, with this added to both covariances; not increasing in it.
  { algorithm.sensitivity(noise_variance) } -> std::convertible_to<OutputSensitivity>;
};

struct LiftPlan {
  double noise_variance;
  double grid;  ///< of the released numbers
  Certificate certificate;
};

/// What a calibration of lifted noise says in a certificate.
LiftPlan plan_of_lift(const std::string& mechanism, const PrivacyTarget& target,
                      const LiftCalibration& calibration);

/// A draw from N(mean, covariance) in doubles, plus exact noise, rounded to the grid.
/// Throws InvalidParameter for a law that is none.
Eigen::VectorXd draw_lifted(const GaussianDistribution& output, double noise_variance, double grid,
                            RandomSource& source);

/// The same with a root F of the covariance, F F^T.
Eigen::VectorXd draw_lifted(const Eigen::VectorXd& mean, const Eigen::MatrixXd& root,
                            double noise_variance, double grid, RandomSource& source);

/// The exact delta between the lifted outputs on two data sets against the target.
AuditResult audit_lifted_pair(const LiftPlan& plan, const GaussianDistribution& x,
                              const GaussianDistribution& y);

/// Whether two outputs, lifted by so much, are as close as the sensitivity says, up to rounding.
bool within_sensitivity(const OutputSensitivity& sensitivity, double noise_variance,
                        const GaussianDistribution& x, const GaussianDistribution& y);

/// Throws CalibrationFailed. `start` is any guess above 0.
template <GaussianOutput Algorithm>
LiftPlan plan_lift(const Algorithm& algorithm, const PrivacyTarget& target, double start = 1.0) {
  const auto sensitivity = [&](double noise) {
    return OutputSensitivity(algorithm.sensitivity(noise));
  };
  LiftPlan plan =
      plan_of_lift(algorithm.name(), target, calibrate_lift(target, sensitivity, start));
  for (const std::string& assumption : std::vector<std::string>(algorithm.assumptions()))
    plan.certificate.assumptions.push_back(assumption);
  return plan;
}

/// One column of numbers, named 1, 2, ...
template <GaussianOutput Algorithm>
Released release_lift(const LiftPlan& plan, const Algorithm& algorithm,
                      const typename Algorithm::Data& data, RandomSource& source) {
  Released released{{}, {"value"}, {}, plan.certificate};
  released.values = draw_lifted(algorithm.output(data), plan.noise_variance, plan.grid, source);
  for (Eigen::Index i = 1; i <= released.values.rows(); ++i)
    released.row_names.push_back(std::to_string(i));
  return released;
}

/// White-box audit of the declaration on two neighbors: a violation is a wrong sensitivity.
template <GaussianOutput Algorithm>
AuditResult audit_lift(const LiftPlan& plan, const Algorithm& algorithm,
                       const typename Algorithm::Data& data,
                       const typename Algorithm::Data& neighbor) {
  return audit_lifted_pair(plan, algorithm.output(data), algorithm.output(neighbor));
}

}  // namespace modicum
