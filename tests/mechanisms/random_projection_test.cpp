#include "modicum/mechanisms/random_projection.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "support/closed_forms.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing {
namespace {

// rho = 1 / (1 - p) in terms of the leverage as given, not of a rounded ratio.
TEST(RandomProjection, HasTheProfileOfIncompleteGammaFunctions) {
  SeededRandom random(801);
  for (int i = 0; i < 100; ++i) {
    const double columns = std::floor(random.log_uniform(1.0, 2000.0));
    const double leverage = random.log_uniform(1e-4, 0.9);
    const double epsilon = random.uniform(-0.5, 3.0) * leverage * std::sqrt(columns);
    const auto rho = [&] { return Ball(1.0) / (Ball(1.0) - Ball(leverage)); };
    const Ball forward = larger_variance_first(columns, rho, epsilon);
    const Ball reverse = smaller_variance_first(columns, rho, epsilon);
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const ProfilePoint point = profile(random_projection(columns, leverage), epsilon, accuracy);
      EXPECT_TRUE(encloses(point.forward, forward)) << columns << ' ' << leverage << ' ' << epsilon;
      EXPECT_TRUE(encloses(point.reverse, reverse)) << columns << ' ' << leverage << ' ' << epsilon;
      EXPECT_LE(relative_distance(point.forward, forward), 1e-11);
    }
  }
}

TEST(RandomProjection, HasTheProfileOfIncompleteGammaFunctionsAtAMillionColumns) {
  const auto rho = [] { return Ball(1.0) / (Ball(1.0) - Ball(1e-3)); };
  for (const double epsilon : {0.0, 1.0, 5.0}) {
    const ProfilePoint point = profile(random_projection(1e6, 1e-3), epsilon, Accuracy::certified);
    EXPECT_TRUE(encloses(point.forward, larger_variance_first(1e6, rho, epsilon)));
    EXPECT_TRUE(encloses(point.reverse, smaller_variance_first(1e6, rho, epsilon)));
    EXPECT_LE(point.forward.relative_width(), 1e-12);
  }
}

// One pair dominates at every real epsilon, negative ones too.
TEST(RandomProjection, NeverLosesLessAtLargerLeverage) {
  SeededRandom random(802);
  for (int i = 0; i < 500; ++i) {
    const double columns = random.whole(1, 200);
    const double large = random.log_uniform(1e-3, 0.9), small = large * random.unit();
    const double epsilon = random.sign() * random.log_uniform(1e-3, 5.0);
    const ProfilePoint more = profile(random_projection(columns, large), epsilon, Accuracy::fast);
    const ProfilePoint less = profile(random_projection(columns, small), epsilon, Accuracy::fast);
    EXPECT_LE(less.forward.lower(), more.forward.upper()) << i;
    EXPECT_LE(less.reverse.lower(), more.reverse.upper()) << i;
  }
}

TEST(RandomProjection, LosesMoreWithTheRowFirst) {
  for (const double epsilon : {0.0, 0.1, 1.0, 2.5}) {
    const ProfilePoint point = profile(random_projection(40.0, 0.1), epsilon, Accuracy::certified);
    EXPECT_GE(point.forward.upper(), point.reverse.lower()) << epsilon;
  }
}

TEST(RandomProjection, ComposesByColumns) {
  EXPECT_TRUE(profile(random_projection(300.0, 0.02), 1.0, Accuracy::certified)
                  .forward.overlaps(profile(random_projection(100.0, 0.02).repeated(3.0), 1.0,
                                            Accuracy::certified)
                                        .forward));
}

TEST(RandomProjection, OfARowWithoutLeverageLosesNothing) {
  EXPECT_TRUE(profile(random_projection(10.0, 0.0), 0.0).delta().is_exactly_zero());
}

TEST(RandomProjection, RefusesWhatIsNoLeverage) {
  for (const double bad : {not_a_number, infinity, -infinity, -1e-9, 1.0, 1.5})
    EXPECT_TRUE(refuses("leverage", [&] { return random_projection(10.0, bad); })) << bad;
  for (const double bad : {not_a_number, infinity, -infinity, 0.0, -1.0, 1.5})
    EXPECT_TRUE(refuses("columns", [&] { return random_projection(bad, 0.5); })) << bad;
}

}  // namespace
}  // namespace modicum::testing
