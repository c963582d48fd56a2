#include "modicum/mechanisms/matrix_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "support/refusals.h"

namespace modicum::testing::matrix_noise_test {
namespace {

TEST(CovarianceMechanism, IsOneGaussianInTheMetricOfTheNoise) {
  const double deviation = 3.0, bound = 2.0;
  // A row v moves D^T D by v v^T: whitened entry by entry, diagonal variance twice the other.
  const Eigen::Vector3d v = Eigen::Vector3d(1.0, -2.0, 0.5).normalized() * bound;
  double mu_square = 0.0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j <= i; ++j)
      mu_square += std::pow(v[i] * v[j], 2) / (deviation * deviation * (i == j ? 2.0 : 1.0));
  const ProfilePoint direct = profile(gaussian_differential_privacy(std::sqrt(mu_square)), 0.4);
  const ProfilePoint found = profile(covariance_mechanism(deviation, bound), 0.4);
  EXPECT_NEAR(found.delta().upper(), direct.delta().upper(), 1e-14);
  EXPECT_NEAR(calibrate_covariance({1.0, 1e-6}, 1.0).parameter, 2.98729909, 1e-7);
  EXPECT_THROW(calibrate_covariance({1.0, 0.0}, 1.0), CalibrationFailed);
  EXPECT_TRUE(refuses("row_norm_bound", [] { return covariance_mechanism(1.0, -1.0); }));
}

}  // namespace
}  // namespace modicum::testing::matrix_noise_test
