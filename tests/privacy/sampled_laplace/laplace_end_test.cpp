#include "privacy/sampled_laplace/laplace_end.h"

#include <gtest/gtest.h>

#include "privacy/laws/subsampled_law.h"
#include "privacy/sampled_laplace/laplace_line.h"
#include "support/seeded_random.h"

namespace modicum::testing::laplace_end_test {
namespace {

using Complex = std::complex<double>;

struct Case {
  SampledLaplace noise;
  LaplaceLine::Law law{noise};
  LaplaceEnd lower{LaplaceEnd::Which::lower, law.lower_excess},
      upper{LaplaceEnd::Which::upper, law.upper_excess};
};

Case random_case(SeededRandom& random) {
  const double rate =
      random.whole(0, 1) == 0 ? random.log_uniform(1e-6, 0.9) : 1.0 - random.log_uniform(1e-6, 0.5);
  return {{Precise::exactly(random.log_uniform(1e-3, 8.0)), rate}};
}

ComplexBall ball_of(Complex z) { return {Ball(z.real()), Ball(z.imag())}; }
ComplexBall ball_of(const Disc& z) { return ball_of(z.middle()).widened(Ball(z.radius())); }

// Arb's integral between the atoms knows nothing of the ends.
TEST(LaplaceEnd, BothMakeTheMoment) {
  SeededRandom random(5101);
  for (int i = 0; i < 40; ++i) {
    const PrecisionScope scope(128);
    const Case c = random_case(random);
    const auto law = subsampled_laplace_law(c.noise.range, c.noise.rate);
    const double height =
        std::max(c.lower.least_height(), c.upper.least_height()) * random.log_uniform(1.0, 20.0);
    const Complex a(height * random.uniform(-1.5, 1.5), height);
    SCOPED_TRACE(::testing::Message() << c.noise.range.high << ' ' << c.noise.rate << ' ' << a);
    const auto lower = c.lower.rule(height, std::abs(a + 1.0) * 1.1);
    const auto upper = c.upper.rule(height, std::abs(a + 1.0) * 1.1);
    ASSERT_TRUE(lower.has_value() && upper.has_value());
    const ComplexBall whole = law->moment_line(Ball(a.real()) - 1.0, height)(Ball(height));
    const ComplexBall from_below = exp(ball_of(a) * c.law.low) * Ball(0.5),
                      from_above =
                          exp(ball_of(a) * (c.law.low + c.law.width) - c.law.range) * Ball(0.5);
    const ComplexBall found =
        ball_of(lower->at(a)) * from_below + ball_of(upper->at(a)) * from_above;
    EXPECT_TRUE((found - whole).contains_zero());
    EXPECT_LE(lower->at(a).radius(), 1e-10 * lower->at(a).most());
  }
}

TEST(LaplaceEnd, IsBounded) {
  SeededRandom random(5102);
  for (int i = 0; i < 100; ++i) {
    const Case c = random_case(random);
    for (const LaplaceEnd& end : {c.lower, c.upper}) {
      const double height = end.least_height() * random.log_uniform(1.0, 1e4);
      const Complex a(height * random.uniform(-3.0, 3.0), height * random.uniform(1.0, 2.0));
      const double step = 1e-3 * height;
      const auto rule = end.rule(height, std::abs(a) + 1.0 + step);
      ASSERT_TRUE(rule.has_value());
      const Disc here = rule->at(a), there = rule->at(a + step);
      EXPECT_LE(here.least(), end.most(height));
      EXPECT_LE((there - here).least(), step * end.most_slope(height));
    }
  }
}

TEST(LaplaceEnd, HasNoRuleNextToTheRealAxis) {
  const Case c{{Precise::exactly(1.0), 0.1}};
  EXPECT_FALSE(c.lower.rule(1.0, 3.0).has_value());
  EXPECT_TRUE(c.lower.rule(c.lower.least_height(), 10.0).has_value());
}

}  // namespace
}  // namespace modicum::testing::laplace_end_test
