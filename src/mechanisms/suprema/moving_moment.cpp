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

ComplexBall one() { return ComplexBall(Ball(1.0)); }
ComplexBall room(const ComplexBall& z, const Ball& excess) { return one() - z * excess; }

Rounded<Complex> rounded(const ComplexBall& x) {
  const Complex middle{x.real().middle(), x.imaginary().middle()};
  const double off = abs(x - ComplexBall(Ball(middle.real()), Ball(middle.imag()))).upper();
  return {middle, std::abs(middle) + 0x1p45 * off};
}
Rounded<double> rounded(const Ball& x) {
  const double middle = x.middle();
  return {middle, std::abs(middle) + 0x1p45 * abs(x - Ball(middle)).upper()};
}

using Powers = std::vector<Ball>;

Powers powers(const Quadratic& a) { return {a.constant, a.linear, a.square}; }
Powers derivative(const Quadratic& a) { return {a.linear, a.square * 2.0}; }

Powers product(const Powers& a, const Powers& b) {
  Powers result(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) result[i + j] += a[i] * b[j];
  return result;
}
Powers sum(const Powers& a, const Powers& b, const Ball& factor) {
  Powers result = a;
  for (std::size_t i = 0; i < b.size(); ++i) result[i] += factor * b[i];
  return result;
}

Powers quotient(const Powers& top, const Powers& bottom) {
  Powers result;
  for (std::size_t j = 0; j < ParameterSeries::orders; ++j) {
    Ball rest = j < top.size() ? top[j] : Ball(0.0);
    for (std::size_t i = 1; i <= std::min(j, bottom.size() - 1); ++i)
      rest -= bottom[i] * result[j - i];
    result.push_back(rest / bottom[0]);
  }
  return result;
}

template <std::size_t size>
std::array<double, size> sizes_of(const Powers& a) {
  std::array<double, size> result{};
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = abs(a[i]).upper();
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

// Coefficients of numerator / denominator, and the sum of the sizes that each is made of.
template <class Numerator>
void divide(const Numerator& numerator, const std::array<Rounded<Complex>, 3>& denominator,
            std::array<Rounded<Complex>, ParameterSeries::orders>& result) {
  for (std::size_t j = 0; j < result.size(); ++j) {
    Rounded<Complex> rest;
    if (j < numerator.size()) rest = {numerator[j].value, numerator[j].size};
    for (std::size_t i = 1; i <= std::min<std::size_t>(j, 2); ++i) {
      rest.value -= denominator[i].value * result[j - i].value;
      rest.size += denominator[i].size * result[j - i].size;
    }
    result[j] = {rest.value / denominator[0].value, rest.size / std::abs(denominator[0].value)};
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
    if (!(least > 1e-6 * each.denominator[0] && bottom > 0.0)) return infinity;
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
  for (const double further : {1.5, 3.0, 6.0, 12.0})
    left_out = std::min(left_out, size_of_all(further * distance) *
                                      std::pow(further, -static_cast<double>(orders)));
  return 1.001 * (sum + left_out);
}

ParameterSeries::Coefficients ParameterSeries::exponential() const {
  Coefficients result{1.0};
  for (std::size_t j = 1; j < orders; ++j) {
    for (std::size_t i = 1; i <= j; ++i)
      result[j] += static_cast<double>(i) * powers_[i] * result[j - i];
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
      excess_at_middle(excess.constant / denominator.constant),
      mean_square_at_middle(mean_square.constant / denominator.constant),
      log_at_middle(log1p_minus(excess_at_middle)) {
  const Ball all = Ball(0.0).widened(Ball(radius));
  excess_of_all = excess.at(all) / denominator.at(all);
  mean_square_of_all = mean_square.at(all) / denominator.at(all);
  const Powers n = powers(excess), d = powers(denominator);
  const Powers top = product(
      product(n, sum(product(derivative(excess), d), product(n, derivative(denominator)), -1.0)),
      {Ball(multiplicity)});
  const Powers bottom = product(d, sum(d, n, 1.0));
  for (const Ball& power : quotient(top, bottom)) moving_log.push_back(rounded(power));
  for (const Ball& power : powers(mean_square)) moving_mean.push_back(rounded(power));
  bounds = {
      {}, sizes_of<3>(n), sizes_of<6>(top), sizes_of<5>(bottom), sizes_of<3>(powers(mean_square))};
  bounds.bottom[0] = abs(bottom[0]).lower();
}

MovingMoment::MovingMoment(const MovingSpectrum& spectrum, double middle, double radius,
                           bool reversed)
    : radius_(radius), reversed_(reversed) {
  for (const MovingCoordinates& each : spectrum) coordinates_.emplace_back(each, middle, radius);
}

ComplexBall MovingMoment::place(const ComplexBall& z) const { return reversed_ ? -(z + one()) : z; }

ComplexBall MovingMoment::at_middle(const ComplexBall& at) const {
  const ComplexBall z = place(at), twice = z * (z + one());
  ComplexBall sum;
  for (const Coordinates& each : coordinates_)
    sum += twice / room(z, each.excess_at_middle) * (each.mean_square_at_middle / 2.0) -
           (z * each.log_at_middle + log1p_minus(-(z * each.excess_at_middle))) *
               Ball(each.multiplicity / 2.0);
  return sum;
}

// By the expansion of gaussian_moment.h about z: the terms beyond the tangent are at most those
// with |r|, |g| and the distance in place of r, g and d.
Ball MovingMoment::growth(const ComplexBall& at, double distance, double shift) const {
  const ComplexBall z = place(at);
  ComplexBall slope;
  Ball beyond;
  for (const Coordinates& each : coordinates_) {
    const Ball half = each.multiplicity / 2.0, t = each.excess_at_middle;
    const Ball m = each.mean_square_at_middle;
    const ComplexBall w = room(z, t);
    slope += z / w * (half * t * t) - ComplexBall(half * each.log_at_middle) +
             (one() + z * Ball(2.0) - z * z * t) / (w * w) * (m / 2.0);
    const Ball size = abs(w), x = abs(t) * distance / size, left = Ball(1.0) - x;
    if (!left.surely_positive()) return infinity;
    beyond += abs(m) * (t + 1.0) / (size * size * size * 2.0) * distance * distance / left -
              half * log1p_minus(-x);
  }
  return abs((reversed_ ? -slope : slope) - ComplexBall(Ball(shift))) * distance + beyond;
}

// Whether z is between the poles for all parameters.
bool MovingMoment::has_room(const ComplexBall& at) const {
  const ComplexBall z = place(at);
  return std::all_of(coordinates_.begin(), coordinates_.end(), [&](const Coordinates& each) {
    return room(z, each.excess_of_all).real().surely_positive();
  });
}

MovingMoment::Ray MovingMoment::ray(const ComplexBall& at) const {
  const Ball x = place(at).real(), y = at.imaginary();
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

Ball MovingMoment::most(double c) const {
  const ComplexBall z{Ball(c)};
  if (!has_room(z)) return infinity;
  const Ball result = at_middle(z).real() + Ball(series(z).reach());
  return result.finite() ? result : Ball(infinity);
}

ParameterSeries MovingMoment::series(const ComplexBall& at) const {
  const ComplexBall z = place(at);
  const Complex half = 0.5 * rounded(z * (z + one())).value;
  ParameterSeries result;
  result.radius_ = radius_;
  result.factor_ = std::abs(half);
  result.place_ = 1.001 * std::max(abs(z).upper(), abs(z + one()).upper());
  for (const Coordinates& each : coordinates_) {
    const auto term = [&](const Ball& d, const Ball& n) { return rounded(ComplexBall(d) - z * n); };
    const std::array<Rounded<Complex>, 3> w{term(each.denominator.constant, each.excess.constant),
                                            term(each.denominator.linear, each.excess.linear),
                                            term(each.denominator.square, each.excess.square)};
    std::array<Rounded<Complex>, ParameterSeries::orders> logs, means;
    divide(each.moving_log, w, logs);
    divide(each.moving_mean, w, means);
    for (std::size_t j = 1; j < ParameterSeries::orders; ++j) {
      const double power = static_cast<double>(j);
      result.powers_[j] += half * (logs[j - 1].value / power + means[j].value);
      result.sizes_[j] += result.factor_ * (logs[j - 1].size / power + means[j].size);
    }
    result.bounds_.push_back(each.bounds);
    result.bounds_.back().denominator = {2.0 * std::abs(w[0].value) - w[0].size, w[1].size,
                                         w[2].size};
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
