#include "privacy/spherical/spherical_ray.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numerics/gauss_legendre.h"
#include "privacy/engines/kept_lines.h"
#include "privacy/spherical/sheet_rule.h"

namespace modicum {
namespace rays {
namespace {

using Complex = std::complex<double>;

constexpr long bits = 80;
// Gauss's rule on stretches; the ellipse around each on which the integrand is bounded has the half
// axes 5/3 and 4/3 half lengths, with the sum 3.
constexpr std::array<int, 5> points{6, 10, 14, 18, 24};
constexpr double ellipse = 3.0, long_axis = 5.0 / 3.0 + 1e-9, short_axis = 4.0 / 3.0 + 1e-9;
constexpr double cell_tolerance = 1.5e-14;  // of the moment, relatively
constexpr double left_out = 30.0;           // exp(-30) of the value may be left out
constexpr double longest = 400.0;           // rays, in units of their start
constexpr int most_stretches = 60;
constexpr double most_grown = 25.0;  // of the logarithm of the moment: too many nodes
constexpr std::array<double, 2> slopes{2.0, 3.5};

// The moments of some copies with the kernel, in doubles, at a real order.
struct Start {
  double order, log_moment, log_value;  // log_value: of the integrand
};

double log_kernel(const Complex& z) { return -std::log(std::abs(z) * std::abs(z + 1.0)); }

// Close to the end of the moments by its distance.
constexpr double least_log_order = -3.9, most_log_order = 11.5;
double order_at(const SphericalSheet& sheet, double log_order) {
  return 1.0 / (std::exp(-log_order) + 1.0 / sheet.end());
}

// The least integrand on the real line.
Start saddle_of(const SphericalSheet& sheet, double count, double shift) {
  const auto at = [&](double log_order) {
    const double order = order_at(sheet, log_order);
    const double log_moment = sheet.estimate(order).log_size;
    return Start{order, log_moment, count * log_moment - shift * order + log_kernel(order)};
  };
  double low = least_log_order, high = most_log_order;
  const double golden = 0.6180339887498949;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  Start at_left = at(left), at_right = at(right);
  while (high - low > 0.05) {
    // Not a number where the order is too high.
    if (at_left.log_value < at_right.log_value || !(at_right.log_value < infinity)) {
      high = right, right = left, at_right = at_left;
      left = high - golden * (high - low), at_left = at(left);
    } else {
      low = left, left = right, at_left = at_right;
      right = low + golden * (high - low), at_right = at(right);
    }
  }
  return at_left;
}

// What may be left out of the integral.
double tolerated(const Start& start) {
  return start.log_value + std::log(std::max(start.order, 1e-3)) - left_out;
}

// A ray from `start`, its length, and about the size of the moment at its end.
struct Ray {
  Complex start, direction;
  double length = infinity, log_end = 0.0;
  Complex at(double u) const { return start + direction * u; }
  Complex across() const { return {-direction.imag(), direction.real()}; }
};

// Long enough that all beyond is negligible: by the bound of what is above.
Ray ray_from(const SphericalSheet& sheet, const Start& start, double count, double shift) {
  Ray best;
  const double unit = 1.0 / std::sqrt(1.0 + 1.0 / start.order);
  const double wanted = tolerated(start);
  for (const double slope : slopes) {
    Ray ray{start.order, Complex(1.0, slope) / std::hypot(1.0, slope), infinity, 0.0};
    double before = infinity;
    for (double length = 2.0 * unit; length < longest * std::max(start.order, 1.0); length *= 1.2) {
      if (!(length < best.length)) break;
      const Complex end = ray.at(length);
      const double log_end = sheet.estimate(end).log_size;
      const double value = count * log_end - shift * end.real() - std::log(end.imag());
      if (value < wanted) {
        ray.length = length, ray.log_end = log_end;
        break;
      }
      if (value > before + 20.0) break;  // it grows
      before = std::min(before, value);
    }
    if (ray.length < best.length) best = ray;
  }
  return best;
}

// The orders at which the rule is bounded: corners of two trapeziums along the ray, one after the
// other, which hold the ellipses.
struct Hull {
  Ray ray;
  std::array<double, 3> places, halves;
  std::vector<Complex> corners() const {
    std::vector<Complex> corners;
    for (std::size_t i = 0; i < places.size(); ++i)
      for (const double side : {-1.0, 1.0})
        corners.push_back(ray.at(places[i]) + ray.across() * (side * halves[i]));
    return corners;
  }
  /// Of numbers at the three places the one between them; minus infinity beyond.
  double between(const std::array<double, 3>& values, double u) const {
    for (std::size_t i = 1; i < places.size(); ++i)
      if (u >= places[i - 1] && u <= places[i])
        return values[i - 1] +
               (values[i] - values[i - 1]) * (u - places[i - 1]) / (places[i] - places[i - 1]);
    return -infinity;
  }
};

Hull hull_around(const SphericalSheet& sheet, const Ray& ray) {
  const double start = ray.start.real();
  // Next to the end of the moments, and to the pole of the kernel.
  const double room = std::min(start, 0.5 * (sheet.end() - start));
  const double behind = 0.15 * std::min(room, ray.length);
  const std::array<double, 3> places{-behind, 0.15 * ray.length, 1.05 * ray.length};
  // No corner with a negative real part, where the bounds of cells do not hold.
  const auto half_at = [&](double place, double half) {
    return std::min(half, 0.9 * ray.at(place).real() / ray.direction.imag());
  };
  return {ray,
          places,
          {half_at(places[0], behind), half_at(places[1], 0.05 * ray.length),
           half_at(places[2], 0.1 * ray.length)}};
}

// The error of the rule where the integrand is at most 1: 64/15 rho^{-2n}/(1 - rho^{-2}).
double log_rule(int count) {
  return std::log(64.0 / 15.0) - 2.0 * count * std::log(ellipse) -
         std::log1p(-std::pow(ellipse, -2.0)) + 1e-6;
}

ComplexBall ball_of(const Complex& z) { return {Ball(z.real()), Ball(z.imag())}; }

// What may be left out of a moment at the corners: less where the other copies are large.
std::vector<double> tolerances_at(const std::vector<Complex>& corners, const Start& start,
                                  const Ray& ray, double count, double shift) {
  std::vector<double> tolerances;
  for (const Complex& corner : corners) {
    const double moved = corner.real() - start.order, share = moved / ray.at(ray.length).real();
    const double larger = std::max(0.0, share * (ray.log_end - start.log_moment));
    const double log_far = shift * moved - (count - 1.0) * larger;
    const double at_most = std::max(0.0, std::min(log_far, larger + 20.0));
    tolerances.push_back(start.log_moment + at_most + std::log(cell_tolerance / count));
  }
  return tolerances;
}

// The powers of the moment with the kernel along the ray, but for the shift.
class PowersOnRay {
 public:
  PowersOnRay(const SheetRule& rule, const Hull& hull, double count)
      : rule_(rule), hull_(hull), ray_(hull.ray), count_(count) {
    for (std::size_t i = 0; i < log_errors_.size(); ++i)
      log_errors_[i] = std::log(std::max(rule.errors()[2 * i], rule.errors()[2 * i + 1]));
  }
  /// At least log of what |M|^count/|z (z + 1)| is around [from, to], times half its length; empty
  /// where that is not within the hull.
  std::optional<SphericalRay::LeftOut> size_around(double from, double to) const;
  void add_nodes(int count, double from, double to, std::vector<SphericalRay::Node>& nodes) const;
  /// Upwards from the end the size of the moment falls.
  SphericalRay::LeftOut above_the_end() const;

 private:
  // Between two pairs of corners errors are at most their geometric mean (Hoelder).
  double error_at(double u) const { return std::exp(hull_.between(log_errors_, u)) * (1.0 + 1e-9); }

  const SheetRule& rule_;
  const Hull& hull_;
  const Ray& ray_;
  double count_;
  std::array<double, 3> log_errors_{};
};

std::optional<SphericalRay::LeftOut> PowersOnRay::size_around(double from, double to) const {
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  const double before = middle - long_axis * half, after = middle + long_axis * half,
               aside = short_axis * half;
  const auto within = [&](double u) { return aside < hull_.between(hull_.halves, u); };
  if (!(within(before) && within(middle) && within(after))) return std::nullopt;
  const Complex center = ray_.at(middle);
  const double radius = std::hypot(after - middle, aside);
  const double to_zero = std::abs(center) - radius, to_one = std::abs(center + 1.0) - radius;
  if (!(to_zero > 0.0 && to_one > 0.0)) return std::nullopt;
  const double fixed = 1e-6 + std::log(half) - std::log(to_zero) - std::log(to_one);
  double missed = std::max(error_at(before), error_at(after));
  if (before < hull_.places[1] && hull_.places[1] < after)
    missed = std::max(missed, error_at(hull_.places[1]));
  SphericalRay::LeftOut place{};
  for (std::size_t i = 0; i < 4; ++i) {
    const Complex z =
        ray_.at(i % 2 == 0 ? before : after) + ray_.across() * (i < 2 ? aside : -aside);
    place.logs[i] = fixed + count_ * std::log(rule_.size_at(z, missed) + missed);
    place.reals[i] = z.real();
  }
  return place;
}

void PowersOnRay::add_nodes(int count, double from, double to,
                            std::vector<SphericalRay::Node>& nodes) const {
  const Ball middle = (Ball(from) + Ball(to)) / 2.0, half = (Ball(to) - Ball(from)) / 2.0;
  const ComplexBall direction = ball_of(ray_.direction);
  for (const BallGaussPoint& gauss : ball_gauss_legendre(count)) {
    const Ball u = middle + half * gauss.place;
    // The sum is at the nearest double; it counts what that moves it.
    const ComplexBall order = ball_of(ray_.start) + direction * u;
    const Complex z(order.real().middle(), order.imaginary().middle());
    const double error = error_at(u.middle());
    const SheetRule::Sum sum = rule_.sum_at(z, error);
    const ComplexBall moment = ball_of(sum.value).widened(Ball(sum.rounding) + Ball(error));
    nodes.push_back({order, power(moment, count_) * (half * gauss.weight) * direction /
                                (order * (order + ComplexBall(Ball(1.0))))});
  }
}

SphericalRay::LeftOut PowersOnRay::above_the_end() const {
  const Complex end = ray_.at(ray_.length);
  const double error = error_at(ray_.length);
  SphericalRay::LeftOut above{};
  above.logs.fill(count_ * std::log(rule_.size_at(end, error) + error) - std::log(end.imag()) +
                  1e-6);
  above.reals.fill(end.real());
  return above;
}

}  // namespace
}  // namespace rays

double SphericalRay::LeftOut::log_at(double shift) const {
  double largest = -infinity;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double log = logs[i] - shift * reals[i];
    if (!(log < infinity)) return infinity;  // NaN too
    largest = std::max(largest, log);
  }
  return largest + 1e-9 * (1.0 + std::abs(largest));
}

std::optional<SphericalRay> SphericalRay::make(const SphericalPair& pair, double count,
                                               double shift) {
  const PrecisionScope scope(rays::bits);
  const SphericalGeometry geometry(pair);
  const SphericalSheet sheet(geometry);
  const rays::Start start = rays::saddle_of(sheet, count, shift);
  if (!std::isfinite(start.log_value)) return std::nullopt;
  const rays::Ray ray = rays::ray_from(sheet, start, count, shift);
  if (!(ray.length < infinity && ray.log_end < start.log_moment + rays::most_grown))
    return std::nullopt;
  const rays::Hull hull = rays::hull_around(sheet, ray);
  const auto corners = hull.corners();
  const SheetRule rule(sheet, corners, rays::tolerances_at(corners, start, ray, count, shift));
  if (!rule.works()) return std::nullopt;
  const rays::PowersOnRay powers(rule, hull, count);
  SphericalRay result(shift);
  // Stretches as long as the bounds allow.
  double from = 0.0, step = -hull.places[0];
  for (int i = 0; from < ray.length; ++i) {
    if (i > rays::most_stretches) return std::nullopt;
    const double to = from + step > 0.97 * ray.length ? ray.length : from + step;
    std::optional<LeftOut> place = powers.size_around(from, to);
    const double excess = place ? place->log_at(shift) - rays::tolerated(start) : infinity;
    const auto points = std::find_if(rays::points.begin(), rays::points.end(),
                                     [&](int n) { return excess + rays::log_rule(n) < 0.0; });
    if (points == rays::points.end()) {
      step = 0.7 * (to - from);
      continue;
    }
    for (double& log : place->logs) log += rays::log_rule(*points);
    result.left_out_.push_back(*place);
    powers.add_nodes(*points, from, to, result.nodes_);
    from = to;
    step *= 2.0;
  }
  result.left_out_.push_back(powers.above_the_end());
  result.width_ = relative_width(result.at(shift));
  return result;
}

// Each order is the saddle point of a shift, and delta falls as it rises.
std::optional<SphericalRay::Guess> SphericalRay::guess(const SphericalPair& pair, double count,
                                                       double delta) {
  const SphericalGeometry geometry(pair);
  const SphericalSheet sheet(geometry);
  Guess best{};
  double low = rays::least_log_order, high = rays::most_log_order;
  while (high - low > 1e-3) {
    const double middle = 0.5 * (low + high), order = rays::order_at(sheet, middle);
    const auto [log_moment, mean, variance] = sheet.estimate(order);
    const double above = order + 1.0, shift = count * mean - 1.0 / order - 1.0 / above;
    const double curvature = count * variance + 1.0 / (order * order) + 1.0 / (above * above);
    const double log_delta = count * log_moment - shift * order - std::log(order * above) -
                             0.5 * std::log(2.0 * std::numbers::pi * curvature);
    if (log_delta > std::log(delta)) {
      low = middle, best = {shift, order};
    } else {
      high = middle;  // also where it is no number
    }
  }
  if (!(best.shift > 0.0 && std::isfinite(best.shift))) return std::nullopt;
  return best;
}

Ball SphericalRay::at(double shift) const {
  const PrecisionScope scope(rays::bits);
  ComplexBall sum;
  const Ball s = shift;
  for (const Node& node : nodes_) sum += node.value * exp(-(node.place * s));
  Ball error;
  for (const LeftOut& place : left_out_) error += exp(Ball(place.log_at(shift)));
  return sum.imaginary().widened(error) / Ball::pi();
}

}  // namespace modicum
