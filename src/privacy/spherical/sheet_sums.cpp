// Sums over the nodes of a sheet: nodes of nearly the same loss are gathered by their moments.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "privacy/spherical/sheet_rule.h"

namespace modicum {
namespace sheet_sums {
namespace {

constexpr double sum_ulp = 0x1p-53;
// Half of a side of the squares of losses that are gathered, for |z| = 1 at most, and what is left
// of exp after 16 terms at their corners: 0.71^16/16! and all after it, relative to exp(-0.71).
constexpr double half_side = 0.5, most_grown = 0.7072, cut_off = 1e-15;
constexpr std::size_t fewest = 8;
constexpr double most_places = 1e9, least_log_weight = -600.0;

}  // namespace
}  // namespace sheet_sums

// Weights are relative to the first one of a group, which is a power of e.
void SheetRule::gather() {
  double largest = 0.0;
  for (const Complex& order : orders_) largest = std::max(largest, std::abs(order));
  const double side = 2.0 * sheet_sums::half_side / (largest * (1.0 + 1e-9));
  std::unordered_map<long, std::vector<std::size_t>> squares;
  const auto place_of = [&](double loss) { return std::nearbyint(loss / side); };
  std::vector<Node> rest;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const double a = place_of(nodes_[i].loss.real()), b = place_of(nodes_[i].loss.imag());
    if (std::abs(a) < sheet_sums::most_places && std::abs(b) < sheet_sums::most_places &&
        nodes_[i].log_weight.real() > sheet_sums::least_log_weight)
      squares[(static_cast<long>(a) << 31) + static_cast<long>(b)].push_back(i);
    else rest.push_back(nodes_[i]);
  }
  for (const auto& [key, members] : squares) {
    if (members.size() < sheet_sums::fewest) {
      for (const std::size_t i : members) rest.push_back(nodes_[i]);
      continue;
    }
    const Complex loss = nodes_[members.front()].loss;
    Group group{
        Complex(place_of(loss.real()), place_of(loss.imag())) * side, -infinity, 0.0, 0.0, 0.0, {}};
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
      group.size += size;
      group.rounding += size * node.rounding;
      group.loss_rounding += size * (node.loss_rounding + 10.0 * std::abs(node.loss));
    }
    for (std::size_t n = 0; n < terms; ++n)
      group.moments[n] = {static_cast<double>(real[n]), static_cast<double>(imaginary[n])};
    groups_.push_back(group);
  }
  nodes_ = std::move(rest);
}

// Sums in doubles of some terms at a time: 64 roundings each, and those of the long doubles. The
// order may be off by a unit of its size.
SheetRule::Sum SheetRule::sum_at(const Complex& z, double negligible) const {
  constexpr std::size_t block = 64;
  const double least = std::log(negligible / static_cast<double>(size() + 1)), order = std::abs(z);
  const auto exponent_of = [&](const Complex& log_weight, const Complex& loss) {
    return Complex(log_weight.real() + z.real() * loss.real() - z.imag() * loss.imag(),
                   log_weight.imag() + z.real() * loss.imag() + z.imag() * loss.real());
  };
  long double real = 0.0L, imaginary = 0.0L;
  double rounding = 0.0;
  for (std::size_t start = 0; start < nodes_.size(); start += block) {
    double re = 0.0, im = 0.0;
    for (std::size_t i = start; i < std::min(start + block, nodes_.size()); ++i) {
      const Node& node = nodes_[i];
      const Complex exponent = exponent_of(node.log_weight, node.loss);
      if (exponent.real() < least) continue;
      const double term = std::exp(exponent.real());
      re += term * std::cos(exponent.imag());
      im += term * std::sin(exponent.imag());
      rounding +=
          term * (node.rounding + order * (node.loss_rounding + 10.0 * std::abs(node.loss)) +
                  2.0 * (block + 8.0));
    }
    real += re;
    imaginary += im;
  }
  for (const Group& group : groups_) {
    const Complex exponent = exponent_of(group.log_scale, group.middle);
    const double most = exponent.real() + std::log(group.size) + sheet_sums::most_grown;
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
                 group.size * (300.0 + sheet_sums::cut_off / sheet_sums::sum_ulp));
  }
  return {{static_cast<double>(real), static_cast<double>(imaginary)},
          (rounding * sheet_sums::sum_ulp + negligible) * (1.0 + 1e-9)};
}

double SheetRule::size_at(const Complex& z, double negligible) const {
  const double least = std::log(negligible / static_cast<double>(size() + 1));
  double sum = negligible;
  const auto add = [&](const Complex& loss, double log_weight) {
    const double exponent = log_weight + z.real() * loss.real() - z.imag() * loss.imag();
    if (!(exponent < least)) sum += std::exp(exponent);
  };
  for (const Node& node : nodes_) add(node.loss, node.log_weight.real());
  for (const Group& group : groups_)
    add(group.middle, group.log_scale + std::log(group.size) + sheet_sums::most_grown);
  return sum * (1.0 + 1e-9);
}

}  // namespace modicum
