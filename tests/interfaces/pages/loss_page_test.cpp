#include "interfaces/pages/loss_page.h"

#include <gtest/gtest.h>

namespace modicum::testing::loss_page_test {
namespace {

// Every record is counted, whatever its loss.
TEST(LossPage, TheHistogramCountsAllRecords) {
  RecordLosses losses{Eigen::VectorXd(6), Eigen::VectorXd::Ones(6)};
  losses.signed_losses << 0.0, 1e-300, -0.5, 0.5, 3.0, 1e5;
  const Chart chart = loss_histogram(losses, {1.0, 1e-6});
  const Series& steps = chart.series.front();
  double records = 0.0;
  for (std::size_t i = 0; i < steps.y.size(); i += 2) records += steps.y[i];
  EXPECT_EQ(records, 6.0);
  EXPECT_EQ(chart.series.back().x.front(), 1.0);
  EXPECT_NE(render_svg(chart).find("worst case"), std::string::npos);
  for (const Eigen::Index count : {1, 5000}) {
    const RecordLosses same{Eigen::VectorXd::Zero(count), Eigen::VectorXd::Zero(count)};
    EXPECT_NO_THROW(render_svg(loss_histogram(same, {0.0, 1e-6})));
    EXPECT_NO_THROW(render_svg(bound_against_truth(same)));
  }
}

}  // namespace
}  // namespace modicum::testing::loss_page_test
