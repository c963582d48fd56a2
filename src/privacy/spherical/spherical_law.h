// The law of the privacy loss of spherical generalized gamma noise [WeiBienstock2026].
#pragma once

#include <memory>

#include "modicum/numerics/precise.h"
#include "privacy/laws/loss_law.h"

namespace modicum {

/// X = R U in R^T with radial density proportional to r^alpha exp(-beta r^p), against its copy
/// shifted by `sensitivity`. Both directions have the same law. T >= 1 whole, -1 < alpha <= T - 1,
/// the others positive; else InvalidParameter. Tails are proved with `certified`, else
/// estimated; moments, along lines too, are estimated.
std::shared_ptr<const LossLaw> spherical_law(double dimension, double alpha, const Precise& beta,
                                             double p, double sensitivity);

}  // namespace modicum
