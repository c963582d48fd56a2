#include "privacy/engines/part_laws.h"

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
  if (!loss.gaussian.is_trivial())
    parts.push_back({std::make_shared<GaussianLaw>(loss.gaussian), 1.0});
  for (const TwoPointPart& part : loss.two_points)
    parts.push_back({std::make_shared<TwoPointLaw>(part.epsilon), part.count});
  for (const LaplacePart& part : loss.laplaces)
    parts.push_back({std::make_shared<LaplaceLaw>(part.range), part.count});
  return parts;
}

}  // namespace modicum
