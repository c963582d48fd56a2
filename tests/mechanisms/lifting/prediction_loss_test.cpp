#include "modicum/mechanisms/prediction_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::prediction_loss_test {
namespace {

struct Case {
  PredictionLoss loss;
  std::vector<double> responses;
  std::vector<double> kinks;  // of f' at response 1
};

std::vector<Case> all_losses() {
  const std::vector<double> labels{-1.0, 1.0}, numbers{-1.0, -0.3, 0.0, 0.7, 1.0};
  return {{PredictionLoss::logistic(), labels, {}},
          {PredictionLoss::smoothed_hinge(0.5), labels, {0.5, 1.5}},
          {PredictionLoss::smoothed_hinge(2.0), labels, {-1.0, 3.0}},
          {PredictionLoss::huber(0.25), numbers, {0.75, 1.25}},
          {PredictionLoss::huber(3.0), numbers, {-2.0, 4.0}},
          {PredictionLoss::squared(1.5), numbers, {-1.5, 1.5}},
          {PredictionLoss::log_cosh(0.25), numbers, {}},
          {PredictionLoss::log_cosh(2.0), numbers, {}}};
}

// Central differences in long double with steps of 1e-5 are right to 1e-9 away from the kinks. A
// kink in between would be met with probability 1e-5 a draw, but the seed is fixed.
TEST(PredictionLoss, SlopeAndCurvatureAreTheDerivatives) {
  SeededRandom random(41);
  constexpr long double step = 1e-5L;
  for (const Case& one : all_losses())
    for (const double response : one.responses)
      for (int trial = 0; trial < 200; ++trial) {
        const long double u = random.uniform(-6.0, 6.0), y = response;
        const auto here = one.loss.at(u, y), up = one.loss.at(u + step, y),
                   down = one.loss.at(u - step, y);
        const auto slope = static_cast<double>((up.value - down.value) / (2.0L * step));
        const auto curvature = static_cast<double>((up.slope - down.slope) / (2.0L * step));
        EXPECT_NEAR(static_cast<double>(here.slope), slope, 1e-9) << one.loss.name();
        EXPECT_NEAR(static_cast<double>(here.curvature), curvature, 1e-9) << one.loss.name();
      }
}

TEST(PredictionLoss, IsConvexAndStaysBelowItsBounds) {
  SeededRandom random(42);
  for (const Case& one : all_losses())
    for (const double response : one.responses)
      for (int trial = 0; trial < 400; ++trial) {
        const double u = random.uniform(-20.0, 20.0), v = random.uniform(-20.0, 20.0);
        const auto at_u = one.loss.at(u, response), at_v = one.loss.at(v, response);
        EXPECT_GE(at_v.value, at_u.value + at_u.slope * (v - u) - 1e-13);
        EXPECT_GE((at_v.slope - at_u.slope) * (v - u), 0.0);
        EXPECT_GE(at_u.value, 0.0);
        EXPECT_GE(at_u.curvature, 0.0);
        EXPECT_LE(at_u.curvature, one.loss.largest_curvature());
        EXPECT_LE(std::abs(at_u.slope), one.loss.largest_slope());
        EXPECT_LE(std::abs(at_u.slope - at_v.slope),
                  one.loss.largest_curvature() * std::abs(u - v) * (1.0 + 1e-12));
      }
}

// Bounds that nothing comes near would only waste noise.
TEST(PredictionLoss, AttainsItsBounds) {
  for (const Case& one : all_losses()) {
    double slope = 0.0, curvature = 0.0;
    for (const double response : one.responses)
      for (double u = -40.0; u <= 40.0; u += 0.125) {
        slope = std::max(slope, std::abs(one.loss.at(u, response).slope));
        curvature = std::max(curvature, one.loss.at(u, response).curvature);
      }
    EXPECT_NEAR(slope / one.loss.largest_slope(), 1.0, 1e-12) << one.loss.name();
    EXPECT_NEAR(curvature / one.loss.largest_curvature(), 1.0, 1e-12) << one.loss.name();
  }
}

TEST(PredictionLoss, ValueAndSlopeAreContinuousAtTheKinks) {
  for (const Case& one : all_losses())
    for (const double kink : one.kinks) {
      const double below = std::nextafter(kink, -100.0), above = std::nextafter(kink, 100.0);
      const auto left = one.loss.at(below, 1.0), middle = one.loss.at(kink, 1.0),
                 right = one.loss.at(above, 1.0);
      EXPECT_NEAR(left.value, right.value, 1e-14);
      EXPECT_NEAR(left.slope, right.slope, 1e-14);
      EXPECT_NEAR(middle.value, right.value, 1e-14);
      EXPECT_NEAR(middle.slope, right.slope, 1e-14);
      EXPECT_EQ(std::max(left.curvature, right.curvature), one.loss.largest_curvature());
      EXPECT_EQ(std::min(left.curvature, right.curvature), 0.0);
      EXPECT_TRUE(middle.curvature == left.curvature || middle.curvature == right.curvature);
    }
}

TEST(PredictionLoss, LabelsGiveSlopesOfOneSign) {
  SeededRandom random(43);
  for (const Case& one : all_losses()) {
    const bool labels = slope_signs_of(one.loss.name()) == SlopeSigns::one;
    EXPECT_EQ(one.loss.takes_labels(), labels);
    EXPECT_EQ(one.loss.bounds(1.0, 1.0).signs, labels ? SlopeSigns::one : SlopeSigns::both);
    if (!labels) {
      EXPECT_LT(one.loss.at(-5.0, 0.0).slope * one.loss.at(5.0, 0.0).slope, 0.0);
      continue;
    }
    for (const double response : one.responses)
      for (int trial = 0; trial < 100; ++trial)
        EXPECT_LE(response * one.loss.at(random.uniform(-50.0, 50.0), response).slope, 0.0);
  }
}

TEST(PredictionLoss, HugePredictionsStayFinite) {
  for (const Case& one : all_losses())
    for (const double response : one.responses)
      for (const double u : {-1e300, -1e4, -745.0, 745.0, 1e4, 1e300}) {
        const auto at = one.loss.at(u, response);
        EXPECT_TRUE(std::isfinite(at.value)) << one.loss.name() << u;
        EXPECT_LE(std::abs(at.slope), one.loss.largest_slope());
        EXPECT_TRUE(at.curvature >= 0.0 && at.curvature <= 1e-300) << one.loss.name() << u;
      }
  // The far ends of the logistic loss, which keep their digits: e^-700, not 1 - 1.
  EXPECT_NEAR(PredictionLoss::logistic().at(700.0, 1.0).slope / -std::exp(-700.0), 1.0, 1e-12);
  EXPECT_NEAR(PredictionLoss::logistic().at(700.0, 1.0).value / std::exp(-700.0), 1.0, 1e-12);
  EXPECT_EQ(PredictionLoss::logistic().at(-700.0, 1.0).slope, -1.0);
  EXPECT_EQ(PredictionLoss::logistic().at(-700.0, 1.0).value, 700.0);
}

TEST(PredictionLoss, LongDoubleHasTheSameValuesWithMoreDigits) {
  SeededRandom random(44);
  for (const Case& one : all_losses())
    for (const double response : one.responses)
      for (int trial = 0; trial < 100; ++trial) {
        const double u = random.uniform(-30.0, 30.0);
        const auto narrow = one.loss.at(u, response);
        const auto wide = one.loss.at<long double>(u, response);
        EXPECT_NEAR(narrow.value, static_cast<double>(wide.value), 1e-14 * (1.0 + narrow.value));
        EXPECT_NEAR(narrow.slope, static_cast<double>(wide.slope), 1e-15);
        EXPECT_NEAR(narrow.curvature, static_cast<double>(wide.curvature), 1e-15);
      }
  const long double u = 0.1L, tail = std::exp(-u);
  EXPECT_NEAR(static_cast<double>(
                  (PredictionLoss::logistic().at(u, 1.0L).slope + tail / (1.0L + tail)) * 1e18L),
              0.0, 1.0);
}

TEST(PredictionLoss, BoundsGrowWithTheRows) {
  const ObjectiveBounds hinge = PredictionLoss::smoothed_hinge(0.5).bounds(3.0, 2.0);
  EXPECT_EQ(hinge.lipschitz, 3.0);
  EXPECT_EQ(hinge.smoothness, 9.0);
  EXPECT_EQ(hinge.regularization, 2.0);
  // 0.1 as a double is above 1/10, so that 1/(2 * 0.1) must be rounded up from just below 5.
  EXPECT_EQ(PredictionLoss::smoothed_hinge(0.1).largest_curvature(), 5.0);
  EXPECT_EQ(PredictionLoss::squared(1.5).largest_slope(), 2.5);
}

TEST(PredictionLoss, KnowsItsNameAndRefusesOthers) {
  for (const Case& one : all_losses())
    EXPECT_EQ(PredictionLoss::named(one.loss.name(), one.loss.parameter()), one.loss);
  EXPECT_TRUE(refuses("loss", [] { return PredictionLoss::named("absolute", 1.0); }));
  for (const double bad : {0.0, -1.0, 1e-7, 1e7, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("width", [&] { return PredictionLoss::smoothed_hinge(bad); }));
    EXPECT_TRUE(refuses("threshold", [&] { return PredictionLoss::huber(bad); }));
    EXPECT_TRUE(refuses("prediction_bound", [&] { return PredictionLoss::squared(bad); }));
  }
  // Less than what is to be predicted.
  EXPECT_TRUE(refuses("prediction_bound", [] { return PredictionLoss::squared(0.5); }));
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    EXPECT_TRUE(
        refuses("row_norm_bound", [&] { return PredictionLoss::logistic().bounds(bad, 1.0); }));
    EXPECT_TRUE(
        refuses("regularization", [&] { return PredictionLoss::logistic().bounds(1.0, bad); }));
  }
}

}  // namespace
}  // namespace modicum::testing::prediction_loss_test
