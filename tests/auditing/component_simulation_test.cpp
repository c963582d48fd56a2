#include "modicum/auditing/component_simulation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "support/bingham_moments.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::component_simulation_test {
namespace {

using enum ComponentSampler;

/// k values well above a bulk on [0, 1/2].
std::vector<double> spiked(int dimension, int components) {
  std::vector<double> values;
  for (int i = 0; i < dimension; ++i)
    values.push_back(i < components ? 2.0 + components - i : 0.5 * (dimension - i) / dimension);
  return values;
}

Eigen::VectorXd exponents_of(const ComponentSpectrum& spectrum, double beta) {
  const std::vector<double>& values = spectrum.eigenvalues();
  const auto p = static_cast<Eigen::Index>(values.size());
  return -0.5 * beta * static_cast<double>(p) * Eigen::Map<const Eigen::VectorXd>(values.data(), p);
}

bool near(const SimulatedMean& found, double exact, double errors) {
  return std::abs(found.mean - exact) < errors * found.standard_error;
}

// ---- utility

// 6 standard errors, here and below: 2e-9 for each mean in the normal approximation.
TEST(SimulatedUtility, IsExactForOneComponent) {
  SeededSource source(1);
  for (const int p : {4, 5, 50})
    for (const double beta : {0.0, 0.3, 3.0})
      for (const ComponentSampler sampler : {deflation, gibbs, gaussian}) {
        const ComponentSpectrum spectrum(spiked(p, 1), 10.0, 1.0);
        const double overlap = bingham_second_moments(exponents_of(spectrum, beta))[0];
        const SimulatedUtility found = simulate_utility(spectrum, beta, sampler, 2000, source);
        ASSERT_EQ(found.overlaps.size(), 1u);
        EXPECT_TRUE(near(found.overlaps[0], overlap, 6.0)) << p << ' ' << beta;
        EXPECT_TRUE(near(found.spectral, 1.0 - overlap, 6.0)) << p << ' ' << beta;
        EXPECT_TRUE(near(found.frobenius, 2.0 - 2.0 * overlap, 6.0)) << p << ' ' << beta;
        EXPECT_LT(found.spectral.standard_error, 0.5 / std::sqrt(2000.0));  // of values in [0, 1]
      }
}

// All directions but one: what is left out has the Bingham law with the opposite signs, and one
// angle is not 0.
TEST(SimulatedUtility, IsExactForAllComponentsButOne) {
  SeededSource source(2);
  for (const double beta : {0.1, 1.0, 4.0}) {
    const ComponentSpectrum spectrum({1.6, 1.0, 0.9, 0.4}, 10.0, 3.0);
    const Eigen::VectorXd left_out = bingham_second_moments(-exponents_of(spectrum, beta));
    const SimulatedUtility found = simulate_utility(spectrum, beta, gibbs, 5000, source);
    for (Eigen::Index i = 0; i < 3; ++i)
      EXPECT_TRUE(near(found.overlaps[static_cast<std::size_t>(i)], 1.0 - left_out[i], 6.0));
    EXPECT_TRUE(near(found.spectral, 1.0 - left_out[3], 6.0)) << beta;
    EXPECT_TRUE(near(found.frobenius, 2.0 - 2.0 * left_out[3], 6.0)) << beta;
  }
}

// Frobenius and overlaps are within 6 standard errors of the limit. The spectral norm, a maximum
// over the components, is above it at finite size: by about 2/p in these spectra.
TEST(SimulatedUtility, TendsToThePrediction) {
  SeededSource source(3);
  for (const int p : {200, 1000}) {
    const ComponentSpectrum spectrum(spiked(p, 3), 1000.0, 3.0);
    const double beta = 3.0 * spectrum.transform();
    const PredictedUtility limit = predicted_utility(spectrum, beta);
    for (const auto& [sampler, draws] : {std::pair{gibbs, 150u}, std::pair{gaussian, 1000u}}) {
      const SimulatedUtility found = simulate_utility(spectrum, beta, sampler, draws, source);
      for (std::size_t i = 0; i < 3; ++i)
        EXPECT_TRUE(near(found.overlaps[i], limit.overlaps[i], 6.0)) << p << ' ' << i;
      EXPECT_TRUE(near(found.frobenius, limit.frobenius, 6.0)) << p;
      EXPECT_NEAR(found.spectral.mean, limit.spectral,
                  6.0 * found.spectral.standard_error + 2.0 / p);
      EXPECT_LT(found.spectral.standard_error, 0.01);
    }
  }
}

// 60 chains: the deviation of their means over the error they tell is known to 1/sqrt(120) = 9 %,
// and short chains find their memory only roughly. Bounds at 4 of that and more: below 1e-4.
TEST(SimulatedUtility, TellsItsErrorAlsoForAChain) {
  SeededSource source(4);
  const ComponentSpectrum spectrum(spiked(12, 2), 10.0, 2.0);
  const double beta = 1.2 * spectrum.transform();
  for (const ComponentSampler sampler : {gibbs, gaussian, deflation}) {
    double sum = 0.0, squares = 0.0, told = 0.0;
    constexpr int repeats = 60;
    for (int i = 0; i < repeats; ++i) {
      const SimulatedMean one = simulate_utility(spectrum, beta, sampler, 200, source).frobenius;
      sum += one.mean, squares += one.mean * one.mean;
      told += one.standard_error * one.standard_error / repeats;
    }
    const double variance = (squares - sum * sum / repeats) / (repeats - 1);
    EXPECT_GT(std::sqrt(variance / told), 0.65) << static_cast<int>(sampler);
    EXPECT_LT(std::sqrt(variance / told), 1.4) << static_cast<int>(sampler);
  }
}

TEST(SimulatedUtility, StandsTheEdges) {
  SeededSource source(5);
  const ComponentSpectrum whole({1.5, 0.9, 0.3}, 2.0, 3.0);
  for (const ComponentSampler sampler : {gibbs, gaussian, deflation}) {
    const SimulatedUtility exact = simulate_utility(whole, 3.0, sampler, 100, source);
    EXPECT_EQ(exact.spectral.mean, 0.0);
    EXPECT_EQ(exact.frobenius.mean, 0.0);
    ASSERT_EQ(exact.overlaps.size(), 3u);
    EXPECT_EQ(exact.overlaps[2].mean, 1.0);
    // beta = 0: every axis has the share k/p, also where the Gaussian sampler does not serve.
    const ComponentSpectrum two({2.0, 1.0, 0.5, 0.5, 0.1, 0.0}, 2.0, 2.0);
    EXPECT_TRUE(near(simulate_utility(two, 0.0, sampler, 1000, source).overlaps[0], 1.0 / 3, 6.0));
    // beta huge: to first order the sine of each pair of directions has variance 1/(p beta gap).
    const SimulatedUtility sharp = simulate_utility(two, 1e8, sampler, 1000, source);
    const double expected = predicted_utility(two, 1e8).frobenius;
    EXPECT_TRUE(near(sharp.frobenius, expected, 6.0)) << sharp.frobenius.mean / expected;
    EXPECT_LT(sharp.spectral.mean, 1e-7);
    // A tie with the next direction: all that are tied alike.
    const ComponentSpectrum tie({1.2, 1.2, 1.2, 0.1}, 2.0, 2.0);
    EXPECT_TRUE(near(simulate_utility(tie, 1e6, sampler, 1000, source).overlaps[1], 2.0 / 3, 6.0));
  }
}

// ---- trade-off

/// Exactly, by integration, for one component in two or three dimensions and for two in three. With
/// e the direction of the row and w the angle to it, the laws have densities over w in [0, pi/2];
/// the best test looks at w. For k = p - 1, v is what is left out, and the exponents are negative.
class ExactTradeoff {
 public:
  ExactTradeoff(const ComponentSpectrum& spectrum, double beta)
      : left_out_(spectrum.components() > 1) {
    const std::vector<double>& values = spectrum.eigenvalues();
    const auto p = static_cast<Eigen::Index>(values.size());
    const auto k = static_cast<Eigen::Index>(spectrum.components());
    Eigen::VectorXd row = Eigen::VectorXd::Zero(p);
    const double share = worst_row_share(spectrum, beta);
    row[k - 1] = std::sqrt(share), row[k] = std::sqrt(1.0 - share);
    Eigen::MatrixXd matrix = Eigen::Map<const Eigen::VectorXd>(values.data(), p).asDiagonal();
    const double factor = (left_out_ ? -0.5 : 0.5) * static_cast<double>(p) * beta;
    without_ = cumulative(factor * matrix, row);
    matrix += static_cast<double>(p) / spectrum.rows() * row * row.transpose();
    with_ = cumulative(factor * matrix, row);
  }

  double type2(double level) const {
    const double place = left_out_ ? 1.0 - level : level;
    const auto next = std::upper_bound(without_.begin(), without_.end(), place);
    if (next == without_.end()) return left_out_ ? with_.back() : 0.0;
    const auto i = static_cast<std::size_t>(next - without_.begin());
    const double weight = (place - without_[i - 1]) / (without_[i] - without_[i - 1]);
    const double near_row = std::lerp(with_[i - 1], with_[i], weight);
    return left_out_ ? near_row : 1.0 - near_row;
  }

 private:
  static std::vector<double> cumulative(const Eigen::MatrixXd& exponent, const Eigen::VectorXd& e) {
    constexpr int steps = 2000, turns = 200;
    const Eigen::Index p = e.size();
    std::vector<double> result{0.0};
    for (int i = 0; i < steps; ++i) {
      const double w = (i + 0.5) * std::numbers::pi / 2.0 / steps;
      double sum = 0.0;
      for (int j = 0; j < (p == 2 ? 2 : turns); ++j) {
        const double turn = 2.0 * std::numbers::pi * j / (p == 2 ? 2 : turns);
        const Eigen::VectorXd v = std::cos(w) * e + std::sin(w) * across(e, turn);
        sum += std::exp(v.dot(exponent * v) - exponent.trace());
      }
      result.push_back(result.back() + sum * (p == 2 ? 1.0 : std::sin(w)));
    }
    for (double& value : result) value /= result.back();
    return result;
  }

  /// Orthogonal to e: in the plane +-, in space on the circle.
  static Eigen::VectorXd across(const Eigen::VectorXd& e, double turn) {
    if (e.size() == 2) return std::cos(turn) * Eigen::Vector2d(-e[1], e[0]);
    const Eigen::Index other = e[0] == 0.0 ? 0 : 2;  // where the row has no part
    Eigen::VectorXd aside = Eigen::VectorXd::Unit(3, other), beside = Eigen::VectorXd::Zero(3);
    const Eigen::Index first = other == 0 ? 1 : 0;
    beside[first] = -e[first + 1], beside[first + 1] = e[first];
    return std::cos(turn) * beside + std::sin(turn) * aside;
  }

  bool left_out_;
  std::vector<double> without_, with_;
};

std::vector<double> even_levels(int count) {
  std::vector<double> levels;
  for (int i = 0; i <= count; ++i) levels.push_back(i / static_cast<double>(count));
  return levels;
}

template <class Curve>
bool holds(const SimulatedTradeoff& band, const Curve& curve) {
  for (std::size_t i = 0; i < band.type1.size(); ++i) {
    const double value = curve(band.type1[i]);
    if (!(band.lower[i] <= value + 1e-6 && value <= band.upper[i] + 1e-6)) return false;
  }
  return true;
}

double gaussian_type2(double mu, double level) {
  if (level <= 0.0 || level >= 1.0) return level <= 0.0 ? 1.0 : 0.0;
  double low = -40.0, high = 40.0;  // of the threshold: P(N > c) = level
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (low + high);
    (0.5 * std::erfc(middle / std::numbers::sqrt2) > level ? low : high) = middle;
  }
  return 0.5 * std::erfc(-(low - mu) / std::numbers::sqrt2);
}

/// Spectra of which the exact curve is known: the row on and beyond the plateau, and raised by it
/// above the component before.
struct Case {
  std::vector<double> values;
  double rows, components, beta;
};
const std::vector<Case> small_cases{
    {{1.5, 0.3}, 1.0, 1.0, 0.8},      {{1.5, 0.3}, 2.0, 1.0, 3.0},
    {{1.7, 0.8, 0.2}, 3.0, 1.0, 2.0}, {{1.7, 0.8, 0.2}, 40.0, 1.0, 20.0},
    {{1.2, 1.0, 0.2}, 3.0, 2.0, 2.0}, {{1.2, 1.0, 0.2}, 2.0, 2.0, 0.45}};

// The band misses with probability of at most 1e-6 in each case.
TEST(SimulatedTradeoff, HoldsTheExactCurve) {
  SeededSource source(6);
  for (const Case& one : small_cases) {
    const ComponentSpectrum spectrum(one.values, one.rows, one.components);
    const ExactTradeoff exact(spectrum, one.beta);
    const SimulatedTradeoff found =
        simulate_tradeoff(spectrum, one.beta, gibbs, 10000, even_levels(50), 1.0 - 1e-6, source);
    EXPECT_TRUE(holds(found, [&](double level) { return exact.type2(level); })) << one.beta;
    // Nor is it so wide that anything would do.
    EXPECT_FALSE(holds(found, [](double level) { return 1.0 - level; })) << one.beta;
    const ExactTradeoff other(ComponentSpectrum(one.values, 2.0 * one.rows, one.components),
                              one.beta);
    EXPECT_FALSE(holds(found, [&](double level) { return other.type2(level); })) << one.beta;
    for (std::size_t i = 0; i < found.type1.size(); ++i) {
      EXPECT_LE(found.lower[i], found.type2[i]);
      EXPECT_LE(found.type2[i], found.upper[i]);
      // Quantile and distribution function are each off by 0.025 with probability below 1e-5.
      EXPECT_NEAR(found.type2[i], exact.type2(found.type1[i]), 0.1);
    }
  }
}

// 400 bands, each of which misses with probability of at most 0.2: more than 115 misses have a
// probability below 1e-5. In truth far fewer do, for four deviations are allowed for at once; half
// as wide, they are seen to miss.
TEST(SimulatedTradeoff, HoldsTheWholeCurveAsOftenAsItSays) {
  SeededSource source(7);
  const Case& one = small_cases[1];
  const ComponentSpectrum spectrum(one.values, one.rows, one.components);
  const ExactTradeoff exact(spectrum, one.beta);
  std::vector<double> levels;  // not at the ends, where half a band would miss for being rounded
  for (int i = 4; i <= 36; ++i) levels.push_back(i / 40.0);
  int misses = 0, misses_of_half = 0;
  for (int i = 0; i < 400; ++i) {
    SimulatedTradeoff found =
        simulate_tradeoff(spectrum, one.beta, deflation, 100, levels, 0.8, source);
    const auto missed = [&] {
      return holds(found, [&](double level) { return exact.type2(level); }) ? 0 : 1;
    };
    misses += missed();
    for (std::size_t j = 0; j < found.type1.size(); ++j) {
      found.lower[j] = 0.5 * (found.lower[j] + found.type2[j]);
      found.upper[j] = 0.5 * (found.upper[j] + found.type2[j]);
    }
    misses_of_half += missed();
  }
  EXPECT_LE(misses, 115);
  EXPECT_GE(misses_of_half, 5);
}

// The prediction is a limit; at p = 200 and mu about 1 it is closer to the truth than a band of
// 6000 draws can tell. A band misses the truth with probability of at most 1e-6.
TEST(SimulatedTradeoff, HoldsThePredictionInManyDimensions) {
  SeededSource source(8);
  for (const double factor : {1.5, 4.0}) {
    const std::vector<double> values = spiked(200, 1);
    const double beta = factor * ComponentSpectrum(values, 1.0, 1.0).transform();
    const double rows =
        std::round(*predicted_mu(ComponentSpectrum(values, 1e6, 1.0), beta) * 1e6);  // mu = 1
    const ComponentSpectrum spectrum(values, rows, 1.0);
    const double mu = *predicted_mu(spectrum, beta);
    EXPECT_NEAR(mu, 1.0, 0.01);
    const SimulatedTradeoff found =
        simulate_tradeoff(spectrum, beta, gibbs, 6000, even_levels(50), 1.0 - 1e-6, source);
    EXPECT_TRUE(holds(found, [&](double level) { return gaussian_type2(mu, level); })) << factor;
    for (const double wrong : {0.75, 1.3})
      EXPECT_FALSE(holds(found, [&](double level) { return gaussian_type2(wrong * mu, level); }));
  }
}

// Three samplers, of which two are approximate and one has another law, for well separated
// components: one band must hold the estimates of the other within both widths. 1e-6 each.
TEST(SimulatedTradeoff, IsAlikeForAllSamplersInManyDimensions) {
  SeededSource source(9);
  const ComponentSpectrum spectrum(spiked(60, 2), 100.0, 2.0);
  const double beta = 6.0 * spectrum.transform();
  std::vector<SimulatedTradeoff> found;
  for (const ComponentSampler sampler : {gibbs, gaussian, deflation})
    found.push_back(
        simulate_tradeoff(spectrum, beta, sampler, 1500, even_levels(20), 1.0 - 1e-6, source));
  for (const SimulatedTradeoff& one : found)
    for (const SimulatedTradeoff& other : found)
      for (std::size_t i = 0; i < one.type1.size(); ++i)
        EXPECT_LE(one.lower[i], other.upper[i]) << i;
  EXPECT_LT(found[0].upper[10], 0.5);
}

TEST(SimulatedTradeoff, EndsAtItsEnds) {
  SeededSource source(10);
  const ComponentSpectrum spectrum(spiked(5, 1), 10.0, 1.0);
  const SimulatedTradeoff found =
      simulate_tradeoff(spectrum, 2.0, gibbs, 100, {0.0, 1.0}, 0.95, source);
  EXPECT_EQ(found.upper[0], 1.0);
  EXPECT_EQ(found.type2[1], 0.0);
  EXPECT_EQ(found.upper[1], 0.0);
  // A row that nearly decides: n = 1 and a large beta.
  const SimulatedTradeoff sharp = simulate_tradeoff(ComponentSpectrum(spiked(5, 1), 1.0, 1.0), 1e4,
                                                    gibbs, 1000, {0.5}, 0.95, source);
  EXPECT_EQ(sharp.type2[0], 0.0);
  EXPECT_LT(sharp.upper[0], 0.1);
}

TEST(ComponentSimulation, RefusesWhatHasNoAnswer) {
  SeededSource source(11);
  const ComponentSpectrum spectrum(spiked(5, 1), 10.0, 1.0);
  const auto utility = [&](double beta, std::size_t draws) {
    return simulate_utility(spectrum, beta, gibbs, draws, source).spectral.mean;
  };
  const auto curve = [&](const ComponentSpectrum& of, double beta, std::size_t draws, double level,
                         double confidence) {
    return simulate_tradeoff(of, beta, gibbs, draws, {level}, confidence, source).type2[0];
  };
  EXPECT_TRUE(refuses("draws", [&] { return utility(1.0, 99); }));
  EXPECT_TRUE(refuses("draws", [&] { return curve(spectrum, 1.0, 99, 0.5, 0.9); }));
  for (const double bad : not_finite) {
    EXPECT_TRUE(refuses("beta", [&] { return utility(bad, 100); }));
    EXPECT_TRUE(refuses("beta", [&] { return curve(spectrum, bad, 100, 0.5, 0.9); }));
    EXPECT_TRUE(refuses("levels", [&] { return curve(spectrum, 1.0, 100, bad, 0.9); }));
    EXPECT_TRUE(refuses("confidence", [&] { return curve(spectrum, 1.0, 100, 0.5, bad); }));
  }
  EXPECT_TRUE(refuses("beta", [&] { return utility(-1.0, 100); }));
  EXPECT_TRUE(refuses("confidence", [&] { return curve(spectrum, 1.0, 100, 0.5, 1.0); }));
  const double threshold = spectrum.transform();
  EXPECT_TRUE(refuses("beta", [&] { return curve(spectrum, threshold, 100, 0.5, 0.9); }));
  EXPECT_NO_THROW(curve(spectrum, 1.01 * threshold, 100, 0.5, 0.9));
  const ComponentSpectrum tie({1.0, 1.0, 0.0}, 10.0, 1.0), whole({1.0, 0.5}, 10.0, 2.0);
  EXPECT_TRUE(refuses("beta", [&] { return curve(tie, 1e6, 100, 0.5, 0.9); }));
  EXPECT_TRUE(refuses("beta", [&] { return curve(whole, 1.0, 100, 0.5, 0.9); }));
}

}  // namespace
}  // namespace modicum::testing::component_simulation_test
