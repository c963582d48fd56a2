#include "privacy/laws/contour_pieces.h"

#include <algorithm>

namespace modicum {

ContourPieces::ContourPieces(const BentContour& c, double from, double width, long count) {
  const double mu = static_cast<double>(c.mu), k = c.bend.slope, half = 0.5 * width;
  // |dt/dv| <= 1 + k and |d^2 t/dv^2| <= k mu / 2 for |mu Im v| <= pi/2.
  const double reach = (1.0 + k) * half, curve = 0.25 * k * mu * half * half;
  const double growth = std::expm1(mu * reach);
  half_ = half;
  square_ = half * half / 6.0;
  parts_.reserve(static_cast<std::size_t>(count));
  for (long i = 0; i < count; ++i) {
    const auto s = contour_sample<double>(c, from + (static_cast<double>(i) + 0.5) * width);
    const double share = size_of(s.share), rest = size_of(1.0 - s.share);
    const double room = 1.0 - share * growth;
    if (!(room > 0.0)) {
      usable_ = false;
      return;
    }
    const double log_length = std::log(width * (size_of(s.turned) + 0.5 * k * mu * half));
    const double gaussian =
        -0.5 * times(s.t, s.t).real() + size_of(s.t) * curve + 0.5 * reach * reach;
    const double bend = share * mu * curve + 0.5 * mu * mu * reach * reach * share * rest *
                                                 (growth + 1.0) / (room * room);
    parts_.push_back({gaussian + log_length - static_cast<double>(log_root_two_pi), s.log_base,
                      -times(s.t, s.turned).real(), mu * times(s.share, s.turned), bend,
                      -std::log1p(-share * growth)});
  }
}

double ContourPieces::sum(std::complex<double> a, double less) const {
  if (!usable_) return infinity;
  const double size = size_of(a);
  double total = 0.0;
  for (const Part& part : parts_) {
    const double slope = part.linear + times(a, part.power).real();
    // sinh(x)/x <= e^{x^2/6} for the linear part, and <= e^{|x|} where it is steep.
    const double steep = std::min(square_ * slope * slope, half_ * std::abs(slope));
    total += std::exp(part.log_size + times(a, part.log_base).real() + size * part.bend + steep -
                      less);
  }
  return total * (1.0 + bound_slack);
}

bool ContourPieces::falls(double rise, double drift) const {
  return usable_ && std::ranges::all_of(parts_, [&](const Part& part) {
           const double up = std::max(0.0, part.log_base.imag() - part.motion);
           const double out = part.log_base.real() + part.motion - drift;
           return rise * up > out + 1e-12 * (size_of(part.log_base) + std::abs(drift));
         });
}

double log_of_sum(double a, double b) {
  return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
}

double outside_of(const BentContour& c, double from, double to, std::complex<double> a,
                  double less) {
  const double mu = static_cast<double>(c.mu), k = c.bend.slope, b = std::abs(c.height), q = c.q;
  const double quarter = 0.5 * std::numbers::pi;
  const double below = c.height < 0.0 ? mu * b : 0.0;  // arg B is at least -below
  const double near = to - k * b, far = -(from + k * b);
  const double high = b + k / mu * c.soft(to), low = b + k / mu * c.soft(from);
  // The ratio of the parts of B: the smaller to the larger at both ends.
  const double right_ratio = std::exp(-mu * (near - c.middle()));
  const double left_ratio = std::exp(mu * (from + k * b - c.middle()));
  const bool negative = a.real() < 0.0;
  if (!(near > 0.0 && far > 0.0 && right_ratio <= 0.5 && left_ratio <= 0.5)) return infinity;
  if (negative && !(mu * low <= quarter)) return infinity;
  const auto log_power = [&](double t) {
    const double first = std::log1p(-q), second = std::log(q) + mu * (t + k * b) - 0.5 * mu * mu;
    return a.real() * (negative ? first : log_of_sum(first, second));
  };
  const double common = std::log1p(k) - static_cast<double>(log_root_two_pi) - less;
  const double left = 0.5 * (low * low - far * far) + log_power(from) +
                      a.imag() * std::min(below, quarter * left_ratio) + common;
  // arg B turned by this at the end, and by k mu more for each unit beyond it.
  const double turned = k * mu * (to - c.bend.place) - quarter * right_ratio;
  const bool turns = turned > 0.0;
  const double rate =
      near - k * high - (negative ? 0.0 : mu * a.real()) + (turns ? k * mu * a.imag() : 0.0);
  if (!(rate > 1e-3)) return infinity;
  const double right = 0.5 * (high * high - near * near) + log_power(to) +
                       a.imag() * (below - std::max(0.0, turned)) + common;
  return (std::exp(right) / rate + std::exp(left) / far) * (1.0 + bound_slack);
}

}  // namespace modicum
