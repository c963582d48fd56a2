#include "modicum/mechanisms/principal_components.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::principal_components_test {
namespace {

/// k spikes above a bulk of p - k values in [0, 1], sum below p.
ComponentSpectrum random_problem(SeededRandom& random) {
  const int p = random.whole(2, 60), k = random.whole(1, std::min(p - 1, 5));
  std::vector<double> values;
  for (int i = 0; i < p; ++i) values.push_back(random.uniform(0.0, 0.5));
  for (int i = 0; i < k; ++i) values[i] = 0.5 + random.log_uniform(0.01, 0.4 * p / k);
  double sum = 0.0;
  for (const double value : values) sum += value;
  if (sum > p)
    for (double& value : values) value *= 0.999 * p / sum;
  return {values, std::floor(random.log_uniform(1.0, 1e6)), static_cast<double>(k)};
}

double beta_above(const ComponentSpectrum& spectrum, SeededRandom& random) {
  return spectrum.transform() * (1.0 + random.log_uniform(1e-3, 1e3));
}

// p = 4, k = 1: sums of three fractions.
TEST(ComponentSpectrum, HasTheTransformOfItsDefinition) {
  const ComponentSpectrum spectrum({0.2, 1.0, 0.1, 0.5}, 16.0, 1.0);
  EXPECT_DOUBLE_EQ(spectrum.transform(), 0.25 * (1.0 / 0.5 + 1.0 / 0.8 + 1.0 / 0.9));
  EXPECT_DOUBLE_EQ(spectrum.slope(), -0.25 * (1.0 / 0.25 + 1.0 / 0.64 + 1.0 / 0.81));
  EXPECT_DOUBLE_EQ(spectrum.curvature(), 0.5 * (1.0 / 0.125 + 1.0 / 0.512 + 1.0 / 0.729));
  EXPECT_DOUBLE_EQ(spectrum.gap(), 0.5);
  EXPECT_DOUBLE_EQ(spectrum.theta(), 2.0);
}

TEST(ComponentSpectrum, HasDerivativesThatDifferencesConfirm) {
  SeededRandom random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const ComponentSpectrum spectrum = random_problem(random);
    const std::size_t last = spectrum.components() - 1;
    const double step = 1e-5 * spectrum.gap();
    const auto moved = [&](double by) {
      std::vector<double> values = spectrum.eigenvalues();
      for (std::size_t i = 0; i < values.size(); ++i)
        if (i > last) values[i] = std::max(values[i] - by, -1e-9);
      return values;
    };
    // Moving the bulk down is moving x up; what would be below 0 is left out of the comparison.
    if (spectrum.eigenvalues().back() < step) continue;
    const double n = spectrum.rows(), k = static_cast<double>(spectrum.components());
    const ComponentSpectrum below(moved(step), n, k), above(moved(-step), n, k);
    EXPECT_NEAR((below.transform() - above.transform()) / (2.0 * step), spectrum.slope(),
                1e-6 * -spectrum.slope());
    EXPECT_NEAR((below.slope() - above.slope()) / (2.0 * step), spectrum.curvature(),
                1e-6 * spectrum.curvature());
  }
}

TEST(ComponentSpectrum, RefusesWhatRowsCannotHave) {
  const auto made = [](std::vector<double> values, double rows, double components) {
    return ComponentSpectrum(std::move(values), rows, components).theta();
  };
  for (const double bad : not_finite) {
    EXPECT_TRUE(refuses("eigenvalues", [&] { return made({1.0, bad}, 10.0, 1.0); }));
    EXPECT_TRUE(refuses("rows", [&] { return made({1.0, 0.5}, bad, 1.0); }));
    EXPECT_TRUE(refuses("components", [&] { return made({1.0, 0.5}, 10.0, bad); }));
  }
  EXPECT_TRUE(refuses("eigenvalues", [&] { return made({1.0, -0.1}, 10.0, 1.0); }));
  EXPECT_TRUE(refuses("eigenvalues", [&] { return made({2.0, 0.5}, 10.0, 1.0); }));
  EXPECT_TRUE(refuses("components", [&] { return made({1.0, 0.5}, 10.0, 3.0); }));
  EXPECT_TRUE(refuses("components", [&] { return made({}, 10.0, 1.0); }));
  EXPECT_TRUE(refuses("rows", [&] { return made({1.0, 0.5}, 0.0, 1.0); }));
  EXPECT_EQ(made({1.0, -1e-17, 0.0, 0.0}, 8.0, 1.0), 1.0);  // rounding, fewer rows than columns
}

TEST(PredictedUtility, IsTheThresholdOverBeta) {
  const ComponentSpectrum spectrum({1.0, 0.5, 0.2, 0.1}, 16.0, 2.0);
  const double first = 0.25 * (1.0 / 0.8 + 1.0 / 0.9), second = 0.25 * (1.0 / 0.3 + 1.0 / 0.4);
  EXPECT_DOUBLE_EQ(spectrum.threshold(0), first);
  EXPECT_DOUBLE_EQ(spectrum.threshold(1), second);
  const PredictedUtility between = predicted_utility(spectrum, 1.0);
  EXPECT_DOUBLE_EQ(between.overlaps[0], 1.0 - first);
  EXPECT_EQ(between.overlaps[1], 0.0);
  EXPECT_EQ(between.spectral, 1.0);
  EXPECT_DOUBLE_EQ(between.frobenius, 2.0 * (first + 1.0));
  const PredictedUtility above = predicted_utility(spectrum, 10.0);
  EXPECT_DOUBLE_EQ(above.spectral, 0.1 * second);
  EXPECT_DOUBLE_EQ(above.frobenius, 0.2 * (first + second));
  const PredictedUtility noise = predicted_utility(spectrum, 0.0);
  EXPECT_EQ(noise.spectral, 1.0);
  EXPECT_EQ(noise.frobenius, 4.0);
  EXPECT_LT(predicted_utility(spectrum, 1e300).frobenius, 1e-299);
}

TEST(PredictedMu, IsFlatOnThePlateauAndThenIncreases) {
  SeededRandom random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const ComponentSpectrum spectrum = random_problem(random);
    const PrivacyPlateau plateau = *privacy_plateau(spectrum);
    EXPECT_GT(plateau.to, plateau.from);
    EXPECT_FALSE(predicted_mu(spectrum, plateau.from).has_value());
    EXPECT_FALSE(predicted_mu(spectrum, 0.5 * plateau.from).has_value());
    const double middle = plateau.from + random.unit() * (plateau.to - plateau.from);
    EXPECT_EQ(predicted_mu(spectrum, std::nextafter(plateau.from, 1e300)), plateau.mu);
    EXPECT_EQ(predicted_mu(spectrum, middle), plateau.mu);
    EXPECT_EQ(predicted_mu(spectrum, plateau.to), plateau.mu);
    double last = plateau.mu;
    for (double beta = plateau.to * 1.01; beta < plateau.to * 1e4; beta *= 1.3) {
      const double mu = *predicted_mu(spectrum, beta);
      EXPECT_GT(mu, last);
      last = mu;
    }
  }
}

// With x = beta - H and c = -Delta H': d mu^2 / d beta = x (x - c) / (theta^2 Delta (2 x - c)^2),
// and so no kink where the plateau ends.
TEST(PredictedMu, HasTheDerivativeOfTheFormula) {
  SeededRandom random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const ComponentSpectrum spectrum = random_problem(random);
    const PrivacyPlateau plateau = *privacy_plateau(spectrum);
    const double beta = plateau.to * (1.0 + random.log_uniform(0.1, 100.0)), step = 1e-5 * beta;
    const double x = beta - plateau.from, c = plateau.to - plateau.from;
    const double exact =
        x * (x - c) / (std::pow(spectrum.theta() * (2.0 * x - c), 2) * spectrum.gap());
    const auto square = [&](double at) { return std::pow(*predicted_mu(spectrum, at), 2); };
    EXPECT_NEAR((square(beta + step) - square(beta - step)) / (2.0 * step), exact, 1e-5 * exact);
    const double small = 1e-4 * c;
    EXPECT_LT(square(plateau.to + small) / square(plateau.to) - 1.0, 1e-6);
  }
}

TEST(LargestBeta, InvertsThePrediction) {
  SeededRandom random(4);
  for (int trial = 0; trial < 500; ++trial) {
    const ComponentSpectrum spectrum = random_problem(random);
    const PrivacyPlateau plateau = *privacy_plateau(spectrum);
    const double mu = plateau.mu * (1.0 + random.log_uniform(1e-9, 1e3));
    const double beta = largest_beta(spectrum, mu);
    EXPECT_LE(*predicted_mu(spectrum, beta), mu);
    EXPECT_NEAR(*predicted_mu(spectrum, beta), mu, 1e-13 * mu);
    EXPECT_GT(*predicted_mu(spectrum, beta * (1.0 + 1e-6)), mu);
    EXPECT_NEAR(largest_beta(spectrum, plateau.mu), plateau.to, 1e-14 * plateau.to);
    EXPECT_THROW(largest_beta(spectrum, plateau.mu * 0.999), CalibrationFailed);
  }
}

TEST(LargestBeta, MeetsEpsilonAndDelta) {
  std::vector<double> values(100, 0.3);
  values[0] = 8.0, values[1] = 5.0;
  const ComponentSpectrum spectrum(values, 3000.0, 2.0);
  const PrivacyTarget target(1.0, 1e-5);
  const AsymptoticCalibration found = largest_beta(spectrum, target);
  EXPECT_LE(*predicted_mu(spectrum, found.beta), found.mu);
  const auto delta = profile(gaussian_differential_privacy(found.mu), 1.0).delta();
  EXPECT_LE(delta.lower(), 1e-5);
  EXPECT_NEAR(delta.upper(), 1e-5, 1e-12);
  EXPECT_THROW(largest_beta(spectrum, PrivacyTarget(1.0, 0.0)), CalibrationFailed);
  EXPECT_TRUE(refuses("mu", [&] { return largest_beta(spectrum, not_a_number); }));
}

// The worst row attains mu, and no row that was tried exceeds it: rows on few directions at random,
// near the worst and away from it.
TEST(PredictedRowMu, IsLargestAtTheWorstRow) {
  SeededRandom random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const ComponentSpectrum spectrum = random_problem(random);
    const double beta = beta_above(spectrum, random), mu = *predicted_mu(spectrum, beta);
    const std::size_t p = spectrum.dimension(), k = spectrum.components();
    std::vector<double> worst(p, 0.0);
    const double share = worst_row_share(spectrum, beta);
    EXPECT_GT(share, 0.5);
    EXPECT_LE(share, 1.0);
    worst[k - 1] = share, worst[k] = 1.0 - share;
    EXPECT_NEAR(*predicted_row_mu(spectrum, beta, worst), mu, 1e-9 * mu);
    for (int row = 0; row < 100; ++row) {
      std::vector<double> shares(p, 0.0);
      double sum = 0.0;
      for (std::size_t i = 0; i < p; ++i) {
        if (i < k + 2 || random.whole(0, 9) == 0)
          shares[i] = std::pow(random.unit(), random.whole(1, 30));
        sum += shares[i];
      }
      const double mixing = random.whole(0, 1) == 0 ? 1.0 : random.log_uniform(1e-4, 1.0);
      for (std::size_t i = 0; i < p; ++i)
        shares[i] = mixing * shares[i] / sum + (1.0 - mixing) * worst[i];
      EXPECT_LE(*predicted_row_mu(spectrum, beta, shares), mu * (1.0 + 1e-9));
    }
  }
}

TEST(PredictedRowMu, RefusesWhatIsNoRow) {
  const ComponentSpectrum spectrum({1.0, 0.5, 0.2, 0.1}, 16.0, 1.0);
  EXPECT_TRUE(refuses("shares", [&] { return predicted_row_mu(spectrum, 9.0, {1.0}); }));
  EXPECT_TRUE(refuses("shares", [&] {
    return predicted_row_mu(spectrum, 9.0, {1.0, 1.0, 0.0, 0.0});
  }));
  EXPECT_TRUE(refuses("shares", [&] {
    return predicted_row_mu(spectrum, 9.0, {-1.0, 0.0, 0.0, 0.0});
  }));
  EXPECT_EQ(predicted_row_mu(spectrum, 9.0, {0.0, 1.0, 0.0, 0.0}), 0.0);
  EXPECT_FALSE(predicted_row_mu(spectrum, 0.1, {0.0, 1.0, 0.0, 0.0}).has_value());
}

TEST(PredictedMu, SaysNothingOfTiesAndZeroOfTheWholeSpace) {
  const ComponentSpectrum tied({1.0, 0.5, 0.5, 0.1}, 16.0, 2.0);
  EXPECT_FALSE(predicted_mu(tied, 1e6).has_value());
  EXPECT_FALSE(privacy_plateau(tied).has_value());
  EXPECT_EQ(predicted_utility(tied, 1e6).spectral, 1.0);
  EXPECT_LT(predicted_utility(tied, 1e6).frobenius, 2.0 + 1e-5);  // the first is found
  EXPECT_THROW(largest_beta(tied, 1.0), CalibrationFailed);
  EXPECT_TRUE(refuses("beta", [&] { return worst_row_share(tied, 1e6); }));
  const ComponentSpectrum whole({1.0, 0.5, 0.5, 0.1}, 16.0, 4.0);
  EXPECT_EQ(predicted_mu(whole, 3.0), 0.0);
  EXPECT_EQ(predicted_utility(whole, 0.0).spectral, 0.0);
  EXPECT_THROW(largest_beta(whole, 1.0), CalibrationFailed);
  const ComponentSpectrum usual({1.0, 0.5, 0.2, 0.1}, 16.0, 2.0);
  EXPECT_EQ(predicted_mu(usual, 0.0), 0.0);
  EXPECT_TRUE(std::isfinite(*predicted_mu(usual, 1e300)));
  for (const double bad : {not_a_number, infinity, -1.0}) {
    EXPECT_TRUE(refuses("beta", [&] { return predicted_mu(usual, bad); }));
    EXPECT_TRUE(refuses("beta", [&] { return predicted_utility(usual, bad).spectral; }));
  }
}

}  // namespace
}  // namespace modicum::testing::principal_components_test
