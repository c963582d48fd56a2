#include <gtest/gtest.h>

#include "modicum/mechanisms/subsampled.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"

namespace modicum::testing::truncated_batches_test {
namespace {

double delta_of(const TruncatedBatches& plan, double epsilon, bool replace_one = false) {
  return profile(truncated_subsampled_gaussian(plan, replace_one), epsilon, Accuracy::certified)
      .forward.upper();
}

// The sum over all sizes of the sample, by mpmath; the classes of sizes are above it.
TEST(TruncatedBatches, IsTheAverageOverSizes) {
  const TruncatedBatches plan{2.0, 0.25, 21.0, 4.0};
  for (const auto& [epsilon, truth] :
       {std::pair{0.25, 0.01596427553688819244}, std::pair{1.0, 0.000899843807891534915}}) {
    EXPECT_GE(delta_of(plan, epsilon), truth);
    EXPECT_LE(delta_of(plan, epsilon), 1.5 * truth);
  }
}

TEST(TruncatedBatches, LiesBetweenASampleAndExchanges) {
  for (const double epsilon : {0.0, 0.3, 1.0}) {
    const double sample = profile(subsampled_gaussian(1.0, 1.0, 0.1), epsilon).forward.upper();
    const double exchange = profile(subsampled_gaussian(1.0, 2.0, 0.1), epsilon).forward.upper();
    double last = exchange;
    for (const double batch : {1.0, 8.0, 15.0, 30.0, 99.0}) {
      const double delta = delta_of({1.0, 0.1, 100.0, batch}, epsilon);
      EXPECT_LE(delta, exchange);
      EXPECT_GE(delta, batch > 5.0 ? sample * (1.0 - 1e-12) : 0.0);
      if (batch > 8.0) {
        EXPECT_LE(delta, last * (1.0 + 1e-12));
      }
      last = delta;
    }
    // A batch that no sample fills.
    EXPECT_EQ(delta_of({1.0, 0.1, 100.0, 100.0}, epsilon), sample);
  }
}

TEST(TruncatedBatches, UnderReplacement) {
  for (const double epsilon : {0.0, 0.5}) {
    const double replaced = delta_of({1.0, 0.2, 50.0, 12.0}, epsilon, true);
    EXPECT_GE(replaced, delta_of({1.0, 0.2, 50.0, 12.0}, epsilon));
    EXPECT_GE(replaced * (1.0 + 1e-12),
              profile(replaced_subsampled_gaussian(1.0, 2.0, 0.2), epsilon).forward.upper() * 0.9);
  }
}

TEST(TruncatedBatches, ComposesAboveItsParts) {
  const PrivacyLoss once = truncated_subsampled_gaussian({1.0, 0.1, 100.0, 15.0}, false);
  EXPECT_TRUE(once.is_upper_bound());
  EXPECT_GT(profile(once.repeated(2.0), 0.5).delta().upper(), profile(once, 0.5).delta().upper());
}

TEST(TruncatedBatches, RefusesBadParameters) {
  const auto with = [](double noise, double rate, double records, double batch) {
    return [=] { return truncated_subsampled_gaussian({noise, rate, records, batch}, false); };
  };
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("noise_multiplier", with(bad, 0.1, 100.0, 10.0)));
    EXPECT_TRUE(refuses("sampling_rate", with(1.0, bad, 100.0, 10.0)));
    EXPECT_TRUE(refuses("dataset_size", with(1.0, 0.1, bad, 10.0)));
    EXPECT_TRUE(refuses("largest_batch", with(1.0, 0.1, 100.0, bad)));
  }
  EXPECT_TRUE(refuses("sampling_rate", with(1.0, 1.0, 100.0, 10.0)));
}

}  // namespace
}  // namespace modicum::testing::truncated_batches_test
