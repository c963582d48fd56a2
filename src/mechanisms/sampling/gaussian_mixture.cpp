// L(x) = log sum of p_i exp(c_i x - c_i^2/2) rises with x, so that {L > l} = {x > x(l)}
// (docs/derivations/correlated-noise.md).
#include "modicum/mechanisms/gaussian_mixture.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/numerics/errors.h"
#include "privacy/laws/loss_law.h"

namespace modicum {
namespace {

constexpr long mixture_bits = 256;

// A place, in units of the deviation, with its probability and that in doubles.
struct MixturePart {
  Ball place, share;
  double near_place, log_share;
};

class GaussianMixtureLaw final : public LossLaw {
 public:
  GaussianMixtureLaw(std::vector<MixturePart> parts, std::vector<double> identity)
      : parts_(std::move(parts)), identity_(std::move(identity)) {}

  LossTails tails(double loss, Accuracy) const override {
    const PrecisionScope scope(mixture_bits);
    if ((Ball(loss) - least_loss()).surely_nonpositive()) return LossTails::all_above();
    const auto x = place_of(loss);
    if (!x) return LossTails::unknown();
    LossTails found{Ball(0.0), Ball(0.0), normal_above(*x), normal_above(-*x)};
    for (const MixturePart& each : parts_) {
      found.above_x += each.share * normal_above(*x - each.place);
      found.below_x += each.share * normal_above(each.place - *x);
    }
    return found;
  }
  double cost(Accuracy) const override { return 2e-5 * static_cast<double>(parts_.size()); }
  Enclosure support() const override { return {least_loss().lower(), infinity}; }
  // No closed form: what is true of every moment, and 1 where it is.
  QuantityValue moment(const Ball& x) const override {
    if (x.exactly_zero() || (x + 1.0).exactly_zero()) return {Ball(1.0)};
    return {Ball::between(0.0, infinity)};
  }
  LossNodes nodes(double, double, int) const override { return {}; }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const GaussianMixtureLaw*>(&other);
    return same != nullptr && identity_ == same->identity_;
  }

 private:
  // L is above this, or everywhere above minus infinity.
  Ball least_loss() const {
    const PrecisionScope scope(mixture_bits);
    if (parts_.front().place.exactly_zero()) return log(parts_.front().share);
    Ball least;
    arb_neg_inf(least.raw());
    return least;
  }
  double near_loss(double x) const {
    double largest = -HUGE_VAL, sum = 0.0;
    for (const MixturePart& each : parts_) largest = std::max(largest, term(each, x));
    for (const MixturePart& each : parts_) sum += std::exp(term(each, x) - largest);
    return largest + std::log(sum);
  }
  static double term(const MixturePart& each, double x) {
    return each.log_share + each.near_place * (x - 0.5 * each.near_place);
  }
  // L(x) - loss, and the slope of L.
  std::pair<Ball, Ball> excess_at(const Ball& x, double loss) const {
    Ball sum, slope;
    for (const MixturePart& each : parts_) {
      const Ball mass = each.share * exp(each.place * (x - each.place / 2.0));
      sum += mass;
      slope += mass * each.place;
    }
    return {log(sum) - Ball(loss), slope / sum};
  }
  // A small ball that holds x(loss).
  std::optional<Ball> place_of(double loss) const {
    double low = -1.0, high = 1.0;
    while (near_loss(low) > loss && low > -1e12) low *= 2.0;
    while (near_loss(high) < loss && high < 1e12) high *= 2.0;
    for (int i = 0; i < 80 && low < high; ++i) {
      const double middle = 0.5 * (low + high);
      (near_loss(middle) > loss ? high : low) = middle;
    }
    Ball x = 0.5 * (low + high);
    for (int i = 0; i < 5; ++i) {
      const auto [excess, slope] = excess_at(x, loss);
      const Ball next = (x - excess / slope).midpoint();
      if (!next.finite()) return std::nullopt;
      x = next;
    }
    // L rises: the place lies between two points of either sign.
    for (double radius = 1e-55; radius < 1e-6; radius *= 1e6) {
      const Ball from = x - Ball(radius), to = x + Ball(radius);
      if (excess_at(from, loss).first.surely_negative() &&
          excess_at(to, loss).first.surely_positive())
        return x.widened(Ball(radius));
    }
    return std::nullopt;
  }

  std::vector<MixturePart> parts_;
  std::vector<double> identity_;
};

}  // namespace

PrivacyLoss gaussian_mixture(double standard_deviation, const std::vector<double>& sensitivities,
                             const std::vector<double>& probabilities) {
  require_positive("standard_deviation", standard_deviation);
  if (sensitivities.size() != probabilities.size() || sensitivities.empty())
    throw InvalidParameter("probabilities", static_cast<double>(probabilities.size()),
                           "must be as many as the sensitivities, and at least one");
  const PrecisionScope scope(mixture_bits);
  std::map<double, Ball> shares;
  Ball sum;
  for (std::size_t i = 0; i < sensitivities.size(); ++i) {
    require_non_negative("sensitivity", sensitivities[i]);
    sum += Ball(require_probability("probability", probabilities[i]));
    if (probabilities[i] > 0.0) shares[sensitivities[i]] += Ball(probabilities[i]);
  }
  if (!(std::abs(sum.middle() - 1.0) <= 1e-9))
    throw InvalidParameter("sum of the probabilities", sum.middle(), "must be 1");
  // One place is the Gaussian mechanism.
  if (shares.size() == 1) return gaussian_mechanism(standard_deviation, shares.begin()->first);
  std::vector<MixturePart> parts;
  std::vector<double> identity{standard_deviation};
  for (const auto& [place, share] : shares) {
    const Ball unit = Ball(place) / Ball(standard_deviation), own = share / sum;
    parts.push_back({unit, own, unit.middle(), log(own).middle()});
    identity.insert(identity.end(), {place, own.lower(), own.upper()});
  }
  const auto law =
      std::make_shared<const GaussianMixtureLaw>(std::move(parts), std::move(identity));
  return PrivacyLoss::law(law, reversed(law));
}

}  // namespace modicum
