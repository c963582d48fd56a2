#include "mechanisms/lifting/plane_turns.h"

#include <cmath>
#include <complex>

#include "modicum/randomness/samplers.h"
#include "randomness/unit_interval.h"

namespace modicum {
namespace {

// x on the unit circle with density proportional to exp(-a x_2^2), a >= 0: the rejection of
// randomness/bingham.h in two dimensions, where the best shift has a closed form.
std::complex<double> circle_direction(double exponent, RandomSource& source) {
  const double shift = 0.5 + 0.5 / (exponent + std::hypot(1.0, exponent));
  for (;;) {
    const double first = standard_normal(source), second = standard_normal(source);
    const std::complex<double> y(first / std::sqrt(shift), second / std::sqrt(exponent + shift));
    const double ratio = (first * first + second * second) / std::norm(y);
    if (std::log(unit_interval(source)) < std::log(ratio) - ratio + 1.0) return y / std::abs(y);
  }
}

}  // namespace

// With the rows r, q of the axes i and j turned by phi, |r cos phi + q sin phi|^2 is a constant
// plus R cos(2 phi - psi), (R, psi) the polar form of ((|r|^2 - |q|^2)/2, r.q); the log density is
// a_j - a_i times that. 1 - cos = 2 sin^2(phi - psi/2): a law of the circle.
void turn_planes(Eigen::MatrixXd& frame, const Eigen::VectorXd& exponents, Eigen::Index hub,
                 RandomSource& source) {
  Eigen::MatrixXd rows = frame.transpose();
  for (Eigen::Index other = 0; other < rows.cols(); ++other) {
    if (other == hub) continue;
    const Eigen::VectorXd r = rows.col(hub), q = rows.col(other);
    const std::complex<double> polar(0.5 * (r.squaredNorm() - q.squaredNorm()), r.dot(q));
    const double strength = 2.0 * (exponents[other] - exponents[hub]) * std::abs(polar);
    std::complex<double> turn = circle_direction(std::abs(strength), source);
    // A negative strength wants the least of |r|: a quarter of a turn further.
    if (strength < 0.0) turn *= std::complex<double>(0.0, 1.0);
    turn *= std::polar(1.0, 0.5 * std::arg(polar));
    rows.col(hub) = turn.real() * r + turn.imag() * q;
    rows.col(other) = turn.real() * q - turn.imag() * r;
  }
  frame = rows.transpose();
}

}  // namespace modicum
