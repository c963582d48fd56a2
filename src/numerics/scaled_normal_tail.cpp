// With h the distance of nodes t_k, which lie at whole multiples of h or halfway between,
//
//   F(v) = v/(2 pi) * Integral of e^{-t^2/2} / (v^2 + t^2) dt
//        = v h/(2 pi) * sum of e^{-t_k^2/2} / (v^2 + t_k^2)  -  e^{v^2/2} E/(1 - E)  +  error,
//
// E = +-e^{-2 pi v/h}, without the second term where Re v is large: the poles +-iv lie outside
// then.
#include "numerics/scaled_normal_tail.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace modicum {
namespace {

constexpr double node_step = 0.640625;  // exactly
constexpr int node_count = 16;
// |error| <= sqrt(2 pi)/pi e^{1/2 - 2 pi^2/h^2} / D with D >= 1/2 the distance of the poles from
// the lines on which it is an integral, below 4e-21; and what the nodes beyond the last leave out,
// at most 4/pi e^{-t^2/2}/(1 - e^{-th}) at t = 16 h, below 3e-23.
constexpr double rule_error = 1e-20;
constexpr double turn_rate =
    2.0 * std::numbers::pi / node_step;  // rounded, by less than 2^-51 of itself

struct RuleNode {
  double square;  // t^2, exactly: t has 11 bits
  Disc weight;    // e^{-t^2/2} h/(2 pi), both signs of t
};

std::array<RuleNode, node_count> make_rule_nodes(bool halfway) {
  std::array<RuleNode, node_count> nodes;
  for (int k = 0; k < node_count; ++k) {
    const double t = node_step * (halfway ? k + 0.5 : k);
    const double both = k == 0 && !halfway ? 1.0 : 2.0;
    const double weight = both * node_step / (2.0 * std::numbers::pi) * std::exp(-0.5 * t * t);
    nodes[static_cast<std::size_t>(k)] = {t * t, Disc(weight, weight * 0x1p-49)};
  }
  return nodes;
}

}  // namespace

Disc scaled_normal_tail(const Disc& v) {
  static const std::array<RuleNode, node_count> whole = make_rule_nodes(false),
                                                half = make_rule_nodes(true);
  const Disc::Complex middle = v.middle();
  const double size = size_of(middle);
  if (!(middle.real() >= 0.0 && v.radius() <= 0x1p-10 && size < 1e100))
    return {0.0, std::numeric_limits<double>::infinity()};
  // The poles are to lie at least h/4 beside the nodes.
  const double place = middle.imag() / node_step, beside = std::abs(place - std::nearbyint(place));
  const bool halfway = beside < 0.25;
  const Disc exact(middle, 0.0), square = exact * exact;
  Disc sum = 0.0;
  for (const RuleNode& node : halfway ? half : whole)
    sum += node.weight / (square + Disc(node.square));
  Disc value = exact * sum;
  // Further up that term is below e^{-1000}.
  if (middle.real() < turn_rate + 0.5 && std::abs(middle.imag()) < 60.0) {
    // e^{v^2/2} E and E; the second is at most 1 in size, with a real part that is not positive up
    // to rounding, so that 1 - E is not small.
    const Disc turned = exact * Disc(turn_rate, turn_rate * 0x1p-50);
    const Disc sign = halfway ? -1.0 : 1.0;
    const Disc lower = sign * exp(-turned), top = sign * exp(square * Disc(0.5) - turned);
    value = value - top / (Disc(1.0) - lower);
  }
  // |F'| is at most 1/sqrt(2 pi) and 6/(sqrt(2 pi) |v|^2) for Re v >= 0, and little more beside.
  const double away = std::max(size - v.radius(), 0.0);
  const double slope = away > 2.0 ? 2.5 / (away * away) : 0.5;
  return {value.middle(), (value.radius() + rule_error + slope * v.radius()) * (1.0 + 0x1p-50)};
}

}  // namespace modicum
