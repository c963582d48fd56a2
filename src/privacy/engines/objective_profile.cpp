// The profile of a sum of the bounds of objective perturbation. Their moments neither decay along
// vertical lines, for there is an atom or a jump at the least loss, nor allow the bend to the left
// of the Gaussian contour; but to the right, where exp(-z (shift - least)) decays
// (docs/derivations/objective-perturbation.md):
//
//   delta = 1/pi Im of the integral over r > 0 of e^{i pi/3} M(z) e^{-z shift} / (z (z + 1)),
//   z = c + r e^{i pi/3}.
#include <algorithm>
#include <vector>

#include "numerics/ball_integral.h"
#include "privacy/engines/engine.h"
#include "privacy/engines/loss_moment.h"
#include "privacy/engines/objective_line.h"
#include "privacy/laws/objective_law.h"

namespace modicum {
namespace {

struct Part {
  const ObjectiveLaw* law;
  double count;
};

// Empty unless there is nothing else.
std::vector<Part> parts_of(const DirectedLoss& loss) {
  if (!loss.gaussian.is_trivial() || !loss.two_points.empty() || !loss.laplaces.empty()) return {};
  std::vector<Part> parts;
  for (const LawPart& part : loss.laws) {
    const auto* law = dynamic_cast<const ObjectiveLaw*>(part.law.get());
    if (law == nullptr) return {};
    parts.push_back({law, part.count});
  }
  return parts;
}

class BentLine {
 public:
  BentLine(std::vector<Part> parts, Ball distance, double center)
      : parts_(std::move(parts)), distance_(std::move(distance)), center_(center) {
    arb_sqrt_ui(acb_imagref(direction_.raw()), 3, PrecisionScope::bits());
    arb_one(acb_realref(direction_.raw()));
    direction_ *= Ball(0.5);
    scale_ = integrand(ComplexBall(center_)).real();
  }

  /// Empty where nothing finite came out.
  std::optional<Ball> integral() const {
    const std::optional<double> reach = far_enough();
    if (!reach) return std::nullopt;
    if (auto quick = quick_integral(*reach)) return quick;
    const auto along = [&](const ComplexBall& r, bool) {
      return integrand(ComplexBall(center_) + direction_ * r) * (Ball(1.0) / scale_);
    };
    const ComplexBall sum = integrate(along, Ball(0.0), Ball(*reach)) * direction_;
    const Ball value = sum.imaginary().widened(beyond(Ball(*reach))) * scale_ / Ball::pi();
    if (!value.finite()) return std::nullopt;
    return value;
  }

 private:
  ComplexBall integrand(const ComplexBall& z) const {
    ComplexBall product = exp(-(z * distance_)) / (z * (z + ComplexBall(Ball(1.0))));
    for (const Part& part : parts_) product *= power(part.law->moment_above(z), part.count);
    return product;
  }
  // Of the integral of |integrand| from `reach` on, relative to the scale; |z (z + 1)| >= r^2.
  Ball beyond(const Ball& reach) const {
    Ball exponent = -distance_ * (center_ + reach / 2.0);
    for (const Part& part : parts_)
      exponent += Ball(part.count) * log(part.law->sector_bound(center_, reach));
    return exp(exponent) / (reach * scale_);
  }
  // In doubles; empty where that leaves too few digits.
  std::optional<Ball> quick_integral(double reach) const {
    std::vector<QuickPart> quick;
    for (const Part& part : parts_) {
      const auto count = static_cast<int>(part.count);
      if (static_cast<double>(count) != part.count) return std::nullopt;
      const Ball at_center = part.law->moment_above(ComplexBall(center_)).real();
      quick.push_back({QuickMoment(part.law->pieces(), center_, log(at_center)), count});
    }
    // Relative to e^{log scales}, not to the moments at the center.
    Ball log_scale = -distance_ * center_ - log(center_ * (center_ + 1.0));
    for (const QuickPart& part : quick)
      log_scale += Ball(static_cast<double>(part.count)) * part.moment.log_scale();
    const auto found = quick_bent_integral(quick, distance_, center_.middle(), reach);
    if (!found) return std::nullopt;
    const Ball rest = beyond(Ball(reach)) * scale_ / Ball::pi();
    const Ball value = (*found * exp(log_scale)).widened(rest);
    if (!(value.finite() && relative_width(value) <= 1e-10)) return std::nullopt;
    return value;
  }
  std::optional<double> far_enough() const {
    double reach = center_.middle() + 1.0;
    for (int attempt = 0; attempt < 400; ++attempt, reach *= 2.0)
      if ((beyond(Ball(reach)) - Ball(0x1p-56)).surely_negative()) return reach;
    return std::nullopt;
  }

  std::vector<Part> parts_;
  Ball distance_, center_, scale_;
  ComplexBall direction_;
};

}  // namespace

std::optional<QuantityValue> objective_profile(const DirectedLoss& loss, double shift) {
  const std::vector<Part> parts = parts_of(loss);
  double copies = 0.0;
  for (const Part& part : parts) copies += part.count;
  if (parts.empty() || copies > 64.0) return std::nullopt;
  const PrecisionScope scope(60);  // what is proved to 1e-9 is enough
  Ball distance = shift;
  for (const Part& part : parts) distance -= Ball(part.count) * part.law->least();
  if (distance.surely_nonpositive()) {
    // The loss exceeds the shift always.
    const Ball log_mass = log_moment(loss, -1.0).value;
    return QuantityValue{max(-expm1(Ball(shift) + log_mass), Ball(0.0))};
  }
  if (!distance.surely_positive()) return std::nullopt;
  const auto saddle = find_saddle(LossMoment(loss), shift, Kernel::profile);
  if (!saddle) return std::nullopt;
  const auto value = BentLine(parts, distance, saddle->point).integral();
  // Where so little is left of the digits, another engine may know more.
  if (!value || !(value->upper() - value->lower() <= 1e-9 * value->upper())) return std::nullopt;
  return QuantityValue{max(*value, Ball(0.0))};
}

}  // namespace modicum
