#include "privacy/sampled_laplace/laplace_end.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "privacy/sampled_laplace/gauss_stretch.h"

namespace modicum {
namespace {

constexpr double log_panel_left_out = -41.0;  // by a panel, or beyond the last one
constexpr double last_panel_end = 6.2;        // short of a whole turn
constexpr std::size_t most_panels = 120;

}  // namespace

LaplaceEnd::LaplaceEnd(Which which, const Ball& excess)
    : sign_(which == Which::lower ? 1.0 : -1.0),
      steepness_((excess + 1.0).middle()),
      excess_(excess.middle()) {}

// |1 + k (e^{it} - 1)|^2 = 1 + 4 k (k - 1) sin(t/2)^2, at least 1.
double LaplaceEnd::size_squared(double place) const {
  const double sine = std::sin(0.5 * place);
  return 1.0 + 4.0 * steepness_ * excess_ * sine * sine;
}

double LaplaceEnd::least_height() const {
  return (1.0 + std::log(steepness_) - log_panel_left_out) / last_panel_end;
}

// The base b of the power has |b| >= 1, and up to t = pi at least sqrt(1 + c^2 t^2) with
// c = (2/pi) sqrt(k (k - 1)); the integral of (1 + s^2)^{-3/4} is below 2.6221. Each half turn
// adds e^{-pi height} times as much at most.
double LaplaceEnd::most(double height) const {
  const double near = 2.0595 * std::sqrt(steepness_ / excess_);
  const double turns = near / -std::expm1(-std::numbers::pi * height);
  return 1.0 + std::min(0.5 * steepness_ / height, turns) * (1.0 + 1e-12);
}

// By the same bounds: |b|^{-3/2} <= (c t)^{-3/2} up to pi, and 1 from there on.
double LaplaceEnd::most_slope(double height) const {
  const double pi = std::numbers::pi, c = 2.0 / pi * std::sqrt(steepness_ * excess_);
  const double near = std::pow(c, -1.5) * std::sqrt(pi / height);
  const double beyond = std::exp(-pi * height) * (pi + 1.0 / height) / height;
  return 0.5 * steepness_ * std::min(1.0 / (height * height), near + beyond) * (1.0 + 1e-12);
}

std::optional<LaplaceEnd::Rule> LaplaceEnd::rule(double height, double size) const {
  const double log_half_steepness = std::log(0.5 * steepness_);
  Rule rule;
  double from = 0.0, half = std::min(8.0 / size, 0.5);
  for (std::size_t panel = 0; panel < most_panels;) {
    // Beyond a place |b| >= 1, and e^{-height t} adds up.
    const double beyond = log_half_steepness - height * from - std::log(height);
    if (beyond < log_panel_left_out) {
      rule.left_out_ += std::exp(beyond) * (1.0 + 1e-9);
      double rest = 0.0;
      for (std::size_t i = rule.nodes_.size(); i-- > 0;)
        rule.nodes_[i].rest = rest += size_of(rule.nodes_[i].weight);
      return rule;
    }
    if (!(from < last_panel_end) || !(half > 0.0)) return std::nullopt;
    const double to = std::min(from + 2.0 * half, last_panel_end), middle = 0.5 * (from + to);
    half = 0.5 * (to - from);
    // On the disc |b(t) - b(middle)| <= k (e^radius - 1).
    const double radius = stretch_disc * half;
    const double least = std::sqrt(size_squared(middle)) - steepness_ * std::expm1(radius);
    const double log_error = least > 0.0
                                 ? log_stretch_rule(half) + log_half_steepness - height * middle +
                                       size * radius - 1.5 * std::log(least * (1.0 - 1e-12))
                                 : infinity;
    if (!(log_error < log_panel_left_out)) {
      half *= 0.75;
      continue;
    }
    rule.left_out_ += std::exp(log_error) * (1.0 + 1e-9);
    for (const StretchPoint& gauss : stretch_points()) {
      const double t = middle + half * static_cast<double>(gauss.place), sine = std::sin(0.5 * t);
      // The argument goes round with t.
      double turned = std::atan2(steepness_ * std::sin(t), 1.0 - 2.0 * steepness_ * sine * sine);
      if (turned < 0.0) turned += 2.0 * std::numbers::pi;
      const double length = std::pow(size_squared(t), -0.75) * half * 0.5 * steepness_ * sign_ *
                            static_cast<double>(gauss.weight);
      // i e^{-3i turned/2}.
      rule.nodes_.push_back(
          {t, to, {length * std::sin(1.5 * turned), length * std::cos(1.5 * turned)}});
    }
    from = to;
    half *= 1.8;
    ++panel;
  }
  return std::nullopt;
}

// A place is known to 2^-52 of the end of its panel, so that e^{i(a+1)t} is known to |a + 1| times
// that, and the weight to 2^-48: k times the end is below 5 |b|, where e^{-height t} counts.
Disc LaplaceEnd::Rule::at(Complex a) const {
  const double height = a.imag(), turn = a.real() + 1.0, size = size_of(Complex(turn, height));
  long double real = 1.0L, imaginary = 0.0L;
  double rounding = 0x1p-49;
  for (const Node& node : nodes_) {
    const double fall = std::exp(-height * node.place), angle = turn * node.place;
    // Places grow: nothing that counts comes after this.
    if (fall * node.rest < 0x1p-62) {
      rounding += 0x1p-61;
      break;
    }
    const Complex term =
        times(node.weight, Complex(fall * std::cos(angle), fall * std::sin(angle)));
    real += term.real();
    imaginary += term.imag();
    rounding += (std::abs(term.real()) + std::abs(term.imag())) *
                (0x1p-48 + 0x1p-50 * size * node.panel_end);
  }
  return {{static_cast<double>(real), static_cast<double>(imaginary)}, rounding + left_out_};
}

}  // namespace modicum
