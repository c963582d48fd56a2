#include "modicum/release/utility.h"

#include <gtest/gtest.h>

#include "release/small_tables.h"
#include "support/refusals.h"

namespace modicum::testing::utility_test {
namespace {

TEST(Spread, IsMeanIntervalAndMedian) {
  const Spread odd = spread_of({5.0, 1.0, 3.0});
  EXPECT_DOUBLE_EQ(odd.mean, 3.0);
  EXPECT_DOUBLE_EQ(odd.median, 3.0);
  EXPECT_DOUBLE_EQ(odd.half_width, 1.959963984540054 * 2.0 / std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(spread_of({4.0, 1.0, 2.0, 9.0}).median, 3.0);
  EXPECT_DOUBLE_EQ(spread_of({4.0, 1.0, 2.0, 9.0}).upper_decile, 9.0);
  EXPECT_DOUBLE_EQ(spread_of({1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 9.0}).upper_decile,
                   9.0);
  const Spread constant = spread_of({0.1, 0.1, 0.1});
  EXPECT_EQ(constant.mean, 0.1);
  EXPECT_EQ(constant.half_width, 0.0);
  EXPECT_TRUE(std::isnan(spread_of({1.0, not_a_number}).mean));
  EXPECT_TRUE(refuses("the number of values", [] { return spread_of({1.0}); }));
}

Released sketch_of(const Eigen::MatrixXd& values) {
  return {{}, {}, values, Certificate("", {1.0, 0.0}, {1.0, {0.0, 0.0}, {0.0, 0.0}, {}})};
}

// Columns (2, 0, 0), (0, 1, 0), (0, 1, 2) of whole numbers, which clipping leaves alone.
Eigen::MatrixXd small_rows() {
  Eigen::MatrixXd rows(3, 3);
  rows << 2, 0, 0, 0, 1, 1, 0, 0, 2;
  return rows;
}

// A sketch that is sqrt(r) times a rotation of the columns keeps everything.
TEST(SketchGeometry, IsOneForAnIsometry) {
  const Eigen::MatrixXd turned = small_rows().transpose().rowwise().reverse() * std::sqrt(3.0);
  const SketchGeometry found = sketch_geometry(sketch_of(turned), gram_of(small_rows(), 16.0));
  EXPECT_NEAR(found.distance_ratio, 1.0, 1e-12);
  EXPECT_NEAR(found.dot_product_correlation, 1.0, 1e-12);
  EXPECT_NEAR(found.off_diagonal_correlation, 1.0, 1e-12);
}

// One column: products of the entries 1, 2, 3. By hand: distances sqrt 5, 3, 2 before and
// 1, 2, 1 after.
TEST(SketchGeometry, IsWhatItSays) {
  const SketchGeometry found =
      sketch_geometry(sketch_of(Eigen::Vector3d(1.0, 2.0, 3.0)), gram_of(small_rows(), 16.0));
  EXPECT_NEAR(found.distance_ratio,
              (1.0 / std::sqrt(5.0) + 2.0 / std::sqrt(9.0) + 1.0 / std::sqrt(4.0)) / 3.0, 1e-12);
  // Before (0, 0, 1), after (2, 3, 6).
  EXPECT_NEAR(found.off_diagonal_correlation, (7.0 / 3.0) / std::sqrt(2.0 / 3.0 * 26.0 / 3.0),
              1e-12);
  // Before 4 0 0 / 0 1 1 / 0 1 5, after 1 2 3 / 2 4 6 / 3 6 9: sums 12 and 36, squares 44 and 196,
  // products 65.
  const double covariance = 65.0 - 12.0 * 36.0 / 9.0;
  EXPECT_NEAR(found.dot_product_correlation,
              covariance / std::sqrt((44.0 - 144.0 / 9.0) * (196.0 - 1296.0 / 9.0)), 1e-12);
}

TEST(SketchGeometry, IsNotANumberWhereThereIsNothingToCompare) {
  const Eigen::MatrixXd same = Eigen::MatrixXd::Ones(3, 2);
  const SketchGeometry found =
      sketch_geometry(sketch_of(Eigen::Vector2d(1.0, 2.0)), gram_of(same, 16.0));
  EXPECT_TRUE(std::isnan(found.distance_ratio));
  EXPECT_TRUE(std::isnan(found.dot_product_correlation));
  EXPECT_TRUE(std::isnan(found.off_diagonal_correlation));
  EXPECT_THROW(sketch_geometry(sketch_of(Eigen::Vector3d::Ones()), gram_of(same, 16.0)), Error);
}

}  // namespace
}  // namespace modicum::testing::utility_test
