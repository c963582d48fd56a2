#include "privacy/sampled_laplace/laplace_line.h"

#include <gtest/gtest.h>

#include "privacy/laws/subsampled_law.h"
#include "support/seeded_random.h"

namespace modicum::testing::laplace_line_test {
namespace {

TEST(LaplaceLine, HoldsTheMomentOfTheLaw) {
  SeededRandom random(5111);
  for (int i = 0; i < 60; ++i) {
    const PrecisionScope scope(128);
    const SampledLaplace noise{Precise::exactly(random.log_uniform(1e-3, 10.0)),
                               random.log_uniform(1e-5, 0.999)};
    const LaplaceLine::Law law(noise);
    const double scale = 1.0 / law.width.middle();
    const double center = scale * random.uniform(-20.0, 20.0),
                 height = scale * random.uniform(0.0, 30.0);
    SCOPED_TRACE(::testing::Message()
                 << noise.range.high << ' ' << noise.rate << ' ' << center << ' ' << height);
    const auto line = LaplaceLine::make(law, center, height);
    ASSERT_TRUE(line.has_value());
    const auto truth =
        subsampled_laplace_law(noise.range, noise.rate)->moment_line(Ball(center) - 1.0, height);
    for (const double part : {0.0, 0.3, 1.0}) {
      const Ball y = part * height;
      const auto found = line->at(part * height);
      const ComplexBall other =
          truth(y) * exp(-(ComplexBall(Ball(center), y) * law.low) - Ball(line->log_scale()));
      const std::complex<double> rounded(static_cast<double>(found.value.real()),
                                         static_cast<double>(found.value.imag()));
      const Ball allowed = Ball(found.error) + Ball(0x1p-52);
      EXPECT_TRUE((ComplexBall(Ball(rounded.real()), Ball(rounded.imag())).widened(allowed) - other)
                      .contains_zero());
      EXPECT_LE(found.error, 1e-13);
    }
    EXPECT_GE(line->log_most(), (log(truth(0.0).real()) - Ball(center) * law.low).lower());
  }
}

// Ranges that are no doubles: pieces of them meet to the last place of a long double.
TEST(LaplaceLine, KeepsItsErrorWhereTheRangeIsNoDouble) {
  for (const double denominator :
       {0.9999999999999999, 1.9999999999999998, 0.49999999999999994, 3.0, 0.7, 0.3}) {
    const PrecisionScope scope(128);
    const SampledLaplace noise{Precise::ratio(1.0, denominator), 0.01};
    const LaplaceLine::Law law(noise);
    for (const double center : {-3.0, 1.5, 4.0}) {
      SCOPED_TRACE(::testing::Message() << denominator << ' ' << center);
      const auto line = LaplaceLine::make(law, center, 10.0);
      ASSERT_TRUE(line.has_value());
      const auto truth =
          subsampled_laplace_law(noise.range, noise.rate)->moment_line(Ball(center) - 1.0, 10.0);
      const auto found = line->at(0.0L);
      const auto high = static_cast<double>(found.value.real()),
                 low = static_cast<double>(found.value.real() - high);
      const Ball other =
          truth(0.0).real() * exp(-(Ball(center) * law.low) - Ball(line->log_scale()));
      EXPECT_TRUE((Ball(high) + Ball(low) - other).widened(Ball(found.error)).contains_zero());
    }
  }
}

TEST(LaplaceLine, RefusesWhatTakesTooLong) {
  const LaplaceLine::Law law({Precise::exactly(1.0), 0.1});
  EXPECT_FALSE(LaplaceLine::make(law, 1.5, 1e6).has_value());
  EXPECT_FALSE(LaplaceLine::make(LaplaceLine::Law({Precise::exactly(200.0), 0.1}), 1.5, 0.0));
}

}  // namespace
}  // namespace modicum::testing::laplace_line_test
