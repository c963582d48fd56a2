#include "privacy/laws/objective_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numerics/gauss_legendre.h"
#include "numerics/precise_ball.h"
#include "privacy/laws/normal_tail.h"

namespace modicum {
namespace {

// Both laws are `weight` times the normal density of t on t > start, where U = offset + a^2/2 + at,
// and what is left of the mass 1 in one atom at the offset: weight 1 from -a/2 on, or 2 from 0 on.
// There e^{-U} phi(t) = e^{-offset} phi(t + a), and e^{zU} phi(t) = e^{z offset} e^{z(1+z)a^2/2}
// phi(t - az).
class HalfNormalLaw final : public ObjectiveLaw {
 public:
  HalfNormalLaw(const Ball& offset, const Precise& a, bool folded)
      : offset_(offset), precise_(a), folded_(folded) {
    const PrecisionScope scope(bits);
    a_ = to_ball(a);
    weight_ = folded ? 2.0 : 1.0;
    start_ = folded ? Ball(0.0) : -a_ / 2.0;
    atom_ = folded ? Ball(0.0) : normal_above(a_ / 2.0);
    least_ = folded ? offset_ + a_ * a_ / 2.0 : offset_;
  }

  const Ball& least() const override { return least_; }
  ComplexBall moment_above(const ComplexBall& z) const override {
    const ComplexBall square = folded_ ? z * z : z * (z + ComplexBall(Ball(1.0)));
    const ComplexBall growth = exp(square * (a_ * a_ / 2.0)), v = z * a_ - ComplexBall(start_);
    if (!far_right(v)) return ComplexBall(atom_) + growth * normal_above(-v) * weight_;
    const Ball scale = exp(-start_ * start_ / 2.0);
    return ComplexBall(atom_) + (growth - scaled_normal_above(v) * scale) * weight_;
  }
  // The moment is atom + weight (e^{..} - e^{..} P[N < start - az]), where for Re z >= 0 the last
  // term, a moment of what the cut leaves out, is at most P[N < start]. Re z^2 =
  // c^2 + cr - r^2/2 and Re(z^2 + z) fall from r = c + 1/2 on.
  Ball sector_bound(const Ball& c, const Ball& reach) const override {
    const Ball square = c * c + c * reach - reach * reach / 2.0;
    const Ball real = folded_ ? square : square + c + reach / 2.0;
    return atom_ + weight_ * (normal_above(-start_) + exp(real * a_ * a_ / 2.0));
  }

  LossTails tails(double loss, Accuracy) const override {
    const PrecisionScope scope(bits);
    const Ball scale = exp(-offset_), distance = Ball(loss) - least_;
    const Ball whole = scale * (atom_ + weight_ * normal_above(start_ + a_));
    if (distance.surely_negative()) return {Ball(1.0), Ball(0.0), whole, Ball(0.0)};
    if (!distance.surely_positive() && !distance.exactly_zero()) return LossTails::unknown();
    const Ball t = distance / a_ + start_;
    const Ball above_x = weight_ * normal_above(t),
               above_y = scale * weight_ * normal_above(t + a_);
    return {above_x, Ball(1.0) - above_x, above_y, whole - above_y};
  }
  // The atom at the offset is not announced: it widens the lower end alone, which nobody sees.
  double cost(Accuracy) const override { return 2e-5; }
  Enclosure support() const override { return {least_.lower(), infinity}; }

  QuantityValue moment(const Ball& x) const override {
    const PrecisionScope scope(bits);
    return {exp(x * least_) * moment_above(ComplexBall(x)).real()};
  }
  std::optional<Ball> mean() const override {
    const PrecisionScope scope(bits);
    return offset_ + weight_ * (a_ * a_ / 2.0 * normal_above(start_) + a_ * normal_density(start_));
  }

  // The atom, and Gauss's rule on panels around the peak of the tilted density.
  LossNodes nodes(double center, double height, int level) const override {
    const double a = a_.middle(), start = start_.middle(), offset = offset_.middle();
    const double from = std::max(start, a * center - 9.5), to = std::max(start, a * center) + 9.5;
    const double panels =
        std::ldexp(std::ceil(0.5 * (to - from) * (1.0 + 0.1 * height * a)), level);
    if (!(panels <= 5e3)) return {};
    LossNodes rule;
    if (!folded_) {
      rule.losses.push_back(offset);
      rule.log_weights.push_back(log(atom_).middle());
    }
    const GaussRule& gauss = gauss_legendre(24);
    const double half = 0.5 * (to - from) / panels, log_density = weight_.middle() * half;
    for (double panel = 0.0; panel < panels; panel += 1.0)
      for (std::size_t i = 0; i < gauss.points.size(); ++i) {
        const double t = from + half * (2.0 * panel + 1.0 + gauss.points[i]);
        rule.losses.push_back(offset + a * (0.5 * a + t));
        rule.log_weights.push_back(std::log(gauss.weights[i] * log_density) - 0.5 * t * t -
                                   0.5 * std::log(2.0 * std::numbers::pi));
      }
    return rule;
  }
  MomentLine moment_line(const Ball& center, double) const override {
    return [this, center](const Ball& y) { return moment_at(ComplexBall(center, y)); };
  }
  MomentLine quick_moment_line(const Ball& center) const override {
    const PrecisionScope scope(bits);
    return quick_line(pieces(), center, moment_above(ComplexBall(center)).real());
  }
  NormalPieces pieces() const override { return {{{start_, least_, a_}}, atom_, weight_}; }
  std::vector<UniformPart> uniform_parts(const Ball& center) const override {
    const Ball scale = weight_ / (a_ * moment(center).value);
    const auto loss = [&](const Ball& t) { return offset_ + a_ * a_ / 2.0 + a_ * t; };
    const auto density = [&](const Ball& t) {
      return scale * exp(center * loss(t)) * normal_density(t);
    };
    const double peak = a_.middle() * center.middle();
    return layers_under(density, loss, std::max(start_.upper(), peak - 6.0),
                        std::max(start_.upper(), peak) + 6.0);
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const HalfNormalLaw*>(&other);
    return same != nullptr && folded_ == same->folded_ && precise_ == same->precise_ &&
           arb_equal(offset_.raw(), same->offset_.raw()) != 0;
  }

 private:
  static constexpr long bits = 192;
  ComplexBall moment_at(const ComplexBall& z) const { return exp(z * least_) * moment_above(z); }

  Ball offset_, a_, weight_, start_, atom_, least_;
  Precise precise_;
  bool folded_;
};

}  // namespace

std::shared_ptr<const LossLaw> cut_normal_law(const Ball& offset, const Precise& a) {
  return std::make_shared<HalfNormalLaw>(offset, a, false);
}

std::shared_ptr<const LossLaw> folded_normal_law(const Ball& offset, const Precise& a) {
  return std::make_shared<HalfNormalLaw>(offset, a, true);
}

}  // namespace modicum
