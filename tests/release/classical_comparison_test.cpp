#include "modicum/release/classical_comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/release/covariance_release.h"
#include "modicum/release/vector_release.h"

namespace modicum {
namespace {

Certificate of_vector(double epsilon, double delta, VectorNoise noise = VectorNoise::gaussian) {
  return plan_given({epsilon, delta}, 2.0, 3.0, noise).certificate;
}

TEST(ClassicalNoiseRatio, IsThatOfTheFormula) {
  for (const double epsilon : {0.1, 0.5, 1.0})
    for (const double delta : {1e-3, 1e-9}) {
      const double exact = calibrate_gaussian({epsilon, delta}, 1.0).parameter;
      const double classical = std::sqrt(2.0 * std::log(1.25 / delta)) / epsilon;
      const auto ratio = classical_noise_ratio(of_vector(epsilon, delta));
      ASSERT_TRUE(ratio.has_value());
      // The noise has room for rounding the answer to its grid.
      EXPECT_NEAR(*ratio, classical / exact, 1e-6 * classical / exact);
      EXPECT_GT(*ratio, 1.0);
    }
}

TEST(ClassicalNoiseRatio, CountsNoiseOffTheDiagonalOfMoments) {
  const PublicRows rows({"a", "b"}, 2.0);
  const CovariancePlan plan = plan_covariance({0.5, 1e-6}, rows, {});
  EXPECT_DOUBLE_EQ(classical_noise_ratio(plan.certificate).value(),
                   4.0 * std::sqrt(2.0 * std::log(1.25e6)) / 0.5 / plan.standard_deviation);
}

TEST(ClassicalNoiseRatio, IsSilentWithoutATheorem) {
  EXPECT_FALSE(classical_noise_ratio(of_vector(1.5, 1e-6)));
  EXPECT_FALSE(classical_noise_ratio(of_vector(0.0, 1e-6)));
  EXPECT_FALSE(classical_noise_ratio(of_vector(0.5, 1e-6, VectorNoise::l2)));
  Certificate none = of_vector(0.5, 1e-6);
  none.loss.clear();
  EXPECT_FALSE(classical_noise_ratio(none));
}

}  // namespace
}  // namespace modicum
