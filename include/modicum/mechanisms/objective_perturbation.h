// Objective perturbation: the minimizer of
//   sum of f(x_i^T theta; y_i) + r(theta) + regularization/2 |theta|^2 + b^T theta,
// with b from N(0, standard_deviation^2) in each coordinate, f convex in x^T theta and r convex and
// public. Adjacency is adding or removing one record. The privacy loss of the exact minimizer; how
// close a solver comes to it is another matter (docs/derivations/objective-perturbation.md).
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "modicum/calibration/calibrate.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// Whether f' can have both signs for one record: it cannot for the logistic loss and the smoothed
/// hinge, it can for the squared, for Huber's and for log cosh.
enum class SlopeSigns { one, both };
/// "logistic", "smoothed_hinge", "squared", "huber", "log_cosh"; nothing for another name.
std::optional<SlopeSigns> slope_signs_of(std::string_view loss);
/// How the curvature is tied to p = |f'|, both as shares of the largest: f'' = 4 p (1 - p) for the
/// logistic loss, 1 - p^2 for log cosh.
enum class CurvatureTie { none, logistic, log_cosh };
CurvatureTie curvature_tie_of(std::string_view loss);
std::vector<std::string_view> objective_loss_names();

/// What is known about every record.
struct ObjectiveBounds {
  /// Throws InvalidParameter unless lipschitz > 0, smoothness >= 0, regularization > 0.
  ObjectiveBounds(double lipschitz, double smoothness, double regularization,
                  SlopeSigns signs = SlopeSigns::both, CurvatureTie tie = CurvatureTie::none);
  double lipschitz;       ///< at least |f'| |x|
  double smoothness;      ///< at least f'' |x|^2
  double regularization;  ///< lambda
  SlopeSigns signs;
  CurvatureTie tie;
};

/// With c = log(1 + smoothness/regularization), a = lipschitz/standard_deviation, N standard
/// normal, each an upper bound in distribution:
///   with -> without the record: c + (a^2/2 + a N)_+;
///   without -> with: a^2/2 + a |N|, or (a^2/2 + a N)_+ where f' has one sign.
/// Where curvature is tied to slope, with -> without is max over p in [0, 1] of
///   log(1 + k(p) smoothness/regularization) + p^2 a^2/2 + p a N,
/// which is a^2/2 + a N, plain Gaussian noise, from 4 smoothness/regularization - a^2/2 on for the
/// logistic loss. Its tie needs a smoothness of lipschitz^2/4 or more, as rows of that norm have.
PrivacyLoss objective_perturbation(const ObjectiveBounds& bounds, double standard_deviation);

/// The bound of [RedbergKoskelaWang2023]: -log(1 - smoothness/regularization) + a^2/2 + a |N| in
/// both directions. Needs smoothness < regularization.
PrivacyLoss published_objective_perturbation(const ObjectiveBounds& bounds,
                                             double standard_deviation);

/// Standard deviation for `count` releases. Needs delta > 0 and epsilon >= count * c; else throws
/// CalibrationFailed that names the regularization from which on it can be met.
Calibration calibrate_objective_perturbation(const PrivacyTarget& target,
                                             const ObjectiveBounds& bounds, double count = 1.0,
                                             Accuracy accuracy = Accuracy::certified);

/// A minimizer that was computed, by approximate minima perturbation [IyengarEtAl2019]: it is
/// within minimizer_error of the exact one, and released with noise of its own.
struct SolvedObjectiveNoise {
  double standard_deviation;         ///< of each number of b
  double minimizer_error;            ///< proved
  double output_standard_deviation;  ///< of the noise on each coefficient
};
/// The loss above, composed with that of the second noise at sensitivity 2 minimizer_error.
PrivacyLoss solved_objective_perturbation(const ObjectiveBounds& bounds,
                                          const SolvedObjectiveNoise& noise);

/// The standard deviation of b where the second noise costs mu = a/16: some 0.2 % more than for an
/// exact minimizer. `mu_before` is of Gaussian noise on something that was released before, for the
/// same target. Throws as calibrate_objective_perturbation.
Calibration calibrate_solved_objective(const PrivacyTarget& target, const ObjectiveBounds& bounds,
                                       double mu_before = 0.0);
/// With the least second noise that costs so little.
SolvedObjectiveNoise solved_objective_noise(const ObjectiveBounds& bounds,
                                            double standard_deviation, double minimizer_error);

/// What earlier theorems ask for, one release; for comparison only.
struct PublishedObjectiveNoise {
  std::optional<double> redberg_koskela_wang;  ///< none where their bound cannot meet the target
  /// L sqrt(8 log(2/delta) + 4 epsilon) / epsilon [KiferSmithThakurta2012], about; none for
  /// epsilon = 0, and only proved from `least_regularization` = 2 smoothness / epsilon on.
  std::optional<double> kifer_smith_thakurta, least_regularization;
};
PublishedObjectiveNoise published_objective_noise(const PrivacyTarget& target,
                                                  const ObjectiveBounds& bounds);

}  // namespace modicum
