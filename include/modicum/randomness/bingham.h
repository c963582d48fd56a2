// The Bingham law: directions x on the unit sphere of R^p, optionally orthogonal to given columns,
// with density proportional to exp(-sum_i a_i x_i^2). Drawn by rejection from an angular central
// Gaussian law [KentGaneiberMardia2018], in doubles. Proof, and how columns are taken out without a
// basis of their complement: docs/derivations/principal-components.md.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "modicum/randomness/random_source.h"

namespace modicum {

class BinghamSampler {
 public:
  /// The a_i: at least one, finite, in ascending order, within 1e11 of each other (beyond, the
  /// rounding of a shift would count); adding a constant to all changes nothing.
  explicit BinghamSampler(Eigen::VectorXd exponents);

  Eigen::Index dimension() const { return exponents_.size(); }
  const Eigen::VectorXd& exponents() const { return exponents_; }

  Eigen::VectorXd draw(RandomSource& source);
  /// On the sphere of the complement of `columns`: orthonormal, fewer than the dimension. The law
  /// is that of rejection, whatever was drawn before; what is remembered saves time only.
  Eigen::VectorXd draw_orthogonal_to(const Eigen::MatrixXd& columns, RandomSource& source);

  /// Accepted proposals among all so far; 1 before the first. About 1/sqrt(p) for concentrated laws
  /// and 1 for the uniform one.
  double acceptance() const;

 private:
  double& remembered_shift(Eigen::Index columns);

  Eigen::VectorXd exponents_;
  std::vector<double> shifts_;  // by number of columns; of the last draw, NaN before the first
  double draws_ = 0.0, proposals_ = 0.0;
};

}  // namespace modicum
