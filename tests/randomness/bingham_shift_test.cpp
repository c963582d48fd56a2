#include "randomness/bingham_shift.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/dense.h"
#include "randomness/bingham_envelope.h"
#include "support/seeded_random.h"

namespace modicum::testing::bingham_shift_test {
namespace {

// The other route is the envelope itself, by orthogonal transformations. Columns from along the
// axes to anywhere; laws from nearly uniform to sharp. 1/trace rises by at most 2 a unit of the
// shift, which is meant to be right to 1/10 or to 1 %.
TEST(BalancedShift, MakesTheTraceNearlyOne) {
  SeededRandom random(1);
  for (const auto& [p, count] : {std::pair{6, 1}, {9, 2}, {20, 5}, {50, 15}, {200, 2}, {200, 19}})
    for (const double size : {1e-3, 1.0, 30.0, 1e3, 1e6})
      for (const double noise : {0.0, 1e-8, 0.01, 0.3, 100.0}) {
        Eigen::VectorXd exponents(p);
        for (int i = 0; i < p; ++i) exponents[i] = i == 0 ? 0.0 : size * (0.3 + i / (1.0 * p));
        exponents.array() -= exponents[count];
        Eigen::MatrixXd columns =
            Eigen::MatrixXd::NullaryExpr(p, count, [&] { return noise * random.normal(); });
        columns.topRows(count) += Eigen::MatrixXd::Identity(count, count);
        columns = HouseholderQr(columns).thin_orthogonal();
        const double shift = balanced_shift(exponents, columns, 0.5 * p);
        const BinghamEnvelope envelope(exponents, columns, shift);
        ASSERT_TRUE(envelope.positive()) << p << ' ' << count << ' ' << size << ' ' << noise;
        EXPECT_NEAR(1.0 / envelope.trace(), 1.0, 0.1)
            << p << ' ' << count << ' ' << size << ' ' << noise;
      }
}

}  // namespace
}  // namespace modicum::testing::bingham_shift_test
