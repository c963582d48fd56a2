// The reductions behind reduce_pair. Arguments are validated and symmetric.
#pragma once

#include "modicum/privacy/gaussian_pair.h"

namespace modicum {

/// In ball arithmetic (docs/derivations/dense-pairs.md). Empty if positive definiteness of both
/// covariances is not proved.
std::optional<GaussianSpectrum> certified_dense_spectrum(const GaussianDistribution& x,
                                                         const GaussianDistribution& y);

/// In doubles, with radii that estimate the rounding. Empty if a Cholesky factorization fails, the
/// conditioning leaves no digit, or the eigenvalues span too many scales.
std::optional<GaussianSpectrum> estimated_dense_spectrum(const GaussianDistribution& x,
                                                         const GaussianDistribution& y);

/// At least one covariance is singular, or too close to it to tell. Ranges are compared in exact
/// arithmetic. Throws InvalidParameter if a covariance has a negative eigenvalue.
std::optional<GaussianSpectrum> reduce_singular_pair(const GaussianDistribution& x,
                                                     const GaussianDistribution& y);

}  // namespace modicum
