// Second moments of the Bingham law by an integral in the plane: a route that draws nothing.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <complex>

namespace modicum::testing {

/// E x_i^2 under the density exp(-sum a_i x_i^2) on the unit sphere. With
///   Z(a) = (1 / (2 pi i)) integral of e^t prod_j (t + a_j)^{-1/2} dt
/// up to a constant, E x_i^2 = -d log Z / d a_i. The path is a parabola through the saddle point
/// that opens to the left, round the branch points; the trapezoidal rule converges geometrically.
inline Eigen::VectorXd bingham_second_moments(const Eigen::VectorXd& exponents) {
  const Eigen::ArrayXd a = exponents.array() - exponents.minCoeff();
  double low = 0.0, high = static_cast<double>(a.size());
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    ((0.5 / (a + middle)).sum() > 1.0 ? low : high) = middle;
  }
  const double saddle = high, scale = 1.0 / std::sqrt((0.5 / (a + saddle).square()).sum());
  const auto log_term = [&](std::complex<double> t) {
    std::complex<double> sum = t;
    for (const double x : a) sum -= 0.5 * std::log(t + x);
    return sum;
  };
  const double peak = log_term(saddle).real(), step = 0.005;
  double total = 0.0;
  Eigen::VectorXd moments = Eigen::VectorXd::Zero(a.size());
  for (int k = 0; k < 8000; ++k) {
    const double y = step * k, weight = k == 0 ? 0.5 : 1.0;
    const std::complex<double> t(saddle - 0.25 * scale * y * y, scale * y);
    const std::complex<double> speed(1.0, 0.5 * y);  // dt/dy up to the factor i scale
    const std::complex<double> term = weight * speed * std::exp(log_term(t) - peak);
    if (k > 0 && std::abs(term) * (1.0 + y * y) < 1e-18) break;
    total += term.real();
    for (Eigen::Index i = 0; i < a.size(); ++i) moments[i] += (term * 0.5 / (t + a[i])).real();
  }
  return moments / total;
}

}  // namespace modicum::testing
