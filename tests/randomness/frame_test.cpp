#include <gtest/gtest.h>

#include <cmath>

#include "modicum/randomness/samplers.h"
#include "randomness/distributions.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::frame_test {
namespace {

TEST(UniformFrame, HasOrthonormalColumns) {
  SeededSource source(1);
  for (const auto& [p, k] : {std::pair{1, 1}, {5, 1}, {5, 5}, {300, 20}}) {
    const Eigen::MatrixXd frame = uniform_frame(p, k, source);
    EXPECT_LT((frame.transpose() * frame - Eigen::MatrixXd::Identity(k, k)).norm(), 1e-13);
  }
}

// Each entry of a uniform frame in R^4 is a coordinate of a uniform direction: (1 + x)/2 has the
// beta law with parameters 3/2. Without the sign of R the first would never be positive. False
// alarm: 1e-9 each.
TEST(UniformFrame, HasEntriesOfUniformDirections) {
  SeededSource source(2);
  std::vector<double> first, last;
  for (int i = 0; i < 20000; ++i) {
    const Eigen::MatrixXd frame = uniform_frame(4, 2, source);
    first.push_back(0.5 * (1.0 + frame(0, 0)));
    last.push_back(0.5 * (1.0 + frame(3, 1)));
  }
  const auto law = [](double x) { return beta_below(1.5, 1.5, x); };
  EXPECT_LT(deviation_found(first, law), deviation_allowed(20000));
  EXPECT_LT(deviation_found(last, law), deviation_allowed(20000));
}

TEST(UniformFrame, RefusesMoreColumnsThanDimensions) {
  SeededSource source(3);
  EXPECT_TRUE(refuses("columns", [&] { return uniform_frame(2, 3, source); }));
  EXPECT_TRUE(refuses("columns", [&] { return uniform_frame(2, 0, source); }));
  EXPECT_TRUE(refuses("dimension", [&] { return uniform_frame(0, 0, source); }));
}

}  // namespace
}  // namespace modicum::testing::frame_test
