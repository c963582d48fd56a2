#include "privacy/engines/laplace_copies.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "privacy/engines/discretized.h"
#include "privacy/engines/engine.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::laplace_copies_test {
namespace {

constexpr Kernel all_kernels[] = {Kernel::profile, Kernel::upper_tail, Kernel::lower_tail,
                                  Kernel::tilted_upper, Kernel::tilted_lower};

PrivacyLoss copies(const Precise& range, double count) {
  return PrivacyLoss::laplace(range).repeated(count);
}

bool overlap(const Ball& a, const Ball& b) { return arb_overlaps(a.raw(), b.raw()) != 0; }

TEST(LaplaceCopies, AgreeWithResidues) {
  SeededRandom random(7301);
  const PrecisionScope scope(160);
  for (int i = 0; i < 60; ++i) {
    const double count = std::floor(random.uniform(20.0, 50.0));
    const double range = random.log_uniform(1e-4, 1.5);
    const Precise number = i % 2 == 0 ? Precise::exactly(range) : Precise::ratio(range, 3.0);
    const PrivacyLoss loss = copies(number, count);
    ASSERT_EQ(is_mostly_at_ends(loss.forward()), number.high <= 0.3);
    const double shift = number.high * count * random.uniform(-0.9, 0.6);
    for (const Kernel kernel : all_kernels) {
      const auto value = laplace_copies_quantity(loss.forward(), shift, kernel);
      ASSERT_TRUE(value) << count << " of " << number.high << " at " << shift;
      EXPECT_LT(relative_width(*value), 1e-12)
          << count << " of " << number.high << " at " << shift << ", " << static_cast<int>(kernel);
      EXPECT_TRUE(overlap(*value, residue_quantity(loss.forward(), shift, kernel)))
          << count << " of " << number.high << " at " << shift << ", " << static_cast<int>(kernel);
    }
  }
}

// With little noise the work would know no bound. Half of the copies moved by a little lose less,
// or more.
TEST(LaplaceCopies, LeaveLargeRangesToOthers) {
  for (const double range : {0.5, 3.0, 10.0, 1e4})
    for (const double count : {20.0, 40.0, 92.0}) {
      const PrivacyLoss loss = copies(Precise::exactly(range), count);
      EXPECT_FALSE(is_mostly_at_ends(loss.forward()));
      const Enclosure epsilon = epsilon_at(loss, 1e-6, Accuracy::certified).value;
      const auto beside = [&](double moved) {
        PrivacyLoss halves = copies(Precise::exactly(range * moved), count / 2.0);
        halves.compose(copies(Precise::exactly(range), count / 2.0));
        return epsilon_at(halves, 1e-6, Accuracy::certified).value;
      };
      EXPECT_LE(epsilon.lower(), beside(1.0 + 1e-9).upper());
      EXPECT_GE(epsilon.upper(), beside(1.0 - 1e-9).lower());
      EXPECT_LT(epsilon.relative_width(), 1e-12) << range << ' ' << count;
      EXPECT_LE(epsilon.upper(), range * count * (1.0 + 1e-15));
    }
}

TEST(LaplaceCopies, AgreeWithTheLatticeAndTheLine) {
  SeededRandom random(7302);
  const PrecisionScope scope(160);
  for (int i = 0; i < 6; ++i) {
    const double count = std::floor(random.log_uniform(401.0, 5000.0));
    const double range = 2.0 * random.log_uniform(0.05, 20.0) / count;
    const PrivacyLoss loss = copies(Precise::ratio(range, 1.0), count);
    const double deviation = range * std::sqrt(count), shift = deviation * random.uniform(0.0, 5.0);
    const auto value = laplace_copies_quantity(loss.forward(), shift, Kernel::profile);
    ASSERT_TRUE(value);
    EXPECT_LT(relative_width(*value), 1e-12);
    EXPECT_TRUE(overlap(*value, line_profile(loss.forward(), shift, Accuracy::certified).value));
    const Ball lattice = DiscretizedProfile(loss.forward(), Accuracy::certified).at(shift).value;
    EXPECT_TRUE(overlap(*value, lattice)) << count << " of " << range << " at " << shift;
  }
}

TEST(LaplaceCopies, CountAnAtomAtTheShiftBelowIt) {
  const PrecisionScope scope(160);
  const PrivacyLoss loss = copies(Precise::exactly(0x1p-10), 100.0);
  for (const double shift : {0.0, 0x1p-9, -0x1p-8, 90 * 0x1p-10}) {
    const auto at = [&](double place, Kernel kernel) {
      return *laplace_copies_quantity(loss.forward(), place, kernel);
    };
    const Ball above = at(shift, Kernel::upper_tail), below = at(shift, Kernel::lower_tail);
    EXPECT_LT(relative_width(above), 1e-12);
    EXPECT_LT(relative_width(below), 1e-12);
    EXPECT_TRUE(overlap(above + below, Ball(1.0)));
    // An atom of mass C(100, 50) / 2^100 or so, but for losses between the ends.
    const double before = std::nextafter(shift, -1.0);
    EXPECT_GT((at(before, Kernel::upper_tail) - above).lower(), 1e-25);
    EXPECT_TRUE(overlap(at(shift, Kernel::tilted_upper) + at(shift, Kernel::tilted_lower),
                        exp(Ball(shift))));
    EXPECT_TRUE(overlap(at(shift, Kernel::profile), above - at(shift, Kernel::tilted_upper)));
  }
}

TEST(LaplaceCopies, ReachBothEndsOfTheRange) {
  const PrecisionScope scope(160);
  const PrivacyLoss loss = copies(Precise::ratio(1.0, 50.0), 1000.0);
  for (const double shift : {-19.999, -1000.0, -20.0}) {
    const auto value = laplace_copies_quantity(loss.forward(), shift, Kernel::profile);
    ASSERT_TRUE(value);
    EXPECT_TRUE(overlap(*value, -expm1(Ball(shift)))) << shift;
  }
  // Nearly nothing is left: an answer there has to be right, or none.
  for (const double shift : {19.9, 15.0, 8.0})
    if (const auto value = laplace_copies_quantity(loss.forward(), shift, Kernel::profile)) {
      EXPECT_LT(value->lower(), 1e-40);
      EXPECT_GE(value->upper(), 0.0);
    }
  EXPECT_FALSE(is_mostly_at_ends(copies(Precise::exactly(1.0), 1000.0).forward()));
  EXPECT_FALSE(is_mostly_at_ends(copies(Precise::exactly(0.01), 3.0).forward()));
}

}  // namespace
}  // namespace modicum::testing::laplace_copies_test
