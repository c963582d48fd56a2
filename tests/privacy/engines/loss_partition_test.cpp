#include "privacy/engines/loss_partition.h"

#include <gtest/gtest.h>

#include <cmath>

#include "privacy/engines/part_laws.h"
#include "privacy/laws/bounded_range_law.h"
#include "privacy/laws/subsampled_law.h"
#include "privacy/laws/table_law.h"

namespace modicum::testing::loss_partition_test {
namespace {

// E[(1 - exp(epsilon - L))_+] of a measure, what it takes for infinite included.
Ball profile_of(const LossMeasure& measure, double epsilon) {
  Ball sum = measure.infinite;
  for (std::size_t i = 0; i < measure.losses.size(); ++i)
    if (measure.losses[i] > epsilon)
      sum += Ball(measure.masses[i]) * -expm1(Ball(epsilon) - Ball(measure.losses[i]));
  return sum;
}

Ball exact_profile(const LossLaw& law, double epsilon) {
  const LossTails tails = law.tails(epsilon, Accuracy::certified);
  return tails.above_x - exp(Ball(epsilon)) * tails.above_y;
}

std::vector<std::shared_ptr<const LossLaw>> all_kinds() {
  const auto gaussian = subsampled_gaussian_law(Precise::exactly(1.0), 0.05);
  const auto laplace = subsampled_laplace_law(Precise::exactly(0.8), 0.1);
  DirectedLoss closed;
  closed.gaussian = GaussianSpectrum::shift(0.6, 1.0);
  closed.laplaces.push_back({Precise::exactly(0.7), 1.0});
  closed.two_points.push_back({Precise::exactly(0.4), 1.0});
  std::vector<std::shared_ptr<const LossLaw>> laws{
      gaussian,
      reversed(gaussian),
      laplace,
      reversed(laplace),
      bounded_range_law(0.6),
      table_law({-0.5, -0.1, 0.2, 0.9}, {Ball(0.2), Ball(0.3), Ball(0.3), Ball(0.2)})};
  for (const LawPart& part : laws_of(closed)) laws.push_back(part.law);
  return laws;
}

// The order is that of all decreasing convex functions of exp(-L), of which the profiles at all
// epsilons are the corners.
TEST(LossPartition, MeasuresLieOnBothSidesOfTheLawAtEveryEpsilon) {
  const PrecisionScope scope(128);
  int kind = 0;
  for (const auto& law : all_kinds()) {
    SCOPED_TRACE(kind++);
    for (const long cuts : {3L, 40L, 200L}) {
      LossPartition partition(law, 1.0, Accuracy::certified);
      partition.cover(1e-20, 0.0);
      partition.refine(2.0, 0.0, 1e-12, cuts);
      const LossMeasure above = partition.dominating(), below = partition.dominated();
      for (double epsilon = -2.03; epsilon < 2.0; epsilon += 0.0973) {
        const Ball exact = exact_profile(*law, epsilon);
        EXPECT_FALSE((profile_of(above, epsilon) - exact).surely_negative()) << epsilon;
        EXPECT_FALSE((profile_of(below, epsilon) - exact).surely_positive()) << epsilon;
      }
    }
  }
}

TEST(LossPartition, TheGapFallsWithTheSquareOfTheBins) {
  const PrecisionScope scope(128);
  const auto gap = [](long cuts) {
    LossPartition partition(subsampled_gaussian_law(Precise::exactly(1.0), 0.05), 1.0,
                            Accuracy::certified);
    partition.cover(1e-20, 0.0);
    partition.refine(2.0, 0.0, 1e-12, cuts);
    return (profile_of(partition.dominating(), 0.1) - profile_of(partition.dominated(), 0.1))
        .middle();
  };
  const double coarse = gap(500), fine = gap(4000);
  EXPECT_GT(coarse, 0.0);
  EXPECT_LT(fine, coarse / 20.0);  // 64 in the limit
}

TEST(LossPartition, EveryCutIsAMultipleOfTheSpacing) {
  const PrecisionScope scope(128);
  LossPartition partition(subsampled_gaussian_law(Precise::exactly(2.0), 0.01), 10.0,
                          Accuracy::certified);
  partition.cover(1e-10, 0.0);
  partition.refine(3.0, 1e-4, 1e-6, 300);
  partition.cover(1e-60, 3.0);
  partition.refine(3.0, 1e-6, 1e-6, 300);
  const double spacing = partition.spacing();
  for (const double loss : partition.dominating().losses)
    EXPECT_EQ(std::remainder(loss, spacing), 0.0) << loss;
}

// A law whose tails are no numbers: the bound from above must say that anything may happen.
class BrokenLaw final : public LossLaw {
 public:
  LossTails tails(double, Accuracy) const override {
    Ball nothing;
    arb_indeterminate(nothing.raw());
    return {nothing, nothing, nothing, nothing};
  }
  double cost(Accuracy) const override { return 1e-6; }
  Enclosure support() const override { return {-1.0, 1.0}; }
  QuantityValue moment(const Ball&) const override { return {Ball(1.0)}; }
  LossNodes nodes(double, double, int) const override { return {}; }
  bool equals(const LossLaw& other) const override { return this == &other; }
};

TEST(LossPartition, AnUnknownTailIsNeverTakenForZero) {
  const PrecisionScope scope(128);
  LossPartition partition(std::make_shared<BrokenLaw>(), 1.0, Accuracy::certified);
  partition.cover(1e-20, 0.0);
  EXPECT_GE(profile_of(partition.dominating(), 0.0).upper(), 0.5);
}

}  // namespace
}  // namespace modicum::testing::loss_partition_test
