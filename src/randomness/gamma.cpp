#include <algorithm>
#include <cmath>
#include <limits>

#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"
#include "randomness/unit_interval.h"

namespace modicum {
namespace {

// [MarsagliaTsang2000] for shape >= 1: d (1 + t)^3 with d = shape - 1/3, t = x / sqrt(9 d), x
// normal, kept if log u < x^2/2 + d (1 - v + log v), v = (1 + t)^3. Departure: 1 - v + log v is
// written in t, since for large shapes v is so near 1 that the difference would be all rounding.
double gamma_from_one(double shape, RandomSource& source) {
  const double d = shape - 1.0 / 3.0, c = 1.0 / (3.0 * std::sqrt(d));
  for (;;) {
    const double x = standard_normal(source), t = c * x;
    if (!(t > -1.0)) continue;
    const double square = x * x, u = unit_interval(source);
    const double v = (1.0 + t) * (1.0 + t) * (1.0 + t);
    if (u < 1.0 - 0.0331 * square * square) return d * v;
    const double excess = 3.0 * (std::log1p(t) - t) - t * t * (3.0 + t);
    if (std::log(u) < 0.5 * square + d * excess) return d * v;
  }
}

// Below 1: Gamma(shape) = Gamma(shape + 1) u^{1/shape}, through logarithms. For tiny shapes most of
// the law is below the smallest positive double; that double then stands for it, never 0.
double gamma_from(double shape, RandomSource& source) {
  if (shape >= 1.0) return gamma_from_one(shape, source);
  const double raised = gamma_from_one(shape + 1.0, source);
  const double logarithm = std::log(raised) + std::log(unit_interval(source)) / shape;
  return std::max(std::exp(logarithm), std::numeric_limits<double>::denorm_min());
}

}  // namespace

double standard_gamma(double shape, RandomSource& source) {
  return gamma_from(require_positive("shape", shape), source);
}

double chi_square(double degrees, RandomSource& source) {
  return 2.0 * gamma_from(require_positive("degrees", degrees) / 2.0, source);
}

}  // namespace modicum
