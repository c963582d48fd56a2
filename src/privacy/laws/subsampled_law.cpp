#include "privacy/laws/subsampled_law.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <typeinfo>

#include "numerics/ball_integral.h"
#include "numerics/gauss_legendre.h"
#include "numerics/precise_ball.h"
#include "privacy/laws/subsampled_expansion.h"
#include "privacy/laws/turning_sum.h"

namespace modicum {
namespace {

// P[N > x] and P[N <= x], of which the smaller is computed.
struct NormalTails {
  Ball above, below;
  explicit NormalTails(const Ball& x) {
    const bool right = x.middle() > 0.0;
    Ball small = normal_above(right ? x : -x), large = Ball(1.0) - small;
    above = right ? small : large;
    below = right ? large : small;
  }
};

// What both kinds of noise share: L = log(1 - q + q g) with g = d(shifted)/dY.
class SubsampledLaw : public LossLaw {
 public:
  SubsampledLaw(const Precise& shift, double rate)
      : precise_(shift), shift_(to_ball(shift)), rate_(rate) {}

  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const SubsampledLaw*>(&other);
    return same != nullptr && typeid(*this) == typeid(other) && precise_ == same->precise_ &&
           rate_ == same->rate_;
  }

 protected:
  // The g at which L is `loss`; below 0 if it always is above.
  Ball ratio_at(double loss) const { return (expm1(Ball(loss)) + Ball(rate_)) / Ball(rate_); }
  Ball loss_at(const Ball& log_ratio) const { return log1p(Ball(rate_) * expm1(log_ratio)); }
  double loss_at(double log_ratio) const {
    // log(1 - q + q g) without overflow of g.
    if (log_ratio > 30.0)
      return log_ratio + std::log(rate_) + std::log1p((1.0 - rate_) / rate_ * std::exp(-log_ratio));
    return std::log1p(rate_ * std::expm1(log_ratio));
  }
  // From the tails of Y and of the shifted law.
  LossTails mixed(const Ball& above, const Ball& below, const Ball& shifted_above,
                  const Ball& shifted_below) const {
    const Ball rate = rate_, rest = Ball(1.0) - rate;
    return {rest * above + rate * shifted_above, rest * below + rate * shifted_below, above, below};
  }

  Precise precise_;
  Ball shift_;
  double rate_;
};

class SubsampledGaussianLaw final : public SubsampledLaw {
 public:
  SubsampledGaussianLaw(const Precise& shift, double rate)
      : SubsampledLaw(shift, rate), contours_(std::make_shared<SubsampledContours>(shift, rate)) {}

  LossTails tails(double loss, Accuracy) const override {
    const PrecisionScope scope(112);
    const Ball ratio = ratio_at(loss);
    if (ratio.surely_nonpositive()) return LossTails::all_above();
    if (!ratio.surely_positive()) return LossTails::unknown();
    const Ball x = log(ratio) / shift_ + shift_ / 2.0;
    const NormalTails own(x), shifted(x - shift_);
    return mixed(own.above, own.below, shifted.above, shifted.below);
  }
  double cost(Accuracy) const override { return 2e-5; }
  Enclosure support() const override {
    const PrecisionScope scope(128);
    return {log1p(-Ball(rate_)).lower(), infinity};
  }

  QuantityValue moment(const Ball& x) const override;

  // The trapezium rule in t.
  LossNodes nodes(double center, double height, int level) const override {
    const Trapezium rule = trapezium(center + 1.0, height, 38.0, 9.5);
    const double step = std::ldexp(rule.step, -level), mu = shift_.middle();
    LossNodes result;
    if ((rule.to - rule.from) / step > 2e4) return result;
    for (double t = rule.from; t <= rule.to; t += step) {
      const double loss = loss_at(mu * t - 0.5 * mu * mu);
      result.losses.push_back(loss);
      result.log_weights.push_back(loss - 0.5 * t * t + std::log(step) -
                                   0.5 * std::log(2.0 * std::numbers::pi));
    }
    return result;
  }

  bool expands() const override { return true; }
  std::optional<SampledShift> sampled_shift() const override {
    return SampledShift{precise_, rate_};
  }
  std::unique_ptr<LawExpansion> expand(double center, double count) const override {
    return expand_subsampled_gaussian(contours_, center, count);
  }
  MomentLine moment_line(const Ball& center, double height) const override;
  bool proves_quickly() const override { return true; }

  // The tilted density of L is phi(t) (1 - q + q e^u)^a / (M l'(t)) with u = mu t - mu^2/2 and
  // l' = mu q e^u / (1 - q + q e^u), enclosed piece by piece.
  std::vector<UniformPart> uniform_parts(const Ball& center) const override {
    const Ball a = center + 1.0, rate = rate_;
    const QuantityValue whole = moment(center);
    const auto density = [&](const Ball& t) {
      const Ball u = t * shift_ - shift_ * shift_ / 2.0;
      const Ball base = Ball(1.0) - rate + rate * exp(u);
      return exp(log(base) * (a + 1.0) - t * t / 2.0 - u) / (shift_ * rate * whole.value) /
             sqrt(Ball::pi() * 2.0);
    };
    const auto loss = [&](const Ball& t) { return loss_at(t * shift_ - shift_ * shift_ / 2.0); };
    return layers_under(density, loss, -6.0, std::max(0.0, a.middle() * shift_.middle()) + 5.0);
  }

 private:
  class Line;
  struct Trapezium {
    double from, to, step, half_width;
  };
  // The error is about exp(growth - 2 pi half_width / step).
  Trapezium trapezium(double a, double height, double digits, double reach) const {
    const double mu = shift_.middle();
    const TrapeziumStrip strip = trapezium_strip(mu, a, height, digits);
    return {std::min(0.0, std::max(a * mu, turn())) - reach, std::max(0.0, a * mu) + reach,
            2.0 * std::numbers::pi * strip.half_width / (strip.growth + digits), strip.half_width};
  }
  // Where q e^u = 1 - q: left of it the base is all but 1 - q, right of it all but q e^u.
  double turn() const {
    const double mu = shift_.middle();
    return (std::log1p(-rate_) - std::log(rate_)) / mu + 0.5 * mu;
  }
  // What of the integral of phi(t) base^a lies outside [from, to]. The base is at least 1 - q and
  // q e^u, and lies between 1 and e^u; and phi(t) e^{a u} is C phi(t - a mu) with C = e^{(a^2 - a)
  // mu^2/2}. So for a <= 0 the smaller of two bounds holds on either side, else their sum.
  Ball cut_off(const Ball& a, const Ball& from, const Ball& to) const {
    const Ball other = exp((a * a - a) * shift_ * shift_ / 2.0), moved = a * shift_;
    if (a.surely_positive())
      return normal_above(-from) + normal_above(to) +
             other * (normal_above(moved - from) + normal_above(to - moved));
    const Ball flat = exp(log1p(-Ball(rate_)) * a), steep = exp(log(Ball(rate_)) * a) * other;
    return min(flat * normal_above(-from), steep * normal_above(moved - from)) +
           min(flat * normal_above(to), steep * normal_above(to - moved));
  }

  std::shared_ptr<const SubsampledContours> contours_;
};

// The trapezium rule with proven errors: discretization 2 B / (e^{2 pi b / step} - 1), where B
// bounds the integral of |integrand| on Im t = b and -b [TrefethenWeideman2014, Theorem 5.1], and
// what is cut off.
class SubsampledGaussianLaw::Line {
 public:
  Line(const SubsampledGaussianLaw& law, const Ball& center, double height, double digits) {
    const Ball a = center + 1.0, mu = law.shift_;
    const double order = a.middle();
    const double reach = std::sqrt(2.0 * digits) + 2.0 +
                         std::sqrt(2.0 * std::max(0.0, order) * -std::log(law.rate_));
    const Trapezium rule = law.trapezium(order, height, digits, reach);
    const auto steps = static_cast<long>(std::ceil((rule.to - rule.from) / rule.step));
    if (steps > 20000) return;
    std::vector<Ball> losses, weights;
    Ball t = rule.from;
    for (long i = 0; i <= steps; ++i) {
      t = Ball(rule.from) + Ball(static_cast<double>(i)) * Ball(rule.step);
      losses.push_back(law.loss_at(t * mu - mu * mu / 2.0));
      weights.push_back(exp(a * losses.back() - t * t / 2.0) * Ball(rule.step) /
                        sqrt(Ball::pi() * 2.0));
    }
    sum_ = TurningSum(losses, weights);
    const Ball b = rule.half_width;
    Ball growth = b * b / 2.0 + Ball(height) * mu * b, cosine;
    arb_cos(cosine.raw(), (mu * b / 2.0).raw(), PrecisionScope::bits());
    if (!a.surely_positive()) growth += a * log(cosine);
    const Ball ratio = Ball(2.0) * exp(growth) / expm1(Ball::pi() * 2.0 * b / Ball(rule.step));
    // On the real line the same: |sum - M| <= ratio M + cut, hence a bound on M.
    const Ball cut = law.cut_off(a, Ball(rule.from), t);
    error_ = ratio * (sum_.total() + cut) / (Ball(1.0) - ratio) + cut;
  }
  ComplexBall at(const Ball& y) { return sum_.at(y).widened(error_); }
  Ball at_center() const { return sum_.total().widened(error_); }
  bool usable() const { return !sum_.empty() && error_.finite() && !error_.surely_negative(); }

 private:
  TurningSum sum_;
  Ball error_;
};

QuantityValue SubsampledGaussianLaw::moment(const Ball& x) const {
  const PrecisionScope scope(160);
  if (x.exactly_zero() || (x + 1.0).exactly_zero()) return {Ball(1.0)};
  if (!(std::abs(x.middle()) < 1e5)) return {Ball::between(0.0, infinity)};  // not worth the time
  Line line(*this, x, 0.0, 90.0);
  return {line.usable() ? line.at_center() : Ball::between(0.0, infinity)};
}

MomentLine SubsampledGaussianLaw::moment_line(const Ball& center, double height) const {
  const auto line = std::make_shared<Line>(*this, center, height, 58.0);
  if (!line->usable()) return nullptr;
  return [line](const Ball& y) { return line->at(y); };
}

// With g = e^{-a} for x <= 0, e^{2x - a} up to x = a, e^a beyond.
class SubsampledLaplaceLaw final : public SubsampledLaw {
 public:
  using SubsampledLaw::SubsampledLaw;

  LossTails tails(double loss, Accuracy) const override {
    const PrecisionScope scope(128);
    const Ball ratio = ratio_at(loss);
    if (ratio.surely_nonpositive()) return LossTails::all_above();
    if (!ratio.surely_positive()) return LossTails::unknown();
    const Ball x = (log(ratio) + shift_) / 2.0, left = shift_ - x;
    if (x.surely_negative()) return LossTails::all_above();
    if (left.surely_negative()) return LossTails::all_below();
    if (!x.surely_positive() || !left.surely_positive()) return LossTails::unknown();
    const Ball above = exp(-x) / 2.0, shifted_below = exp(-left) / 2.0;
    return mixed(above, Ball(1.0) - above, Ball(1.0) - shifted_below, shifted_below);
  }
  double cost(Accuracy) const override { return 1e-5; }
  Enclosure support() const override {
    const PrecisionScope scope(128);
    return {loss_at(-shift_).lower(), loss_at(shift_).upper()};
  }
  std::vector<double> atoms() const override {
    return {loss_at(-shift_).middle(), loss_at(shift_).middle()};
  }
  // All beyond the center of the shifted noise.
  std::optional<LossValue> largest_value() const override {
    const PrecisionScope scope(128);
    const Ball loss = loss_at(shift_);
    return LossValue{loss, exp(loss - shift_) / 2.0};
  }

  std::optional<SampledLaplace> sampled_laplace() const override {
    return SampledLaplace{precise_, rate_};
  }

  QuantityValue moment(const Ball& x) const override {
    const PrecisionScope scope(128);
    if (!(std::abs(x.middle()) < 1e4)) return {Ball::between(0.0, infinity)};  // not worth the time
    return {moment_at(ComplexBall(x)).real()};
  }

  ComplexBall moment_at(const ComplexBall& z) const {
    const ComplexBall a = z + ComplexBall(Ball(1.0));
    const Ball rate = rate_, rest = Ball(1.0) - rate;
    const auto integrand = [&](const ComplexBall& t, bool analytic) {
      const ComplexBall base = ComplexBall(rest) + exp(t * Ball(2.0) - ComplexBall(shift_)) * rate;
      return exp(-t) * Ball(0.5) * power(base, a, analytic);
    };
    const ComplexBall lowest = exp(a * loss_at(-shift_)), highest = exp(a * loss_at(shift_));
    return (lowest + highest * exp(-shift_)) * Ball(0.5) + integrate(integrand, Ball(0.0), shift_);
  }

  MomentLine moment_line(const Ball& center, double) const override {
    return [this, center](const Ball& y) { return moment_at(ComplexBall(center, y)); };
  }

  // The density of the middle part along x from 0 to a: e^{-x}/2 base^a / (M l'(x)), with
  // l' = 2 q g / base.
  std::vector<UniformPart> uniform_parts(const Ball& center) const override {
    const Ball a = center + 1.0, rate = rate_;
    const QuantityValue whole = moment(center);
    const auto density = [&](const Ball& x) {
      const Ball log_ratio = x * 2.0 - shift_, base = Ball(1.0) - rate + rate * exp(log_ratio);
      return exp(log(base) * (a + 1.0) - x - log_ratio) / (rate * whole.value * 4.0);
    };
    const auto loss = [&](const Ball& x) { return loss_at(x * 2.0 - shift_); };
    return layers_under(density, loss, 0.0, shift_.lower());
  }

  LossNodes nodes(double, double height, int level) const override {
    const double a = shift_.middle();
    LossNodes rule;
    const auto add = [&](double log_ratio, double mass_of_y) {
      const double loss = loss_at(log_ratio);
      rule.losses.push_back(loss);
      rule.log_weights.push_back(std::log(mass_of_y) + loss);
    };
    add(-a, 0.5);
    add(a, 0.5 * std::exp(-a));
    const GaussRule& gauss = gauss_legendre(24);
    const double panels = std::ldexp(std::ceil((1.0 + 0.2 * height) * a / 2.0), level);
    if (panels > 5e3) return {};
    for (double panel = 0.0; panel < panels; panel += 1.0)
      for (std::size_t i = 0; i < gauss.points.size(); ++i) {
        const double x = a * (panel + 0.5 + 0.5 * gauss.points[i]) / panels;
        add(2.0 * x - a, 0.5 * std::exp(-x) * gauss.weights[i] * 0.5 * a / panels);
      }
    return rule;
  }
};

}  // namespace

std::shared_ptr<const LossLaw> subsampled_gaussian_law(const Precise& mu, double sampling_rate) {
  return std::make_shared<SubsampledGaussianLaw>(mu, sampling_rate);
}

std::shared_ptr<const LossLaw> subsampled_laplace_law(const Precise& range, double sampling_rate) {
  return std::make_shared<SubsampledLaplaceLaw>(range, sampling_rate);
}

}  // namespace modicum
