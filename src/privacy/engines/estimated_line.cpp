#include "privacy/engines/estimated_line.h"

#include <cmath>
#include <numbers>

#include "privacy/engines/kept_lines.h"

namespace modicum {

EstimatedLine::EstimatedLine(LinePlan plan, const LossMoment& moment, double shift)
    : plan_(std::move(plan)), home_(shift) {
  const Line& line = plan_.line();
  const auto gaussian = moment.gaussian().expand(line.center);
  const Jet at_center = moment.gaussian().jet(line.center);
  const long double base =
      at_center.value - static_cast<long double>(shift) * line.center - plan_.saddle().value;
  const double phase =
      2.0 * std::abs(shift) + 0x1p-9 * static_cast<double>(at_center.first_magnitude);
  nodes_.reserve(static_cast<std::size_t>(line.nodes) + 1);
  for (long k = 0; k <= line.nodes; ++k) {
    const double y = static_cast<double>(k) * line.step;
    const std::complex<double> d{0.0, y}, z{line.center, y};
    std::complex<double> exponent = gaussian->at(d, at_center.first - shift);
    // Of each part, and of the phases y * shift and y * loss, which may cancel.
    double units = 8.0 + std::abs(exponent.real()) + std::abs(exponent.imag()) + phase * y;
    for (const auto& part : moment.atomic()) {
      const LogMomentValue own = part->at(z);
      exponent += own.value;
      units += own.rounding + std::abs(own.value.real()) + std::abs(own.value.imag());
    }
    nodes_.push_back({{static_cast<double>(exponent.real() + base), exponent.imag()}, units});
  }
  at_home_ = integral(shift);
  width_ = relative_width(at_home_);
}

Ball EstimatedLine::integral(double shift) const {
  const Line& line = plan_.line();
  const Saddle& saddle = plan_.saddle();
  const double moved = shift - home_;
  long double total = 0.0L;
  double rounding = 0.0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const double y = static_cast<double>(k) * line.step;
    const std::complex<double> z{line.center, y}, exponent = nodes_[k].exponent;
    const std::complex<double> g =
        std::exp(std::complex<double>{exponent.real(), exponent.imag() - moved * y}) /
        (z * (z + 1.0));
    total += (k == 0 ? 0.5 : 1.0) * g.real();
    rounding += std::abs(g) * (nodes_[k].units + 2.0 * std::abs(moved) * y);
  }
  const double factor = line.step / std::numbers::pi;
  const double sum = static_cast<double>(total) * factor;
  const long double exponent =
      saddle.value - static_cast<long double>(moved) * static_cast<long double>(line.center);
  const double high = static_cast<double>(exponent);
  const Ball scale = exp(Ball(high));
  const double wrong = rounding * factor * ulp +
                       std::abs(sum) * (saddle.rounding + 0x1p-50 + 0x1p-53 * std::abs(high));
  return (Ball(sum) * scale).widened(plan_.error(shift) + Ball(wrong) * scale);
}

}  // namespace modicum
