// Poisson samples that are cut down to a largest batch (docs/derivations/correlated-noise.md).
#include <arb_hypgeom.h>

#include <cmath>

#include "mechanisms/sampling/mixed_law.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

// P[Binomial(n, q) >= k] for 1 <= k <= n.
Ball binomial_above(double n, double q, double k) {
  Ball result;
  arb_hypgeom_beta_lower(result.raw(), Ball(k).raw(), Ball(n - k + 1.0).raw(), Ball(q).raw(), 1,
                         PrecisionScope::bits());
  return result;
}

// Numbers of other records in the sample, from this one on, with the probability of the class.
struct SampleSizes {
  double from;
  Ball weight;
};

// Those that fill the batch, in classes of about a quarter of the deviation.
std::vector<SampleSizes> full_batches(double others, double rate, double batch) {
  constexpr int most_classes = 12;
  const double width = std::ceil(0.25 * std::sqrt(others * rate * (1.0 - rate)) + 1.0);
  std::vector<SampleSizes> classes;
  Ball above = binomial_above(others, rate, batch);
  for (double from = batch; from <= others; from += width) {
    const double next = from + width;
    const bool last = classes.size() + 1 == most_classes || next > others;
    const Ball beyond = last ? Ball(0.0) : binomial_above(others, rate, next);
    classes.push_back({from, max(above - beyond, Ball(0.0))});
    if (last) break;
    above = beyond;
  }
  return classes;
}

std::shared_ptr<const LossLaw> law_of(const PrivacyLoss& loss) {
  return loss.forward().laws.front().law;
}

}  // namespace

PrivacyLoss truncated_subsampled_gaussian(const TruncatedBatches& plan, bool replace_one) {
  require_positive("noise_multiplier", plan.noise_multiplier);
  require_count("dataset_size", plan.dataset_size);
  require_count("largest_batch", plan.largest_batch);
  if (!(require_sampling_rate(plan.sampling_rate) < 1.0))
    throw InvalidParameter("sampling_rate", plan.sampling_rate, "must be below 1");
  if (!(plan.dataset_size <= 1e9))
    throw InvalidParameter("dataset_size", plan.dataset_size, "must be at most 1e9");
  const double others = plan.dataset_size - 1.0, rate = plan.sampling_rate;
  const auto whole = [&] {
    return replace_one ? replaced_subsampled_gaussian(plan.noise_multiplier, 2.0, rate)
                       : subsampled_gaussian(plan.noise_multiplier, 1.0, rate);
  };
  if (plan.largest_batch > others) return whole();
  const PrecisionScope scope(proof_bits);
  std::vector<MixedLawPart> parts;
  Ball rest = 1.0;
  for (const SampleSizes& each : full_batches(others, rate, plan.largest_batch)) {
    // The record is drawn, and stays among from + 1 of which the batch keeps some.
    const double share = (Ball(rate) * Ball(plan.largest_batch) / (Ball(each.from) + 1.0)).upper();
    const PrivacyLoss exchanged =
        replace_one ? batched_gaussian(plan.noise_multiplier, 2.0, std::min(share, rate))
                    : subsampled_gaussian(plan.noise_multiplier, 2.0, std::min(share, rate));
    if (!each.weight.finite())
      throw InvalidParameter("dataset_size", plan.dataset_size, "is too large");
    parts.push_back({each.weight, law_of(exchanged)});
    rest -= each.weight;
  }
  parts.push_back({max(rest, Ball(0.0)), law_of(whole())});
  const auto law = mixed_law(std::move(parts));
  return PrivacyLoss::law(law, replace_one ? law : reversed(law)).as_upper_bound();
}

}  // namespace modicum
