// What Gaussian noise does for one record: bounds for the one pair of data sets that differ in it,
// and losses after the output is known. Proofs: docs/derivations/matrices.md.
#pragma once

#include <Eigen/Core>

#include "modicum/numerics/enclosure.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// N(0, standard_deviation^2 I) on an answer that the record moves by a vector of length `shift`.
/// Everything depends on mu = shift / standard_deviation alone. For the noise s (Z + Z^T)/sqrt 2 on
/// a symmetric matrix, shift is the Frobenius norm of what the record adds, and the deviation that
/// of the diagonal, sqrt 2 s.
class GaussianInstance {
 public:
  /// Throws InvalidParameter unless shift >= 0 and standard_deviation > 0, both finite.
  GaussianInstance(double shift, double standard_deviation);

  /// The exact privacy loss, the same in both directions.
  PrivacyLoss loss() const;

  /// Smallest epsilon at 0 < delta < 1 for these two data sets: exact.
  Enclosure epsilon(double delta) const;
  /// The tail of the loss: mu^2/2 + mu Phi^-1(1 - delta), and at least 0 [RedbergWang2021,
  /// Corollary 23]. Never below the exact one.
  Enclosure tail_epsilon(double delta) const;
  /// Its second form: mu^2/2 + mu sqrt(2 log(1/delta)).
  Enclosure published_epsilon(double delta) const;

  /// Smallest t with P[|loss| <= t] >= 1 - failure over the output, loss ~ N(mu^2/2, mu^2): exact.
  Enclosure ex_post_quantile(double failure) const;
  /// mu^2/2 + mu Phi^-1(1 - failure/2) [RedbergWang2021, equation 5].
  Enclosure tail_ex_post(double failure) const;
  /// mu^2/2 + mu sqrt(2 log(2/failure)).
  Enclosure published_ex_post(double failure) const;

 private:
  double shift_, standard_deviation_;
};

/// The loss of the record at one output, confidential: | |v|^2/(2 sigma^2) - v^T n/sigma^2 | with v
/// the move to the answer on the other data set and n = output - answer [RedbergWang2021, Theorem
/// 22]. Throws InvalidParameter unless both vectors are of one size and finite.
double gaussian_ex_post_loss(const Eigen::VectorXd& shift, const Eigen::VectorXd& noise,
                             double standard_deviation);

}  // namespace modicum
