// Spherical generalized gamma noise [WeiBienstock2026]: X = R U in R^T, U uniform on the sphere,
// R with density proportional to r^alpha exp(-beta r^p). The Gaussian mechanism has alpha = T - 1
// and p = 2, the l2 mechanism alpha = T - 1 and p = 1.
#pragma once

#include "modicum/calibration/calibrate.h"
#include "modicum/numerics/precise.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// The work grows with the square root of the dimension: a second or two there.
constexpr double largest_spherical_dimension = 1e8;

/// dimension T from 1 to 1e8, -1 < alpha <= T - 1, beta > 0, p > 0.
struct SphericalNoise {
  SphericalNoise(double dimension, double alpha, double beta, double p);  ///< InvalidParameter
  double dimension, alpha, beta, p;
  Precise exact_beta;  ///< what privacy is computed from: 1/scale, say, is no double; to 18 digits

  static SphericalNoise gaussian(double dimension, double standard_deviation);
  /// Density proportional to exp(-r / scale).
  static SphericalNoise l2(double dimension, double scale);
  /// The rank-1 singular Gaussian mechanism [JiLi2024]: alpha = 0, p = 2, beta = 1/(2 sigma*).
  static SphericalNoise rank_one(double dimension, double variance);

  /// E R^2 = beta^(-2/p) Gamma((alpha+3)/p) / Gamma((alpha+1)/p).
  double mean_squared_error() const;
  double log_radial_density(double radius) const;
};

/// `sensitivity` bounds the Euclidean distance of the answers on neighboring data sets.
PrivacyLoss spherical_mechanism(const SphericalNoise& noise, double sensitivity);

/// Upper bound on delta at epsilon within `slack` of the truth, proved [WeiBienstock2026, Lemma
/// 4.3]: what its Algorithms 1 to 3 are for. slack >= 1e-12. Throws TargetUnreachable if the
/// enclosure stays wider than that.
double spherical_oracle(const SphericalNoise& noise, double sensitivity, double epsilon,
                        double slack);

/// Least noise of the family with this alpha and p, composed `count` times; the parameter of the
/// result is beta, rounded to the safe side.
Calibration calibrate_spherical(const PrivacyTarget& target, double dimension, double alpha,
                                double p, double sensitivity, double count = 1.0,
                                Accuracy accuracy = Accuracy::certified);

/// The l2 mechanism; the parameter is its scale = 1/beta.
Calibration calibrate_l2(const PrivacyTarget& target, double dimension, double sensitivity,
                         double count = 1.0, Accuracy accuracy = Accuracy::certified);

}  // namespace modicum
