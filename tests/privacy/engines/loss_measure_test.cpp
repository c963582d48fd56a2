#include "privacy/engines/loss_measure.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace modicum::testing::loss_measure_test {
namespace {

// Three bins from 0 on, the last one without end.
LossBins some_bins() {
  LossBins bins;
  bins.bins.push_back({0.0, 0.5, 0.4, 0.4, 0.3, 0.3});
  bins.bins.push_back({0.5, 1.0, 0.3, 0.3, 0.25, 0.25});
  bins.bins.push_back({1.0, infinity, 0.1, 0.1, 0.05, 0.05});
  return bins;
}

double mass_of(const LossMeasure& measure) {
  double sum = measure.infinite;
  for (const double mass : measure.masses) sum += mass;
  return sum;
}

TEST(DominatingMeasure, KeepsAllMass) {
  EXPECT_NEAR(mass_of(dominating_measure(some_bins())), 0.8, 1e-12);
  EXPECT_GE(mass_of(dominating_measure(some_bins())), 0.8);
}

// A mass that is no number may be any: never is it left out.
TEST(DominatingMeasure, FailsClosedWhereAMassIsUnknown) {
  for (const double unknown : {std::numeric_limits<double>::quiet_NaN(), infinity})
    for (std::size_t i = 0; i < 3; ++i) {
      LossBins bins = some_bins();
      bins.bins[i].x_high = unknown;
      EXPECT_GE(dominating_measure(bins).infinite, 1.0) << i;
    }
}

// What reaches beyond the next cut is taken for infinite.
TEST(DominatingMeasure, TakesForInfiniteWhatReachesTooFar) {
  LossBins bins = some_bins();
  const double before = dominating_measure(bins).infinite;
  bins.bins[0].late = 0.6;
  EXPECT_GE(dominating_measure(bins).infinite, before + 0.4);
}

}  // namespace
}  // namespace modicum::testing::loss_measure_test
