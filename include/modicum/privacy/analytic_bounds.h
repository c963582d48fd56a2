// Analytic upper bounds of the normal-distributions paper, in the direction in which they hold.
#pragma once

#include <functional>

#include "modicum/privacy/gaussian_spectrum.h"

namespace modicum {

/// [LuWei2026, Lemma 2]: an upper bound on delta_{X,Y}(epsilon) for equal means and Var X <= Var Y
/// (every tau <= 1, or 1 up to rounding), least over its two parameters, rounded upwards. Requires
/// that order: in the other one the bound is false (docs/errata.md). Throws InvalidParameter.
double lemma2_bound(const GaussianSpectrum& spectrum, double epsilon);

/// [LuWei2026, Theorem 4.2] put right: for Var X <= Var Y and any means, the least over
/// epsilon1 + epsilon2 = epsilon >= 0 of a mean step and a covariance step, the latter by Lemma 2.
/// Rounded upwards.
double theorem42_bound(const GaussianSpectrum& spectrum, double epsilon);

/// An upper bound on delta at an epsilon.
using DeltaBound = std::function<double(double epsilon)>;
/// delta_{X,Y}(epsilon) <= delta_{X,Z}(split) + e^split delta_{Z,Y}(epsilon - split) for any third
/// law Z [LuWei2026, Proposition 3], from bounds on the two; rounded upwards.
double chained_bound(const DeltaBound& first, const DeltaBound& second, double epsilon,
                     double split);

}  // namespace modicum
