#include "modicum/mechanisms/tabulated.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/randomized_response.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"
#include "privacy/laws/table_law.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::tabulated_test {
namespace {

// Randomized response, written as a table.
LossTable response(double epsilon) {
  const double truth = 1.0 / (1.0 + std::exp(-epsilon));
  return {{epsilon, -epsilon}, {truth, 1.0 - truth}};
}

// delta of the sum by adding up all combinations, in doubles.
double brute_force(const LossTable& table, int count, double epsilon, double loss = 0.0,
                   double weight = 1.0) {
  if (count == 0) return loss > epsilon ? weight * -std::expm1(epsilon - loss) : 0.0;
  double sum = weight * table.infinite;
  for (std::size_t i = 0; i < table.losses.size(); ++i)
    sum += brute_force(table, count - 1, epsilon, loss + table.losses[i],
                       weight * table.probabilities[i]);
  return sum;
}

LossTable random_table(SeededRandom& random) {
  const int size = random.whole(2, 4);
  LossTable table;
  double total = 0.0, other = 0.0;
  for (int i = 0; i < size; ++i) {
    table.losses.push_back(random.uniform(-1.0, 1.0));
    table.probabilities.push_back(random.uniform(0.1, 1.0));
    total += table.probabilities.back();
  }
  for (double& mass : table.probabilities) mass /= total;
  for (std::size_t i = 0; i < table.losses.size(); ++i)
    other += table.probabilities[i] * std::exp(-table.losses[i]);
  // Shifting all losses makes the masses of Y add up to 0.95.
  for (double& loss : table.losses) loss += std::log(other / 0.95);
  return table;
}

TEST(TabulatedLoss, OneUseIsExact) {
  const PrivacyLoss table = tabulated_loss(response(1.25)), truth = pure_guarantee(1.25);
  for (const double epsilon : {-2.0, -0.5, 0.0, 0.7, 1.2}) {
    const ProfilePoint found = profile(table, epsilon, Accuracy::certified);
    const ProfilePoint exact = profile(truth, epsilon, Accuracy::certified);
    EXPECT_NEAR(found.forward.upper(), exact.forward.upper(), 1e-15);
    EXPECT_NEAR(found.reverse.upper(), exact.reverse.upper(), 1e-15);
    EXPECT_EQ(found.proof, Proof::certified);
  }
  EXPECT_TRUE(profile(table, 1.3).delta().is_exactly_zero());
}

TEST(TabulatedLoss, CompositionsHoldTheTruth) {
  SeededRandom random(5);
  for (int trial = 0; trial < 8; ++trial) {
    const LossTable table = random_table(random);
    const int count = random.whole(2, 4);
    const double epsilon = random.uniform(-0.5, 2.0);
    const Enclosure found = directed_delta(tabulated_loss(table).repeated(count).forward(), epsilon,
                                           Accuracy::certified)
                                .value;
    const double truth = brute_force(table, count, epsilon);
    EXPECT_LE(found.lower(), truth * (1.0 + 1e-12)) << trial;
    EXPECT_GE(found.upper(), truth * (1.0 - 1e-12)) << trial;
    // From above the bound is of second order; from below of first, for atoms off the lattice.
    EXPECT_LE(found.upper(), truth * (1.0 + 1e-4) + 1e-12) << trial;
    EXPECT_GE(found.lower(), truth * (1.0 - 1e-2) - 1e-12) << trial;
  }
}

TEST(TabulatedLoss, AnAtomOnACutIsKept) {
  const double likely = 1.0 / (1.0 + std::exp(-1.0));
  const PrivacyLoss loss = tabulated_loss({{1.0, -1.0}, {likely, 1.0 - likely}}).repeated(2);
  const Enclosure found = profile(loss, 0.5, Accuracy::certified).forward;
  const double truth = likely * likely * -std::expm1(0.5 - 2.0);
  EXPECT_TRUE(found.contains(truth)) << ::testing::PrintToString(found);
  EXPECT_LE(found.relative_width(), 1e-4);
}

TEST(TabulatedLoss, OneAtomThatDominatesUnderTheTilt) {
  const LossTable table{{0.97, -0.83, -0.5}, {0.7, 0.1376, 0.1624}};
  const Enclosure found =
      profile(tabulated_loss(table).repeated(2), 1.8, Accuracy::certified).forward;
  const double truth = brute_force(table, 2, 1.8);
  // All digits are proved, and brute force in doubles loses the last ones.
  EXPECT_NEAR(found.lower() / truth, 1.0, 1e-14);
  EXPECT_NEAR(found.upper() / truth, 1.0, 1e-14);
}

TEST(TabulatedLoss, InfiniteMassIsNeverLost) {
  const double likely = 1.0 / (1.0 + std::exp(-0.5));
  for (const double infinite : {0.0, 1e-12, 5e-10}) {
    // The finite rows add up to 1 already: within the rounding that tables are allowed.
    const PrivacyLoss loss = tabulated_loss({{0.5, -0.5}, {likely, 1.0 - likely}, infinite});
    const Enclosure found = profile(loss, 0.6, Accuracy::certified).forward;
    EXPECT_GE(found.upper(), infinite);
    EXPECT_GE(profile(loss.repeated(3), 1.6, Accuracy::certified).forward.upper(), infinite);
  }
  const PrivacyLoss quarter = tabulated_loss({{0.0}, {0.75}, 0.25});
  EXPECT_TRUE(profile(quarter, 5.0, Accuracy::certified).forward.contains(0.25));
  // Y has 3/4 at loss 0 and the rest where X has nothing.
  EXPECT_TRUE(profile(quarter, 5.0, Accuracy::certified).reverse.contains(0.25));
}

TEST(TabulatedLoss, RefusesWhatIsNoLoss) {
  EXPECT_TRUE(refuses("probabilities", [] { return tabulated_loss({{0.0, 1.0}, {1.0}}); }));
  EXPECT_TRUE(refuses("loss", [] { return tabulated_loss({{NAN}, {1.0}}); }));
  EXPECT_TRUE(refuses("probability", [] { return tabulated_loss({{0.0}, {-0.1}}); }));
  EXPECT_TRUE(refuses("sum of the probabilities", [] { return tabulated_loss({{0.0}, {0.9}}); }));
  EXPECT_TRUE(refuses("sum of exp(-loss) * probability", [] {
    return tabulated_loss({{-1.0}, {1.0}});
  }));
  EXPECT_TRUE(refuses("infinite", [] { return tabulated_loss({{0.0}, {1.0}, 2.0}); }));
}

// Each direction by a table of its own.
TEST(TabulatedLoss, DirectionsAreToldApart) {
  const double likely = 1.0 / (1.0 + std::exp(-1.0));
  const LossTable one{{1.0, -1.0}, {likely, 1.0 - likely}}, other{{2.0, -1.0}, {0.5, 0.25}, 0.25};
  const PrivacyLoss loss = tabulated_directions(one, other);
  const ProfilePoint found = profile(loss, 0.5, Accuracy::certified);
  EXPECT_NEAR(found.forward.upper(), likely * -std::expm1(-0.5), 1e-15);
  EXPECT_NEAR(found.reverse.upper(), 0.25 + 0.5 * -std::expm1(-1.5), 1e-15);
  EXPECT_TRUE(loss.is_upper_bound());
  const PrivacyLoss same = tabulated_directions(one, one);
  EXPECT_TRUE(same.is_symmetric());
  EXPECT_NEAR(profile(same, 0.5).reverse.upper(), found.forward.upper(), 1e-15);
}

// Y has mass where X has none: the divergence of order 1 is finite one way only.
TEST(TabulatedLoss, KullbackLeiblerIsTheMeanLossOrInfinite) {
  const auto law = table_law({-0.25, 0.5}, {Ball(0.25), Ball(0.75)});
  EXPECT_EQ(law->mean()->middle(), 0.3125);
  const Answer found = renyi_divergence(tabulated_loss({{-0.25, 0.5}, {0.25, 0.75}}), 1.0);
  EXPECT_EQ(found.value.lower(), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace modicum::testing::tabulated_test
