// The contour integral for a loss whose every quantity is known: L ~ N(v/2, v), for which
// K(z) = v z (1 + z) / 2.
#include "numerics/contour.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/closed_forms.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::contour_test {
namespace {

class NormalMoment final : public LogMoment {
 public:
  explicit NormalMoment(double variance) : variance_(variance) {}
  double lower_end() const override { return -HUGE_VAL; }
  double upper_end() const override { return HUGE_VAL; }
  Jet jet(long double x) const override {
    const long double v = variance_, value = v * x * (1 + x) / 2;
    return {value, v * (1 + 2 * x) / 2, v, std::abs(value), std::abs(v * (1 + 2 * x) / 2), 0};
  }
  std::unique_ptr<Expansion> expand(double) const override {
    return std::make_unique<Tangent>(variance_);
  }
  std::unique_ptr<BallExpansion> expand_ball(double center) const override {
    return std::make_unique<BallTangent>(variance_, center);
  }

 private:
  // R(d) = v d^2 / 2; above c + d, Re R = v (x^2 - y^2) / 2 <= v (x^2 - y0^2 - 2 y0^2 log(y / y0))
  // / 2.
  struct Tangent final : Expansion {
    explicit Tangent(double v) : variance(v) {}
    std::complex<double> at(std::complex<double> d, long double tilt) const override {
      return 0.5 * variance * d * d + static_cast<double>(tilt) * d;
    }
    VerticalBound above(std::complex<double> d) const override {
      const double y = d.imag() * d.imag();
      return {0.5 * variance * (d.real() * d.real() - y), variance * y};
    }
    double variance;
  };
  struct BallTangent final : BallExpansion {
    BallTangent(double v, double c) : variance(v), center(c) {}
    Ball value() const override { return variance * center * (center + 1.0) / 2.0; }
    Ball slope() const override { return variance * (center * 2.0 + 1.0) / 2.0; }
    ComplexBall at(const ComplexBall& d, const Ball& tilt) const override {
      return d * d * (variance / 2.0) + d * tilt;
    }
    BallVerticalBound above(const ComplexBall& d) const override {
      const Ball x = d.real() * d.real(), y = d.imaginary() * d.imaginary();
      return {variance * (x - y) / 2.0, variance * y};
    }
    Ball variance, center;
  };
  double variance_;
};

Ball truth_of(double variance, double shift, Kernel kernel) {
  return evaluated([&] {
    const Ball t = sqrt(Ball(variance)), s = shift, root = sqrt(Ball(2.0));
    const Ball near = (s / t - t / 2.0) / root, far = (s / t + t / 2.0) / root;
    switch (kernel) {
      case Kernel::profile:
        return (erfc(near) - exp(s) * erfc(far)) / 2.0;
      case Kernel::upper_tail:
        return erfc(near) / 2.0;
      case Kernel::lower_tail:
        return erfc(-near) / 2.0;
      case Kernel::tilted_upper:
        return exp(s) * erfc(far) / 2.0;
      case Kernel::tilted_lower:
        break;
    }
    return exp(s) * erfc(-far) / 2.0;
  });
}

constexpr Kernel kernels[] = {Kernel::profile, Kernel::upper_tail, Kernel::lower_tail,
                              Kernel::tilted_upper, Kernel::tilted_lower};

TEST(ContourIntegral, HoldsEveryKernelInDoubles) {
  SeededRandom random(951);
  for (int i = 0; i < 4000; ++i) {
    const double variance = random.log_uniform(1e-6, 100.0);
    const double shift = std::sqrt(variance) * random.uniform(-20.0, 20.0);
    const Kernel kernel = kernels[random.whole(0, 4)];
    const auto value = contour_integral(NormalMoment(variance), shift, kernel);
    ASSERT_TRUE(value.has_value()) << variance << ' ' << shift;
    const Ball truth = truth_of(variance, shift, kernel);
    const PrecisionScope scope(truth_bits);
    const Ball exponent =
        Ball(static_cast<double>(value->exponent)) +
        Ball(static_cast<double>(value->exponent - static_cast<double>(value->exponent)));
    const double error = (abs(Ball(value->mantissa) * exp(exponent) - truth) / truth).upper();
    EXPECT_LE(error, value->relative_error) << "kernel " << static_cast<int>(kernel)
                                            << ", variance " << variance << ", shift " << shift;
    EXPECT_LE(value->relative_error, 1e-12);
  }
}

TEST(CertifiedContourIntegral, HoldsEveryKernel) {
  SeededRandom random(952);
  for (int i = 0; i < 100; ++i) {
    const PrecisionScope scope(128);
    const double variance = random.log_uniform(1e-4, 100.0);
    const double shift = std::sqrt(variance) * random.uniform(-20.0, 20.0);
    const Kernel kernel = kernels[i % 5];
    const NormalMoment moment(variance);
    const auto path = contour_integral(moment, shift, kernel)->path;
    const auto value = certified_contour_integral(moment, Ball(shift), kernel, path);
    ASSERT_TRUE(value.has_value());
    EXPECT_TRUE(arb_overlaps(value->raw(), truth_of(variance, shift, kernel).raw()));
    EXPECT_GE(arb_rel_accuracy_bits(value->raw()), 40);
  }
}

// A poor path costs width, not truth.
TEST(CertifiedContourIntegral, StaysTrueOnPoorPaths) {
  SeededRandom random(953);
  const NormalMoment moment(1.0);
  for (int i = 0; i < 60; ++i) {
    const PrecisionScope scope(128);
    const ContourPath path{random.log_uniform(0.01, 20.0), random.log_uniform(0.01, 2.0),
                           static_cast<double>(random.whole(-1, 1)), random.uniform(0.5, 8.0)};
    const auto value = certified_contour_integral(moment, Ball(2.0), Kernel::profile, path);
    if (!value) continue;
    const Ball truth = truth_of(1.0, 2.0, Kernel::profile);
    EXPECT_TRUE(arb_overlaps(value->raw(), truth.raw()))
        << path.center << ' ' << path.scale << ' ' << path.side << ' ' << path.end << ": "
        << ::testing::PrintToString(*value);
  }
}

TEST(CertifiedContourIntegral, CoversAShiftThatIsABall) {
  const PrecisionScope scope(128);
  const NormalMoment moment(1.0);
  const auto path = contour_integral(moment, 1.0, Kernel::profile)->path;
  const auto value =
      certified_contour_integral(moment, Ball(1.0).widened(1e-6), Kernel::profile, path);
  ASSERT_TRUE(value.has_value());
  for (const double shift : {1.0 - 1e-6, 1.0, 1.0 + 1e-6})
    EXPECT_TRUE(arb_overlaps(value->raw(), truth_of(1.0, shift, Kernel::profile).raw()));
}

TEST(ChernoffBound, LiesAboveEveryKernel) {
  SeededRandom random(954);
  for (int i = 0; i < 300; ++i) {
    const PrecisionScope scope(128);
    const double variance = random.log_uniform(1e-3, 30.0);
    const double shift = std::sqrt(variance) * random.uniform(-10.0, 10.0);
    const Kernel kernel = kernels[i % 5];
    const Ball bound = chernoff_bound(NormalMoment(variance), Ball(shift), kernel);
    EXPECT_FALSE(surely_less(bound, truth_of(variance, shift, kernel)))
        << static_cast<int>(kernel) << ' ' << variance << ' ' << shift;
  }
}

TEST(Saddle, LiesAtTheMinimumInsideTheStrip) {
  SeededRandom random(955);
  for (int i = 0; i < 500; ++i) {
    const double variance = random.log_uniform(1e-6, 100.0);
    const double shift = std::sqrt(variance) * random.uniform(-20.0, 20.0);
    const NormalMoment moment(variance);
    for (const Kernel kernel : kernels) {
      const auto saddle = find_saddle(moment, shift, kernel);
      ASSERT_TRUE(saddle.has_value());
      const Strip strip = strip_of(moment, kernel);
      EXPECT_GT(saddle->point, strip.lower);
      EXPECT_LT(saddle->point, strip.upper);
      // f' is small against sqrt(f'').
      const long double x = saddle->point;
      long double first = variance * (1 + 2 * x) / 2 - shift, second = variance;
      if (has_pole_at_zero(kernel)) first -= 1 / x, second += 1 / (x * x);
      if (has_pole_at_minus_one(kernel)) first -= 1 / (x + 1), second += 1 / ((x + 1) * (x + 1));
      EXPECT_LE(std::abs(first), 0.11L * std::sqrt(second));
    }
  }
}

}  // namespace
}  // namespace modicum::testing::contour_test
