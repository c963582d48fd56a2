// What the quantities of the engines become where the loss may be infinite.
#include "privacy/engines/quantity.h"

#include <gtest/gtest.h>

#include "modicum/privacy/profile.h"
#include "support/truth.h"

namespace modicum::testing {
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

}  // namespace
}  // namespace modicum::testing
