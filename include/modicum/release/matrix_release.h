// Symmetric matrices computed elsewhere, such as sums of Hessians, and their least eigenvalues.
// Proofs: docs/derivations/matrices.md. Second moments of a table: covariance_release.h.
#pragma once

#include <Eigen/Core>
#include <optional>

#include "modicum/numerics/enclosure.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/released.h"

namespace modicum {

enum class MatrixNoise {
  /// s (Z + Z^T)/sqrt 2, Z of standard normals: deviation s off the diagonal, sqrt 2 s on it
  /// [RedbergWang2021, Algorithm 6].
  gaussian_orthogonal_ensemble,
  /// sqrt 2 s on every entry on and above the diagonal [DworkTalwarThakurtaZhang2014]: twice the
  /// variance off it, for the same privacy.
  analyze_gauss,
};

struct MatrixPlan {
  MatrixNoise noise;
  double dimension, sensitivity;
  double standard_deviation;           ///< off the diagonal
  double diagonal_standard_deviation;  ///< what is calibrated
  double grid;                         ///< of the released numbers
  Certificate certificate;
};

/// With probability 1 - failure the spectral norm of the noise, rounding to `grid` included (but
/// not that of entries beyond 2^53 grids to doubles), is at most this. It depends on public numbers
/// only. Throws InvalidParameter unless 1e-289 <= failure < 1 and dimension <= 1000.
double noise_norm_bound(const MatrixPlan& plan, double failure);

/// `sensitivity` bounds the Frobenius norm of the difference of the matrices on neighboring data
/// sets. With `failure`, the certificate tells the norm of the noise. Throws InvalidParameter,
/// CalibrationFailed.
MatrixPlan plan_matrix(const PrivacyTarget& target, double dimension, double sensitivity,
                       MatrixNoise noise, std::optional<double> failure = {});
/// The matrix is taken from its entries on and above the diagonal. Throws Error where it is not
/// square, finite and, but for rounding, symmetric.
Released release_matrix(const MatrixPlan& plan, const Eigen::MatrixXd& matrix,
                        RandomSource& source);

struct EigenvaluePlan {
  double dimension, sensitivity;
  double precision;  ///< the eigenvalue is proved to be that close
  double standard_deviation, grid;
  Certificate certificate;
};

/// `sensitivity` bounds the spectral norm of the difference, which the Frobenius norm does too: by
/// Weyl's inequality no eigenvalue moves further [RedbergWang2021, Algorithm 3].
EigenvaluePlan plan_least_eigenvalue(const PrivacyTarget& target, double dimension,
                                     double sensitivity, std::optional<double> failure = {});
Released release_least_eigenvalue(const EigenvaluePlan& plan, const Eigen::MatrixXd& matrix,
                                  RandomSource& source);

/// Spectral and Frobenius error of a released matrix; these numbers are not private.
Diagnostics diagnose_matrix(const Released& released, const Eigen::MatrixXd& matrix);
/// The least eigenvalue itself, and how far off the released one is; not private either.
Diagnostics diagnose_least_eigenvalue(const Released& released, const Eigen::MatrixXd& matrix);

}  // namespace modicum
