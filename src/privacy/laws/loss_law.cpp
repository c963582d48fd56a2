#include "privacy/laws/loss_law.h"

#include <algorithm>
#include <cmath>

#include "modicum/numerics/errors.h"
#include "privacy/laws/turning_sum.h"

namespace modicum {
namespace {

// K_reversed(z) = K(-1 - z).
class ReversedExpansion final : public LawExpansion {
 public:
  explicit ReversedExpansion(std::unique_ptr<LawExpansion> expansion)
      : expansion_(std::move(expansion)) {}
  Jet center() const override {
    Jet jet = expansion_->center();
    jet.first = -jet.first;
    return jet;
  }
  ExpansionValue at(std::complex<double> displacement) const override {
    return expansion_->at(-displacement);
  }
  double mass_beyond(double distance) const override { return expansion_->mass_beyond(distance); }
  Mode smaller_mode() const override {
    Mode mode = expansion_->smaller_mode();
    mode.distance = -mode.distance;
    return mode;
  }

 private:
  std::unique_ptr<LawExpansion> expansion_;
};

}  // namespace

double LawExpansion::Mode::envelope(std::complex<double> d, double real) const {
  if (mass == 0.0) return real;
  const double x = d.real(), y = d.imag();
  const double size = std::log(2.0 * mass) + x * distance + variance * (0.5 * x * x - 0.45 * y * y);
  return std::max(real, size) + std::log1p(std::exp(-std::abs(real - size)));
}

namespace {

class ReversedLaw final : public LossLaw {
 public:
  explicit ReversedLaw(std::shared_ptr<const LossLaw> law) : law_(std::move(law)) {}

  LossTails tails(double loss, Accuracy accuracy) const override {
    LossTails at = law_->tails(-loss, accuracy);
    return {std::move(at.below_y), std::move(at.above_y), std::move(at.below_x),
            std::move(at.above_x), at.proof};
  }
  double cost(Accuracy accuracy) const override { return law_->cost(accuracy); }
  Enclosure support() const override {
    const Enclosure support = law_->support();
    return {-support.upper(), -support.lower()};
  }
  std::vector<double> atoms() const override {
    std::vector<double> places = law_->atoms();
    for (double& place : places) place = -place;
    return places;
  }
  bool is_discrete() const override { return law_->is_discrete(); }
  std::vector<LossValue> values() const override {
    std::vector<LossValue> result = law_->values();
    for (LossValue& value : result) {
      value.mass *= exp(-value.loss);
      value.loss = -value.loss;
    }
    std::ranges::reverse(result);
    return result;
  }
  // E_Y[exp(-x L)] = E_X[exp((-1 - x) L)].
  QuantityValue moment(const Ball& x) const override { return law_->moment(Ball(-1.0) - x); }
  double lower_moment_end() const override { return -1.0 - law_->moment_end(); }
  double moment_end() const override { return -1.0 - law_->lower_moment_end(); }
  LossNodes nodes(double center, double height, int level) const override {
    LossNodes rule = law_->nodes(-1.0 - center, height, level);
    for (std::size_t i = 0; i < rule.losses.size(); ++i) {
      rule.log_weights[i] -= rule.losses[i];
      rule.losses[i] = -rule.losses[i];
    }
    return rule;
  }
  bool expands() const override { return law_->expands(); }
  std::optional<SampledShift> sampled_shift() const override {
    auto shift = law_->sampled_shift();
    if (shift) shift->reversed = !shift->reversed;
    return shift;
  }
  std::optional<SampledLaplace> sampled_laplace() const override {
    auto noise = law_->sampled_laplace();
    if (noise) noise->reversed = !noise->reversed;
    return noise;
  }
  std::unique_ptr<LawExpansion> expand(double center, double count) const override {
    auto expansion = law_->expand(-1.0 - center, count);
    if (!expansion) return nullptr;
    return std::make_unique<ReversedExpansion>(std::move(expansion));
  }
  MomentLine moment_line(const Ball& center, double height) const override {
    const MomentLine line = law_->moment_line(Ball(-1.0) - center, height);
    if (!line) return nullptr;
    return [line](const Ball& y) { return line(-y); };
  }
  std::vector<UniformPart> uniform_parts(const Ball& center) const override {
    return law_->uniform_parts(Ball(-1.0) - center);
  }
  Ball moment_beyond(double center, double height, double count) const override {
    return law_->moment_beyond(-1.0 - center, height, count);
  }
  double line_size(double center, double height) const override {
    return law_->line_size(-1.0 - center, height);
  }
  bool proves_quickly() const override { return law_->proves_quickly(); }
  bool equals(const LossLaw& other) const override {
    const auto* reversed_other = dynamic_cast<const ReversedLaw*>(&other);
    return reversed_other != nullptr && law_->equals(*reversed_other->law_);
  }

 private:
  std::shared_ptr<const LossLaw> law_;
};

}  // namespace

Ball LossTails::quantity(Kernel kernel, const Ball& scale) const {
  switch (kernel) {
    case Kernel::upper_tail:
      return above_x;
    case Kernel::lower_tail:
      return below_x;
    case Kernel::tilted_upper:
      return scale * above_y;
    case Kernel::tilted_lower:
      return scale * below_y;
    case Kernel::profile:
      break;
  }
  return above_x - scale * above_y;
}

std::vector<UniformPart> layers_under(const std::function<Ball(const Ball&)>& density,
                                      const std::function<Ball(const Ball&)>& loss, double from,
                                      double to) {
  constexpr std::size_t pieces = 256;
  std::vector<double> least(pieces), left(pieces), right(pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    const double step = (to - from) / pieces, a = from + step * static_cast<double>(i);
    const double b = from + step * static_cast<double>(i + 1);
    const Ball on_piece = density(Ball::between(a, b));
    least[i] = on_piece.finite() ? std::max(0.0, on_piece.lower()) : 0.0;
    left[i] = loss(Ball(a)).upper();
    right[i] = loss(Ball(b)).lower();
  }
  const auto top = std::ranges::max_element(least);
  const auto peak = static_cast<std::size_t>(top - least.begin());
  std::vector<UniformPart> layers;
  double below = 0.0;
  for (double level = *top * 1e-6; level > 0.0 && level <= *top; level *= 1.1) {
    std::size_t first = peak, last = peak;
    while (first > 0 && least[first - 1] >= level) --first;
    while (last + 1 < pieces && least[last + 1] >= level) ++last;
    const double width = right[last] - left[first];
    if (width > 0.0) layers.push_back({(level - below) * width * (1.0 - 0x1p-40), width});
    below = level;
  }
  return layers;
}

LossNodes nodes_of(const std::vector<LossValue>& values) {
  LossNodes rule;
  for (const LossValue& value : values) {
    if (!value.mass.surely_positive()) continue;
    rule.losses.push_back(value.loss.middle());
    rule.log_weights.push_back(log(value.mass).middle());
  }
  return rule;
}

MomentLine line_of(const std::vector<LossValue>& values, const Ball& center) {
  std::vector<Ball> losses, weights;
  for (const LossValue& value : values) {
    losses.push_back(value.loss);
    weights.push_back(value.mass * exp(center * value.loss));
  }
  const auto sum = std::make_shared<TurningSum>(losses, weights);
  if (sum->empty()) return nullptr;
  return [sum](const Ball& y) { return sum->at(y); };
}

std::shared_ptr<const LossLaw> reversed(std::shared_ptr<const LossLaw> law) {
  if (!law->is_pair()) throw InvalidParameter("law", "a bound in distribution", "must be a pair");
  return std::make_shared<ReversedLaw>(std::move(law));
}

}  // namespace modicum
