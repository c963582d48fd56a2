#include "privacy/spherical/l2_path.h"

#include <acb_hypgeom.h>
#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "numerics/gauss_legendre.h"
#include "privacy/engines/kept_lines.h"
#include "privacy/spherical/scaled_bessel.h"

namespace modicum {
namespace {

// Gauss's rule on each stretch; the ellipse around it on which the integrand is bounded, by the sum
// of its semiaxes, lies in a disc.
constexpr int ray_points = 24;
constexpr double ray_ellipse = 3.0,
                 ray_disc = 0.5 * (ray_ellipse + 1.0 / ray_ellipse) * (1.0 + 1e-9);
constexpr long path_bits = 96;
constexpr double log_left_out = -44.0;  // of the integrand at the start, left out by a stretch
constexpr int most_stretches = 200;
constexpr double path_margin = 1e-6;

ComplexBall bessel_i(const Ball& order, const ComplexBall& w) {
  ComplexBall result, nu(order);
  acb_hypgeom_bessel_i(result.raw(), nu.raw(), w.raw(), PrecisionScope::bits());
  return result;
}
ComplexBall power_of(const ComplexBall& w, const Ball& exponent) {
  ComplexBall result, power(exponent);
  acb_pow(result.raw(), w.raw(), power.raw(), PrecisionScope::bits());
  return result;
}
ComplexBall ball_of(std::complex<double> z) { return {Ball(z.real()), Ball(z.imag())}; }

// At least log of the sum of these exponentials.
double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  return larger == -infinity ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

}  // namespace

L2Path::L2Path(const L2Noise& noise, double count, double shift)
    : count_(count), order_(0.5 * noise.dimension - 1.0), home_(shift) {
  const Ball n = order_;
  Ball least, next;
  half_range_ = noise.range / 2.0;
  arb_hypgeom_bessel_k(least.raw(), n.raw(), half_range_.raw(), PrecisionScope::bits());
  arb_hypgeom_bessel_k(next.raw(), (n + 1.0).raw(), half_range_.raw(), PrecisionScope::bits());
  const Ball power = exp(log(half_range_) * (n + 1.0));
  first_ = power * next;
  second_ = power * half_range_ * least;
  for (double k = 0.0; k <= count_; k += 1.0)
    log_binomials_.push_back(std::lgamma(count_ + 1.0) - std::lgamma(k + 1.0) -
                             std::lgamma(count_ - k + 1.0));
}

// (first I_n(w) + second I_{n+1}(w)/w) w^-n, 1 at w = half_range.
ComplexBall L2Path::moment(const ComplexBall& w) const {
  const Ball n = order_;
  return power_of(w, -n) * (bessel_i(n, w) * first_ + bessel_i(n + 1.0, w) / w * second_);
}
Ball L2Path::moment(const Ball& w) const { return moment(ComplexBall(w)).real(); }

// log of at least |growing e^-w| and |falling e^w| where |w| is at least `distance` and the sine of
// its argument at least `sine`. For nu >= 1/2 |e^w sqrt(w) K_nu(w)| is at most its value at |w|,
// which falls, and for nu = 0 at most sqrt(pi/2 / sine).
double L2Path::log_part(double distance, double sine) const {
  const PrecisionScope scope(64);
  const Ball r = distance, n = order_;
  const auto bound = [&](const Ball& nu) {
    Ball value;
    arb_hypgeom_bessel_k_scaled(value.raw(), nu.raw(), r.raw(), PrecisionScope::bits());
    return value;
  };
  const Ball least = order_ == 0.0 ? sqrt(Ball::pi() / 2.0 / Ball(sine) / r) : bound(n);
  const Ball sum = (first_ * least + second_ / r * bound(n + 1.0)) / Ball::pi();
  return (log(sum) - n * log(r)).upper() + path_margin;
}

double L2Path::terms_on_the_left(const Ball& slope) const {
  for (double k = 0.0; k <= count_; k += 1.0) {
    const Ball rate = Ball(count_ - 2.0 * k) - slope;
    if (rate.surely_negative()) return k;
    if (!rate.surely_positive() && !rate.exactly_zero()) return std::nan("");
  }
  return count_ + 1.0;
}

// log of the sum over the terms of the side of |binomial e^{(count - 2k - slope) w}|, or of
// |e^{-slope w}| at the start.
double L2Path::log_shifted(const LeftOut& place, double shift) const {
  const Ball slope = Ball(shift) / half_range_ / 2.0;
  const double s = slope.middle();
  const auto most = [&](double rate) {
    return std::max(rate * place.least_real, rate * place.largest_real);
  };
  // |M(w)^count e^{-slope w}| is at most its value at Re w, whose logarithm is convex.
  if (place.side == Side::start)
    return std::max(place.log_at_least - s * place.least_real,
                    place.log_at_largest - s * place.largest_real) +
           0.5 * shift;
  const double left = terms_on_the_left(slope);
  double sum = -infinity;
  for (double k = 0.0; k <= count_; k += 1.0)
    if ((k < left) == (place.side == Side::left))
      sum = log_sum(sum, log_binomials_[static_cast<std::size_t>(k)] + most(count_ - 2.0 * k - s));
  return sum + 0.5 * shift;
}

// With a margin for the rounding of all that is added up.
double L2Path::log_error(const LeftOut& place, double shift) const {
  const double rate = count_ + std::abs(shift) / half_range_.lower();
  const double sizes = std::abs(place.log_size) + std::abs(place.log_at_largest) +
                       rate * (std::abs(place.least_real) + std::abs(place.largest_real));
  return place.log_size + log_shifted(place, shift) + path_margin + 1e-13 * sizes;
}

// Where the integrand is least on the real axis.
void L2Path::find_start() {
  const PrecisionScope scope(64);
  const double x = half_range_.middle(), slope = home_ / (2.0 * x);
  const auto log_size = [&](double t) {
    const double w = x + std::exp(t);
    return count_ * log(moment(Ball(w))).middle() - slope * w - t - std::log(w + x);
  };
  double low = std::log(x) - 12.0, high = std::max(std::log(x), 0.0) + 18.0;
  for (int i = 0; i < 40; ++i) {
    const double a = low + (high - low) / 3.0, b = high - (high - low) / 3.0;
    // Not a number where the moment has no digits: too far.
    if (log_size(a) < log_size(b) || !(log_size(b) < infinity)) high = b;
    else low = a;
  }
  const double t = 0.5 * (low + high);
  start_ = x + std::exp(t);
  rise_ = std::max(4.0, 0.75 * start_);
  log_tolerated_ =
      log_size(t) + std::log(2.0 * x) + 0.5 * home_ + std::log(start_ - x) + log_left_out;
}

std::optional<L2Path::LeftOut> L2Path::left_out_around(Side side, Complex middle,
                                                       double half) const {
  const double x = half_range_.upper(), radius = ray_disc * half,
               distance = std::abs(middle) - radius;
  const double to_pole = (std::abs(middle - x) - radius) * (std::abs(middle + x) - radius);
  const double height = middle.imag() - radius, right = middle.real() + radius;
  if (!(to_pole > 0.0) || !(std::abs(middle - x) > radius)) return std::nullopt;
  // 64/15 rho^{-2n} / (1 - rho^{-2}) on [-1, 1].
  const double rule = 64.0 / 15.0 * std::pow(ray_ellipse, -2.0 * ray_points) /
                      (1.0 - std::pow(ray_ellipse, -2.0)) * (1.0 + 1e-6) * half * 2.0 * x / to_pole;
  LeftOut result{side, std::log(rule), middle.real() - radius, right};
  if (side == Side::start) {
    const PrecisionScope scope(64);
    result.log_at_least = count_ * log(moment(Ball(std::abs(result.least_real)))).upper();
    result.log_at_largest = count_ * log(moment(Ball(right))).upper();
    return result;
  }
  if (!(height > 0.0)) return std::nullopt;
  result.log_size += count_ * log_part(distance, height / (std::abs(middle) + radius));
  return result;
}

// All beyond a place from which |w| grows: |w|^2 is at least its value there plus the square of the
// distance, so that 2x/(|w|^2 - x^2) adds up to at most pi x/sqrt(|w|^2 - x^2).
L2Path::LeftOut L2Path::left_out_beyond(Side side, Complex end) const {
  const double x = half_range_.upper(), size = std::abs(end);
  const double sine = std::min(end.imag() / size, std::numbers::sqrt2 / 2.0) * (1.0 - 1e-12);
  const double kernel = std::numbers::pi * x / std::sqrt((size - x) * (size + x) * (1.0 - 1e-12));
  const double log_size = count_ * log_part(size * (1.0 - 1e-12), sine) + std::log(kernel);
  return {side, log_size, end.real(), end.real()};
}

// Above the real axis I_nu(w) = (K_nu(w e^{-i pi}) - e^{i pi nu} K_nu(w)) / (pi i).
void L2Path::split(Node& node) const {
  const Ball n = order_;
  const ComplexBall& w = node.place;
  const ComplexBall factor = power_of(w, -n) * ComplexBall(Ball(0.0), -Ball(1.0) / Ball::pi());
  const auto growing = [&] {
    const ScaledBessel k = scaled_bessel_k(order_, -w);
    return factor * (k.of_order * first_ + k.of_next / w * second_);
  };
  const auto falling = [&] {
    const ScaledBessel k = scaled_bessel_k(order_, w);
    return factor * exp(ComplexBall(Ball(0.0), Ball::pi() * n)) *
           (k.of_next / w * second_ - k.of_order * first_);
  };
  const bool right = w.real().middle() >= 0.0;
  if (right) node.falling = falling();
  if (!right) node.growing = growing();
  // The other one, which is not the smaller, takes longer: close to 0 it is what is left of both.
  constexpr double close = 40.0;
  const double size = abs(w).middle();
  if (size > close) {
    if (right) node.growing = growing();
    if (!right) node.falling = falling();
    return;
  }
  const ComplexBall whole = [&] {
    const PrecisionScope scope(path_bits + static_cast<long>(1.5 * size));
    return moment(w);
  }();
  const ComplexBall grown = exp(w), shrunk = exp(-w);
  if (right) node.growing = (whole - node.falling * shrunk) * shrunk;
  if (!right) node.falling = (whole - node.growing * grown) * grown;
}

// From one multiple of the direction to another, all of them doubles: stretches meet exactly.
void L2Path::add_nodes(Side side, Complex start, Complex direction, double from, double to) {
  const ComplexBall middle = ball_of(start) + ball_of(direction) * ((Ball(from) + Ball(to)) / 2.0);
  const ComplexBall half = ball_of(direction) * ((Ball(to) - Ball(from)) / 2.0);
  for (const BallGaussPoint& gauss : ball_gauss_legendre(ray_points)) {
    // At an exact place: by the slope of the integrand, at most that of its bound over the distance
    // to the edge of the disc, it is 1e-20 of the bound off.
    Node node{side, (middle + half * gauss.place).midpoint(), {}, {}, {}};
    const ComplexBall& w = node.place;
    node.weight = half * gauss.weight * (half_range_ * 2.0) /
                  ((w - ComplexBall(half_range_)) * (w + ComplexBall(half_range_)));
    if (side == Side::start) node.growing = power(moment(w), count_);
    else split(node);
    nodes_.push_back(std::move(node));
  }
}

// Stretch by stretch, up to this length or until what is beyond is negligible.
bool L2Path::walk(Side side, Complex start, Complex direction, double length) {
  const double speed = std::abs(direction);
  double from = 0.0, step = 0.5 * rise_;
  for (int i = 0; i < most_stretches; ++i) {
    const double to = std::min(from + step, length);
    const Complex middle = start + direction * (0.5 * (from + to));
    const auto left_out = left_out_around(side, middle, 0.5 * (to - from) * speed);
    if (!left_out || !(log_error(*left_out, home_) < log_tolerated_)) {
      step *= 0.6;
      if (!(step > 1e-6 * (1.0 + from))) return false;
      continue;
    }
    add_nodes(side, start, direction, from, to);
    left_out_.push_back(*left_out);
    from = to;
    if (from >= length) return true;
    const Complex end = start + direction * from;
    if (side != Side::start && std::abs(end) > 2.0 * half_range_.upper() &&
        (std::conj(direction) * end).real() > 0.0) {
      const LeftOut beyond = left_out_beyond(side, end);
      if (log_error(beyond, home_) < log_tolerated_) {
        left_out_.push_back(beyond);
        return true;
      }
    }
    step *= 1.8;
  }
  return false;
}

bool L2Path::lay() {
  find_start();
  if (!std::isfinite(log_tolerated_) || !std::isfinite(start_)) return false;
  const Complex top(start_, rise_);
  const double left = terms_on_the_left(Ball(home_) / half_range_ / 2.0);
  return !std::isnan(left) && walk(Side::start, start_, Complex(0.0, 1.0), rise_) &&
         (left > count_ || walk(Side::right, top, {1.0, 1.0}, infinity)) &&
         (left == 0.0 || walk(Side::left, top, {-1.0, 1.0}, infinity));
}

std::optional<L2Path> L2Path::make(const L2Noise& noise, double count, double shift) {
  const PrecisionScope scope(path_bits);
  L2Path path(noise, count, shift);
  if (!path.lay()) return std::nullopt;
  path.width_ = relative_width(path.at(shift));
  return path;
}

// The terms of (growing e^w + falling e^-w)^count that belong to the side, times e^{-slope w}.
ComplexBall L2Path::terms(const Node& node, const Ball& slope) const {
  if (node.side == Side::start) return node.growing * exp(-(node.place * slope));
  const double left = terms_on_the_left(slope);
  const double first = node.side == Side::left ? 0.0 : left,
               last = node.side == Side::left ? left - 1.0 : count_;
  const ComplexBall ratio = node.falling / node.growing * exp(-(node.place * Ball(2.0)));
  ComplexBall term = power(node.growing, count_ - first) * power(node.falling, first) *
                     exp(node.place * (Ball(count_ - 2.0 * first) - slope));
  for (double k = 1.0; k <= first; k += 1.0) term *= Ball(count_ - k + 1.0) / Ball(k);
  ComplexBall sum = term;
  for (double k = first + 1.0; k <= last; k += 1.0) {
    term *= ratio * (Ball(count_ - k + 1.0) / Ball(k));
    sum += term;
  }
  return sum;
}

Ball L2Path::at(double shift) const {
  const PrecisionScope scope(path_bits);
  const Ball slope = Ball(shift) / half_range_ / 2.0;
  const double left = terms_on_the_left(slope);
  if (std::isnan(left)) return Ball::between(0.0, 1.0);
  ComplexBall sum;
  bool right_found = left > count_, left_found = left == 0.0;
  for (const Node& node : nodes_) {
    if (node.side == Side::left && left == 0.0) continue;
    if (node.side == Side::right && left > count_) continue;
    right_found |= node.side == Side::right;
    left_found |= node.side == Side::left;
    sum += node.weight * terms(node, slope);
  }
  if (!right_found || !left_found) return Ball::between(0.0, 1.0);
  Ball error;
  for (const LeftOut& place : left_out_) error += exp(Ball(log_error(place, shift)));
  return ((sum * exp(Ball(shift) / 2.0)).imaginary().widened(error)) / Ball::pi();
}

}  // namespace modicum
