#include "mechanisms/sampling/sampled_law.h"

#include <cmath>

#include "modicum/mechanisms/subsampled.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"
#include "privacy/engines/part_laws.h"
#include "privacy/laws/loss_law.h"

namespace modicum {
namespace {

// L = log(1 - q + q e^{L'}), L' the loss of (X, Y).
class SampledLaw final : public LossLaw {
 public:
  SampledLaw(DirectedLoss whole, std::shared_ptr<const LossLaw> law, std::vector<double> identity,
             double rate)
      : whole_(std::move(whole)),
        law_(std::move(law)),
        identity_(std::move(identity)),
        rate_(rate) {}

  std::optional<QuantityValue> profile(double epsilon, Accuracy accuracy) const override {
    const PrecisionScope scope(proof_bits);
    const auto inner = loss_inside(epsilon);
    if (!inner) return std::nullopt;
    const Answer high = directed_delta(whole_, inner->lower(), accuracy),
                 low = directed_delta(whole_, inner->upper(), accuracy);
    return QuantityValue{Ball(rate_) * hull(Ball(low.value.lower()), Ball(high.value.upper())),
                         weaker_of(high.proof, low.proof)};
  }
  LossTails tails(double loss, Accuracy accuracy) const override {
    const PrecisionScope scope(proof_bits);
    const auto inner = loss_inside(loss);
    if (!inner) return surely_below(loss) ? LossTails::all_above() : LossTails::unknown();
    const LossTails first = law_->tails(inner->lower(), accuracy),
                    second = law_->tails(inner->upper(), accuracy);
    const Ball above_y = hull(first.above_y, second.above_y),
               below_y = hull(first.below_y, second.below_y);
    const Ball q = rate_, rest = Ball(1.0) - q;
    return {q * hull(first.above_x, second.above_x) + rest * above_y,
            q * hull(first.below_x, second.below_x) + rest * below_y, above_y, below_y,
            weaker_of(first.proof, second.proof)};
  }
  double cost(Accuracy accuracy) const override { return 2.0 * law_->cost(accuracy); }
  bool is_discrete() const override { return law_->is_discrete(); }
  Enclosure support() const override {
    const PrecisionScope scope(proof_bits);
    const Enclosure inner = law_->support();
    const auto outside = [&](double loss) { return log1p(Ball(rate_) * expm1(Ball(loss))); };
    const double high = std::isinf(inner.upper()) ? infinity : outside(inner.upper()).upper();
    const double low =
        std::isinf(inner.lower()) ? log1p(-Ball(rate_)).lower() : outside(inner.lower()).lower();
    return {low, std::isnan(high) ? infinity : high};
  }
  // No closed form: what is true of every moment, and 1 where it is.
  QuantityValue moment(const Ball& x) const override {
    if (x.exactly_zero() || (x + 1.0).exactly_zero()) return {Ball(1.0)};
    return {Ball::between(0.0, infinity)};
  }
  LossNodes nodes(double, double, int) const override { return {}; }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const SampledLaw*>(&other);
    return same != nullptr && rate_ == same->rate_ && identity_ == same->identity_;
  }

 private:
  bool surely_below(double loss) const {
    return (exp(Ball(loss)) - (Ball(1.0) - Ball(rate_))).surely_nonpositive();
  }
  // The loss L' at which L has this value; nothing, where L is larger always.
  std::optional<Ball> loss_inside(double loss) const {
    const Ball excess = expm1(Ball(loss)) / Ball(rate_);
    if (!(excess + 1.0).surely_positive()) return std::nullopt;
    const Ball inner = log1p(excess);
    if (!inner.finite()) return std::nullopt;
    return inner;
  }

  DirectedLoss whole_;
  std::shared_ptr<const LossLaw> law_;
  std::vector<double> identity_;
  double rate_;
};

}  // namespace

PrivacyLoss sampled_loss(const PrivacyLoss& loss, double rate, std::vector<double> identity) {
  if (require_sampling_rate(rate) == 1.0) return loss;
  const DirectedLoss& forward = loss.forward();
  const std::vector<LawPart> parts = laws_of(forward);
  if (parts.empty()) return loss;
  if (parts.size() != 1 || parts.front().count != 1.0 || !forward.infinite_mass.is_exactly(0.0) ||
      forward.mutually_singular)
    throw InvalidParameter("loss", "of several parts", "must be one mechanism on a sample");
  const auto law =
      std::make_shared<const SampledLaw>(forward, parts.front().law, std::move(identity), rate);
  const PrivacyLoss sampled = PrivacyLoss::law(law, reversed(law));
  return loss.is_upper_bound() ? sampled.as_upper_bound() : sampled;
}

}  // namespace modicum
