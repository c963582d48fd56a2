#include "privacy/spherical_rays/sheet_sum.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "privacy/spherical/complex_expm1.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

constexpr double sum_ulp = 0x1p-53;
// Half of a side of the squares of losses that are gathered, for |z| = 1 at most, and what is left
// of exp after 16 terms at their corners: 0.71^16/16! and all after it, relative to exp(-0.71).
constexpr double half_side = 0.5, most_grown = 0.7072, cut_off = 1e-15;
constexpr std::size_t fewest = 8;
constexpr double most_squares = 1e9, least_log_weight = -600.0;

// A logarithm.
Complex term_of(const Complex& z, double log_scale, const Complex& log_weight,
                const Complex& loss) {
  return {log_weight.real() + z.real() * loss.real() - z.imag() * loss.imag() - log_scale,
          log_weight.imag() + z.real() * loss.imag() + z.imag() * loss.real()};
}

}  // namespace

// Weights are relative to the first one of a group, which is a power of e.
void SheetSum::gather(double largest_order) {
  const double side = 2.0 * half_side / (largest_order * (1.0 + 1e-9));
  std::unordered_map<long, std::size_t> number_of;
  std::vector<std::vector<std::size_t>> squares;
  number_of.reserve(nodes_.size() / 4);
  const auto place_of = [&](double loss) { return std::nearbyint(loss / side); };
  std::vector<Node> rest;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double a = place_of(nodes_[i].loss.real()), b = place_of(nodes_[i].loss.imag());
    if (std::abs(a) < most_squares && std::abs(b) < most_squares &&
        nodes_[i].log_weight.real() > least_log_weight) {
      const long key = (static_cast<long>(a) << 31) + static_cast<long>(b);
      const auto [found, is_new] = number_of.try_emplace(key, squares.size());
      if (is_new) squares.emplace_back();
      squares[found->second].push_back(i);
    } else {
      rest.push_back(nodes_[i]);
    }
  }
  for (const std::vector<std::size_t>& members : squares) {
    if (members.size() < fewest) {
      for (const std::size_t i : members) rest.push_back(nodes_[i]);
      continue;
    }
    const Complex loss = nodes_[members.front()].loss;
    Group group{Complex(place_of(loss.real()), place_of(loss.imag())) * side,
                -INFINITY,
                0.0,
                0.0,
                0.0,
                {},
                0.0,
                0.0,
                0.0,
                0.0,
                0.0};
    for (const std::size_t i : members)
      group.log_scale = std::max(group.log_scale, std::round(nodes_[i].log_weight.real()));
    std::array<long double, terms> real{}, imaginary{};
    for (const std::size_t i : members) {
      const Node& node = nodes_[i];
      const double size = std::exp(node.log_weight.real() - group.log_scale);
      const Complex offset = node.loss - group.middle;
      Complex term = std::polar(size, node.log_weight.imag());
      for (std::size_t n = 0; n < terms; ++n) {
        real[n] += term.real();
        imaginary[n] += term.imag();
        term *= offset / static_cast<double>(n + 1);
      }
      const double re = offset.real(), im = offset.imag();
      group.by_re += size * re, group.by_im += size * im;
      group.by_re_re += size * re * re, group.by_re_im += size * re * im;
      group.by_im_im += size * im * im;
      group.size += size;
      group.rounding += size * node.rounding;
      group.loss_rounding += size * (node.loss_rounding + 10.0 * modulus(node.loss));
    }
    for (std::size_t n = 0; n < terms; ++n)
      group.moments[n] = {static_cast<double>(real[n]), static_cast<double>(imaginary[n])};
    groups_.push_back(group);
  }
  nodes_ = std::move(rest);
}

// Sums in doubles of some terms at a time: 64 roundings each, and those of the long doubles. The
// order may be off by a unit of its size.
SheetSum::Value SheetSum::half_at(const Complex& z, double log_scale, double least) const {
  constexpr std::size_t block = 64;
  const double order = std::abs(z), of_all = 4.0 * (order + 1.0) * std::abs(rate_);
  long double real = 0.0L, imaginary = 0.0L;
  double rounding = 0.0;
  for (std::size_t start = 0; start < nodes_.size(); start += block) {
    double re = 0.0, im = 0.0;
    for (std::size_t i = start; i < std::min(start + block, nodes_.size()); ++i) {
      const Node& node = nodes_[i];
      const Complex exponent = term_of(z, log_scale, node.log_weight, node.loss);
      if (exponent.real() < least) continue;
      const double term = std::exp(exponent.real());
      re += term * std::cos(exponent.imag());
      im += term * std::sin(exponent.imag());
      rounding += term * (node.rounding + order * (node.loss_rounding + 10.0 * modulus(node.loss)) +
                          2.0 * (block + 8.0) + of_all);
    }
    real += re;
    imaginary += im;
  }
  for (const Group& group : groups_) {
    const Complex exponent = term_of(z, log_scale, group.log_scale, group.middle);
    const double most = exponent.real() + std::log(group.size) + most_grown;
    if (most < least) continue;
    Complex sum = 0.0;
    for (std::size_t n = terms; n-- > 0;) {
      const Complex& moment = group.moments[n];
      sum = {sum.real() * z.real() - sum.imag() * z.imag() + moment.real(),
             sum.real() * z.imag() + sum.imag() * z.real() + moment.imag()};
    }
    const double scale = std::exp(exponent.real());
    const Complex value = sum * std::polar(scale, exponent.imag());
    real += value.real();
    imaginary += value.imag();
    // Places of groups are rounded, powers have some roundings each.
    rounding += scale * 2.03 *
                (group.rounding +
                 order * (group.loss_rounding + 10.0 * group.size * std::abs(group.middle)) +
                 group.size * (300.0 + cut_off / sum_ulp + of_all));
  }
  return {{static_cast<double>(real), static_cast<double>(imaginary)}, rounding * sum_ulp};
}

SheetSum::Value SheetSum::at(const Complex& z, double negligible) const {
  const double least = std::log(0.5 * negligible / static_cast<double>(size() + 1));
  const double log_scale = rate_ * z.real();
  const Value near = half_at(z, log_scale, least), far = half_at(mirrored(z), log_scale, least);
  return {near.value + std::conj(far.value),
          (near.rounding + far.rounding + negligible +
           2.0 * sum_ulp * (std::abs(near.value) + std::abs(far.value))) *
              (1.0 + 1e-9)};
}

// e^t <= 1 + t + 0.65 t^2 where t <= 0.7072, as it is for Re z times a difference.
double SheetSum::size_at(const Complex& z, double negligible) const {
  const double least = std::log(0.5 * negligible / static_cast<double>(size() + 1));
  const double y = z.imag(), log_scale = rate_ * z.real();
  const double order = std::abs(z) + 1.0, of_all = 4.0 * order * std::abs(rate_) + 16.0;
  double sum = negligible;
  for (const Node& node : nodes_)
    for (const double x : {z.real(), -(1.0 + z.real())}) {
      const double exponent =
          node.log_weight.real() + x * node.loss.real() - y * node.loss.imag() - log_scale;
      if (exponent < least) continue;
      const double rounding =
          node.rounding + order * (node.loss_rounding + 10.0 * modulus(node.loss));
      sum += std::exp(exponent) * (1.0 + 2.0 * sum_ulp * (rounding + of_all));
    }
  for (const Group& group : groups_)
    for (const double x : {z.real(), -(1.0 + z.real())}) {
      const double exponent =
          group.log_scale + x * group.middle.real() - y * group.middle.imag() - log_scale;
      const double size =
          group.size * (1.0 + 1e-12) + x * group.by_re - y * group.by_im +
          0.65 * (x * x * group.by_re_re - 2.0 * x * y * group.by_re_im + y * y * group.by_im_im);
      if (exponent + std::log(size) < least) continue;
      const double rounding = group.rounding + order * (group.loss_rounding +
                                                        10.0 * group.size * modulus(group.middle));
      sum += std::exp(exponent) * (size + 4.0 * sum_ulp * (rounding + of_all * group.size));
    }
  return sum * (1.0 + 1e-9);
}

// Corners are exact: differences of them are off by some units of the largest.
SheetSum::Node sheet_node(const EllipticPlane& plane, const SheetPatch& patch, double s, double t,
                          double weight) {
  const SheetPatch::Map map = patch.map_at(s, t);
  const auto at = plane.place_at(map.at.mu, map.at.nu, map.place_units, map.turned);
  const auto [sinh_power, sin_power] = plane.powers(patch.part());
  Complex log_weight = plane.log_weight(at) + log_of(map.jacobian) + std::log(weight);
  double rounding =
      at.weight_rounding + 32.0 + 8.0 * std::abs(std::log(weight)) + 8.0 * modulus(log_weight);
  const auto add_power = [&](double power, const Complex& base, double own) {
    if (power == 0.0) return;
    const Complex log_base = log_of(base);
    log_weight += power * log_base;
    rounding += power * (8.0 * modulus(log_base) + 8.0 + own * map.place_units);
  };
  add_power(sinh_power, at.sinh, modulus(map.at.mu * at.cosh / at.sinh));
  add_power(sin_power, at.sin, modulus(map.at.nu * at.cos / at.sin));
  if (patch.is_cone()) {
    rounding += 64.0 + 4.0 * map.place_units;  // products alone
  } else {
    const auto size = [](const SheetPatch::Point& point) {
      return modulus(point.mu) + modulus(point.nu);
    };
    double largest = size(map.s) + size(map.t);
    for (const SheetPatch::Point& corner : patch.corners())
      largest = std::max(largest, size(corner));
    const bool both = patch.part() == PlanePart::whole;
    rounding += 16.0 * largest * (both ? size(map.s) + size(map.t) : 1.0) / modulus(map.jacobian);
  }
  return {at.loss, log_weight, rounding + 8.0 * modulus(log_weight), at.loss_rounding};
}

}  // namespace modicum
