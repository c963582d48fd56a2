#include "numerics/largest_eigenvalue_determinant.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/seeded_random.h"

namespace modicum::testing::largest_eigenvalue_determinant_test {
namespace {

// Skew-symmetric, with the limit plus `small` of the pair in every row but the last four: the first
// row of a pair may meet the last rows with entries of any size, the second one may not, as it is
// for the pairings of Hermite functions.
BallMatrix near_limit(SeededRandom& random, long size, const Ball& small) {
  BallMatrix matrix(size, size);
  for (long i = 0; i < size; ++i)
    for (long j = i + 1; j < size; ++j) {
      const bool last = i >= size - 4, couples = i % 2 == 0 && j >= size - 4;
      Ball entry = random.normal();
      if (!last && !couples) entry *= small;
      if (i % 2 == 0 && j == i + 1) entry += Ball(1.0);
      arb_set(matrix.at(i, j), entry.raw());
      arb_neg(matrix.at(j, i), entry.raw());
    }
  return matrix;
}

Ball whole_determinant(const BallMatrix& matrix) {
  Ball result;
  arb_mat_det(result.raw(), matrix.raw(), PrecisionScope::bits());
  return result;
}

double radius_exponent(const Ball& ball) { return mag_get_d_log2_approx(arb_radref(ball.raw())); }

TEST(DeterminantNearLimit, IsThatOfTheWholeMatrix) {
  SeededRandom random(71);
  for (const double exponent : {-400.0, -180.0, -140.0, -115.0, -100.0, -40.0, -3.0}) {
    for (const long size : {2L, 4L, 6L, 12L, 30L}) {
      const BallMatrix matrix = [&] {
        const PrecisionScope scope(512);
        return near_limit(random, size, Ball(std::exp2(exponent)));
      }();
      const Ball truth = [&] {
        const PrecisionScope scope(2048);
        return whole_determinant(matrix);
      }();
      const PrecisionScope scope(128);
      const Ball found = determinant_near_limit(matrix);
      EXPECT_NE(arb_contains(found.raw(), truth.raw()), 0) << exponent << " " << size;
      EXPECT_LT(radius_exponent(found), std::log2(1.0 + std::abs(truth.middle())) - 80.0);
    }
  }
}

// Rows that are left out are bounded, not forgotten: the enclosure is wider than without.
TEST(DeterminantNearLimit, IsWiderByWhatIsLeftOut) {
  SeededRandom random(72);
  const PrecisionScope scope(128);
  const BallMatrix matrix = near_limit(random, 12, Ball(0x1p-125));
  EXPECT_GT(radius_exponent(determinant_near_limit(matrix)), -126.0);
  EXPECT_LT(radius_exponent(determinant_near_limit(matrix)), -100.0);
}

}  // namespace
}  // namespace modicum::testing::largest_eigenvalue_determinant_test
