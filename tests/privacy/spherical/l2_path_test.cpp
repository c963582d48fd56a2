#include "privacy/spherical/l2_path.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/engines/discretized.h"
#include "privacy/engines/quantity.h"
#include "privacy/spherical/spherical_law.h"
#include "support/reference_files.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::l2_path_test {
namespace {

DirectedLoss copies_of(double dimension, double range, double count) {
  DirectedLoss loss;
  loss.laws.push_back(
      {spherical_law(dimension, dimension - 1.0, Precise::exactly(range), 1.0, 1.0), count});
  return loss;
}

TEST(L2Path, HoldsTheDoubleIntegralsOfTwoCopies) {
  for (const auto& row : read_reference("l2_copies")) {
    SCOPED_TRACE(row.dump());
    const L2Noise noise{row.at("dimension"), Ball(row.at("range").get<double>())};
    const auto path = L2Path::make(noise, row.at("copies"), row.at("epsilon"));
    ASSERT_TRUE(path.has_value());
    const Ball found = path->at(row.at("epsilon"));
    const double truth = std::stod(row.at("delta").get<std::string>());
    EXPECT_NEAR(found.middle() / truth, 1.0, 1e-14);
    EXPECT_LE(found.enclosure().relative_width(), 1e-14);
  }
}

// Bins and their sums share nothing with Bessel functions off the real axis.
TEST(L2Path, LiesWithinTheBoundsOfTheLattice) {
  SeededRandom random(4402);
  for (int i = 0; i < 12; ++i) {
    const double dimension = random.whole(2, 8), range = random.log_uniform(0.05, 8.0);
    const double count = random.whole(2, 20);
    const double shift = range * count * random.uniform(0.02, 0.9);
    SCOPED_TRACE(::testing::Message() << dimension << ' ' << range << ' ' << count << ' ' << shift);
    const auto path = L2Path::make({dimension, Ball(range)}, count, shift);
    ASSERT_TRUE(path.has_value());
    const Ball found = path->at(shift);
    const QuantityValue lattice =
        DiscretizedProfile(copies_of(dimension, range, count), Accuracy::certified).at(shift);
    EXPECT_TRUE(arb_overlaps(found.raw(), lattice.value.raw()));
    EXPECT_LE(path->width(), 1e-12);
  }
}

// What one path says of other shifts holds what their own paths say.
TEST(L2Path, ServesCloseShifts) {
  const L2Noise noise{2.0, Ball(1.0)};
  const auto path = L2Path::make(noise, 6.0, 3.0);
  ASSERT_TRUE(path.has_value());
  for (const double shift : {2.0, 2.9, 3.1, 3.9, 4.1, 5.0}) {
    const auto own = L2Path::make(noise, 6.0, shift);
    ASSERT_TRUE(own.has_value());
    EXPECT_TRUE(arb_overlaps(path->at(shift).raw(), own->at(shift).raw())) << shift;
  }
  EXPECT_LE(path->at(2.9).enclosure().relative_width(), 1e-12);
}

TEST(L2Path, IsWhatAFewCopiesAreAskedFor) {
  for (const double count : {2.0, 7.0, 64.0}) {
    const DirectedLoss loss = copies_of(3.0, 0.7, count);
    const double shift = 0.3 * count;
    const QuantityValue found = quantity(loss, shift, Kernel::profile, Accuracy::automatic);
    EXPECT_EQ(found.proof, Proof::certified);
    EXPECT_LE(found.value.enclosure().relative_width(), 1e-12) << count;
  }
}

TEST(L2Path, FallsWithTheShiftUpToTheLargestLoss) {
  const L2Noise noise{4.0, Ball(0.5)};
  double last = 1.0;
  for (const double shift : {0.0, 0.1, 0.5, 1.0, 1.4, 1.499, 1.4999999}) {
    const auto path = L2Path::make(noise, 3.0, shift);
    ASSERT_TRUE(path.has_value()) << shift;
    const Ball found = path->at(shift);
    EXPECT_GT(found.lower(), 0.0) << shift;
    EXPECT_LT(found.upper(), last) << shift;
    last = found.lower();
  }
}

}  // namespace
}  // namespace modicum::testing::l2_path_test
