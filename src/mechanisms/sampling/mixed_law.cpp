#include "mechanisms/sampling/mixed_law.h"

#include <algorithm>

namespace modicum {
namespace {

class MixedLaw final : public LossLaw {
 public:
  explicit MixedLaw(std::vector<MixedLawPart> parts) : parts_(std::move(parts)) {}

  LossTails tails(double loss, Accuracy accuracy) const override {
    LossTails sum{Ball(0.0), Ball(0.0), Ball(0.0), Ball(0.0)};
    for (const MixedLawPart& part : parts_) {
      const LossTails own = part.law->tails(loss, accuracy);
      const PrecisionScope scope(proof_bits);
      sum.above_x += part.weight * own.above_x;
      sum.below_x += part.weight * own.below_x;
      sum.above_y += part.weight * own.above_y;
      sum.below_y += part.weight * own.below_y;
      sum.proof = weaker_of(sum.proof, own.proof);
    }
    return sum;
  }
  double cost(Accuracy accuracy) const override {
    double sum = 0.0;
    for (const MixedLawPart& part : parts_) sum += part.law->cost(accuracy);
    return sum;
  }
  Enclosure support() const override {
    double low = infinity, high = -infinity;
    for (const MixedLawPart& part : parts_) {
      low = std::min(low, part.law->support().lower());
      high = std::max(high, part.law->support().upper());
    }
    return {low, high};
  }
  std::vector<double> atoms() const override {
    std::vector<double> places;
    for (const MixedLawPart& part : parts_)
      for (const double place : part.law->atoms()) places.push_back(place);
    std::ranges::sort(places);
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }
  QuantityValue moment(const Ball& x) const override {
    QuantityValue sum{Ball(0.0)};
    for (const MixedLawPart& part : parts_) {
      const QuantityValue own = part.law->moment(x);
      const PrecisionScope scope(proof_bits);
      sum.value += part.weight * own.value;
      sum.proof = weaker_of(sum.proof, own.proof);
    }
    return sum;
  }
  double lower_moment_end() const override {
    double end = -infinity;
    for (const MixedLawPart& part : parts_) end = std::max(end, part.law->lower_moment_end());
    return end;
  }
  double moment_end() const override {
    double end = infinity;
    for (const MixedLawPart& part : parts_) end = std::min(end, part.law->moment_end());
    return end;
  }
  LossNodes nodes(double center, double height, int level) const override {
    LossNodes all;
    for (const MixedLawPart& part : parts_) {
      const LossNodes own = part.law->nodes(center, height, level);
      if (own.losses.empty()) return {};
      const double log_weight = std::log(part.weight.middle());
      all.losses.insert(all.losses.end(), own.losses.begin(), own.losses.end());
      for (const double each : own.log_weights) all.log_weights.push_back(each + log_weight);
    }
    return all;
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const MixedLaw*>(&other);
    return same != nullptr &&
           std::ranges::equal(
               parts_, same->parts_, [](const MixedLawPart& a, const MixedLawPart& b) {
                 return arb_equal(a.weight.raw(), b.weight.raw()) != 0 && a.law->equals(*b.law);
               });
  }

 private:
  std::vector<MixedLawPart> parts_;
};

}  // namespace

std::shared_ptr<const LossLaw> mixed_law(std::vector<MixedLawPart> parts) {
  return std::make_shared<MixedLaw>(std::move(parts));
}

}  // namespace modicum
