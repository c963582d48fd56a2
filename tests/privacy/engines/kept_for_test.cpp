#include "privacy/engines/kept_for.h"

#include <gtest/gtest.h>

#include "privacy/engines/bent_paths.h"
#include "privacy/laws/subsampled_law.h"

namespace modicum::testing::kept_for_test {
namespace {

// What was learned about a loss serves it and no other.
TEST(KeptFor, KnowsALossAgain) {
  const auto law = subsampled_gaussian_law(Precise::exactly(1.0), 0.01);
  const PrivacyLoss steps = PrivacyLoss::law(law, reversed(law));
  const PrivacyLoss loss = steps.repeated(1000.0), other = steps.repeated(999.0);
  BentPaths* const first = &kept_for<BentPaths>(loss.forward());
  EXPECT_EQ(&kept_for<BentPaths>(loss.forward()), first);
  EXPECT_NE(&kept_for<BentPaths>(loss.reverse()), first);
  EXPECT_NE(&kept_for<BentPaths>(other.forward()), first);
  EXPECT_EQ(&kept_for<BentPaths>(loss.forward()), first);
  PrivacyLoss more = loss;
  more.compose(PrivacyLoss::gaussian(GaussianSpectrum::shift(0.1, 1.0)));
  EXPECT_NE(&kept_for<BentPaths>(more.forward()), first);
  PrivacyLoss laplace = loss, longer = loss;
  laplace.compose(PrivacyLoss::laplace(Precise::exactly(0.5)));
  longer.compose(PrivacyLoss::laplace(Precise::exactly(0.25)));
  EXPECT_FALSE(same_finite_loss(laplace.forward(), longer.forward()));
}

}  // namespace
}  // namespace modicum::testing::kept_for_test
