#include "mechanisms/lifting/plane_turns.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/randomness/samplers.h"
#include "support/bingham_moments.h"
#include "support/seeded_source.h"

namespace modicum::testing::plane_turns_test {
namespace {

// In the plane one turn is a draw, whatever the frame was before: x_1^2 has the mean of Bessel
// functions, and a fourth moment by Simpson's rule. 6 standard errors: 2e-9 each.
TEST(TurnPlanes, DrawOneDirectionOfThePlane) {
  SeededSource source(1);
  for (const double a : {0.0, 0.5, 5.0, 80.0})
    for (const Eigen::Index hub : {0, 1}) {
      const Eigen::Vector2d exponents(0.0, a);
      double weight = 0.0, second = 0.0, fourth = 0.0, eighth = 0.0;
      for (int i = 0; i < 20000; ++i) {  // a periodic function: equal weights
        const double square = std::pow(std::cos(M_PI * i / 20000.0), 2);
        const double density = std::exp(-a * (1.0 - square));
        weight += density, second += density * square, fourth += density * square * square;
        eighth += density * std::pow(square, 4);
      }
      second /= weight, fourth /= weight, eighth /= weight;
      const int draws = 20000;
      double found = 0.0, found_fourth = 0.0, product = 0.0;
      for (int i = 0; i < draws; ++i) {
        Eigen::MatrixXd frame(2, 1);
        frame << 0.6, -0.8;
        turn_planes(frame, exponents, hub, source);
        const double square = frame(0, 0) * frame(0, 0);
        found += square / draws, found_fourth += square * square / draws;
        product += frame(0, 0) * frame(1, 0) / draws;
      }
      const double error = std::sqrt((fourth - second * second) / draws);
      EXPECT_NEAR(found, second, 6.0 * error) << a << ' ' << hub;
      EXPECT_NEAR(found_fourth, fourth, 6.0 * std::sqrt((eighth - fourth * fourth) / draws));
      EXPECT_NEAR(product, 0.0, 6.0 * std::sqrt((second - fourth) / draws)) << a << ' ' << hub;
    }
}

// Many turns alone, from any frame, reach the moments of one component in four dimensions: 6
// standard errors, 2e-9 each.
TEST(TurnPlanes, HaveTheLawAsTheirLimit) {
  SeededSource source(2);
  const Eigen::Vector4d exponents(0.0, 1.0, 3.0, 4.0);
  const Eigen::VectorXd exact = bingham_second_moments(exponents);
  Eigen::ArrayXd sum = Eigen::ArrayXd::Zero(4), squares = sum;
  const int draws = 4000;
  for (int i = 0; i < draws; ++i) {
    Eigen::MatrixXd frame = uniform_frame(4, 1, source);
    for (int turn = 0; turn < 20; ++turn) turn_planes(frame, exponents, 1, source);
    const Eigen::ArrayXd square = frame.col(0).array().square();
    sum += square, squares += square.square();
  }
  const Eigen::ArrayXd mean = sum / draws;
  const Eigen::ArrayXd error = ((squares / draws - mean.square()) / draws).sqrt();
  EXPECT_LT(((mean - exact.array()).abs() / error).maxCoeff(), 6.0);
}

TEST(TurnPlanes, KeepColumnsOrthonormal) {
  SeededSource source(3);
  Eigen::MatrixXd frame = uniform_frame(30, 5, source);
  const Eigen::VectorXd exponents = Eigen::VectorXd::LinSpaced(30, 0.0, 1e6);
  for (int turn = 0; turn < 100; ++turn) turn_planes(frame, exponents, 4, source);
  EXPECT_LT((frame.transpose() * frame - Eigen::MatrixXd::Identity(5, 5)).norm(), 1e-13);
}

}  // namespace
}  // namespace modicum::testing::plane_turns_test
