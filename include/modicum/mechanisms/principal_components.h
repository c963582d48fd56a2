// The exponential mechanism for the top k principal components of rows x_i in R^p, |x_i| <= sqrt p:
// V with orthonormal columns and density proportional to exp((p beta / 2) Tr V^T Sigma V), Sigma
// the mean of x_i x_i^T. What it gives in the limit of many dimensions [YunDudeja2025]:
// predictions, not proofs. They depend on the eigenvalues of Sigma, which are as confidential as
// the rows. Proved guarantees: exponential_components.h. Derivations:
// docs/derivations/principal-components.md.
#pragma once

#include <optional>
#include <vector>

#include "modicum/calibration/calibrate.h"

namespace modicum {

/// Eigenvalues of Sigma, how many rows, how many components are wanted.
class ComponentSpectrum {
 public:
  /// Eigenvalues in any order, all p of them: at least 0 (but for rounding), with a sum of at most
  /// p (but for rounding), as rows of norm at most sqrt p have. rows >= 1, 1 <= components <= p,
  /// whole. Throws InvalidParameter.
  ComponentSpectrum(std::vector<double> eigenvalues, double rows, double components);

  std::size_t dimension() const { return eigenvalues_.size(); }
  std::size_t components() const { return components_; }
  double rows() const { return rows_; }
  /// In decreasing order.
  const std::vector<double>& eigenvalues() const { return eigenvalues_; }
  /// Every direction is a component: V V^T = I, whatever the data.
  bool is_whole_space() const { return components_ == eigenvalues_.size(); }

  /// theta = n / p^{3/2}.
  double theta() const;
  /// Delta = lambda_k - lambda_{k+1}; infinite for the whole space.
  double gap() const;
  /// H(x) = (1/p) sum over i > k of 1/(x - lambda_i), at the i-th eigenvalue, i from 0 to k - 1:
  /// the beta from which on that component shows. Infinite if it is not above lambda_{k+1}.
  double threshold(std::size_t component) const;
  /// The same at lambda_k, its derivative (negative), and its second derivative.
  double transform() const { return threshold(components_ - 1); }
  double slope() const;
  double curvature() const;

 private:
  double sum_of_powers(double at, int power) const;

  std::vector<double> eigenvalues_;
  double rows_;
  std::size_t components_;
};

/// Limits of the expected errors [YunDudeja2025, Theorem 1]. U: the true components.
struct PredictedUtility {
  std::vector<double> overlaps;  ///< |V^T u_i|^2: (1 - H(lambda_i)/beta)_+
  double spectral;               ///< |U U^T - V V^T|^2 in the spectral norm
  double frobenius;              ///< the same, squared Frobenius norm
};
PredictedUtility predicted_utility(const ComponentSpectrum& spectrum, double beta);

/// mu of asymptotic Gaussian differential privacy, adding or removing one row
/// [YunDudeja2025, Theorem 2]. None for 0 < beta <= H(lambda_k), of which the theorem does not
/// speak; 0 where the output does not depend on the data (beta = 0, whole space).
std::optional<double> predicted_mu(const ComponentSpectrum& spectrum, double beta);

/// The privacy plateau: for every beta in (from, to] mu is the same, the least there is. Below `to`
/// the components get worse and privacy does not get better.
struct PrivacyPlateau {
  double from;  ///< H
  double to;    ///< H - Delta H'
  double mu;    ///< sqrt(-H'/2) / theta
};
/// None where the theorem says nothing: a tie lambda_k = lambda_{k+1}, or the whole space.
std::optional<PrivacyPlateau> privacy_plateau(const ComponentSpectrum& spectrum);

/// The largest beta with predicted_mu at most `mu`. Throws CalibrationFailed below the mu of the
/// plateau, for a tie and for the whole space (where every beta would do).
double largest_beta(const ComponentSpectrum& spectrum, double mu);
/// The same for the largest mu whose Gaussian mechanism meets the target; that mu as well.
struct AsymptoticCalibration {
  double beta, mu;
};
AsymptoticCalibration largest_beta(const ComponentSpectrum& spectrum, const PrivacyTarget& target);

/// mu of telling whether one given row was there: `shares` are the squared coordinates of x / sqrt
/// p in the eigenbasis, at least 0 with a sum of at most 1 [YunDudeja2025, (12)]. None as above.
std::optional<double> predicted_row_mu(const ComponentSpectrum& spectrum, double beta,
                                       const std::vector<double>& shares);
/// t of the row sqrt p (sqrt t u_k + sqrt(1 - t) u_{k+1}) that is easiest to tell. Needs beta > H
/// and no tie; throws InvalidParameter.
double worst_row_share(const ComponentSpectrum& spectrum, double beta);

}  // namespace modicum
