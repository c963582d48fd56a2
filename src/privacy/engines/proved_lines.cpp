#include "privacy/engines/proved_lines.h"

#include <algorithm>

namespace modicum {
namespace {

constexpr double widest_line = 0.01;  // wider ones are left to other engines

}  // namespace

ProvedLine::ProvedLine(LinePlan plan, const LossMoment& moment, double shift)
    : plan_(std::move(plan)), home_(shift) {
  const Line& line = plan_.line();
  const auto gaussian = moment.gaussian().expand_ball(line.center);
  log_scale_ = gaussian->value();
  const Ball slope = gaussian->slope();
  values_.resize(static_cast<std::size_t>(line.nodes) + 1);
  // From above: the rules of the laws are made for the highest node.
  for (long k = line.nodes; k >= 0; --k) {
    const Ball y = Ball(static_cast<double>(k)) * Ball(line.step);
    const ComplexBall d(Ball(0.0), y), z = d + Ball(line.center);
    ComplexBall g = exp(gaussian->at(d, slope));
    for (const auto& part : moment.atomic()) g *= part->moment(z);
    g /= z * (z + ComplexBall(Ball(1.0)));
    values_[static_cast<std::size_t>(k)] = k == 0 ? g * Ball(0.5) : g;
  }
  at_home_ = integral(shift);
  width_ = relative_width(at_home_);
}

Ball ProvedLine::integral(double shift) const {
  const Line& line = plan_.line();
  const Ball s = shift;
  Ball sum, sine, cosine;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    const Ball y = Ball(static_cast<double>(k)) * Ball(line.step);
    arb_sin_cos(sine.raw(), cosine.raw(), (s * y).raw(), PrecisionScope::bits());
    sum += values_[k].real() * cosine + values_[k].imaginary() * sine;
  }
  const Ball scale = exp(log_scale_ - s * Ball(line.center)) * Ball(line.step) / Ball::pi();
  return (sum * scale).widened(plan_.error(shift));
}

ProvedLines::ProvedLines(const DirectedLoss& loss) : lines_(loss) {
  provable_ = std::ranges::all_of(loss.laws, [](const LawPart& part) {
    return part.law->moment_line(Ball(0.5), 1.0) != nullptr;
  });
}

std::optional<QuantityValue> ProvedLines::at(double shift, Accuracy accuracy) {
  if (!provable_) return std::nullopt;
  const Proof proof = loss().gaussian.proof();
  if (auto value = lines_.known(shift)) return QuantityValue{*std::move(value), proof};
  const LossMoment moment(loss());
  // A fast answer that is proved is to be so in every part.
  const Accuracy proved = accuracy == Accuracy::fast ? Accuracy::automatic : accuracy;
  auto plan = LinePlan::make(loss(), moment, shift, proved, slow_decay);
  if (!plan) return std::nullopt;
  ProvedLine line(*std::move(plan), moment, shift);
  if (!(line.width() <= widest_line)) return std::nullopt;
  return QuantityValue{lines_.add(std::move(line)), proof};
}

}  // namespace modicum
