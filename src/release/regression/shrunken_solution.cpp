#include "release/regression/shrunken_solution.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "numerics/dense.h"

namespace modicum {
namespace {

// Along the axes: y_i = l_i x_i + noise, x_i ~ N(0, variance). The noise of the matrix is in the
// way too: it adds between 2 (one coordinate alone) and n (all alike) times matrix_noise^2
// variance.
struct AlongAxes {
  Eigen::ArrayXd eigenvalues, right;
  double matrix_noise, right_noise;

  Eigen::ArrayXd noise(double variance) const {
    const auto size = static_cast<double>(right.size());
    return Eigen::ArrayXd::Constant(
        right.size(),
        right_noise * right_noise + 0.25 * matrix_noise * matrix_noise * size * variance);
  }
  Eigen::ArrayXd total(double variance) const {
    return eigenvalues.square() * variance + noise(variance);
  }
  double log_likelihood(double variance) const {
    const Eigen::ArrayXd spread = total(variance);
    return -0.5 * (spread.log() + right.square() / spread).sum();
  }
};

struct Variances {
  double likeliest = 0.0, largest = 0.0;
};

// Over powers of two, from what would be no more than rounding to more than there can be.
Variances variances_of(const AlongAxes& axes) {
  constexpr double unlikely = 2.0;  // exp(-2) of the largest likelihood
  const double largest = axes.eigenvalues.maxCoeff();
  Variances found;
  if (!(largest > 0.0)) return found;
  const double size = std::sqrt(axes.right.square().sum()) / largest;
  double best = axes.log_likelihood(0.0);
  std::vector<std::pair<double, double>> points;
  for (int exponent = -24; exponent <= 4; ++exponent) {
    const double variance = std::ldexp(size * size, exponent);
    const double likelihood = axes.log_likelihood(variance);
    points.emplace_back(variance, likelihood);
    if (!(likelihood > best)) continue;
    best = likelihood;
    found.likeliest = variance;
  }
  found.largest = found.likeliest;
  for (const auto& [variance, likelihood] : points)
    if (likelihood >= best - unlikely) found.largest = std::max(found.largest, variance);
  return found;
}

}  // namespace

ShrunkenSolution shrunken_solution(const NoisySystem& system, double residual_variance) {
  const SymmetricEigen turned = symmetric_eigen(system.moments);
  const AlongAxes axes{turned.values.cwiseMax(0.0).array(),
                       (turned.vectors.transpose() * system.right).array(), system.matrix_noise,
                       system.right_noise};
  const Variances variances = variances_of(axes);
  const auto gain = [&](double variance) -> Eigen::ArrayXd {
    return axes.eigenvalues * variance / axes.total(variance);
  };
  const Eigen::ArrayXd along = gain(variances.likeliest) * axes.right;
  const Eigen::ArrayXd used = gain(variances.largest);
  const Eigen::ArrayXd from_noise =
      variances.largest * axes.noise(variances.largest) / axes.total(variances.largest);
  const Eigen::ArrayXd from_sample = used.square() * axes.eigenvalues * residual_variance;
  return {turned.vectors * along.matrix(), turned.vectors *
                                               (from_noise + from_sample).matrix().asDiagonal() *
                                               turned.vectors.transpose()};
}

}  // namespace modicum
