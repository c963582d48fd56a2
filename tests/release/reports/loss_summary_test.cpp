#include "release/reports/loss_summary.h"

#include <gtest/gtest.h>

#include <cmath>

namespace modicum::testing::loss_summary_test {
namespace {

TEST(LossSummary, QuantilesAreValuesThatSoManyDoNotExceed) {
  const std::vector<double> sorted{1.0, 2.0, 3.0, 4.0};
  EXPECT_EQ(quantile(sorted, 0.5), 2.0);
  EXPECT_EQ(quantile(sorted, 0.51), 3.0);
  EXPECT_EQ(quantile(sorted, 1.0), 4.0);
  EXPECT_EQ(quantile(sorted, 0.0), 1.0);
  EXPECT_TRUE(std::isnan(quantile({}, 0.5)));
}

}  // namespace
}  // namespace modicum::testing::loss_summary_test
