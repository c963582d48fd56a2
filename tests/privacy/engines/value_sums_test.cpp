#include "privacy/engines/value_sums.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "privacy/engines/discretized.h"
#include "privacy/engines/quantity.h"
#include "privacy/laws/discrete_law.h"
#include "privacy/laws/table_law.h"
#include "support/seeded_random.h"

namespace modicum::testing::value_sums_test {
namespace {

struct Table {
  std::vector<double> losses, masses;
};

Table random_table(SeededRandom& random, int size) {
  Table table;
  double loss = random.uniform(-2.0, -1.0), total = 0.0;
  for (int i = 0; i < size; ++i) {
    table.losses.push_back(loss);
    loss += random.uniform(0.05, 1.5);
    table.masses.push_back(random.unit());
    total += table.masses.back();
  }
  for (double& mass : table.masses) mass /= total;
  return table;
}

std::shared_ptr<const LossLaw> law_of(const Table& table) {
  return table_law(table.losses, {table.masses.begin(), table.masses.end()});
}

// Every outcome by itself, in doubles.
double brute_force(const Table& table, int copies, double shift) {
  double sum = 0.0;
  std::function<void(int, double, double)> go = [&](int left, double loss, double mass) {
    if (left == 0) {
      sum += mass * std::max(0.0, -std::expm1(shift - loss));
      return;
    }
    for (std::size_t i = 0; i < table.losses.size(); ++i)
      go(left - 1, loss + table.losses[i], mass * table.masses[i]);
  };
  go(copies, 0.0, 1.0);
  return sum;
}

TEST(ValueSums, AreAllOutcomes) {
  SeededRandom random(5501);
  for (int i = 0; i < 30; ++i) {
    const Table table = random_table(random, random.whole(1, 5));
    const int copies = random.whole(2, 6);
    const double shift = random.uniform(-3.0, 8.0);
    DirectedLoss loss;
    loss.laws.push_back({law_of(table), static_cast<double>(copies)});
    ASSERT_TRUE(has_few_sums(loss));
    const double found = ValueSums(loss).at(shift, Kernel::profile).middle();
    EXPECT_NEAR(found, brute_force(table, copies, shift), 1e-13) << i;
  }
}

// Different laws, and two-point parts beside them: the lattice shares no code with it.
TEST(ValueSums, LieWithinTheBoundsOfTheLattice) {
  SeededRandom random(5502);
  for (int i = 0; i < 6; ++i) {
    DirectedLoss loss;
    loss.laws.push_back({law_of(random_table(random, 3)), 4.0});
    loss.laws.push_back({discrete_laplace_law(3.0, 2.0), 3.0});
    loss.two_points.push_back({Precise::exactly(0.7), 2.0});
    const double shift = random.uniform(0.5, 5.0);
    ASSERT_TRUE(has_few_sums(loss));
    const Ball found = ValueSums(loss).at(shift, Kernel::profile);
    const QuantityValue lattice = DiscretizedProfile(loss, Accuracy::certified).at(shift);
    EXPECT_TRUE(arb_overlaps(found.raw(), lattice.value.raw())) << shift;
    EXPECT_LE(found.enclosure().relative_width(), 1e-14);
  }
}

TEST(ValueSums, AreNotThereWhereTheyAreMany) {
  SeededRandom random(5503);
  DirectedLoss loss;
  loss.laws.push_back({law_of(random_table(random, 30)), 50.0});
  EXPECT_FALSE(has_few_sums(loss));
  loss.laws = {{discrete_gaussian_law(2.0, 1.0), 2.0}};
  EXPECT_FALSE(has_few_sums(loss));
  EXPECT_FALSE(has_few_sums(DirectedLoss{}));
}

// Values beside a Gaussian part, on a line, against conditioning on each of them.
TEST(ValuesBesideGaussianNoise, AreConditionedOn) {
  SeededRandom random(5504);
  const Table table = random_table(random, 4);
  for (const double shift : {0.3, 2.0, 4.0}) {
    DirectedLoss loss, gaussian;
    loss.laws.push_back({law_of(table), 1.0});
    loss.gaussian = gaussian.gaussian = GaussianSpectrum::shift(0.6, 1.0);
    Ball sum;
    for (std::size_t i = 0; i < table.losses.size(); ++i)
      sum +=
          Ball(table.masses[i]) *
          quantity(gaussian, shift - table.losses[i], Kernel::profile, Accuracy::certified).value;
    const QuantityValue found = quantity(loss, shift, Kernel::profile, Accuracy::automatic);
    EXPECT_EQ(found.proof, Proof::certified);
    EXPECT_NEAR(found.value.middle() / sum.middle(), 1.0, 1e-12);
    EXPECT_LE(found.value.enclosure().relative_width(), 1e-10);
  }
}

// The same for discrete Gaussian noise: conditioned on the values that count.
TEST(DiscreteGaussianBesideGaussianNoise, IsConditionedOn) {
  const double sigma = 3.0, mu = 0.4;
  double total = 0.0;
  for (int k = -60; k <= 60; ++k) total += std::exp(-0.5 * k * k / (sigma * sigma));
  for (const double shift : {0.2, 1.0, 2.5}) {
    DirectedLoss loss, gaussian;
    loss.laws.push_back({discrete_gaussian_law(sigma, 1.0), 1.0});
    loss.gaussian = gaussian.gaussian = GaussianSpectrum::shift(mu, 1.0);
    double sum = 0.0;
    for (int k = -60; k <= 60; ++k) {
      const double mass = std::exp(-0.5 * (k - 1.0) * (k - 1.0) / (sigma * sigma)) / total;
      const double own = (2.0 * k - 1.0) / (2.0 * sigma * sigma);
      sum += mass *
             quantity(gaussian, shift - own, Kernel::profile, Accuracy::certified).value.middle();
    }
    const QuantityValue found = quantity(loss, shift, Kernel::profile, Accuracy::automatic);
    EXPECT_EQ(found.proof, Proof::certified);
    EXPECT_NEAR(found.value.middle() / sum, 1.0, 1e-11) << shift;
    EXPECT_LE(found.value.enclosure().relative_width(), 1e-9);
  }
}

}  // namespace
}  // namespace modicum::testing::value_sums_test
