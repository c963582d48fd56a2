#include "mechanisms/suprema/moving_moment.h"

#include <algorithm>
#include <cmath>

#include "numerics/precise_ball.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

// Of coefficients in doubles, relative to the sizes of what they are made of: fewer than 500
// roundings each.
constexpr double power_rounding = 0x1p-40;

Disc room(const Disc& z, const Disc& excess) { return Disc(1.0) - z * excess; }

Rounded<Complex> rounded(const Disc& x) { return {x.middle(), x.most() + 0x1p45 * x.radius()}; }
Rounded<double> real_part(const Disc& x) {
  return {x.middle().real(), x.most() + 0x1p45 * x.radius()};
}

// In powers of tau.
using Powers = std::vector<Disc>;

Powers powers(const Quadratic& a) { return {Disc(a.constant), Disc(a.linear), Disc(a.square)}; }
Powers derivative(const Powers& a) { return {a[1], a[2] * Disc(2.0)}; }

Powers product(const Powers& a, const Powers& b) {
  Powers result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
  return result;
}
Powers sum(const Powers& a, const Powers& b, double factor) {
  Powers result = a;
  for (std::size_t i = 0; i < b.size(); ++i) result[i] += Disc(factor) * b[i];
  return result;
}

Powers quotient(const Powers& top, const Powers& bottom) {
  Powers result;
  for (std::size_t j = 0; j < ParameterSeries::orders; ++j) {
    Disc rest = j < top.size() ? top[j] : Disc(0.0);
    for (std::size_t i = 1; i <= std::min(j, bottom.size() - 1); ++i)
      rest += -(bottom[i] * result[j - i]);
    result.push_back(rest / bottom[0]);
  }
  return result;
}

template <std::size_t size>
std::array<double, size> sizes_of(const Powers& a) {
  std::array<double, size> result{};
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i].most();
  return result;
}

// Sum of the sizes of a polynomial's powers, and what the first leaves of the others.
template <std::size_t size>
double sum_of_sizes(const std::array<double, size>& a, double x) {
  double sum = 0.0;
  for (std::size_t j = size; j-- > 0;) sum = sum * x + a[j];
  return sum;
}
// Not where rounding might count.
template <std::size_t size>
double least_size(const std::array<double, size>& a, double x) {
  const double least = 2.0 * a[0] - sum_of_sizes(a, x);
  return least > 1e-6 * a[0] ? least : 0.0;
}

// Coefficients of numerator / denominator, and the sum of the sizes that each is made of, with what
// the first of the denominator may be off by.
template <class Numerator>
void divide(const Numerator& numerator, const std::array<Rounded<Complex>, 3>& denominator,
            std::array<Rounded<Complex>, ParameterSeries::orders>& result) {
  const Complex inverse = 1.0 / denominator[0].value;
  const double size = denominator[0].size * std::norm(inverse);
  for (std::size_t j = 0; j < result.size(); ++j) {
    Rounded<Complex> rest;
    if (j < numerator.size()) rest = {numerator[j].value, numerator[j].size};
    for (std::size_t i = 1; i <= std::min<std::size_t>(j, 2); ++i) {
      rest.value -= times(denominator[i].value, result[j - i].value);
      rest.size += denominator[i].size * result[j - i].size;
    }
    result[j] = {times(rest.value, inverse), rest.size * size};
  }
}

}  // namespace

GaussianSpectrum spectrum_at(const MovingSpectrum& spectrum, const Ball& parameter) {
  GaussianSpectrum result;
  for (const MovingCoordinates& each : spectrum) {
    const Ball denominator = each.denominator.at(parameter);
    result.add({to_precise("variance_excess", each.excess.at(parameter) / denominator),
                to_precise("mean_square", each.mean_square.at(parameter) / denominator),
                each.multiplicity});
  }
  return result;
}

// The powers of n S/W and P/W are at most those of the quotients of sizes, in which the denominator
// is as small as its first coefficient leaves it; at places off z it is smaller by off * N.
double ParameterSeries::size_of_all(double distance, double off) const {
  double sum = 0.0;
  for (const Bounds& each : bounds_) {
    const double moved = off * sum_of_sizes(each.excess, distance),
                 least = least_size(each.denominator, distance) - moved,
                 first = each.denominator[0] - off * each.excess[0],
                 bottom = least_size(each.bottom, distance);
    if (!(each.denominator[0] > 0.0 && least > 1e-6 * each.denominator[0] && bottom > 0.0))
      return infinity;
    sum += distance * sum_of_sizes(each.top, distance) / (bottom * least) +
           sum_of_sizes(each.mean_square, distance) / least * (1.0 + power_rounding) -
           each.mean_square[0] / first;
  }
  const double factor = factor_ + 0.5 * off * (2.0 * place_ + off);
  return 1.001 * factor * sum + power_rounding;
}

// All powers of tau but those at z itself; all have sizes as coefficients.
double ParameterSeries::further_reach(double distance) const {
  return size_of_all(radius_, distance) - size_of_all(radius_) / 1.002 + power_rounding;
}

double ParameterSeries::reach(double distance) const {
  double sum = 0.0, left_out = infinity;
  for (std::size_t j = orders; j-- > 1;)
    sum = (sum + std::abs(powers_[j]) + power_rounding * sizes_[j]) * distance;
  static const std::array<std::array<double, 2>, 4> factors = [] {
    std::array<std::array<double, 2>, 4> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = {1.5 * std::pow(2.0, i), std::pow(1.5 * std::pow(2.0, i), -1.0 * orders)};
    return all;
  }();
  for (const auto& [further, shrunk] : factors)
    left_out = std::min(left_out, size_of_all(further * distance) * shrunk);
  return 1.001 * (sum + left_out);
}

ParameterSeries::Coefficients ParameterSeries::exponential() const {
  Coefficients result{1.0};
  for (std::size_t j = 1; j < orders; ++j) {
    for (std::size_t i = 1; i <= j; ++i)
      result[j] += times(static_cast<double>(i) * powers_[i], result[j - i]);
    result[j] /= static_cast<double>(j);
  }
  return result;
}

double ParameterSeries::error_of_exponential() const {
  double least = infinity;
  for (double further = 1.25; further < 1e4; further *= 1.4) {
    const double exponent = reach(further * radius_) - orders * std::log(further);
    if (!(exponent < least)) break;
    least = exponent;
  }
  double sizes = 0.0;
  for (std::size_t j = orders; j-- > 1;) sizes = (sizes + sizes_[j]) * radius_;
  return 1.01 * (std::exp(least) + (sizes + 1.0) * power_rounding * std::exp(reach()));
}

MovingMoment::Coordinates::Coordinates(const MovingCoordinates& moving, double middle,
                                       double radius)
    : excess(moving.excess.about(middle)),
      mean_square(moving.mean_square.about(middle)),
      denominator(moving.denominator.about(middle)),
      multiplicity(moving.multiplicity),
      excess_powers(powers(excess)),
      denominator_powers(powers(denominator)) {
  const Ball t = excess.constant / denominator.constant;
  excess_at_middle = Disc(t);
  mean_square_at_middle = Disc(mean_square.constant / denominator.constant);
  log_at_middle = Disc(log1p_minus(t));
  const Ball all = Ball(0.0).widened(Ball(radius));
  excess_of_all = excess.at(all) / denominator.at(all);
  ends_of_excess = {excess_of_all.lower(), excess_of_all.upper()};
  mean_square_of_all = mean_square.at(all) / denominator.at(all);
  const Powers &n = excess_powers, &d = denominator_powers, means = powers(mean_square);
  const Powers top =
      product(product(n, sum(product(derivative(n), d), product(n, derivative(d)), -1.0)),
              {Disc(multiplicity)});
  const Powers bottom = product(d, sum(d, n, 1.0));
  for (const Disc& power : quotient(top, bottom)) moving_log.push_back(real_part(power));
  for (const Disc& power : means) moving_mean.push_back(real_part(power));
  bounds = {{}, sizes_of<3>(n), sizes_of<6>(top), sizes_of<5>(bottom), sizes_of<3>(means)};
  bounds.bottom[0] = std::max(bottom[0].least(), 0.0);
}

MovingMoment::MovingMoment(const MovingSpectrum& spectrum, double middle, double radius,
                           bool reversed)
    : radius_(radius), reversed_(reversed) {
  for (const MovingCoordinates& each : spectrum) coordinates_.emplace_back(each, middle, radius);
}

Disc MovingMoment::place(const Disc& z) const { return reversed_ ? -(z + Disc(1.0)) : z; }

Disc MovingMoment::at_middle(const Disc& at) const {
  const Disc z = place(at), twice = z * (z + Disc(1.0));
  Disc sum;
  for (const Coordinates& each : coordinates_)
    sum += twice / room(z, each.excess_at_middle) * each.mean_square_at_middle * Disc(0.5) -
           (z * each.log_at_middle + log1p_minus(-(z * each.excess_at_middle))) *
               Disc(0.5 * each.multiplicity);
  return sum;
}

// By the expansion of gaussian_moment.h about z: the terms beyond the tangent are at most those
// with |r|, |g| and the distance in place of r, g and d. What is added up here is positive, so that
// a billionth is more than all rounding.
double MovingMoment::growth(const Disc& at, double distance, double shift) const {
  constexpr double up = 1.0 + 1e-9, least_left = 1e-6;
  const Disc z = place(at);
  Disc slope;
  double beyond = 0.0;
  for (const Coordinates& each : coordinates_) {
    const double half = 0.5 * each.multiplicity;
    const Disc t = each.excess_at_middle, m = each.mean_square_at_middle, w = room(z, t);
    slope += z / w * t * t * Disc(half) - each.log_at_middle * Disc(half) +
             (Disc(1.0) + z * Disc(2.0) - z * z * t) / (w * w) * m * Disc(0.5);
    const double size = w.least(), x = up * t.most() * distance / size, left = 1.0 - x;
    if (!(size > 0.0 && left > least_left)) return infinity;
    beyond += m.most() * (t + Disc(1.0)).most() / (size * size * size * 2.0) * distance * distance /
                  left -
              half * log1p_minus(-x);
  }
  return up * ((slope - Disc(reversed_ ? -shift : shift)).most() * distance + beyond);
}

// Whether c is between the poles for all parameters, by more than rounding.
bool MovingMoment::has_room(double c) const {
  const double z = reversed_ ? -(c + 1.0) : c;
  return std::all_of(coordinates_.begin(), coordinates_.end(), [&](const Coordinates& each) {
    return z * each.ends_of_excess[0] < 1.0 - 1e-12 && z * each.ends_of_excess[1] < 1.0 - 1e-12;
  });
}

MovingMoment::Ray MovingMoment::ray(const ComplexBall& at) const {
  const Ball x = reversed_ ? -(at.real() + Ball(1.0)) : at.real(), y = at.imaginary();
  Ray result;
  for (const Coordinates& each : coordinates_) {
    const Ball t = each.excess_of_all, beyond = x * t - 1.0;
    const Ball most_m = std::max(each.mean_square_of_all.upper(), 0.0);
    if (t.exactly_zero()) result.power += std::max(each.mean_square_of_all.lower(), 0.0) * y * y;
    else if (!t.contains_zero()) {
      const auto distance = [&](double end) { return abs(Ball(1.0) / Ball(end) - x) / y; };
      const Ball off = max(distance(t.lower()), distance(t.upper()));
      result.power += Ball(each.multiplicity / 2.0) / (Ball(1.0) + off * off);
    }
    if (!beyond.surely_nonpositive()) {
      const Ball squared = t * t;
      result.bound += most_m * (t + 1.0) * max(beyond, 0.0) / (squared * squared * y * y * 2.0);
    }
  }
  return result;
}

double MovingMoment::most(double c) const {
  if (!has_room(c)) return infinity;
  const double reach = series(c).reach(), result = at_middle(c).real_most() + reach;
  return result < infinity ? result + ulp * (std::abs(result) + reach) : infinity;
}

double MovingMoment::furthest() const {
  double result = infinity;
  for (const Coordinates& each : coordinates_)
    for (const double t : each.ends_of_excess)
      if (reversed_ ? t < 0.0 : t > 0.0)
        result = std::min(result, reversed_ ? -1.0 / t - 1.0 : 1.0 / t);
  return result;
}

ParameterSeries MovingMoment::series(const Disc& at) const {
  const Disc z = place(at), next = z + Disc(1.0);
  const Complex half = 0.5 * (z * next).middle();
  ParameterSeries result;
  result.radius_ = radius_;
  result.factor_ = std::abs(half);
  result.place_ = 1.001 * std::max(z.most(), next.most());
  for (const Coordinates& each : coordinates_) {
    std::array<Disc, 3> denominator;  // W = D - z N
    for (std::size_t j = 0; j < 3; ++j)
      denominator[j] = each.denominator_powers[j] - z * each.excess_powers[j];
    const std::array<Rounded<Complex>, 3> w{rounded(denominator[0]), rounded(denominator[1]),
                                            rounded(denominator[2])};
    std::array<Rounded<Complex>, ParameterSeries::orders> logs, means;
    divide(each.moving_log, w, logs);
    divide(each.moving_mean, w, means);
    for (std::size_t j = 1; j < ParameterSeries::orders; ++j) {
      const double power = static_cast<double>(j);
      result.powers_[j] += times(half, logs[j - 1].value / power + means[j].value);
      result.sizes_[j] += result.factor_ * (logs[j - 1].size / power + means[j].size);
    }
    result.bounds_.push_back(each.bounds);
    result.bounds_.back().denominator = {denominator[0].least(), denominator[1].most(),
                                         denominator[2].most()};
  }
  return result;
}

GaussianSpectrum MovingMoment::spectrum_about(double tau) const {
  GaussianSpectrum result;
  for (const Coordinates& each : coordinates_) {
    const Ball denominator = each.denominator.at(tau);
    result.add({to_precise("variance_excess", each.excess.at(tau) / denominator),
                to_precise("mean_square", each.mean_square.at(tau) / denominator),
                each.multiplicity});
  }
  return reversed_ ? result.reversed() : result;
}

}  // namespace modicum
