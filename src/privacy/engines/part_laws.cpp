#include "privacy/engines/part_laws.h"

#include <arb_hypgeom.h>

#include <cmath>

#include "numerics/precise_ball.h"
#include "privacy/engines/engine.h"
#include "privacy/laws/atomic_moment.h"

namespace modicum {
namespace {

// Laws that exist only inside the discretized engine: moments are asked of the closed forms.
class InnerLaw : public LossLaw {
 public:
  QuantityValue moment(const Ball&) const override { return {Ball::between(0.0, 1.0)}; }
  LossNodes nodes(double, double, int) const override { return {}; }
  bool equals(const LossLaw& other) const override { return this == &other; }
};

class GaussianLaw final : public InnerLaw {
 public:
  explicit GaussianLaw(GaussianSpectrum spectrum) : spectrum_(std::move(spectrum)) {}

  LossTails tails(double loss, Accuracy accuracy) const override {
    Proof proof = Proof::certified;
    const auto ask = [&](Kernel kernel) {
      QuantityValue answer = gaussian_quantity(spectrum_, Ball(loss), kernel, accuracy);
      proof = weaker_of(proof, answer.proof);
      return answer.value;
    };
    const Ball scale = exp(-Ball(loss));
    Ball above_x = ask(Kernel::upper_tail), below_x = ask(Kernel::lower_tail);
    Ball above_y = ask(Kernel::tilted_upper) * scale, below_y = ask(Kernel::tilted_lower) * scale;
    return {above_x, below_x, above_y, below_y, proof};
  }
  double cost(Accuracy accuracy) const override {
    if (spectrum_.is_pure_shift()) return 4e-5;
    const auto size = static_cast<double>(spectrum_.components().size());
    return accuracy == Accuracy::certified ? 1e-2 * (1.0 + 0.2 * size) : 1e-4 * (1.0 + 0.1 * size);
  }
  Enclosure support() const override { return {-infinity, infinity}; }

 private:
  GaussianSpectrum spectrum_;
};

// Of the gamma distribution with this shape, half a whole number.
struct GammaTails {
  Ball above, below;
};

// place^power e^{-place} / Gamma(power + 1).
Ball gamma_term(const Ball& power, const Ball& place) {
  Ball log_gamma;
  arb_lgamma(log_gamma.raw(), (power + 1.0).raw(), PrecisionScope::bits());
  return exp(power * log(place) - place - log_gamma);
}

// P[above] for place >= shape: the terms of the powers shape - 1, shape - 2, ..., down to 0, or to
// 1/2 and erfc(sqrt(place)), which is at most the term of the power -1/2. All are positive, and the
// next is power/place <= 1 times one: those after it are at most power + 1 times it.
Ball gamma_above(double shape, const Ball& place) {
  double power = shape - 1.0;
  Ball sum = 0.0, term = power >= 0.0 ? gamma_term(power, place) : Ball(0.0);
  for (; power >= 0.0; power -= 1.0) {
    sum += term;
    const Ball rest = term * Ball(power + 1.0);
    if ((rest - sum * Ball(0x1p-80)).surely_negative()) return sum.widened(rest);
    if (power > 0.0) term = term * Ball(power) / place;
  }
  if (std::fmod(shape, 1.0) == 0.0) return sum;
  Ball last = sqrt(place);
  arb_hypgeom_erfc(last.raw(), last.raw(), PrecisionScope::bits());
  return sum + last;
}

// P[below] for place < shape: the terms of the powers shape, shape + 1, ...; the next is
// place/(power + 1) times one, and so is each after it at most.
Ball gamma_below(double shape, const Ball& place) {
  Ball sum = 0.0, term = gamma_term(shape, place);
  for (double power = shape; power < shape + 1e6; power += 1.0) {
    sum += term;
    const Ball ratio = place / Ball(power + 1.0);
    const Ball rest = term * ratio / (Ball(1.0) - ratio);
    if ((rest - sum * Ball(0x1p-80)).surely_negative()) return sum.widened(rest);
    term = term * ratio;
  }
  return Ball::between(0.0, 1.0);
}

// The smaller one by itself.
GammaTails gamma_tails(double shape, const Ball& place) {
  if ((place - Ball(shape)).surely_negative()) {
    const Ball below = gamma_below(shape, place);
    return {Ball(1.0) - below, below};
  }
  const Ball above = gamma_above(shape, place);
  return {above, Ball(1.0) - above};
}

// n coordinates with one variance ratio tau = 1 + t and no means: L = -n/2 log tau + t g/2 under X
// and -n/2 log tau + t/tau g/2 under Y, g chi-square with n degrees. With s = loss + n/2 log tau, L
// is above the loss where g/2 is above s/t or s tau/t, or below that if t < 0; where that place is
// not positive all of g is above it.
class ScaledLaw final : public InnerLaw {
 public:
  /// Empty for other spectra.
  static std::shared_ptr<const ScaledLaw> make(const GaussianSpectrum& spectrum) {
    constexpr double most_coordinates = 1e4;
    const OffDiagonal& rest = spectrum.off_diagonal();
    if (spectrum.components().size() != 1 || spectrum.proof() != Proof::certified) return nullptr;
    if (!(rest.with_record == 0.0 && rest.without_record == 0.0)) return nullptr;
    const SpectrumComponent& only = spectrum.components().front();
    if (!only.mean_square.is_exactly(0.0) || !(only.multiplicity <= most_coordinates) ||
        std::fmod(only.multiplicity, 1.0) != 0.0)
      return nullptr;
    const PrecisionScope scope(bits);
    const Ball excess = to_ball(only.excess);
    if (!excess.surely_positive() && !excess.surely_negative()) return nullptr;
    return std::make_shared<const ScaledLaw>(spectrum, excess, only.multiplicity);
  }
  ScaledLaw(const GaussianSpectrum& spectrum, const Ball& excess, double multiplicity)
      : support_(GaussianLaw(spectrum).support()), excess_(excess), shape_(multiplicity / 2.0) {}

  LossTails tails(double loss, Accuracy) const override {
    const PrecisionScope scope(bits);
    const Ball place = (Ball(loss) + Ball(shape_) * log1p(excess_)) / excess_;
    const bool rises = excess_.surely_positive();
    if (place.surely_nonpositive()) return rises ? LossTails::all_above() : LossTails::all_below();
    if (!place.surely_positive()) return LossTails::unknown();
    const GammaTails x = gamma_tails(shape_, place),
                     y = gamma_tails(shape_, place * (excess_ + 1.0));
    return rises ? LossTails{x.above, x.below, y.above, y.below}
                 : LossTails{x.below, x.above, y.below, y.above};
  }
  double cost(Accuracy) const override { return 4e-5 + 1e-7 * shape_; }
  Enclosure support() const override { return support_; }

 private:
  static constexpr long bits = 192;
  Enclosure support_;
  Ball excess_;
  double shape_;  // half of the number of coordinates
};

// P_X[L = epsilon] = e^epsilon / (1 + e^epsilon), P_Y the other way round.
class TwoPointLaw final : public InnerLaw {
 public:
  explicit TwoPointLaw(const Precise& epsilon) : epsilon_(to_ball(epsilon)) {}

  LossTails tails(double loss, Accuracy) const override {
    const Ball up = epsilon_ - Ball(loss), down = -epsilon_ - Ball(loss);
    if (up.surely_negative()) return LossTails::all_below();
    if (down.surely_positive()) return LossTails::all_above();
    const Ball likely = Ball(1.0) / (Ball(1.0) + exp(-epsilon_));
    const Ball unlikely = Ball(1.0) / (Ball(1.0) + exp(epsilon_));
    // Exactly at an atom either side will do.
    const bool between = (up.surely_positive() || up.exactly_zero()) &&
                         (down.surely_negative() || down.exactly_zero());
    return between ? LossTails{likely, unlikely, unlikely, likely} : LossTails::unknown();
  }
  double cost(Accuracy) const override { return 2e-6; }
  Enclosure support() const override { return {-epsilon_.upper(), epsilon_.upper()}; }
  bool is_discrete() const override { return true; }
  std::vector<LossValue> values() const override {
    return {{-epsilon_, Ball(1.0) / (Ball(1.0) + exp(epsilon_))},
            {epsilon_, Ball(1.0) / (Ball(1.0) + exp(-epsilon_))}};
  }

 private:
  Ball epsilon_;
};

// Noise of scale 1 at 0 under X and at `range` under Y: L = range for x <= 0, range - 2x between,
// -range for x >= range.
class LaplaceLaw final : public InnerLaw {
 public:
  explicit LaplaceLaw(const Precise& range) : range_(to_ball(range)) {}

  LossTails tails(double loss, Accuracy) const override {
    const Ball up = range_ - Ball(loss), down = range_ + Ball(loss);
    if (up.surely_nonpositive()) return LossTails::all_below();
    if (down.surely_nonpositive()) return LossTails::all_above();
    if (!up.surely_positive() || !down.surely_positive()) return LossTails::unknown();
    // {L > loss} = {x < up / 2}.
    const Ball above_y = exp(-down / 2.0) / 2.0, below_x = exp(-up / 2.0) / 2.0;
    return {Ball(1.0) - below_x, below_x, above_y, Ball(1.0) - above_y};
  }
  double cost(Accuracy) const override { return 4e-6; }
  Enclosure support() const override { return {-range_.upper(), range_.upper()}; }
  std::vector<double> atoms() const override { return {-range_.middle(), range_.middle()}; }
  std::optional<LossValue> largest_value() const override { return LossValue{range_, 0.5}; }

 private:
  Ball range_;
};

}  // namespace

std::vector<LawPart> laws_of(const DirectedLoss& loss) {
  std::vector<LawPart> parts = loss.laws;
  if (!loss.gaussian.is_trivial()) {
    if (auto scaled = ScaledLaw::make(loss.gaussian)) parts.push_back({std::move(scaled), 1.0});
    else parts.push_back({std::make_shared<GaussianLaw>(loss.gaussian), 1.0});
  }
  for (const TwoPointPart& part : loss.two_points)
    parts.push_back({std::make_shared<TwoPointLaw>(part.epsilon), part.count});
  for (const LaplacePart& part : loss.laplaces)
    parts.push_back({std::make_shared<LaplaceLaw>(part.range), part.count});
  return parts;
}

}  // namespace modicum
