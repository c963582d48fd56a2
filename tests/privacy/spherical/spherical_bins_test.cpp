// Outcomes of spherical noise sorted into bins of the loss: against tails in balls, which share no
// code with them, and composed against closed forms and nested quadratures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "privacy/engines/discretized.h"
#include "privacy/engines/engine.h"
#include "privacy/spherical/spherical_law.h"
#include "support/reference_files.h"
#include "support/seeded_random.h"

namespace modicum::testing::spherical_bins_test {
namespace {

std::vector<double> even_cuts(double end, int bins) {
  std::vector<double> cuts;
  for (int i = 0; i <= bins; ++i) cuts.push_back(end * i / bins);
  return cuts;
}

// Cumulative masses against the tails at some cuts, where a bin may lend its neighbor what lies
// within `early` and `late` of the cut.
void expect_tails(const LossLaw& law, const std::vector<double>& cuts) {
  const auto bins = law.bins(cuts);
  ASSERT_TRUE(bins.has_value());
  double x_low = 0.0, x_high = bins->lost, y_low = 0.0, y_high = bins->lost;
  for (std::size_t i = bins->bins.size(); i-- > 0;) {
    const LossBin& bin = bins->bins[i];
    const double scale = std::exp(-bin.left);
    x_low += bin.x_low;
    x_high += bin.x_high;
    y_low += bin.y_low * scale;
    y_high += bin.y_high * scale;
    if (i % 61 != 0) continue;
    const double width = i + 1 < bins->bins.size() ? bin.right - bin.left : 1.0;
    const double lent = 4.0 * (bin.early + bin.late) / width * bin.x_high + 1e-15 * x_high;
    const LossTails tails = law.tails(bin.left, Accuracy::certified);
    EXPECT_LE(x_low - lent, tails.above_x.upper()) << bin.left;
    EXPECT_GE(x_high + lent, tails.above_x.lower()) << bin.left;
    EXPECT_LE((y_low - lent) * (1.0 - 1e-12), tails.above_y.upper()) << bin.left;
    EXPECT_GE((y_high + lent) * (1.0 + 1e-12), tails.above_y.lower()) << bin.left;
  }
  EXPECT_NEAR(x_high + y_high, 1.0, 1e-3);
}

// Ten dimensions: the density of the loss is a narrow ridge, which few places miss.
TEST(SphericalBins, MissNoRidge) {
  const auto law = spherical_law(10.0, 9.0, Precise::exactly(0.000202), 4.0, 1.0);
  const auto bins = law->bins(even_cuts(4.0, 1024));
  ASSERT_TRUE(bins.has_value());
  double low = 0.0, high = 0.0;
  for (std::size_t i = bins->bins.size(); i-- > 0;) {
    low += bins->bins[i].x_low;
    high += bins->bins[i].x_high;
    EXPECT_LE(high - low, 1e-6 * high) << bins->bins[i].left;
  }
}

// Beyond the last tail that is known well there is next to nothing, which is known too: composed
// with others it reaches small deltas.
TEST(SphericalBins, EndInNextToNothing) {
  const auto law = spherical_law(3.0, 2.0, Precise::exactly(0.144), 1.5, 1.0);
  const auto bins = law->bins({0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0});
  ASSERT_TRUE(bins.has_value());
  EXPECT_LE(bins->bins.back().x_high, 1e-15);
}

TEST(SphericalBins, AgreeWithTailsInBallsInOneDimension) {
  SeededRandom random(2101);
  for (int i = 0; i < 8; ++i) {
    const double alpha = i % 3 == 0 ? 0.0 : random.uniform(-0.95, 0.0);
    const double p = std::exp(random.uniform(-1.2, 2.5)),
                 beta = std::exp(random.uniform(-3.5, 1.5));
    SCOPED_TRACE(::testing::Message() << alpha << ' ' << p << ' ' << beta);
    const auto law = spherical_law(1.0, alpha, Precise::exactly(beta), p, 1.0);
    expect_tails(*law, even_cuts(std::exp2(std::floor(random.uniform(-2.0, 5.0))), 256));
  }
}

// Masses under Y underflow there; times e^left they are still between e^-width and 1 times those
// under X.
TEST(SphericalBins, HoldWhereMassesUnderflow) {
  const auto law = spherical_law(2.0, 1.0, Precise::exactly(700.0), 2.0, 1.0);
  const auto bins = law->bins({0.0, 700.0, 720.0, 744.0, 746.0, 750.0, 760.0, 768.0});
  ASSERT_TRUE(bins.has_value());
  for (const LossBin& bin : bins->bins) {
    EXPECT_TRUE(std::isfinite(bin.x_high) && std::isfinite(bin.y_high)) << bin.left;
    EXPECT_LE(bin.y_low, bin.x_high) << bin.left;
    EXPECT_GE(bin.y_high, std::exp(bin.left - bin.right) * bin.x_low) << bin.left;
  }
}

// Pieces without number are given up.
TEST(SphericalBins, EndInOneDimensionWhateverTheNoiseIs) {
  for (const double beta : {1e3, 1e16})
    EXPECT_FALSE(spherical_law(1.0, -0.9, Precise::exactly(beta), 5.0, 1.0)
                     ->bins(even_cuts(16.0, 64))
                     .has_value())
        << beta;
}

TEST(SphericalBins, AgreeWithTailsInBallsInMoreDimensions) {
  SeededRandom random(2102);
  for (int i = 0; i < 6; ++i) {
    const double dimension = 2.0 + i % 5;
    const double alpha = i % 2 == 0 ? dimension - 1.0 : random.uniform(0.0, dimension - 1.0);
    const double p = i % 4 == 0 ? 1.0 : std::exp(random.uniform(-0.6, 1.2));
    const double beta = std::exp(random.uniform(-2.0, 1.0));
    SCOPED_TRACE(::testing::Message() << dimension << ' ' << alpha << ' ' << p << ' ' << beta);
    const auto law = spherical_law(dimension, alpha, Precise::exactly(beta), p, 1.0);
    expect_tails(*law, even_cuts(std::exp2(std::floor(random.uniform(-1.0, 2.0))), 74));
  }
}

// Without a pole and with p > 1 many bins come from a density.
TEST(SphericalBins, FromDensitiesAgreeWithTailsInBalls) {
  SeededRandom random(2103);
  for (int i = 0; i < 3; ++i) {
    const double dimension = i == 0 ? 2.0 : 1.0 + 2.0 * i;
    const double p = 1.3 + random.uniform(0.0, 3.0), beta = std::exp(random.uniform(-4.0, -1.0));
    SCOPED_TRACE(::testing::Message() << dimension << ' ' << p << ' ' << beta);
    const auto law = spherical_law(dimension, dimension - 1.0, Precise::exactly(beta), p, 1.0);
    const std::vector<double> cuts = even_cuts(1.0, 610);
    expect_tails(*law, cuts);
    const auto bins = law->bins(cuts);
    ASSERT_TRUE(bins.has_value());
    for (const LossBin& bin : bins->bins)
      EXPECT_LT(bin.x_high - bin.x_low, 1e-7 * bin.x_high + 1e-9) << bin.left;
  }
}

Enclosure composed(const std::shared_ptr<const LossLaw>& law, double copies, double epsilon) {
  DirectedLoss loss;
  loss.laws.push_back({law, copies});
  const QuantityValue found = DiscretizedProfile(loss, Accuracy::certified).at(epsilon);
  EXPECT_EQ(found.proof, Proof::certified);
  return found.value.enclosure();
}

// The Gaussian member, by its law instead of its closed form.
TEST(SphericalBins, ComposeToTheGaussianProfile) {
  for (const double dimension : {1.0, 2.0}) {
    const auto law = spherical_law(dimension, dimension - 1.0, Precise::exactly(0.5), 2.0, 0.5);
    const Enclosure found = composed(law, 3.0, 1.0);
    const Enclosure exact = gaussian_quantity(GaussianSpectrum::component(0.5, 1.0, 3.0), Ball(1.0),
                                              Kernel::profile, Accuracy::certified)
                                .value.enclosure();
    EXPECT_LE(found.lower(), exact.upper());
    EXPECT_GE(found.upper(), exact.lower());
    EXPECT_LT(found.relative_width(), 1e-6);
  }
}

// tests/reference/make_few_copies_reference.py
TEST(SphericalBins, ContainNestedQuadraturesOfAFewCopies) {
  const auto rows = read_reference("few_copies");
  for (const auto& row : rows) {
    const auto number = [&](const char* key) { return row.at(key).get<double>(); };
    SCOPED_TRACE(::testing::Message() << number("dimension") << ' ' << number("p"));
    const auto law = spherical_law(number("dimension"), number("alpha"),
                                   Precise::exactly(number("beta")), number("p"), 1.0);
    const Enclosure found = composed(law, number("copies"), number("epsilon"));
    const double exact = std::stod(row.at("delta").get<std::string>());
    const double error = exact * std::pow(10.0, -number("digits"));
    EXPECT_LE(found.lower(), exact + error);
    EXPECT_GE(found.upper(), exact - error);
    EXPECT_LT(found.relative_width(), 2e-6);
  }
}

}  // namespace
}  // namespace modicum::testing::spherical_bins_test
