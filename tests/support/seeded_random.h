// Random inputs for tests. The seed is fixed: every run sees the same numbers.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <random>

#include "modicum/privacy/gaussian_spectrum.h"
#include "numerics/dense.h"

namespace modicum::testing {

class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : generator_(seed) {}

  /// The bits are spelled out, since the standard distributions differ between libraries.
  double unit() { return (static_cast<double>(generator_() >> 11) + 0.5) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * unit(); }
  double log_uniform(double low, double high) {
    return std::exp(uniform(std::log(low), std::log(high)));
  }
  int whole(int low, int high) {  // both ends included
    return low + static_cast<int>(generator_() % static_cast<std::uint64_t>(high - low + 1));
  }
  double sign() { return whole(0, 1) == 0 ? -1.0 : 1.0; }
  double normal() { return std::sqrt(-2.0 * std::log(unit())) * std::cos(2.0 * M_PI * unit()); }

 private:
  std::mt19937_64 generator_;
};

struct Coordinate {
  double mean, variance_ratio, multiplicity;
};

inline GaussianSpectrum spectrum_of(const std::vector<Coordinate>& coordinates) {
  GaussianSpectrum spectrum;
  for (const auto& [mean, variance_ratio, multiplicity] : coordinates)
    spectrum.add(GaussianSpectrum::component(mean, variance_ratio, multiplicity));
  return spectrum;
}

/// One to four coordinates over many scales: ratios from 1e-3 to 1e3, near 1 and exactly 1; means
/// from 0 to 10; multiplicities to 1000. Never trivial.
inline std::vector<Coordinate> random_coordinates(SeededRandom& random) {
  std::vector<Coordinate> result;
  const int size = random.whole(1, 4);
  for (int i = 0; i < size; ++i) {
    double ratio = 1.0;
    switch (random.whole(0, 4)) {
      case 0:
        break;
      case 1:
        ratio = 1.0 + random.sign() * random.log_uniform(1e-12, 1e-3);
        break;
      case 2:
        ratio = random.log_uniform(1e-3, 1e3);
        break;
      default:
        ratio = random.log_uniform(0.2, 5.0);
        break;
    }
    const bool centered = ratio != 1.0 && random.whole(0, 2) == 0;
    const double mean = centered ? 0.0 : random.sign() * random.log_uniform(1e-3, 10.0);
    const bool many = std::abs(ratio - 1.0) < 0.1 && random.whole(0, 2) == 0;
    result.push_back({mean, ratio, many ? std::floor(random.log_uniform(1.0, 1000.0)) : 1.0});
  }
  return result;
}

inline GaussianSpectrum random_spectrum(SeededRandom& random) {
  return spectrum_of(random_coordinates(random));
}

/// Symmetric positive definite, eigenvalues log-uniform in [low, high].
inline Eigen::MatrixXd random_covariance(SeededRandom& random, long dimension, double low,
                                         double high) {
  const Eigen::MatrixXd normals =
      Eigen::MatrixXd::NullaryExpr(dimension, dimension, [&] { return random.normal(); });
  const Eigen::MatrixXd basis = HouseholderQr(normals).orthogonal();
  const Eigen::VectorXd values =
      Eigen::VectorXd::NullaryExpr(dimension, [&] { return random.log_uniform(low, high); });
  const Eigen::MatrixXd product = basis * values.asDiagonal() * basis.transpose();
  return 0.5 * (product + product.transpose());
}

inline Eigen::VectorXd random_vector(SeededRandom& random, long dimension, double scale) {
  return Eigen::VectorXd::NullaryExpr(dimension, [&] { return scale * random.normal(); });
}

}  // namespace modicum::testing
