#include "mechanisms/regression/squared_bound.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/mechanisms/random_projection.h"
#include "support/refusals.h"

namespace modicum::testing::squared_bound_test {
namespace {

// Squares leave the range of doubles long before bounds do: 1e-200 must not be called 0.
TEST(SquaredBound, TellsTheBoundAndNotItsSquare) {
  const PrivacyTarget target(1.0, 1e-6);
  for (const double bound : {-1.0, 0.0, 1e-200, 1e200, not_a_number}) {
    const std::string name = fmt::format("row_norm_bound is {}, but must", bound);
    const auto refused = [&](auto call) {
      try {
        call();
      } catch (const InvalidParameter& error) {
        EXPECT_EQ(std::string(error.what()).substr(0, name.size()), name);
        return;
      }
      ADD_FAILURE() << bound << " is accepted";
    };
    refused([&] { squared_bound(bound); });
    refused([&] { calibrate_covariance(target, bound); });
    refused([&] { calibrate_projection(target, 5.0, bound); });
    refused([&] { calibrate_least_squares(target, 5.0, 2.0, bound); });
    refused([&] { published_least_squares_ridge(target, 5.0, 2.0, bound); });
    refused([&] { calibrate_propose_test_release(target, 5.0, bound, 1.0, {}); });
  }
  EXPECT_EQ(squared_bound(3.0), 9.0);
}

}  // namespace
}  // namespace modicum::testing::squared_bound_test
