#include "privacy/engines/part_laws.h"

#include <gtest/gtest.h>

#include "privacy/engines/quantity.h"
#include "support/truth.h"

namespace modicum::testing::part_laws_test {
namespace {

bool overlap(const Ball& a, const Ball& b) { return arb_overlaps(a.raw(), b.raw()) != 0; }

// Each part as a law has the tails that its own engine finds.
void expect_tails(const DirectedLoss& loss, double threshold) {
  const PrecisionScope scope(160);
  const std::vector<LawPart> laws = laws_of(loss);
  ASSERT_EQ(laws.size(), 1u);
  ASSERT_EQ(laws.front().count, 1.0);
  const LossTails tails = laws.front().law->tails(threshold, Accuracy::certified);
  const auto engine = [&](Kernel kernel) {
    return quantity(loss, threshold, kernel, Accuracy::certified).value;
  };
  const Ball scale = exp(Ball(threshold));
  EXPECT_TRUE(overlap(tails.above_x, engine(Kernel::upper_tail))) << threshold;
  EXPECT_TRUE(overlap(tails.below_x, engine(Kernel::lower_tail))) << threshold;
  EXPECT_TRUE(overlap(tails.above_y * scale, engine(Kernel::tilted_upper))) << threshold;
  EXPECT_TRUE(overlap(tails.below_y * scale, engine(Kernel::tilted_lower))) << threshold;
  EXPECT_LE(tails.above_x.upper() - tails.above_x.lower(), 1e-12);
}

TEST(PartLaws, HaveTheTailsOfTheirClosedForms) {
  for (const double threshold : {-0.8, -0.3, 0.0, 0.4, 0.9}) {
    expect_tails(PrivacyLoss::gaussian(GaussianSpectrum::component(0.5, 1.25, 2.0)).forward(),
                 threshold);
    expect_tails(PrivacyLoss::two_point(Precise::exactly(0.5)).forward(), threshold);
    expect_tails(PrivacyLoss::laplace(Precise::exactly(0.5)).forward(), threshold);
  }
}

TEST(PartLaws, CountEveryPart) {
  PrivacyLoss loss = PrivacyLoss::gaussian(GaussianSpectrum::shift(1.0, 1.0)).repeated(9.0);
  loss.compose(PrivacyLoss::two_point(Precise::exactly(0.5)).repeated(2.0));
  loss.compose(PrivacyLoss::laplace(Precise::exactly(0.25)).repeated(3.0));
  double count = 0.0;
  for (const LawPart& part : laws_of(loss.forward())) count += part.count;
  EXPECT_EQ(count, 1.0 + 2.0 + 3.0);  // the Gaussian part is one law, already composed
  EXPECT_TRUE(laws_of(DirectedLoss()).empty());
}

// At an epsilon that is no double the law cannot tell on which side of it the atom lies.
TEST(PartLaws, SayNothingWhereAnAtomMayBeOnEitherSide) {
  const Precise third = [] {
    Precise epsilon = Precise::exactly(0.5);
    epsilon.radius = 1e-20;
    return epsilon;
  }();
  const LawPart part = laws_of(PrivacyLoss::two_point(third).forward()).front();
  const LossTails tails = part.law->tails(0.5, Accuracy::certified);
  EXPECT_LE(tails.above_x.lower(), 0.0);
  EXPECT_GE(tails.above_x.upper(), 1.0);
}

}  // namespace
}  // namespace modicum::testing::part_laws_test
