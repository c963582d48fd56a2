#include "modicum/numerics/enclosure.h"

#include <gtest/gtest.h>

#include "support/refusals.h"

namespace modicum::testing::enclosure_test {
namespace {

TEST(Enclosure, RefusesEndsOutOfOrderAndNaN) {
  EXPECT_THROW(Enclosure(1.0, 0.5), InvalidParameter);
  EXPECT_THROW(Enclosure(not_a_number, 1.0), InvalidParameter);
  EXPECT_THROW(Enclosure(0.0, not_a_number), InvalidParameter);
  EXPECT_THROW(Enclosure::exactly(not_a_number), InvalidParameter);
  EXPECT_NO_THROW(Enclosure(-infinity, infinity));
  EXPECT_NO_THROW(Enclosure::exactly(infinity));
}

TEST(Enclosure, ContainsItsEnds) {
  const Enclosure value(0.25, 0.5);
  EXPECT_TRUE(value.contains(0.25));
  EXPECT_TRUE(value.contains(0.5));
  EXPECT_FALSE(value.contains(0.2499999));
  EXPECT_FALSE(value.contains(not_a_number));
  EXPECT_TRUE(Enclosure::exactly(infinity).contains(infinity));
}

TEST(Enclosure, OverlapsWhereAPointIsShared) {
  const Enclosure value(0.25, 0.5);
  EXPECT_TRUE(value.overlaps({0.5, 1.0}));
  EXPECT_TRUE(value.overlaps({0.0, 0.25}));
  EXPECT_TRUE(value.overlaps({0.3, 0.4}));
  EXPECT_FALSE(value.overlaps({0.50000001, 1.0}));
}

TEST(Enclosure, MeasuresItsWidthAgainstTheSafeEnd) {
  EXPECT_EQ(Enclosure(0.75, 1.0).relative_width(), 0.25);
  EXPECT_EQ(Enclosure(0.0, 1e-300).relative_width(), 1.0);
  EXPECT_EQ(Enclosure::exactly(0.0).relative_width(), 0.0);
  EXPECT_EQ(Enclosure::exactly(infinity).relative_width(), 0.0);
}

TEST(Enclosure, KnowsExactZero) {
  EXPECT_TRUE(Enclosure::exactly(0.0).is_exactly_zero());
  EXPECT_FALSE(Enclosure(0.0, 5e-324).is_exactly_zero());
}

TEST(Enclosure, IsCutToARange) {
  const Enclosure cut = Enclosure(-0.5, 1.5).within(0.0, 1.0);
  EXPECT_EQ(cut.lower(), 0.0);
  EXPECT_EQ(cut.upper(), 1.0);
  const Enclosure outside = Enclosure(-2.0, -1.0).within(0.0, 1.0);
  EXPECT_TRUE(outside.is_exactly_zero());
}

TEST(Enclosure, LargerAndSmallerTakeEachEnd) {
  const Enclosure a(0.1, 0.6), b(0.3, 0.4);
  EXPECT_EQ(larger_of(a, b).lower(), 0.3);
  EXPECT_EQ(larger_of(a, b).upper(), 0.6);
  EXPECT_EQ(smaller_of(a, b).lower(), 0.1);
  EXPECT_EQ(smaller_of(a, b).upper(), 0.4);
}

TEST(Proof, IsAsStrongAsItsWeakestPart) {
  EXPECT_EQ(weaker_of(Proof::certified, Proof::certified), Proof::certified);
  EXPECT_EQ(weaker_of(Proof::certified, Proof::estimated), Proof::estimated);
  EXPECT_EQ(weaker_of(Proof::estimated, Proof::certified), Proof::estimated);
}

}  // namespace
}  // namespace modicum::testing::enclosure_test
