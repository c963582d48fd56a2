#include "modicum/mechanisms/gaussian_mixture.h"

#include <gtest/gtest.h>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"
#include "support/truth.h"

namespace modicum::testing::gaussian_mixture_test {
namespace {

// Tails of the mixture beyond the root of L(x) = epsilon, by mpmath at 30 digits.
TEST(GaussianMixture, ProfilesInBothDirections) {
  const PrivacyLoss loss = gaussian_mixture(1.5, {0.0, 1.0, 2.0}, {0.5, 0.375, 0.125});
  const auto forward = [&](double epsilon) {
    return profile(loss, epsilon, Accuracy::certified).forward;
  };
  EXPECT_TRUE(encloses(forward(-0.25), decimal("0.2587571496965306555158228")));
  EXPECT_TRUE(encloses(forward(0.25), decimal("0.0929738752694584690022345")));
  EXPECT_TRUE(encloses(forward(1.0), decimal("0.0167850758613522524514558")));
  const Enclosure reverse = profile(loss, 0.25, Accuracy::certified).reverse;
  EXPECT_TRUE(encloses(reverse, decimal("0.0482253402722785907789368")));
  EXPECT_LT(reverse.relative_width(), 1e-14);
}

TEST(GaussianMixture, TwoPlacesAreASampleAndOneIsTheGaussianMechanism) {
  const PrivacyLoss mixture = gaussian_mixture(2.0, {0.0, 1.0}, {0.75, 0.25}),
                    sample = subsampled_gaussian(2.0, 1.0, 0.25);
  for (const double epsilon : {-0.2, 0.0, 0.5, 2.0}) {
    const ProfilePoint found = profile(mixture, epsilon), truth = profile(sample, epsilon);
    EXPECT_NEAR(found.forward.upper(), truth.forward.upper(), 1e-13);
    EXPECT_NEAR(found.reverse.upper(), truth.reverse.upper(), 1e-13);
  }
  EXPECT_EQ(profile(gaussian_mixture(2.0, {1.0, 1.0}, {0.5, 0.5}), 0.5).delta().upper(),
            profile(gaussian_mechanism(2.0, 1.0), 0.5).delta().upper());
}

// Three copies of a sample, by the discretized engine and by the contour.
TEST(GaussianMixture, Composes) {
  const double found =
      profile(gaussian_mixture(1.0, {0.0, 1.0}, {0.5, 0.5}).repeated(3.0), 1.0).delta().upper();
  const double truth =
      profile(subsampled_gaussian(1.0, 1.0, 0.5).repeated(3.0), 1.0).delta().upper();
  EXPECT_GE(found, truth * (1.0 - 1e-6));
  EXPECT_LE(found, truth * (1.0 + 1e-2));
}

// Moving mass outwards costs more.
TEST(GaussianMixture, IsMonotoneInThePlaces) {
  double last = 0.0;
  for (const double place : {0.5, 1.0, 1.5, 3.0}) {
    const double delta =
        profile(gaussian_mixture(1.0, {0.0, 0.5, place}, {0.5, 0.25, 0.25}), 0.5).delta().upper();
    EXPECT_GT(delta, last);
    last = delta;
  }
}

TEST(GaussianMixture, RefusesBadParameters) {
  EXPECT_TRUE(refuses("standard_deviation", [] { return gaussian_mixture(0.0, {1.0}, {1.0}); }));
  EXPECT_TRUE(refuses("probabilities", [] { return gaussian_mixture(1.0, {1.0, 2.0}, {1.0}); }));
  EXPECT_TRUE(refuses("sensitivity", [] { return gaussian_mixture(1.0, {-1.0}, {1.0}); }));
  EXPECT_TRUE(refuses("probability", [] {
    return gaussian_mixture(1.0, {1.0, 2.0}, {1.5, -0.5});
  }));
  EXPECT_TRUE(refuses("sum of the probabilities", [] {
    return gaussian_mixture(1.0, {1.0, 2.0}, {0.5, 0.25});
  }));
  EXPECT_TRUE(refuses("sensitivity", [] { return gaussian_mixture(1.0, {not_a_number}, {1.0}); }));
}

}  // namespace
}  // namespace modicum::testing::gaussian_mixture_test
