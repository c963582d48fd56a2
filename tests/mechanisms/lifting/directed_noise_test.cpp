// Noise along public directions: no direction reaches farther than is said, the trace is near the
// least, and what is lifted by it is private on the worst neighbors. Seeds are fixed.
#include "modicum/mechanisms/directed_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/lifting.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/profile.h"
#include "numerics/dense.h"
#include "support/seeded_random.h"

namespace modicum::testing::directed_noise_test {
namespace {

Eigen::MatrixXd normals(SeededRandom& random, Eigen::Index rows, Eigen::Index columns) {
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return random.normal(); });
}

// u^T K^-1 u, by another route.
double squared_reach(const Eigen::MatrixXd& covariance, const Eigen::VectorXd& u) {
  return u.dot(CholeskyFactor(covariance).solve(u).col(0));
}

TEST(DirectedNoise, AxesNeedTheirSquares) {
  const Eigen::Vector3d lengths(3.0, 1.0, 0.01);
  const DirectedNoise found = least_directed_noise(lengths.asDiagonal());
  const Eigen::MatrixXd wanted = lengths.cwiseAbs2().asDiagonal();
  EXPECT_LT((found.reach * found.reach * found.covariance() - wanted).norm(), 0.02 * wanted.norm());
  EXPECT_NEAR(found.trace, lengths.squaredNorm(), 0.01 * lengths.squaredNorm());
}

TEST(DirectedNoise, NoDirectionReachesFartherAndNoTraceIsLess) {
  SeededRandom random(71);
  for (const Eigen::Index d : {1, 2, 5, 12}) {
    const Eigen::VectorXd scales = normals(random, d, 1).array().exp();
    const Eigen::MatrixXd directions = normals(random, 4 * d, d) * scales.asDiagonal();
    const DirectedNoise found = least_directed_noise(directions);
    for (const auto& u : directions.rowwise())
      EXPECT_LE(squared_reach(found.covariance(), u), found.reach * found.reach * (1.0 + 1e-9));
    EXPECT_GE(found.trace, found.least_trace * (1.0 - 1e-9));
    EXPECT_LE(found.trace, found.least_trace * 1.001);
    const double longest = directions.rowwise().squaredNorm().maxCoeff();
    EXPECT_LE(found.trace, longest * static_cast<double>(d) * 1.003);
    // Any other covariance that reaches as far has a larger trace.
    for (int i = 0; i < 20; ++i) {
      const Eigen::MatrixXd factor = normals(random, d, d);
      const Eigen::MatrixXd other =
          found.covariance() + random.unit() * (factor * factor.transpose()) * found.trace / 10.0;
      double reach = 0.0;
      for (const auto& u : directions.rowwise()) reach = std::max(reach, squared_reach(other, u));
      EXPECT_GE(other.trace() * reach, found.least_trace * (1.0 - 1e-9));
    }
  }
}

TEST(DirectedNoise, RefusesWhatDoesNotSpan) {
  EXPECT_THROW(least_directed_noise(Eigen::MatrixXd::Ones(5, 2)), InvalidParameter);
  EXPECT_THROW(least_directed_noise(Eigen::MatrixXd::Zero(2, 2)), InvalidParameter);
  EXPECT_THROW(least_directed_noise(Eigen::MatrixXd(0, 3)), InvalidParameter);
  EXPECT_THROW(least_directed_noise(Eigen::MatrixXd::Constant(2, 2, NAN)), InvalidParameter);
}

// Neighbors N(a u, S + b u u^T) and N(0, S), with noise on both: the exact delta.
double largest_delta(const Eigen::MatrixXd& noise, const Eigen::MatrixXd& own,
                     const Eigen::MatrixXd& directions, double shift, double excess,
                     double epsilon) {
  double largest = 0.0;
  for (const auto& row : directions.rowwise()) {
    const Eigen::VectorXd u = row.transpose();
    const Eigen::MatrixXd smaller = own + noise;
    for (const double b : {0.0, excess}) {
      const auto spectrum = reduce_pair({shift * u, smaller + b * u * u.transpose()},
                                        {Eigen::VectorXd::Zero(u.size()), smaller}, Accuracy::fast);
      largest = std::max(
          largest,
          profile(PrivacyLoss::gaussian(*spectrum), epsilon, Accuracy::fast).delta().lower());
    }
  }
  return largest;
}

TEST(DirectedNoise, LiftedOutputsArePrivateAndATwinWithLessNoiseIsCaught) {
  SeededRandom random(72);
  const PrivacyTarget target(1.0, 1e-5);
  constexpr double shift = 0.7, excess = 0.3;
  for (const Eigen::Index d : {2, 3}) {
    const Eigen::MatrixXd directions = normals(random, 2 * d, d);
    const DirectedNoise found = least_directed_noise(directions);
    const double reach = found.reach;
    const double variance = calibrate_lift(
                                target,
                                [&](double noise) {
                                  return OutputSensitivity(shift * reach / std::sqrt(noise),
                                                           excess * reach * reach / noise);
                                },
                                1.0)
                                .noise_variance;
    const Eigen::MatrixXd noise = variance * found.covariance();
    const Eigen::MatrixXd factor = normals(random, d, 1);
    // An output that is one number but for the noise, and one that is random itself.
    for (const double own : {0.0, 0.5}) {
      const Eigen::MatrixXd covariance = own * factor * factor.transpose();
      const double delta = largest_delta(noise, covariance, directions, shift, excess, 1.0);
      EXPECT_LE(delta, 1e-5 * (1.0 + 1e-9));
      if (own > 0.0) continue;
      EXPECT_GE(delta, 0.9e-5);  // the worst direction attains it
      EXPECT_GT(largest_delta(0.9 * noise, covariance, directions, shift, excess, 1.0), 1e-5);
    }
  }
}

}  // namespace
}  // namespace modicum::testing::directed_noise_test
