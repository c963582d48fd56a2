#include "privacy/laws/symmetric_law.h"

namespace modicum {
namespace {

class SymmetricLaw final : public LossLaw {
 public:
  explicit SymmetricLaw(SymmetricLawShape shape) : shape_(std::move(shape)) {}

  // The law of -L under Y is that of L under X.
  LossTails tails(double loss, Accuracy) const override {
    const PrecisionScope scope(160);
    UpperTails above = shape_.above(std::abs(loss));
    Ball rest_x = Ball(1.0) - above.x, rest_y = Ball(1.0) - above.y;
    if (loss >= 0.0)
      return {std::move(above.x), std::move(rest_x), std::move(above.y), std::move(rest_y)};
    return {std::move(rest_y), std::move(above.y), std::move(rest_x), std::move(above.x)};
  }
  double cost(Accuracy) const override { return shape_.cost; }
  Enclosure support() const override { return {-shape_.largest, shape_.largest}; }
  std::vector<double> atoms() const override {
    std::vector<double> places{0.0};
    for (const double place : shape_.atoms) {
      places.push_back(place);
      places.push_back(-place);
    }
    return places;
  }
  // No closed form: what is true of every moment, and 1 where it is.
  QuantityValue moment(const Ball& x) const override {
    if (x.exactly_zero() || (x + 1.0).exactly_zero()) return {Ball(1.0)};
    return {Ball::between(0.0, infinity)};
  }
  LossNodes nodes(double, double, int) const override { return {}; }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const SymmetricLaw*>(&other);
    return same != nullptr && shape_.identity == same->shape_.identity;
  }

 private:
  SymmetricLawShape shape_;
};

}  // namespace

std::shared_ptr<const LossLaw> symmetric_law(SymmetricLawShape shape) {
  return std::make_shared<SymmetricLaw>(std::move(shape));
}

}  // namespace modicum
