#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/subsampled.h"
#include "support/refusals.h"

namespace modicum::testing::subsampled_replacement_test {
namespace {

double normal(double x, double mean) {
  return std::exp(-0.5 * (x - mean) * (x - mean)) / std::sqrt(2.0 * M_PI);
}

// delta of two mixtures (1 - q) N(a) + q N(b), by the trapezium rule; a kink costs it less than
// h^2 = 1e-6.
constexpr double kink = 1e-6;
struct Mixture {
  double rate, rest, drawn;
  double density(double x) const { return (1 - rate) * normal(x, rest) + rate * normal(x, drawn); }
};
double delta_of(const Mixture& x, const Mixture& y, double epsilon) {
  double sum = 0.0;
  for (double t = -15.0; t < 15.0; t += 1e-3)
    sum += std::max(0.0, x.density(t) - std::exp(epsilon) * y.density(t)) * 1e-3;
  return sum;
}

TEST(BatchedGaussian, OneStepIsTheAmplifiedProfile) {
  for (const double share : {0.01, 0.3})
    for (const double deviation : {0.7, 2.0})
      for (const double epsilon : {0.0, 0.1, 1.0}) {
        const double inner = std::log1p(std::expm1(epsilon) / share);
        const double known =
            share * profile(gaussian_mechanism(deviation, 2.0), inner).delta().upper();
        const ProfilePoint found = profile(batched_gaussian(deviation, 2.0, share), epsilon);
        EXPECT_NEAR(found.forward.upper() / known, 1.0, 1e-12);
        EXPECT_EQ(found.forward.upper(), found.reverse.upper());
        EXPECT_EQ(found.forward.lower(), 0.0);  // an upper bound
        EXPECT_EQ(found.proof, Proof::certified);
        // Below 0 by the symmetry of the two directions.
        const double below =
            profile(batched_gaussian(deviation, 2.0, share), -epsilon).delta().upper();
        EXPECT_NEAR(below, -std::expm1(-epsilon) + std::exp(-epsilon) * known, 1e-12);
      }
}

// One of two records, 2C apart: a true pair of neighbors.
TEST(BatchedGaussian, IsAboveATruePair) {
  for (const double epsilon : {-1.0, -0.3, 0.0, 0.3, 1.0, 2.0}) {
    const double bound = profile(batched_gaussian(1.0, 2.0, 0.5), epsilon).delta().upper();
    const Mixture x{0.5, -1.0, 1.0}, y{0.5, -1.0, -1.0};
    EXPECT_GE(bound + kink, delta_of(x, y, epsilon)) << epsilon;
    EXPECT_GE(bound + kink, delta_of(y, x, epsilon)) << epsilon;
  }
}

// The pair has an atom at 0; composing the larger of two directions instead would say 2.12.
TEST(BatchedGaussian, ComposesTheSupremumPair) {
  const PrivacyLoss loss = batched_gaussian(1.0, 1.0, 0.01).repeated(1000.0);
  // By one point, which takes a second: the search for epsilon would take many.
  EXPECT_NEAR(profile(loss, 2.51, Accuracy::fast).delta().upper(), 1e-6, 1e-7);
}

// Values of the bound by mpmath at 40 digits.
TEST(ReplacedSubsampledGaussian, OneStepHasTheProvedBound) {
  struct Row {
    double distance, delta;
  };
  for (const Row& row : {Row{0.5, 0.0004482335870833284}, Row{1.0, 0.008844731057300395},
                         Row{2.0, 0.04523409676170467}}) {
    const PrivacyLoss loss = replaced_subsampled_gaussian(1.0, 2.0 * row.distance, 0.1);
    EXPECT_NEAR(profile(loss, 0.5).delta().upper() / row.delta, 1.0, 1e-12);
    EXPECT_EQ(profile(loss, 0.5).proof, Proof::certified);
  }
}

TEST(ReplacedSubsampledGaussian, IsAboveATruePair) {
  for (const double rate : {0.1, 0.6})
    for (const double epsilon : {-1.0, -0.3, 0.0, 0.3, 1.0, 2.0}) {
      const double bound =
          profile(replaced_subsampled_gaussian(1.0, 2.0, rate), epsilon).delta().upper();
      const Mixture x{rate, 0.0, 1.0}, y{rate, 0.0, -1.0};
      EXPECT_GE(bound + kink, delta_of(x, y, epsilon)) << rate << ", " << epsilon;
      EXPECT_GE(bound + kink, delta_of(y, x, epsilon)) << rate << ", " << epsilon;
    }
}

// More than adding or removing a record of half the sensitivity, less than no sampling at all.
TEST(ReplacedSubsampledGaussian, LiesBetweenItsNeighbors) {
  for (const double count : {1.0, 4.0}) {
    const double epsilon = count == 1.0 ? 0.1 : 1.0;
    const double found = profile(replaced_subsampled_gaussian(2.0, 2.0, 0.2).repeated(count),
                                 epsilon, Accuracy::fast)
                             .delta()
                             .upper();
    EXPECT_GT(found,
              profile(subsampled_gaussian(2.0, 1.0, 0.2).repeated(count), epsilon, Accuracy::fast)
                  .delta()
                  .lower());
    EXPECT_LT(found,
              profile(gaussian_mechanism(2.0, 2.0).repeated(count), epsilon).delta().upper());
  }
}

TEST(BatchedGaussian, RefusesBadParameters) {
  for (const double bad : {0.0, -0.1, 1.5, std::nan("")}) {
    EXPECT_TRUE(refuses("sampling_rate", [&] { return batched_gaussian(1.0, 2.0, bad); }));
    EXPECT_TRUE(refuses("sampling_rate", [&] { return batched_laplace(1.0, 2.0, bad); }));
    EXPECT_TRUE(
        refuses("sampling_rate", [&] { return replaced_subsampled_gaussian(1.0, 2.0, bad); }));
  }
  EXPECT_TRUE(refuses("standard_deviation", [] { return batched_gaussian(0.0, 2.0, 0.1); }));
}

}  // namespace
}  // namespace modicum::testing::subsampled_replacement_test
