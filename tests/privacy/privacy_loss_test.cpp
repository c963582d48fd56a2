#include "modicum/privacy/privacy_loss.h"

#include <gtest/gtest.h>

#include "modicum/privacy/profile.h"
#include "support/refusals.h"
#include "support/truth.h"

namespace modicum::testing::privacy_loss_test {
namespace {

PrivacyLoss two_point(double epsilon) { return PrivacyLoss::two_point(Precise::exactly(epsilon)); }
PrivacyLoss laplace(double range) { return PrivacyLoss::laplace(Precise::exactly(range)); }

PrivacyLoss of_everything() {
  PrivacyLoss loss = PrivacyLoss::gaussian(GaussianSpectrum::component(0.3, 1.5, 2.0));
  loss.compose(two_point(0.25));
  loss.compose(PrivacyLoss::infinite_with_probability(1e-6));
  return loss;
}

TEST(PrivacyLoss, KnowsWhichPairsAreSymmetric) {
  EXPECT_TRUE(PrivacyLoss().is_symmetric());
  EXPECT_TRUE(two_point(1.0).is_symmetric());
  EXPECT_TRUE(laplace(1.0).is_symmetric());
  EXPECT_TRUE(PrivacyLoss::gaussian(GaussianSpectrum::shift(1.0, 2.0)).is_symmetric());
  EXPECT_FALSE(PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, 2.0)).is_symmetric());
  EXPECT_FALSE(of_everything().is_symmetric());
}

TEST(PrivacyLoss, JoinsEqualParts) {
  PrivacyLoss loss = two_point(0.5);
  loss.compose(two_point(0.5).repeated(4.0));
  loss.compose(two_point(0.25));
  loss.compose(laplace(1.0));
  loss.compose(laplace(1.0));
  ASSERT_EQ(loss.forward().two_points.size(), 2u);
  EXPECT_EQ(loss.forward().two_points[0].count, 5.0);
  ASSERT_EQ(loss.forward().laplaces.size(), 1u);
  EXPECT_EQ(loss.forward().laplaces[0].count, 2.0);
}

TEST(PrivacyLoss, DropsPartsThatReleaseNothing) {
  PrivacyLoss loss = two_point(0.0);
  loss.compose(laplace(0.0));
  loss.compose(PrivacyLoss::infinite_with_probability(0.0));
  loss.compose(PrivacyLoss::gaussian(GaussianSpectrum()));
  EXPECT_TRUE(loss.forward().two_points.empty());
  EXPECT_TRUE(loss.forward().laplaces.empty());
  EXPECT_TRUE(profile(loss, 0.0).delta().is_exactly_zero());
}

TEST(PrivacyLoss, RepeatedIsComposed) {
  PrivacyLoss composed;
  for (int i = 0; i < 4; ++i) composed.compose(of_everything());
  const PrivacyLoss repeated = of_everything().repeated(4.0);
  for (const double epsilon : {-1.0, 0.0, 1.0, 5.0}) {
    const ProfilePoint a = profile(composed, epsilon, Accuracy::certified);
    const ProfilePoint b = profile(repeated, epsilon, Accuracy::certified);
    EXPECT_TRUE(a.forward.overlaps(b.forward));
    EXPECT_TRUE(a.reverse.overlaps(b.reverse));
    EXPECT_LE(a.delta().relative_width(), 1e-12);
  }
}

TEST(PrivacyLoss, DoesNotDependOnTheOrderOfComposition) {
  PrivacyLoss first = of_everything(), second = laplace(0.5);
  first.compose(laplace(0.5));
  second.compose(of_everything());
  EXPECT_TRUE(profile(first, 1.0, Accuracy::fast)
                  .delta()
                  .overlaps(profile(second, 1.0, Accuracy::fast).delta()));
}

// Aligned and opposed pairs are told apart: 0.0920 and 0.0550 at epsilon = 1.
TEST(PrivacyLoss, ComposesInACommonOrientation) {
  const GaussianSpectrum larger = GaussianSpectrum::component(0.0, 2.0);
  PrivacyLoss aligned = PrivacyLoss::gaussian(larger), opposed = aligned;
  aligned.compose(PrivacyLoss::gaussian(larger));
  opposed.compose(PrivacyLoss::gaussian(larger.reversed()));
  EXPECT_NEAR(profile(aligned, 1.0).delta().upper(), 0.0920, 5e-5);
  EXPECT_NEAR(profile(opposed, 1.0).delta().upper(), 0.0550, 5e-5);
}

TEST(PrivacyLoss, NeverFallsWhenMoreIsComposed) {
  const PrivacyLoss base = of_everything();
  for (const PrivacyLoss& more :
       {two_point(0.1), laplace(0.1), PrivacyLoss::infinite_with_probability(1e-9),
        PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, 0.9))}) {
    PrivacyLoss both = base;
    both.compose(more);
    for (const double epsilon : {-1.0, 0.0, 0.5, 2.0}) {
      const ProfilePoint before = profile(base, epsilon, Accuracy::fast);
      const ProfilePoint after = profile(both, epsilon, Accuracy::fast);
      EXPECT_LE(before.forward.lower(), after.forward.upper());
      EXPECT_LE(before.reverse.lower(), after.reverse.upper());
    }
  }
}

TEST(PrivacyLoss, RefusesParametersOutsideTheirDomain) {
  for (const double bad : {not_a_number, infinity, -infinity, -1.0}) {
    EXPECT_TRUE(refuses("epsilon", [&] { return two_point(bad); })) << bad;
    EXPECT_TRUE(refuses("range", [&] { return laplace(bad); })) << bad;
  }
  for (const double bad : {not_a_number, infinity, -infinity, -1e-300, 1.0, 1.5})
    EXPECT_TRUE(refuses("delta", [&] { return PrivacyLoss::infinite_with_probability(bad); }))
        << bad;
  for (const double bad : {not_a_number, infinity, -infinity, 0.0, -1.0, 1.5, 0x1p54})
    EXPECT_TRUE(refuses("count", [&] { return of_everything().repeated(bad); })) << bad;
  EXPECT_TRUE(
      refuses("total count", [&] { return two_point(1.0).repeated(0x1p52).repeated(4.0); }));
}

// A parameter known only to within its radius must not hide a NaN or a negative value.
TEST(PrivacyLoss, RefusesPreciseParametersThatAreNot) {
  EXPECT_THROW(PrivacyLoss::two_point({1.0, 0.0, not_a_number}), InvalidParameter);
  EXPECT_THROW(PrivacyLoss::two_point({1.0, 0.0, -1.0}), InvalidParameter);
  EXPECT_THROW(PrivacyLoss::laplace({1.0, not_a_number, 0.0}), InvalidParameter);
}

// What only dominates the truth has no lower ends, alone and in every composition.
TEST(PrivacyLoss, AnUpperBoundPromisesNothingBelow) {
  const PrivacyLoss exact = PrivacyLoss::gaussian(GaussianSpectrum::shift(1.0, 2.0));
  PrivacyLoss bound = exact.as_upper_bound();
  bound.compose(exact);
  EXPECT_TRUE(bound.is_upper_bound());
  EXPECT_TRUE(bound.repeated(2.0).is_upper_bound());
  EXPECT_FALSE(exact.is_upper_bound());
  const PrivacyLoss same = exact.repeated(2.0);
  const ProfilePoint point = profile(bound, 0.5), truth = profile(same, 0.5);
  EXPECT_EQ(point.forward.upper(), truth.forward.upper());
  EXPECT_EQ(point.forward.lower(), 0.0);
  EXPECT_EQ(point.reverse.lower(), 0.0);
  EXPECT_EQ(directed_delta(bound.forward(), 0.5).value.lower(), 0.0);
  const Answer epsilon = epsilon_at(bound, 1e-5);
  EXPECT_EQ(epsilon.value.lower(), 0.0);
  EXPECT_EQ(epsilon.value.upper(), epsilon_at(same, 1e-5).value.upper());
  const Answer error = tradeoff(bound, 0.1);
  EXPECT_EQ(error.value.lower(), tradeoff(same, 0.1).value.lower());
  EXPECT_GE(error.value.upper(), 0.9);
  EXPECT_EQ(renyi_divergence(bound, 2.0).value.lower(), 0.0);
}

}  // namespace
}  // namespace modicum::testing::privacy_loss_test
