#include "privacy/engines/objective_line.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/ball_integral.h"
#include "privacy/engines/engine.h"
#include "privacy/laws/objective_law.h"
#include "privacy/quantity_value.h"
#include "support/seeded_random.h"

namespace modicum::testing::objective_line_test {
namespace {

struct Sum {
  std::vector<std::shared_ptr<const LossLaw>> laws;
  std::vector<int> counts;

  const ObjectiveLaw& law(std::size_t i) const {
    return dynamic_cast<const ObjectiveLaw&>(*laws[i]);
  }
  std::vector<QuickPart> quick(double center) const {
    std::vector<QuickPart> parts;
    for (std::size_t i = 0; i < laws.size(); ++i) {
      const Ball value = log(law(i).moment_above(ComplexBall(Ball(center))).real());
      parts.push_back({QuickMoment(law(i).pieces(), Ball(center), value), counts[i]});
    }
    return parts;
  }
};

Sum random_sum(SeededRandom& random, double most_copies) {
  Sum sum;
  for (int part = random.unit() < 0.5 ? 1 : 2; part > 0; --part) {
    const Precise a = Precise::exactly(random.log_uniform(0.01, 20.0));
    const Ball offset = random.unit() < 0.5 ? 0.0 : random.unit();
    sum.laws.push_back(random.unit() < 0.5 ? cut_normal_law(offset, a)
                                           : folded_normal_law(offset, a));
    sum.counts.push_back(static_cast<int>(random.log_uniform(1.0, most_copies)));
  }
  return sum;
}

// The second route: Arb's adaptive rule, with Arb's error function, on the same ray.
TEST(ObjectiveLine, OverlapsTheIntegralInBalls) {
  SeededRandom random(11);
  const PrecisionScope scope(80);
  int found = 0;
  for (int i = 0; i < 60; ++i) {
    const Sum sum = random_sum(random, 30.0);
    const double center = random.log_uniform(0.05, 30.0),
                 reach = center + random.log_uniform(0.5, 30.0);
    const Ball distance = random.log_uniform(0.05, 10.0);
    const std::vector<QuickPart> parts = sum.quick(center);
    const auto quick = quick_bent_integral(parts, distance, center, reach);
    if (!quick) continue;
    ComplexBall direction(Ball(0.5), sqrt(Ball(3.0)) / 2.0);
    const auto along = [&](const ComplexBall& r, bool) {
      const ComplexBall d = direction * r, z = d + ComplexBall(Ball(center));
      ComplexBall value = exp(-(d * distance)) / (z * (z + ComplexBall(Ball(1.0))));
      value *= Ball(center) * (Ball(center) + 1.0);
      for (std::size_t k = 0; k < parts.size(); ++k)
        value *=
            power(sum.law(k).moment_above(z) * exp(-parts[k].moment.log_scale()), parts[k].count);
      return value;
    };
    const ComplexBall whole =
        integrate(along, ComplexBall(Ball(0.0)), ComplexBall(Ball(reach)), {1e-15, 50, 100000}) *
        direction;
    const Ball truth = whole.imaginary() / Ball::pi();
    if (!truth.finite()) continue;
    ++found;
    EXPECT_TRUE(arb_overlaps(quick->raw(), truth.raw()))
        << i << ' ' << quick->middle() << ' ' << truth.middle();
  }
  EXPECT_GT(found, 35);
}

// Where the least loss of all is exceeded the profile falls with the shift, from what it is there.
TEST(ObjectiveLine, ProfilesOfRandomSumsFallAndAreSharp) {
  SeededRandom random(12);
  for (int i = 0; i < 20; ++i) {
    const Sum sum = random_sum(random, 30.0);
    DirectedLoss loss;
    Ball least = 0.0;
    double spread = 0.0;
    for (std::size_t k = 0; k < sum.laws.size(); ++k) {
      loss.laws.push_back({sum.laws[k], static_cast<double>(sum.counts[k])});
      least += sum.law(k).least() * Ball(static_cast<double>(sum.counts[k]));
      const double a = sum.law(k).pieces().pieces.front().slope.middle();
      spread += sum.counts[k] * (0.5 * a * a + a);
    }
    double before = 1.0;
    for (const double share : {1e-6, 1e-3, 0.1, 0.5, 1.0, 2.0, 4.0}) {
      const auto value = objective_profile(loss, least.upper() + share * spread);
      if (!value) continue;
      EXPECT_LE(value->value.lower(), before) << i << ' ' << share;
      EXPECT_LE(relative_width(value->value), 1e-9) << i << ' ' << share;
      before = value->value.upper();
    }
  }
}

TEST(ObjectiveLine, RefusesNoNumbers) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  SeededRandom random(13);
  const std::vector<QuickPart> parts = random_sum(random, 3.0).quick(1.0);
  EXPECT_FALSE(quick_bent_integral(parts, Ball(nan), 1.0, 2.0));
  EXPECT_FALSE(quick_bent_integral(parts, Ball(1.0), nan, 2.0));
  EXPECT_FALSE(quick_bent_integral(parts, Ball(1.0), 1.0, nan));
  EXPECT_FALSE(quick_bent_integral(parts, Ball(-1.0), 1.0, 2.0));
  EXPECT_FALSE(quick_bent_integral(parts, Ball(1.0), 0.0, 2.0));
}

}  // namespace
}  // namespace modicum::testing::objective_line_test
