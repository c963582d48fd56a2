#include "modicum/privacy/analytic_bounds.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"

namespace modicum {
namespace {

double ratio_of(const SpectrumComponent& component) {
  return (1.0 + component.excess.high) + component.excess.low;
}

void require_smaller_first(const GaussianSpectrum& spectrum) {
  for (const SpectrumComponent& component : spectrum.components())
    if (!(component.excess.high + component.excess.low + component.excess.radius <= 0.0))
      throw InvalidParameter(
          "variance_ratio", ratio_of(component),
          "must be at most 1: the bound holds only with the smaller covariance first");
}

// Least value of a convex function on (0, end), by golden section; any point gives a valid bound.
double least(const std::function<double(double)>& f, double end) {
  const double ratio = 0.5 * (std::sqrt(5.0) - 1.0);
  double low = 0.0, high = std::isfinite(end) ? end : 1.0;
  if (!std::isfinite(end))
    while (high < 1e12 && f(2.0 * high) < f(high)) high *= 2.0;
  if (!std::isfinite(end)) high *= 2.0;
  double best = f(0.0);
  for (int i = 0; i < 100; ++i) {
    const double a = high - ratio * (high - low), b = low + ratio * (high - low);
    const double fa = f(a), fb = f(b);
    best = std::min({best, fa, fb});
    (fa < fb ? high : low) = fa < fb ? b : a;
  }
  return best;
}

double mean_shift_delta(double square, double epsilon) {
  return directed_delta(
             PrivacyLoss::gaussian(GaussianSpectrum::shift(std::sqrt(square), 1.0)).forward(),
             epsilon, Accuracy::fast)
      .value.upper();
}

}  // namespace

double lemma2_bound(const GaussianSpectrum& spectrum, double epsilon) {
  require_finite("epsilon", epsilon);
  require_smaller_first(spectrum);
  double slack = -2.0 * epsilon, largest = 0.0;  // f(epsilon) and max (1 - tau) / tau
  for (const SpectrumComponent& component : spectrum.components()) {
    if (component.mean_square.high != 0.0)
      throw InvalidParameter("mean", std::sqrt(component.mean_square.high),
                             "must be 0: the means must be equal");
    const double tau = ratio_of(component);
    slack -= component.multiplicity * std::log(tau);
    largest = std::max(largest, (1.0 - tau) / tau);
  }
  if (slack <= 0.0) return 0.0;
  const auto sum = [&](auto&& term) {
    double total = 0.0;
    for (const SpectrumComponent& component : spectrum.components())
      total += component.multiplicity * term(ratio_of(component));
    return total;
  };
  const double first = least(
      [&](double s) {
        return s * slack - 0.5 * sum([s](double tau) { return std::log1p(2.0 * s * (1.0 - tau)); });
      },
      HUGE_VAL);
  const double second = least(
      [&](double u) {
        return -u * slack -
               0.5 * sum([u](double tau) { return std::log1p(-2.0 * u * (1.0 - tau) / tau); });
      },
      0.5 / largest);
  return std::clamp(std::exp(first) + std::exp(epsilon) * std::expm1(second), 0.0, 1.0);
}

double theorem42_bound(const GaussianSpectrum& spectrum, double epsilon) {
  require_non_negative("epsilon", epsilon);
  require_smaller_first(spectrum);
  GaussianSpectrum covariance;
  double square_by_larger = 0.0, square_by_smaller = 0.0;
  for (const SpectrumComponent& component : spectrum.components()) {
    covariance.add({component.excess, Precise::exactly(0.0), component.multiplicity});
    square_by_larger += component.mean_square.high;
    square_by_smaller += component.mean_square.high / ratio_of(component);
  }
  double best = 1.0;
  constexpr int splits = 64;
  for (int k = 0; k <= splits; ++k) {
    const double first = epsilon * k / splits, second = epsilon - first;
    best = std::min({best,
                     mean_shift_delta(square_by_smaller, first) +
                         std::exp(first) * lemma2_bound(covariance, second),
                     lemma2_bound(covariance, first) +
                         std::exp(first) * mean_shift_delta(square_by_larger, second)});
  }
  return best;
}

}  // namespace modicum
