#include "mechanisms/lifted_pairs.h"

#include <algorithm>

#include "mechanisms/supremum.h"
#include "numerics/precise_ball.h"

namespace modicum {
namespace {}  // namespace

GaussianSpectrum LiftedPairs::with_shares(double inside, double outside) const {
  const PrecisionScope scope(proof_bits);
  const Ball square = Ball(sensitivity_.mean_shift) * Ball(sensitivity_.mean_shift);
  GaussianSpectrum spectrum;
  spectrum.add({Precise::exactly(sensitivity_.variance_excess),
                to_precise("mean_shift", square * Ball(inside)), sensitivity_.rank});
  spectrum.add({Precise::exactly(0.0), to_precise("mean_shift", square * Ball(outside)), 1.0});
  return spectrum;
}

// Lemma 1: delta grows with each squared mean. 1 - low may be rounded.
GaussianSpectrum LiftedPairs::dominating(double low, double high) const {
  // Without a difference of the covariances the direction of the mean does not matter.
  if (sensitivity_.variance_excess == 0.0) return with_shares(1.0, 0.0);
  return with_shares(high, (1.0 - low) * (1.0 + 0x1p-50));
}

double LiftedPairs::delta_at(double share, double epsilon) const {
  return profile(PrivacyLoss::gaussian(at(share)), epsilon, Accuracy::fast).delta().lower();
}

LiftedPairs::Worst LiftedPairs::search(double epsilon) const {
  const Peak peak = search_peak([&](double share) { return delta_at(share, epsilon); });
  return {peak.place, peak.value};
}

bool LiftedPairs::stay_below(double epsilon, double threshold) const {
  return covered_by_pieces(
      [&](double from, double to) {
        return proved_below(dominating(from, to), epsilon, threshold);
      },
      [&](double at) { return delta_at(at, epsilon) <= threshold; });
}

double LiftedPairs::supremum(double epsilon, double slack) const {
  return proved_bound(search(epsilon).delta, slack,
                      [&](double threshold) { return stay_below(epsilon, threshold); });
}

}  // namespace modicum
