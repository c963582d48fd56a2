#include "modicum/release/classical_comparison.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/release/component_release.h"
#include "modicum/release/covariance_release.h"
#include "modicum/release/matrix_release.h"
#include "modicum/release/vector_release.h"

namespace modicum::classical_comparison_test {
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

// Off the diagonal a matrix has 1/sqrt 2 of the noise on it; Analyze Gauss has the same on both.
TEST(ClassicalNoiseRatio, CountsWhatIsDrawn) {
  const PublicRows rows({"a", "b", "c"}, 2.0);
  const PrivacyTarget target(0.5, 1e-6);
  const auto ratio = [&](ComponentMethod method) {
    return classical_noise_ratio(plan_components(target, rows, {1.0, method}).certificate).value();
  };
  const double exact = calibrate_gaussian(target, 1.0).parameter;
  const double classical = classical_gaussian_deviation(0.5, 1e-6, 1.0);
  EXPECT_NEAR(ratio(ComponentMethod::analyze_gauss), classical / exact, 1e-6);
  EXPECT_NEAR(ratio(ComponentMethod::gaussian_orthogonal_ensemble),
              std::sqrt(2.0) * classical / exact, 1e-6);
  for (const MatrixNoise noise :
       {MatrixNoise::gaussian_orthogonal_ensemble, MatrixNoise::analyze_gauss}) {
    const MatrixPlan plan = plan_matrix(target, 3.0, 4.0, noise);
    EXPECT_NEAR(classical_noise_ratio(plan.certificate).value(),
                4.0 * classical / plan.standard_deviation, 1e-9);
  }
}

TEST(ClassicalNoiseRatio, IsSilentWithoutATheorem) {
  EXPECT_FALSE(classical_noise_ratio(of_vector(1.5, 1e-6)));
  EXPECT_FALSE(classical_noise_ratio(of_vector(0.0, 1e-6)));
  EXPECT_FALSE(classical_noise_ratio(of_vector(0.5, 1e-6, VectorNoise::l2)));
  Certificate none = of_vector(0.5, 1e-6);
  none.loss = {};
  EXPECT_FALSE(classical_noise_ratio(none));
}

}  // namespace
}  // namespace modicum::classical_comparison_test
