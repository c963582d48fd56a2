#include "numerics/contour.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

namespace modicum {
namespace {

using Complex = std::complex<double>;

// Products and quotients without the special cases of infinite operands, which never occur here.
Complex quotient(double a, Complex b) {
  const double scale = a / (b.real() * b.real() + b.imag() * b.imag());
  return {b.real() * scale, -b.imag() * scale};
}
Complex product(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// exp(R(d) + slope d) * kernel(c + d) / |kernel(c)|: the integrand, 1 at the center.
class NodeIntegrand {
 public:
  NodeIntegrand(const LogMoment& moment, const Saddle& saddle, Kernel kernel)
      : expansion_(moment.expand(saddle.point)),
        center_(saddle.point),
        slope_(saddle.slope),
        slope_rounding_(saddle.slope_rounding / ulp),
        kernel_(kernel) {}

  // Logarithm of the size, and the value.
  struct Value {
    double log_size, rounding;  // rounding: of the exponent, in units of the last place
    Complex value;
  };
  Value at(Complex d) const {
    const Complex exponent = expansion_->at(d, slope_);
    const Complex k = relative_kernel(d);
    const double size = std::exp(exponent.real());
    const Complex phase{std::cos(exponent.imag()), std::sin(exponent.imag())};
    const double rounding = 4.0 + std::abs(exponent.real()) + std::abs(exponent.imag()) +
                            slope_rounding_ * (std::abs(d.real()) + std::abs(d.imag()));
    return {exponent.real() + 0.5 * std::log(std::norm(k)), rounding, product(size * phase, k)};
  }

  // Bound on |integral from c + d straight up|, in units of the integrand at the center:
  // the kernel falls at least as fast as (|kernel| at c + d) (y / Im d)^-poles above it.
  double log_remainder(Complex d) const {
    const VerticalBound above = expansion_->above(d);
    const double rate = vertical_decay(d) + above.power - 1.0;
    if (!(rate > 0.0)) return infinity;
    return above.bound + static_cast<double>(slope_) * d.real() +
           0.5 * std::log(std::norm(relative_kernel(d))) + std::log(d.imag() / rate);
  }

 private:
  Complex relative_kernel(Complex d) const {
    Complex result = 1.0;
    if (has_pole_at_zero(kernel_)) result = product(result, quotient(1.0, 1.0 + d / center_));
    if (has_pole_at_minus_one(kernel_))
      result = product(result, quotient(1.0, 1.0 + d / (center_ + 1.0)));
    return result;
  }
  // 1/|x + iy| <= (1/|x + i y0|) (y/y0)^-k with k = y0^2/(x^2 + y0^2), by Bernoulli's inequality.
  double vertical_decay(Complex d) const {
    const auto rate = [&](double pole) {
      const Complex z = center_ - pole + d;
      return z.imag() * z.imag() / std::norm(z);
    };
    double result = 0.0;
    if (has_pole_at_zero(kernel_)) result += rate(0.0);
    if (has_pole_at_minus_one(kernel_)) result += rate(-1.0);
    return result;
  }

  std::unique_ptr<Expansion> expansion_;
  double center_;
  long double slope_;
  double slope_rounding_;  // in units of the last place of a double
  Kernel kernel_;
};

// Relative to the integrand at the center, what is left out may be this small.
constexpr double log_negligible = -43.0;  // 2e-19
constexpr double first_step = 0.4;
constexpr double hopeless = 30.0;       // a path that climbs e^30 loses 13 digits
constexpr double longest_walk = 700.0;  // e^700: all the range of doubles

struct Walk {
  ContourPath path;
  double peak = 0.0;   // largest log size met
  bool falls = false;  // reached a point with a negligible remainder
};

// Steps along one side until what remains is negligible.
void advance(const NodeIntegrand& integrand, Walk& walk) {
  walk.path.end += first_step;
  const Complex d = walk.path.displacement(walk.path.end);
  const double log_size = integrand.at(d).log_size;
  walk.peak = std::max(walk.peak, log_size);
  const double log_scale = std::log(walk.path.scale);
  if (log_size < log_negligible && integrand.log_remainder(d) - log_scale < log_negligible)
    walk.falls = true;
}

// No rule by the slope at infinity is safe: walk both sides (and straight up) and take the one
// along which the integrand falls first without having climbed; else the one that climbed least.
std::optional<Walk> choose_walk(const NodeIntegrand& integrand, const Saddle& saddle) {
  std::array<Walk, 3> walks;
  const std::array<double, 3> sides{-1.0, 1.0, 0.0};
  for (std::size_t i = 0; i < 3; ++i) walks[i].path = {saddle.point, saddle.scale, sides[i], 0.0};
  for (double u = 0.0; u < longest_walk; u += first_step) {
    bool walking = false;
    for (std::size_t i = 0; i < 2; ++i) {
      if (walks[i].falls || walks[i].peak > hopeless) continue;
      advance(integrand, walks[i]);
      if (walks[i].falls && walks[i].peak < 1.0) return walks[i];
      walking = true;
    }
    if (!walking) break;
  }
  Walk& up = walks[2];
  while (!up.falls && up.path.end < longest_walk) advance(integrand, up);
  const Walk* best = nullptr;
  for (const Walk& walk : walks)
    if (walk.falls && (best == nullptr || walk.peak < best->peak)) best = &walk;
  if (best == nullptr) return std::nullopt;
  return *best;
}

// Sum of Im(integrand(z(u)) z'(u)) over u = start, start + step, ... up to the end of the path.
struct Sum {
  double value = 0.0, rounding = 0.0;
};
Sum sum_nodes(const NodeIntegrand& integrand, const ContourPath& path, double start, double step) {
  Sum sum;
  const auto last = static_cast<long>(std::floor((path.end - start) / step * (1 + 1e-14)));
  for (long k = 0; k <= last; ++k) {
    const double u = start + static_cast<double>(k) * step;
    const double grow = std::exp(u), shrink = 1.0 / grow;
    const double sinh_u = u < 0.3 ? std::sinh(u) : 0.5 * (grow - shrink);
    const double cosh_u = 0.5 * (grow + shrink);
    // cosh u - 1 = sinh^2 u / (cosh u + 1)
    const Complex d{path.side * path.scale * sinh_u * sinh_u / (cosh_u + 1.0),
                    2.0 * path.scale * sinh_u};
    const Complex derivative{path.side * path.scale * sinh_u, 2.0 * path.scale * cosh_u};
    const NodeIntegrand::Value node = integrand.at(d);
    const Complex term = product(node.value, derivative);
    sum.value += term.imag();
    sum.rounding += node.rounding * (std::abs(term.real()) + std::abs(term.imag()));
  }
  return sum;
}

}  // namespace

std::optional<ContourValue> contour_integral(const LogMoment& moment, double shift, Kernel kernel) {
  const std::optional<Saddle> saddle = find_saddle(moment, shift, kernel);
  if (!saddle) return std::nullopt;
  const NodeIntegrand integrand(moment, *saddle, kernel);
  const std::optional<Walk> walk = choose_walk(integrand, *saddle);
  if (!walk) return std::nullopt;
  const ContourPath& path = walk->path;

  // Trapezium rule. Beside a pole halving the step squares the error; an integrand that is entire
  // but grows fast across the strip does worse (e^1.38 after a difference e of two levels seen, for
  // pure shifts), and one difference can be small by accident. So e is the larger of the last
  // difference and the square of the one before, and e^1.25 is claimed; a difference at the level
  // of the rounding ends the matter.
  double step = first_step;
  Sum sum = sum_nodes(integrand, path, step, step);
  sum.value += path.scale;  // half the node at the center: the integrand is 1, z'(0) = 2 i h
  double value = sum.value * step, discretization = 1.0, previous = 1.0, rounding = 0.0;
  for (int level = 0; level < 14; ++level) {
    const Sum finer = sum_nodes(integrand, path, step / 2, step);
    sum.value += finer.value;
    sum.rounding += finer.rounding;
    step /= 2;
    const double refined = sum.value * step;
    const double difference = std::abs(refined - value) / std::abs(refined);
    value = refined;
    rounding = ulp * (8.0 + (sum.rounding * step + 4.0 * path.scale) / std::abs(value));
    const double error = std::max(difference, previous * previous);
    discretization = error * std::sqrt(std::sqrt(error));
    previous = difference;
    if (discretization < 1e-13) break;
    if (level > 0 && difference < rounding) {
      discretization = difference;
      break;
    }
  }
  if (!(value > 0.0) || !std::isfinite(value)) return std::nullopt;

  const double truncation = 2.0 * std::exp(log_negligible) * path.scale / value;
  double kernel_size = 1.0;
  if (has_pole_at_zero(kernel)) kernel_size /= std::abs(saddle->point);
  if (has_pole_at_minus_one(kernel)) kernel_size /= std::abs(saddle->point + 1.0);
  return ContourValue{value * kernel_size / std::numbers::pi, saddle->value,
                      discretization + truncation + rounding + saddle->rounding, path};
}

}  // namespace modicum
