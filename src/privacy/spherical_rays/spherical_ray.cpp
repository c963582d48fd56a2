#include "privacy/spherical_rays/spherical_ray.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numerics/gauss_legendre.h"
#include "privacy/quantity_value.h"
#include "privacy/spherical_rays/coarse_sheet.h"
#include "privacy/spherical_rays/sheet_rule.h"
#include "privacy/spherical_rays/tilted_plane.h"

namespace modicum {
namespace rays {
namespace {

using Complex = std::complex<double>;

constexpr long bits = 80;
// Gauss's rule on stretches; the ellipse around each on which the integrand is bounded has the half
// axes 5/3 and 4/3 half lengths, with the sum 3.
constexpr std::array<int, 8> points{4, 6, 10, 14, 18, 24, 32, 48};
constexpr double ellipse = 3.0, long_axis = 5.0 / 3.0 + 1e-9, short_axis = 4.0 / 3.0 + 1e-9;
constexpr double cell_tolerance = 1.5e-14;  // of the moment, relatively
// Of the value exp(-28) may be left out at each stretch, and exp(-23.5) beyond the end.
constexpr double left_out = 28.0, left_out_above = 23.5;
constexpr double longest = 1e5;
constexpr double least_rate = 0.16;
constexpr double growth_of_sections = 6.0, aside = 0.2, most_aside = 30.0, most_rise = 8.0;
constexpr int most_tries = 1800;
constexpr std::size_t most_nodes_on_ray = 5000;
constexpr std::array<double, 4> slopes{INFINITY, 7.0, 3.5, 2.0};

// The moments of some copies with the kernel, in doubles, at a real order.
struct Start {
  double order, log_moment, log_value;  // log_value: of the integrand
  double width;                         // of its hill upwards
};

double log_kernel(const Complex& z) { return -std::log(std::abs(z) * std::abs(z + 1.0)); }

// Close to the end of the moments by its distance.
constexpr double least_log_order = -3.9, most_log_order = 11.5;
double order_at(const TiltedPlane& plane, double log_order) {
  return 1.0 / (std::exp(-log_order) + 1.0 / plane.end());
}

// The least integrand on the real line, or close to it where that is next to the end of the
// moments.
Start saddle_of(TiltedPlane& plane, double count, double shift) {
  const auto at = [&](double log_order) {
    const double order = order_at(plane, log_order);
    const auto [log_moment, mean, variance] = plane.at(order);
    const double curvature =
        count * variance + 1.0 / (order * order) + 1.0 / ((order + 1.0) * (order + 1.0));
    return Start{order, log_moment, count * log_moment - shift * order + log_kernel(order),
                 1.0 / std::sqrt(curvature)};
  };
  double low = least_log_order, high = most_log_order;
  const double golden = 0.6180339887498949;
  double left = high - golden * (high - low), right = low + golden * (high - low);
  Start at_left = at(left), at_right = at(right);
  while (high - low > 0.02) {
    // Not a number where the order is too high.
    if (at_left.log_value < at_right.log_value || !(at_right.log_value < infinity)) {
      high = right, right = left, at_right = at_left;
      left = high - golden * (high - low), at_left = at(left);
    } else {
      low = left, left = right, at_left = at_right;
      right = low + golden * (high - low), at_right = at(right);
    }
  }
  // The integrand falls towards the pole at a rate of the distance from the end.
  const double end = plane.end(),
               room = std::max(2.0 * at_left.width, least_rate / plane.plane().geometry().deficit);
  if (end - at_left.order < room) {
    const double order =
        std::max({end - room, 0.5 * at_left.order, at_left.order - 5.0 * at_left.width});
    return at(-std::log(1.0 / order - 1.0 / end));
  }
  return at_left;
}

// What is asked.
struct Sum {
  double count, shift, stationary;
  Start start;
  // Rays, in units of 1 over a loss.
  double longest() const {
    return std::max(rays::longest * std::max(1.0, count / shift), 1500.0 * start.order);
  }
  // Moments are computed relative to exp(rate Re z).
  double rate() const { return shift / count; }
  // What may be left out of the integral.
  double tolerated() const { return start.log_value + std::log(std::max(start.order, 1e-3)); }
};

// The loss that decides how the moment grows to the right: one that is stationary, or at the center
// of X without a pole.
double stationary_loss(const EllipticPlane& plane) {
  const SphericalGeometry& geometry = plane.geometry();
  const double turning = plane.turning_place();
  if (turning < infinity) return plane.place_at(turning, 0.0).loss.real();
  return plane.pole() ? 0.0 : geometry.shape * std::pow(geometry.step, geometry.p);
}

// About where a ray that leans may end.
double farthest_order(const Sum& sum) {
  const double falls = sum.shift - sum.count * sum.stationary, least = 2.0 * sum.start.order + 2.0;
  return least + (falls > 0.0 ? std::min(45.0 / falls, 5.0 * least) : 0.0);
}

struct Ray {
  Complex start, direction;
  double length = infinity;  // about
  Complex at(double u) const { return start + direction * u; }
  Complex across() const { return {-direction.imag(), direction.real()}; }
};

// The slope by which all beyond the end is negligible soonest, or most so at the longest ray.
Ray ray_for(const CoarseSheet& coarse, const Sum& sum) {
  Ray best;
  const double wanted = sum.tolerated() - left_out_above;
  double least = infinity;
  for (const double slope : slopes) {
    Ray ray{sum.start.order, {0.0, 1.0}, 0.0};
    if (slope < infinity) ray.direction = Complex(1.0, slope) / std::hypot(1.0, slope);
    double lowest = infinity, value = infinity;
    for (double length = 2.0 * sum.start.width; length < sum.longest(); length *= 1.2) {
      if (least <= wanted && !(length < 0.8 * best.length)) break;
      const Complex end = ray.at(length);
      value = sum.count * coarse.log_size(end) - sum.shift * end.real() - std::log(end.imag());
      ray.length = length;
      if (value < wanted || value > lowest + 5.0) break;  // there, or it grows
      lowest = std::min(lowest, value);
    }
    if (value < std::max(least, wanted)) best = ray, least = value;
  }
  return best;
}

// The orders at which a rule is bounded: corners of a trapezium along the ray which holds the
// ellipses.
struct Hull {
  Ray ray;
  std::array<double, 2> places, halves;
  std::vector<Complex> corners() const {
    std::vector<Complex> corners;
    for (std::size_t i = 0; i < places.size(); ++i)
      for (const double side : {-1.0, 1.0})
        corners.push_back(ray.at(places[i]) + ray.across() * (side * halves[i]));
    return corners;
  }
  bool holds(double u) const { return u >= places[0] && u <= places[1]; }
  /// Of numbers at both places the one between them.
  double between(const std::array<double, 2>& values, double u) const {
    return values[0] + (values[1] - values[0]) * (u - places[0]) / (places[1] - places[0]);
  }
};

// Widths grow with the distance from where the ray starts.
class Widths {
 public:
  Widths(const TiltedPlane& plane, const Sum& sum)
      // Next to the end of the moments, and to the pole of the kernel.
      : first_(std::min(
            {0.4 * sum.start.order, 0.1 * (plane.end() - sum.start.order), 1.5 * sum.start.width})),
        most_(std::max(first_,
                       most_aside / std::max(0.05 * sum.shift,
                                             std::abs(sum.count * sum.stationary - sum.shift)))) {}
  double first() const { return first_; }
  double at(double u) const { return std::min(first_ + aside * std::max(u, 0.0), most_); }
  /// Narrower where the moment changes much across: in the middle errors are known by those at the
  /// sides.
  Hull hull(const Ray& ray, const CoarseSheet& coarse, double from, double to) const {
    const double behind = from == 0.0 ? -first_ : from - 1.3 * at(from);
    const double ahead = to + 1.3 * at(to);
    Hull hull{ray, {behind, ahead}, {at(behind), at(ahead)}};
    for (std::size_t i = 0; i < 2; ++i) {
      const Complex z = ray.at(hull.places[i]);
      const double size = coarse.log_size(z), least = 0.05 * hull.halves[i];
      const auto rise = [&] {
        const Complex across = ray.across() * hull.halves[i];
        return 0.5 * (coarse.log_size(z + across) + coarse.log_size(z - across)) - size;
      };
      while (hull.halves[i] > least && !(rise() < most_rise)) hull.halves[i] *= 0.7;
    }
    return hull;
  }

 private:
  double first_, most_;
};

// The error of the rule where the integrand is at most 1: 64/15 rho^{-2n}/(1 - rho^{-2}).
double log_rule(int count) {
  return std::log(64.0 / 15.0) - 2.0 * count * std::log(ellipse) -
         std::log1p(-std::pow(ellipse, -2.0)) + 1e-6;
}

ComplexBall ball_of(const Complex& z) { return {Ball(z.real()), Ball(z.imag())}; }

// What may be left out of a moment at the corners: less where the other copies are large. On the
// ray it is the geometric mean of both sides, which share it like their sizes.
std::vector<double> tolerances_at(const Hull& hull, const CoarseSheet& coarse, const Sum& sum) {
  const Start& start = sum.start;
  const auto corners = hull.corners();
  std::vector<double> tolerances;
  for (std::size_t i = 0; i < hull.places.size(); ++i) {
    const Complex z = hull.ray.at(hull.places[i]);
    const double far = std::abs(z - start.order) / start.width;
    // The moment is smaller than its integrand; by how much is known while that is not by far.
    const double log_moment = std::max(coarse.log_moment(z) + 0.2, coarse.log_size(z) - 3.0);
    const double tolerance = start.log_moment + sum.shift * (z.real() - start.order) -
                             (sum.count - 1.0) * (log_moment - start.log_moment) - log_kernel(z) +
                             log_kernel(start.order) - std::log1p(far) +
                             std::log(cell_tolerance / sum.count);
    const double left = coarse.log_size(corners[2 * i]),
                 right = coarse.log_size(corners[2 * i + 1]);
    for (const double size : {left, right})
      tolerances.push_back(std::min(tolerance + size - 0.5 * (left + right), size - 12.0));
  }
  return tolerances;
}

// Not so small that differences are lost.
double log_error(double error) { return std::log(std::max(error, 1e-300)); }

// The powers of the moment with the kernel along a section of the ray, but for the shift.
class PowersOnRay {
 public:
  PowersOnRay(const SheetRule& rule, const Hull& hull, const Sum& sum)
      : rule_(rule), hull_(hull), ray_(hull.ray), count_(sum.count), rate_(sum.rate()) {
    for (std::size_t i = 0; i < 2; ++i)
      for (std::size_t side = 0; side < 2; ++side)
        log_errors_[side][i] = log_error(rule.errors()[2 * i + side]);
  }
  /// At least log of what |M|^count/|z (z + 1)| is around [from, to], times half its length; empty
  /// where that is not within the hull. By a bound of |M| at an order, from its error there.
  template <class Size>
  std::optional<SphericalRay::LeftOut> size_around(double from, double to, const Size& size) const;
  std::optional<SphericalRay::LeftOut> size_around(double from, double to) const {
    return size_around(from, to,
                       [&](const Complex& z, double missed) { return log_size(z, missed); });
  }
  void add_nodes(int count, double from, double to, std::vector<SphericalRay::Node>& nodes) const;
  /// Upwards from an end the size of the moment falls.
  SphericalRay::LeftOut above(double end) const;

 private:
  double log_size(const Complex& z, double missed) const {
    return std::log(rule_.size_at(z, missed) + missed) + rate_ * z.real();
  }
  // Between corners errors are at most their geometric mean (Hoelder): along both sides, and
  // across. So far beside the ray, within the hull.
  double error_at(double u, double beside = 0.0) const {
    if (!hull_.holds(u)) return infinity;
    const double part = 0.5 + 0.5 * beside / hull_.between(hull_.halves, u);
    const double log =
        (1.0 - part) * hull_.between(log_errors_[0], u) + part * hull_.between(log_errors_[1], u);
    return std::exp(log + 1e-12 * std::abs(log)) * (1.0 + 1e-9);
  }

  const SheetRule& rule_;
  const Hull& hull_;
  const Ray& ray_;
  double count_, rate_;
  std::array<std::array<double, 2>, 2> log_errors_{};  // of the sides, at both places
};

template <class Size>
std::optional<SphericalRay::LeftOut> PowersOnRay::size_around(double from, double to,
                                                              const Size& size) const {
  const double middle = 0.5 * (from + to), half = 0.5 * (to - from);
  const double before = middle - long_axis * half, after = middle + long_axis * half,
               beside = short_axis * half;
  const auto within = [&](double u) {
    return hull_.holds(u) && beside < hull_.between(hull_.halves, u);
  };
  if (!(within(before) && within(after))) return std::nullopt;
  const Complex center = ray_.at(middle);
  const double radius = std::hypot(after - middle, beside);
  const double to_zero = std::abs(center) - radius, to_one = std::abs(center + 1.0) - radius;
  if (!(to_zero > 0.0 && to_one > 0.0)) return std::nullopt;
  const double fixed = 1e-6 + std::log(half) - std::log(to_zero) - std::log(to_one);
  SphericalRay::LeftOut place{};
  for (std::size_t i = 0; i < 4; ++i) {
    const double u = i % 2 == 0 ? before : after, v = i < 2 ? beside : -beside;
    const Complex z = ray_.at(u) + ray_.across() * v;
    place.logs[i] = fixed + count_ * size(z, error_at(u, v));
    place.reals[i] = z.real();
  }
  return place;
}

void PowersOnRay::add_nodes(int count, double from, double to,
                            std::vector<SphericalRay::Node>& nodes) const {
  const Ball middle = (Ball(from) + Ball(to)) / 2.0, half = (Ball(to) - Ball(from)) / 2.0;
  const ComplexBall direction = ball_of(ray_.direction);
  const Ball rate = Ball(count_) * Ball(rate_);
  for (const BallGaussPoint& gauss : ball_gauss_legendre(count)) {
    const Ball u = middle + half * gauss.place;
    // The sum is at the nearest double; it counts what that moves it.
    const ComplexBall order = ball_of(ray_.start) + direction * u;
    const Complex z(order.real().middle(), order.imaginary().middle());
    const double error = error_at(u.middle());
    const SheetSum::Value sum = rule_.sum_at(z, error);
    const ComplexBall moment = ball_of(sum.value).widened(Ball(sum.rounding) + Ball(error));
    nodes.push_back({order, power(moment, count_) * exp(rate * order.real()) *
                                (half * gauss.weight) * direction /
                                (order * (order + ComplexBall(Ball(1.0))))});
  }
}

SphericalRay::LeftOut PowersOnRay::above(double end) const {
  const Complex z = ray_.at(end);
  SphericalRay::LeftOut above{};
  above.logs.fill(count_ * log_size(z, error_at(end)) - std::log(z.imag()) + 1e-6);
  above.reals.fill(z.real());
  return above;
}

// The fewest points for a stretch with so large an integrand around it.
std::array<int, 8>::const_iterator points_for(const std::optional<SphericalRay::LeftOut>& size,
                                              const Sum& sum) {
  const double excess = size ? size->log_at(sum.shift) - sum.tolerated() + left_out : infinity;
  return std::ranges::find_if(points, [&](int n) { return excess + log_rule(n) < 0.0; });
}

// Stretches of a ray, as long as the bounds allow.
struct Stretches {
  std::vector<SphericalRay::Node>& nodes;
  std::vector<SphericalRay::LeftOut>& left_out;
  double step;
  int tries = 0;
  /// Up to an end, or as far as it gets.
  double add(const PowersOnRay& powers, const CoarseSheet& coarse, const Sum& sum, double from,
             double end);
};

double Stretches::add(const PowersOnRay& powers, const CoarseSheet& coarse, const Sum& sum,
                      double from, double end) {
  while (from < end && ++tries <= most_tries && nodes.size() <= most_nodes_on_ray) {
    const double to = from + 1.2 * step > end ? end : from + step;
    const auto estimate = powers.size_around(
        from, to, [&](const Complex& z, double) { return coarse.log_size(z) + 0.2; });
    std::optional<SphericalRay::LeftOut> place;
    auto points_here = points_for(estimate, sum);
    if (points_here != points.end()) {
      place = powers.size_around(from, to);
      points_here = points_for(place, sum);
    }
    if (points_here == points.end()) {
      step = 0.7 * (to - from);
      continue;
    }
    for (double& log : place->logs) log += log_rule(*points_here);
    left_out.push_back(*place);
    powers.add_nodes(*points_here, from, to, nodes);
    from = to;
    step *= 1.6;
  }
  return from;
}

}  // namespace
}  // namespace rays

double SphericalRay::LeftOut::log_at(double shift) const {
  double largest = -infinity;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double log =
        logs[i] - shift * reals[i] + 0x1p-50 * (std::abs(logs[i]) + std::abs(shift * reals[i]));
    if (!(log < infinity)) return infinity;  // NaN too
    largest = std::max(largest, log);
  }
  return largest + 1e-9 * (1.0 + std::abs(largest));
}

std::optional<SphericalRay> SphericalRay::make(const SphericalPair& pair, double count,
                                               double shift) {
  const PrecisionScope scope(rays::bits);
  const SphericalGeometry geometry(pair);
  TiltedPlane plane(geometry);
  const rays::Sum sum{count, shift, rays::stationary_loss(plane.plane()),
                      rays::saddle_of(plane, count, shift)};
  if (!std::isfinite(sum.start.log_value)) return std::nullopt;
  const EllipticSheet sheet(geometry, rays::farthest_order(sum), count);
  if (!sheet.works()) return std::nullopt;
  const CoarseSheet coarse(sheet, sum.start.order, sum.rate());
  const rays::Ray ray = rays::ray_for(coarse, sum);
  const rays::Widths widths(plane, sum);

  SphericalRay result(shift);
  rays::Stretches stretches{result.nodes_, result.left_out_, widths.first()};
  std::optional<LeftOut> above;
  for (double from = 0.0;;) {
    const double end = std::min(std::max(rays::growth_of_sections * from, 8.0 * sum.start.width),
                                std::max(1.1 * ray.length, 1.5 * from));
    const rays::Hull hull = widths.hull(ray, coarse, from, end);
    const auto corners = hull.corners();
    const SheetRule rule(sheet, corners, rays::tolerances_at(hull, coarse, sum), sum.rate());
    if (!rule.works()) break;
    const rays::PowersOnRay powers(rule, hull, sum);
    from = stretches.add(powers, coarse, sum, from, end);
    above = powers.above(from);
    const double log_above = above->log_at(shift) - sum.tolerated();
    if (log_above < -rays::left_out_above || from < end || end > sum.longest()) break;
  }
  if (!above) return std::nullopt;
  result.left_out_.push_back(*above);
  result.width_ = relative_width(result.at(shift));
  return result;
}

// Each order is the saddle point of a shift, and delta falls as it rises.
std::optional<SphericalRay::Guess> SphericalRay::guess(const SphericalPair& pair, double count,
                                                       double delta) {
  const SphericalGeometry geometry(pair);
  TiltedPlane plane(geometry);
  Guess best{};
  double low = rays::least_log_order, high = rays::most_log_order;
  while (high - low > 1e-3) {
    const double middle = 0.5 * (low + high), order = rays::order_at(plane, middle);
    const auto [log_moment, mean, variance] = plane.at(order);
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
