// From two Gaussians to their spectrum.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "modicum/privacy/accuracy.h"
#include "modicum/privacy/gaussian_spectrum.h"

namespace modicum {

struct GaussianDistribution {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

/// The spectrum of (X, Y), or nothing if the two laws are mutually singular: their covariances
/// have different ranges, or the difference of the means leaves the common range. Then delta = 1
/// for every epsilon in both directions. Covariances that share one range are projected onto it.
/// Diagonal pairs cost O(d). Dense ones are reduced in ball arithmetic if `certified`; by LAPACK,
/// with an estimate of its rounding, if `fast`, and in balls where that fails; `automatic` is the
/// former up to dimension 50. Throws InvalidParameter, naming the argument, for sizes that differ,
/// entries that are not finite, and covariances that are not symmetric or have a negative
/// eigenvalue.
std::optional<GaussianSpectrum> reduce_pair(const GaussianDistribution& x,
                                            const GaussianDistribution& y,
                                            Accuracy accuracy = Accuracy::automatic);

/// X ~ N(mu + shift, S + sign U U^T) against Y ~ N(mu, S), sign = +1 or -1, U with few columns:
/// one Cholesky factorization, then O(d k^2). A row added to or deleted from a Gram matrix is k
/// = 1. The spectrum is an estimate.
GaussianSpectrum reduce_low_rank(const Eigen::MatrixXd& covariance, const Eigen::MatrixXd& update,
                                 double sign, const Eigen::VectorXd& shift);

}  // namespace modicum
