#include "privacy/engines/part_laws.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/engines/engine.h"
#include "privacy/engines/quantity.h"
#include "support/seeded_random.h"
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

// Variances alone: chi-square tails against the contour integrals of the spectrum, both directions.
TEST(PartLaws, TailsOfOneVarianceRatioAreThoseOfTheContour) {
  SeededRandom random(31);
  for (int i = 0; i < 60; ++i) {
    const double excess = random.log_uniform(1e-4, 30.0);
    const double degrees = std::ceil(random.log_uniform(1.0, 2000.0));
    DirectedLoss loss;
    loss.gaussian = GaussianSpectrum::component(0.0, 1.0 + excess, degrees);
    if (random.unit() < 0.5) loss.gaussian = loss.gaussian.reversed();
    const auto law = laws_of(loss).front().law;
    EXPECT_LT(law->cost(Accuracy::certified), 1e-3);
    const double spread = 0.5 * excess * std::sqrt(2.0 * degrees) / (1.0 + excess);
    const double at = spread * (8.0 * random.unit() - 3.0);
    const PrecisionScope scope(160);
    const LossTails found = law->tails(at, Accuracy::certified);
    EXPECT_EQ(found.proof, Proof::certified);
    const Ball scale = exp(-Ball(at));
    const auto expect = [&](const Ball& value, Kernel kernel, const Ball& factor) {
      const QuantityValue other =
          gaussian_quantity(loss.gaussian, Ball(at), kernel, Accuracy::certified);
      const Ball truth = other.value * factor;
      EXPECT_TRUE(value.lower() <= truth.upper() && value.upper() >= truth.lower())
          << excess << ' ' << degrees << ' ' << at << ' ' << value.middle() << ' '
          << truth.middle();
    };
    expect(found.above_x, Kernel::upper_tail, 1.0);
    expect(found.below_x, Kernel::lower_tail, 1.0);
    expect(found.above_y, Kernel::tilted_upper, scale);
    expect(found.below_y, Kernel::tilted_lower, scale);
    EXPECT_LE(found.above_x.upper() - found.above_x.lower(), 1e-12);
  }
}

// Beyond the least or the largest loss, at n/2 log tau.
TEST(PartLaws, OneVarianceRatioHasLossesOnOneSideOnly) {
  DirectedLoss loss;
  loss.gaussian = GaussianSpectrum::component(0.0, 2.0, 10.0);
  const double end = 5.0 * std::log(2.0);
  const LossTails above = laws_of(loss).front().law->tails(-end - 1e-9, Accuracy::certified);
  EXPECT_EQ(above.below_x.upper(), 0.0);
  EXPECT_EQ(above.above_y.lower(), 1.0);
  // Next to the end tails are below the least double, and still told soon.
  loss.gaussian = GaussianSpectrum::component(0.0, 1.01, 300.0);
  const double near = -150.0 * std::log(1.01) + 1e-4;
  const LossTails deep = laws_of(loss).front().law->tails(near, Accuracy::certified);
  EXPECT_TRUE(deep.below_x.surely_positive());
  EXPECT_LT(deep.below_x.upper(), 1e-300);
  loss.gaussian = GaussianSpectrum::component(0.0, 2.0, 10.0).reversed();
  const LossTails below = laws_of(loss).front().law->tails(end + 1e-9, Accuracy::certified);
  EXPECT_EQ(below.above_x.upper(), 0.0);
  EXPECT_EQ(below.below_y.lower(), 1.0);
}

}  // namespace
}  // namespace modicum::testing::part_laws_test
