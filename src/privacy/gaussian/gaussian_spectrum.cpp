#include "modicum/privacy/gaussian_spectrum.h"

#include <algorithm>
#include <cmath>

#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"

namespace modicum {
namespace {

constexpr long spectrum_bits = 160;

// 1 / tau - 1 with t = tau - 1: -t / tau loses nothing near tau = 1; far from it the difference is
// taken exactly, so that a tiny 1 / tau is not lost beside the 1.
Ball reversed_excess(const Ball& excess) {
  if (std::abs(excess.middle()) < 0.5) return -excess / (excess + 1.0);
  Ball result = Ball(1.0) / (excess + 1.0);
  arb_sub_ui(result.raw(), result.raw(), 1, ARF_PREC_EXACT);
  return result;
}

double hypot_up(double a, double b) { return std::hypot(a, b) * (1.0 + 0x1p-50); }

}  // namespace

GaussianSpectrum GaussianSpectrum::component(double mean, double variance_ratio,
                                             double multiplicity) {
  require_finite("mean", mean);
  require_positive("variance_ratio", variance_ratio);
  require_count("multiplicity", multiplicity);
  const PrecisionScope scope(spectrum_bits);
  Ball excess = variance_ratio;
  arb_sub_ui(excess.raw(), excess.raw(), 1, ARF_PREC_EXACT);
  GaussianSpectrum result;
  result.add({to_precise("variance_ratio", excess),
              to_precise("squared mean", Ball(mean) * Ball(mean) * Ball(multiplicity)),
              multiplicity});
  return result;
}

GaussianSpectrum GaussianSpectrum::shift(double numerator, double denominator) {
  require_finite("shift", numerator);
  require_positive("standard_deviation", denominator);
  const PrecisionScope scope(spectrum_bits);
  const Ball distance = Ball(numerator) / Ball(denominator);
  GaussianSpectrum result;
  result.add({Precise::exactly(0.0), to_precise("squared shift", distance * distance), 1.0});
  return result;
}

void GaussianSpectrum::add(const SpectrumComponent& component) {
  require_precise("variance_ratio - 1", component.excess);
  require_non_negative("squared mean", require_precise("squared mean", component.mean_square).high);
  const bool equal_variance = component.excess.is_exactly(0.0);
  if (equal_variance && component.mean_square.is_exactly(0.0)) return;
  const auto same = std::find_if(
      components_.begin(), components_.end(),
      [&](const SpectrumComponent& other) { return other.excess == component.excess; });
  if (same == components_.end()) {
    components_.push_back(component);
    if (equal_variance) components_.back().multiplicity = 1.0;
    return;
  }
  const PrecisionScope scope(spectrum_bits);
  same->mean_square = to_precise("sum of squared means",
                                 to_ball(same->mean_square) + to_ball(component.mean_square));
  // Only the means matter where tau = 1.
  if (!equal_variance)
    same->multiplicity =
        require_count("total multiplicity", same->multiplicity + component.multiplicity);
}

void GaussianSpectrum::add(const GaussianSpectrum& other) {
  for (const SpectrumComponent& component : other.components_) add(component);
  off_diagonal_ = {hypot_up(off_diagonal_.with_record, other.off_diagonal_.with_record),
                   hypot_up(off_diagonal_.without_record, other.off_diagonal_.without_record)};
  proof_ = weaker_of(proof_, other.proof_);
}

GaussianSpectrum GaussianSpectrum::reversed() const {
  const PrecisionScope scope(spectrum_bits);
  GaussianSpectrum result;
  double smallest_ratio = 1.0;
  for (const SpectrumComponent& component : components_) {
    const Ball excess = to_ball(component.excess), ratio = excess + 1.0;
    smallest_ratio = std::min(smallest_ratio, ratio.lower());
    result.add({to_precise("variance_ratio", reversed_excess(excess)),
                to_precise("squared mean", to_ball(component.mean_square) / ratio),
                component.multiplicity});
  }
  // Dividing by sqrt(tau) on both sides enlarges the off-diagonal parts by at most 1 / min tau.
  const double factor = (1.0 + 0x1p-50) / smallest_ratio;
  result.off_diagonal_ = {off_diagonal_.without_record * factor,
                          off_diagonal_.with_record * factor};
  result.proof_ = proof_;
  return result;
}

GaussianSpectrum GaussianSpectrum::repeated(double count) const {
  require_count("count", count);
  const PrecisionScope scope(spectrum_bits);
  GaussianSpectrum result;
  for (const SpectrumComponent& component : components_)
    result.add({component.excess,
                to_precise("squared mean", to_ball(component.mean_square) * Ball(count)),
                component.excess.is_exactly(0.0)
                    ? 1.0
                    : require_count("total multiplicity", component.multiplicity * count)});
  const double factor = std::sqrt(count) * (1.0 + 0x1p-50);
  result.off_diagonal_ = {off_diagonal_.with_record * factor,
                          off_diagonal_.without_record * factor};
  result.proof_ = proof_;
  return result;
}

bool GaussianSpectrum::is_pure_shift() const {
  return std::all_of(components_.begin(), components_.end(),
                     [](const SpectrumComponent& c) { return c.excess.is_exactly(0.0); }) &&
         off_diagonal_.with_record == 0.0 && off_diagonal_.without_record == 0.0;
}

}  // namespace modicum
