// Truncated power series against closed forms and against ball arithmetic.
#include "numerics/taylor.h"

#include <arb_poly.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::taylor_test {
namespace {

bool holds(const Bounded& bounded, const Ball& truth) {
  const PrecisionScope scope(truth_bits);
  return !(abs(truth - bounded.middle) - bounded.radius).surely_positive();
}

// arb_poly at high precision, as the second route.
class ExactSeries {
 public:
  ExactSeries() { arb_poly_init(value_); }
  ~ExactSeries() { arb_poly_clear(value_); }
  ExactSeries(const ExactSeries&) = delete;
  ExactSeries& operator=(const ExactSeries&) = delete;
  arb_poly_struct* raw() { return value_; }
  void set(int n, double value) { arb_poly_set_coeff_arb(value_, n, Ball(value).raw()); }
  Ball operator[](int n) const {
    Ball result;
    arb_poly_get_coeff_arb(result.raw(), value_, n);
    return result;
  }

 private:
  arb_poly_t value_;
};

struct RandomSeries {
  Taylor series;
  ExactSeries exact;
  explicit RandomSeries(SeededRandom& random, double first) {
    for (int n = 0; n <= Taylor::order; ++n) {
      const double value = n == 0 ? first : random.uniform(-1.0, 1.0) * std::pow(0.7, n);
      series.set(n, value);
      exact.set(n, value);
    }
  }
};

constexpr int length = Taylor::order + 1;

void expect_same(const Taylor& series, const ExactSeries& exact, double relative) {
  for (int n = 0; n <= Taylor::order; ++n) {
    EXPECT_TRUE(holds(series[n], exact[n])) << "coefficient " << n;
    EXPECT_LT(series[n].radius, relative * (1.0 + series[n].magnitude())) << "coefficient " << n;
  }
}

TEST(Taylor, OperationsContainTheExactSeriesAndStaySharp) {
  SeededRandom random(501);
  for (int i = 0; i < 50; ++i) {
    RandomSeries a(random, random.uniform(0.5, 3.0)), b(random, random.uniform(-2.0, 2.0));
    ExactSeries exact;
    arb_poly_mullow(exact.raw(), a.exact.raw(), b.exact.raw(), length, truth_bits);
    expect_same(a.series * b.series, exact, 1e-13);
    arb_poly_div_series(exact.raw(), b.exact.raw(), a.exact.raw(), length, truth_bits);
    expect_same(b.series / a.series, exact, 1e-8);

    const PrecisionScope scope(truth_bits);
    arb_poly_exp_series(exact.raw(), b.exact.raw(), length, truth_bits);
    expect_same(exponential(b.series, Bounded(exp(b.exact[0]))), exact, 1e-13);

    const double exponent = random.uniform(-4.0, 4.0);
    arb_poly_pow_arb_series(exact.raw(), a.exact.raw(), Ball(exponent).raw(), length, truth_bits);
    expect_same(power(a.series, exponent, Bounded(exp(log(a.exact[0]) * exponent))), exact, 1e-8);
  }
}

TEST(Taylor, PowerTwoIsTheSquare) {
  SeededRandom random(502);
  RandomSeries a(random, 2.0);
  const Taylor square = power(a.series, 2.0, 4.0), product = a.series * a.series;
  for (int n = 0; n <= Taylor::order; ++n)
    EXPECT_LE(std::abs(square[n].middle - product[n].middle), square[n].radius + product[n].radius);
}

TEST(Taylor, DerivativeUndoesTheAntiderivative) {
  SeededRandom random(503);
  RandomSeries a(random, 1.0);
  const Taylor same = derivative(antiderivative(a.series, 7.0));
  for (int n = 0; n < Taylor::order; ++n)
    EXPECT_LE(std::abs(same[n].middle - a.series[n].middle), same[n].radius);
}

// The integral over [m - h, m + h] of e^{x} e^{2x}, expanded around m and everywhere.
TEST(Taylor, IntegralOfAProductIsEnclosed) {
  for (const double half : {0.01, 0.1, 0.5, 2.0}) {
    const PrecisionScope scope(truth_bits);
    const Ball range = Ball::between(0.3 - half, 0.3 + half), middle(0.3);
    const auto series = [&](const Ball& x, double rate) {
      return exponential_of_linear(Bounded(exp(x * rate)), rate * half);
    };
    const Bounded found = integral_of_product(series(middle, 1.0), series(middle, 2.0),
                                              series(range, 1.0), series(range, 2.0));
    const Ball truth =
        (exp((middle + half) * 3.0) - exp((middle - half) * 3.0)) / (Ball(3.0) * half);
    EXPECT_TRUE(holds(found, truth)) << half;
    if (half <= 0.5) {
      EXPECT_LT(found.radius, 1e-13) << half;
    }
  }
}

TEST(Bounded, DivisionByWhatMayBeZeroIsUnknown) {
  EXPECT_EQ((Bounded(1.0) / Bounded(0.5, 0.5)).radius, HUGE_VAL);
  EXPECT_EQ((Bounded(1.0) / Bounded(0.0)).radius, HUGE_VAL);
}

TEST(Bounded, NeverForgetsAnUnderflow) {
  const Bounded tiny = Bounded(1e-200) * Bounded(1e-200);
  EXPECT_EQ(tiny.middle, 0.0);
  EXPECT_GT(tiny.radius, 0.0);
}

TEST(Bounded, ContainsTheBallItCameFrom) {
  const PrecisionScope scope(truth_bits);
  const Ball third = Ball(1.0) / 3.0;
  EXPECT_TRUE(holds(Bounded(third), third));
  Ball unknown;
  arb_indeterminate(unknown.raw());
  EXPECT_FALSE(std::isfinite(Bounded(unknown).radius));
}

}  // namespace
}  // namespace modicum::testing::taylor_test
