#include "privacy/laws/law_moment.h"

#include <cmath>

namespace modicum {
namespace {

// At least |sin(x)/x| for every x >= distance >= 0: up to 2.5 the first terms of the series, which
// are above it and fall to 0.284; beyond that 1/x, at most 0.4, for |sin(x)/x| is nowhere above
// 0.2394 there.
double sinc_bound(double distance) {
  if (!(distance < 2.5)) return 1.0 / distance;
  const double square = distance * distance;
  return 1.0 - square / 6.0 + square * square / 120.0;
}

}  // namespace

const LossNodes& LawMoment::nodes_at(double center, double height) const {
  if (rule_.center == center && height <= rule_.height) return rule_.nodes;
  const double reach = height == 0.0 ? 0.0 : std::max(height, 2.0 * rule_.height);
  const double usable = rule_.center == center ? reach : height;
  rule_ = {center, usable, part_.law->nodes(center, usable, level_)};
  return rule_.nodes;
}

Jet LawMoment::jet(long double x) const {
  Jet infinite;
  infinite.value = infinity;
  if (static_cast<double>(x) >= part_.law->moment_end()) return infinite;
  const LossNodes nodes = part_.law->nodes(static_cast<double>(x), 0.0, level_);
  if (nodes.losses.empty()) return infinite;  // none on offer so far out
  const auto c = static_cast<double>(x);
  double largest = -infinity, sum = 0, first = 0, second = 0;
  for (std::size_t i = 0; i < nodes.losses.size(); ++i)
    largest = std::max(largest, nodes.log_weights[i] + c * nodes.losses[i]);
  for (std::size_t i = 0; i < nodes.losses.size(); ++i) {
    const double loss = nodes.losses[i], exponent = nodes.log_weights[i] + c * loss - largest;
    if (exponent < -50.0) continue;
    const double weight = std::exp(exponent);
    sum += weight;
    first += weight * loss;
    second += weight * loss * loss;
  }
  const long double n = part_.count, mean = first / sum;
  const long double value = static_cast<long double>(largest) + std::log(sum);
  return {n * value,
          n * mean,
          n * std::max(0.0L, second / sum - mean * mean),
          n * (std::abs(value) + 4096),  // losses are doubles: 2^-52 beside the 2^-63 of a jet
          n * (std::abs(mean) + 1),
          0};
}

Ball LawMoment::value(const Ball& x) const {
  return log(part_.law->moment(x).value) * Ball(part_.count);
}

LogMomentValue LawMoment::at(std::complex<double> z) const {
  const LossNodes& nodes = nodes_at(z.real(), std::abs(z.imag()));
  double largest = -infinity;
  for (std::size_t i = 0; i < nodes.losses.size(); ++i)
    largest = std::max(largest, nodes.log_weights[i] + z.real() * nodes.losses[i]);
  std::complex<double> sum = 0.0;
  double sizes = 0.0, exponents = 64.0;  // of what is added up; log weights are sums of some tens
  for (std::size_t i = 0; i < nodes.losses.size(); ++i) {
    const double exponent = nodes.log_weights[i] + z.real() * nodes.losses[i] - largest;
    if (!(exponent > -50.0)) continue;
    const double size = std::exp(exponent);
    sum += std::polar(size, z.imag() * nodes.losses[i]);
    sizes += size;
    exponents = std::max(exponents, 64.0 + 2.0 * std::abs(z) * std::abs(nodes.losses[i]));
  }
  const double factor = sizes / std::max(std::abs(sum), 1e-12 * sizes);
  return {part_.count * (largest + std::log(sum)),
          part_.count * (std::abs(largest) + exponents * factor)};
}

ComplexBall LawMoment::moment(const ComplexBall& z) const {
  const double center = z.real().middle(), y = std::abs(z.imaginary().upper());
  if (line_.center != center || !(y <= line_.height)) {
    const double height = line_.center == center ? std::max(y, 2.0 * line_.height) : y;
    // Of more copies the last digits of one count.
    constexpr double most_quick = 1000.0;
    MomentLine quick =
        part_.count <= most_quick ? part_.law->quick_moment_line(Ball(center)) : nullptr;
    line_ = {center, height, quick ? quick : part_.law->moment_line(Ball(center), height)};
  }
  if (!line_.line) return ComplexBall::indeterminate();
  return power(line_.line(z.imaginary()), part_.count);
}

Ball LawMoment::far_bound(const Ball& x, const Ball& height) const {
  const double center = x.middle();
  if (parts_center_ != center) {
    parts_ = part_.law->uniform_parts(Ball(center));
    parts_center_ = center;
    if (!parts_.empty()) value_at_center_ = value(x);
  }
  if (parts_.empty()) {
    const Ball beyond = part_.law->moment_beyond(center, height.lower(), part_.count);
    if (beyond.finite()) return Ball(part_.count) * log(beyond);
    // Else it is at most what it is on the real line, beside parts that fall; next to a pole
    // moments take too long up to where these have fallen.
    if (part_.law->moment_end() < infinity) return Ball(infinity);
    const QuantityValue own = part_.law->moment(x);
    return own.proof == Proof::certified ? Ball(part_.count) * log(own.value) : Ball(infinity);
  }
  // In doubles: each term is wrong by a few units of 1 at most, and the height is taken downwards.
  const double lowest = height.lower() * (1.0 - 0x1p-50);
  double less = 0.0, mass = 0.0;
  for (const UniformPart& part : parts_) {
    less += part.mass * (1.0 - sinc_bound(0.5 * part.width * lowest));
    mass += part.mass;
  }
  const Ball bound = Ball(1.0) - Ball(less) + Ball(0x1p-44) * Ball(mass + less);
  // The layers are a part of a probability law: what is left is not negative.
  return value_at_center_ + Ball(part_.count) * log(max(bound, Ball(0x1p-60)));
}

}  // namespace modicum
