// Two Gaussians, reduced to what the privacy between them depends on.
//
// After whitening by the second, X ~ N(m, diag(tau)) and Y ~ N(0, I). Coordinates with the same
// tau enter the privacy loss only through their number and the sum of their squared means, so
// 10^9 equal coordinates cost the same as one.
#pragma once

#include <vector>

#include "modicum/numerics/enclosure.h"
#include "modicum/numerics/precise.h"

namespace modicum {

/// All coordinates with one variance ratio.
struct SpectrumComponent {
  Precise excess;       ///< tau - 1, above -1; kept instead of tau for accuracy near tau = 1
  Precise mean_square;  ///< sum of m_i^2 over these coordinates
  double multiplicity;  ///< their number
};

/// What is left of a dense pair after an approximate diagonalization: in some coordinates
/// Var X = diag(tau) + E1 and Var Y = I + E2, both E with a zero diagonal and a Frobenius norm bounded
/// here. Zero when exact.
struct OffDiagonal {
  double with_record = 0.0;     ///< bound on |E1|
  double without_record = 0.0;  ///< bound on |E2|
};

class GaussianSpectrum {
 public:
  GaussianSpectrum() = default;  ///< two equal Gaussians

  /// `multiplicity` coordinates with whitened mean `mean` and variance ratio tau.
  static GaussianSpectrum component(double mean, double variance_ratio, double multiplicity = 1.0);
  /// Equal covariances, Mahalanobis distance numerator / denominator.
  static GaussianSpectrum shift(double numerator, double denominator);

  void add(const SpectrumComponent& component);
  void add(const GaussianSpectrum& other);  ///< independent composition
  void set_off_diagonal(OffDiagonal bounds) { off_diagonal_ = bounds; }
  void set_estimated() { proof_ = Proof::estimated; }

  /// The pair (Y, X): (m, tau) becomes (-m / sqrt(tau), 1 / tau).
  GaussianSpectrum reversed() const;
  /// `count` independent copies.
  GaussianSpectrum repeated(double count) const;

  const std::vector<SpectrumComponent>& components() const { return components_; }
  const OffDiagonal& off_diagonal() const { return off_diagonal_; }
  /// Whether radii and off-diagonal bounds are proved, or estimates of rounding.
  Proof proof() const { return proof_; }
  bool is_trivial() const { return components_.empty(); }
  /// Only a shift of the mean: every tau is exactly 1.
  bool is_pure_shift() const;

 private:
  std::vector<SpectrumComponent> components_;
  OffDiagonal off_diagonal_;
  Proof proof_ = Proof::certified;
};

}  // namespace modicum
