#include "privacy/laws/bounded_range_law.h"

#include <cmath>

#include "numerics/gauss_legendre.h"

namespace modicum {
namespace {

// L has density e^{(l - eta)/2} / (2 (1 - e^{-eta})) on [-eta, eta] under X, and with u = z + 1/2
// E_X[exp(z L)] = sinh(u eta) / (2 u sinh(eta/2)): docs/derivations/subsampled.md.
class BoundedRangeLaw final : public LossLaw {
 public:
  explicit BoundedRangeLaw(double range) : range_(range) {}
  double range() const { return range_; }

  LossTails tails(double loss, Accuracy) const override {
    if (loss >= range_) return LossTails::all_below();
    if (loss <= -range_) return LossTails::all_above();
    const PrecisionScope scope(128);
    const Ball eta = range_, l = loss, whole = -expm1(-eta);
    // By reflection P_Y[L > l] = P_X[L < -l].
    const auto above = [&](const Ball& x) { return -expm1((x - eta) / 2.0) / whole; };
    const auto below = [&](const Ball& x) { return exp(-eta) * expm1((x + eta) / 2.0) / whole; };
    return {above(l), below(l), below(-l), above(-l)};
  }
  double cost(Accuracy) const override { return 5e-6; }
  Enclosure support() const override { return {-range_, range_}; }

  QuantityValue moment(const Ball& x) const override {
    const PrecisionScope scope(160);
    return {moment_at(ComplexBall(x)).real()};
  }
  LossNodes nodes(double, double height, int level) const override {
    LossNodes rule;
    const GaussRule& gauss = gauss_legendre(24);
    const double panels = std::ldexp(std::ceil((1.0 + 0.1 * height) * range_), level);
    if (panels > 5e3) return rule;
    const double log_scale = -0.5 * range_ - std::log(-2.0 * std::expm1(-range_));
    for (double panel = 0.0; panel < panels; panel += 1.0)
      for (std::size_t i = 0; i < gauss.points.size(); ++i) {
        const double loss = range_ * (2.0 * (panel + 0.5 + 0.5 * gauss.points[i]) / panels - 1.0);
        rule.losses.push_back(loss);
        rule.log_weights.push_back(log_scale + 0.5 * loss +
                                   std::log(gauss.weights[i] * range_ / panels));
      }
    return rule;
  }
  bool proves_quickly() const override { return true; }
  MomentLine moment_line(const Ball& center, double) const override {
    return [this, center](const Ball& y) { return moment_at(ComplexBall(center, y)); };
  }
  // The tilted density is a multiple of exp(u l).
  std::vector<UniformPart> uniform_parts(const Ball& center) const override {
    const Ball u = center + 0.5, eta = range_;
    const Ball scale = exp(-eta / 2.0) / (-expm1(-eta) * 2.0) / moment(center).value;
    return layers_under([&](const Ball& l) { return exp(u * l) * scale; },
                        [](const Ball& l) { return l; }, -range_, range_);
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const BoundedRangeLaw*>(&other);
    return same != nullptr && range_ == same->range_;
  }

 private:
  ComplexBall moment_at(const ComplexBall& z) const {
    const Ball eta = range_;
    return sinhc((z + ComplexBall(Ball(0.5))) * eta) * (eta * exp(-eta / 2.0) / -expm1(-eta));
  }

  double range_;
};

}  // namespace

std::shared_ptr<const LossLaw> bounded_range_law(double range) {
  return std::make_shared<BoundedRangeLaw>(range);
}

std::optional<double> bounded_range_of(const LossLaw& law) {
  const auto* bounded = dynamic_cast<const BoundedRangeLaw*>(&law);
  if (bounded == nullptr) return std::nullopt;
  return bounded->range();
}

}  // namespace modicum
