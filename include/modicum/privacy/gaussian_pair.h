// From two Gaussians to their spectrum.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "modicum/privacy/gaussian_spectrum.h"

namespace modicum {

struct GaussianDistribution {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

/// How a dense pair is reduced.
enum class Reduction {
  automatic,  ///< certified up to dimension 50, estimated above
  certified,  ///< ball arithmetic: the spectrum is proved to contain the truth
  estimated,  ///< LAPACK in doubles, with an estimate of its rounding; certified where that fails
};

/// The spectrum of (X, Y), or nothing if the two laws are mutually singular: their covariances
/// have different ranges, or the difference of the means leaves the common range. Then delta = 1
/// for every epsilon in both directions. Covariances that share one range are projected onto it.
/// Diagonal pairs cost O(d).
/// Throws InvalidParameter, naming the argument, for sizes that differ, entries that are not
/// finite, and covariances that are not symmetric or have a negative eigenvalue.
std::optional<GaussianSpectrum> reduce_pair(const GaussianDistribution& x,
                                            const GaussianDistribution& y,
                                            Reduction reduction = Reduction::automatic);

/// X ~ N(mu + shift, S + sign U U^T) against Y ~ N(mu, S), sign = +1 or -1, U with few columns:
/// one Cholesky factorization, then O(d k^2). A row added to or deleted from a Gram matrix is k
/// = 1. The spectrum is an estimate.
GaussianSpectrum reduce_low_rank(const Eigen::MatrixXd& covariance, const Eigen::MatrixXd& update,
                                 double sign, const Eigen::VectorXd& shift);

}  // namespace modicum
