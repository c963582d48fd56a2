// What the quantities of the engines become where the loss may be infinite.
#include "privacy/engines/quantity.h"

#include <gtest/gtest.h>

#include "modicum/privacy/profile.h"
#include "privacy/engines/discretized.h"
#include "support/truth.h"

namespace modicum::testing::quantity_test {
namespace {

constexpr Kernel all_kernels[] = {Kernel::profile, Kernel::upper_tail, Kernel::lower_tail,
                                  Kernel::tilted_upper, Kernel::tilted_lower};

TEST(Quantity, CountsInfiniteLossesWithThoseAboveUnderX) {
  const PrecisionScope scope(truth_bits);
  const PrivacyLoss finite = PrivacyLoss::two_point(Precise::exactly(1.0));
  PrivacyLoss loss = finite;
  loss.compose(PrivacyLoss::infinite_with_probability(0.25));
  loss.compose(PrivacyLoss::infinite_with_probability(1e-9));
  const Ball kept = (Ball(1.0) - 0.25) * (Ball(1.0) - 1e-9);
  for (const double shift : {-2.0, 0.0, 0.5, 2.0})
    for (const Kernel kernel : all_kernels) {
      const bool above = kernel == Kernel::profile || kernel == Kernel::upper_tail;
      const Ball rest = quantity(finite.forward(), shift, kernel, Accuracy::certified).value;
      const Ball truth = rest * kept + (above ? Ball(1.0) - kept : Ball(0.0));
      for (const DirectedLoss& direction : {loss.forward(), loss.reverse()}) {
        const Ball found = quantity(direction, shift, kernel, Accuracy::certified).value;
        EXPECT_TRUE(arb_overlaps(found.raw(), truth.raw())) << shift;
        EXPECT_LE(found.upper() - found.lower(), 1e-15);
      }
    }
}

TEST(Quantity, OfMutuallySingularLawsIsCertain) {
  const DirectedLoss loss = PrivacyLoss::mutually_singular().forward();
  for (const Accuracy accuracy : {Accuracy::automatic, Accuracy::fast, Accuracy::certified})
    for (const Kernel kernel : all_kernels) {
      const QuantityValue found = quantity(loss, 3.0, kernel, accuracy);
      EXPECT_EQ(found.value.middle(),
                kernel == Kernel::profile || kernel == Kernel::upper_tail ? 1.0 : 0.0);
      EXPECT_EQ(found.proof, Proof::certified);
    }
}

TEST(Quantity, OfManySmallMassesDoesNotCancel) {
  // 1 - (1 - 1e-18)^1e6 = 1e-12 (1 - 5e-13)
  const auto loss = PrivacyLoss::infinite_with_probability(1e-18).repeated(1e6);
  const Enclosure value = profile(loss, 3.0, Accuracy::certified).delta();
  EXPECT_NEAR(value.lower() / 1e-12, 1.0 - 5e-13, 1e-15);
  EXPECT_LE(value.relative_width(), 1e-15);
}

// In any order, near and far: what one sum serves, and what takes another, contains the truth.
TEST(QuantitySource, RoughAnswersContainWhatIsProvedInClosedForm) {
  DirectedLoss loss;
  loss.gaussian = GaussianSpectrum::shift(0.7, 1.0);
  DiscretizedProfile rough(loss, Accuracy::certified);
  for (const double epsilon : {0.0, 3.0, 0.4, 2.2, 0.01, 1.0, 8.0, 1.6, 0.0, 3.1, -0.5, 0.2}) {
    const Ball exact = quantity(loss, epsilon, Kernel::profile, Accuracy::certified).value;
    const QuantityValue found = rough.roughly(epsilon, 1e-4 * exact.upper() + 1e-13);
    EXPECT_EQ(found.proof, Proof::certified);
    EXPECT_TRUE(arb_overlaps(found.value.raw(), exact.raw())) << epsilon;
    EXPECT_LE(found.value.upper() - found.value.lower(), 2e-4 * exact.upper() + 1e-12) << epsilon;
  }
}

}  // namespace
}  // namespace modicum::testing::quantity_test
