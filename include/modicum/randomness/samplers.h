// Samples of the laws that releases are made of.
//
// Two kinds. *Exact*: the law of what is returned is the law named, without any error, because bits
// are drawn until each decision is certain. *In doubles*: fast, with the rounding of double
// arithmetic; a release that stands on these is "mitigated", not "exact". Bounds:
// docs/derivations/sampling.md.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <span>

#include "modicum/randomness/random_source.h"

namespace modicum {

class SymmetricTable;

// --- In doubles -------------------------------------------------------------------------------

double standard_normal(RandomSource& source);
/// The same, many at once.
void fill_standard_normals(std::span<double> values, RandomSource& source);
/// Gamma with this shape > 0 and scale 1 [MarsagliaTsang2000].
double standard_gamma(double shape, RandomSource& source);
/// Any real number of degrees of freedom above 0.
double chi_square(double degrees, RandomSource& source);
/// Uniform on the unit sphere of this dimension >= 1.
Eigen::VectorXd uniform_on_sphere(Eigen::Index dimension, RandomSource& source);
/// Columns that are orthonormal, uniform among all such: 1 <= columns <= dimension.
Eigen::MatrixXd uniform_frame(Eigen::Index dimension, Eigen::Index columns, RandomSource& source);
/// Lower triangular A with A A^T of the Wishart law with identity scale and `degrees` degrees of
/// freedom, any real number above dimension - 1 (Bartlett's decomposition).
Eigen::MatrixXd wishart_factor(Eigen::Index dimension, double degrees, RandomSource& source);

// --- Exact ------------------------------------------------------------------------------------

/// True with exactly this probability in [0, 1].
bool bernoulli(double probability, RandomSource& source);

/// The integer nearest to offset + scale x, x standard normal: exactly the law of the rounding,
/// nothing else. Computed in doubles, with proof, where that decides; else with as many digits as
/// it takes. |offset| <= 1/2, scale > 0, and both are exact. Throws Error beyond 2^62.
std::int64_t rounded_normal(double scale, double offset, RandomSource& source);

/// The discrete Gaussian on the integers: P[k] proportional to exp(-k^2 / (2 deviation^2))
/// [CanonneKamathSteinke2020]. 0 < deviation <= 2^50, and it is exact.
std::int64_t discrete_gaussian(double deviation, RandomSource& source);

/// Many draws of it. Where the deviation is small a table of sums, refined where it leaves a draw
/// open, takes a tenth of the time; copies share it.
class DiscreteGaussianSampler {
 public:
  explicit DiscreteGaussianSampler(double deviation);
  std::int64_t draw(RandomSource& source) const;

 private:
  double deviation_;
  std::shared_ptr<const SymmetricTable> table_;
};

}  // namespace modicum
