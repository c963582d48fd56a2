#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "numerics/contour.h"

namespace modicum::testing::saddle_test {
namespace {

// K(z) = m z + v z^2 / 2 of a normal L, cut to a strip at will: only the jet is asked for.
class NormalMoment final : public LogMoment {
 public:
  NormalMoment(double mean, double variance, double end = std::numeric_limits<double>::infinity())
      : mean_(mean), variance_(variance), end_(end) {}
  double lower_end() const override { return -1.0 - end_; }
  double upper_end() const override { return end_; }
  Jet jet(long double x) const override {
    return {mean_ * x + variance_ * x * x / 2, mean_ + variance_ * x, variance_, 1, 1, 0};
  }
  std::unique_ptr<Expansion> expand(double) const override { return nullptr; }
  std::unique_ptr<BallExpansion> expand_ball(double) const override { return nullptr; }

 private:
  double mean_, variance_, end_;
};

double log_kernel(double x, Kernel kernel) {
  return -(has_pole_at_zero(kernel) ? std::log(std::abs(x)) : 0.0) -
         (has_pole_at_minus_one(kernel) ? std::log(std::abs(x + 1.0)) : 0.0);
}

constexpr Kernel all_kernels[] = {Kernel::profile, Kernel::upper_tail, Kernel::lower_tail,
                                  Kernel::tilted_upper, Kernel::tilted_lower};

TEST(Strip, LiesOnTheSideOfThePolesThatTheKernelSays) {
  const NormalMoment moment(0.5, 1.0, 3.0);
  const auto expect = [&](Kernel kernel, double lower, double upper) {
    const Strip strip = strip_of(moment, kernel);
    EXPECT_EQ(strip.lower, lower);
    EXPECT_EQ(strip.upper, upper);
  };
  expect(Kernel::profile, 0.0, 3.0);
  expect(Kernel::upper_tail, 0.0, 3.0);
  expect(Kernel::lower_tail, -4.0, 0.0);
  expect(Kernel::tilted_upper, -1.0, 3.0);
  expect(Kernel::tilted_lower, -4.0, -1.0);
}

TEST(Saddle, IsTheMinimumOnTheStrip) {
  for (const double variance : {1e-4, 0.3, 5.0})
    for (const double shift : {-2.0, 0.0, 0.7, 30.0})
      for (const Kernel kernel : all_kernels) {
        const NormalMoment moment(0.5 * variance, variance);
        const auto saddle = find_saddle(moment, shift, kernel);
        ASSERT_TRUE(saddle.has_value());
        const Strip strip = strip_of(moment, kernel);
        EXPECT_GT(saddle->point, strip.lower);
        EXPECT_LT(saddle->point, strip.upper);
        const auto f = [&](double x) {
          return static_cast<double>(moment.jet(x).value) - shift * x + log_kernel(x, kernel);
        };
        const double here = f(saddle->point), h = 0.5 * saddle->scale;  // close enough
        EXPECT_LE(here, f(saddle->point + h));
        EXPECT_LE(here, f(saddle->point - h));
        EXPECT_NEAR(static_cast<double>(saddle->value),
                    static_cast<double>(moment.jet(saddle->point).value) - shift * saddle->point,
                    1e-12 * (1.0 + std::abs(here)));
      }
}

// L = 0: beyond it K(x) - s x falls for ever.
TEST(Saddle, IsNotFoundWhereThereIsNone) {
  EXPECT_FALSE(find_saddle(NormalMoment(0.0, 0.0), 1.0, Kernel::upper_tail).has_value());
  EXPECT_TRUE(find_saddle(NormalMoment(0.0, 0.0), -1.0, Kernel::upper_tail).has_value());
}

}  // namespace
}  // namespace modicum::testing::saddle_test
