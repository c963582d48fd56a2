#include "privacy/sampled_laplace/ray_terms.h"

#include <gtest/gtest.h>

#include <cmath>

namespace modicum::testing::ray_terms_test {
namespace {

using FineComplex = std::complex<long double>;

// Both sides are a power, however the shift divides the terms.
TEST(RayTerms, AddUpToAPower) {
  const double width = 0.75;
  const auto log_size = [](FineComplex z) { return static_cast<double>(std::log(std::abs(z))); };
  const FineComplex lower(0.4L, -0.1L), upper(0.3L, 0.2L), a(1.25L, 2.0L);
  for (const double count : {1.0, 2.0, 17.0, 300.0, 2000.0}) {
    const RayTerms terms(count, Ball(width));
    const RayPlace place = terms.place(a, std::log(lower), std::log(upper), 0.0);
    const double scale = std::log(0.9);
    for (const double part : {-0.1, 0.2, 0.501, 0.95, 1.1}) {
      const auto shift = terms.shifted(Ball(-part * count * width));
      ASSERT_TRUE(shift.has_value());
      const RaySum left = terms.sum(RaySide::left, place, *shift, scale, 1.0),
                   right = terms.sum(RaySide::right, place, *shift, scale, 1.0);
      const FineComplex power = std::exp(
          FineComplex(count) * (std::log(lower + upper * std::exp(a * FineComplex(width))) -
                                FineComplex(std::log(0.9))) +
          (a - 1.0L) * shift->offset);
      const std::complex<double> sum = left.value + right.value, whole(power);
      EXPECT_LE(std::abs(sum - whole), left.error + right.error + 1e-13 * count * std::abs(whole))
          << count << ' ' << part;
      for (const RaySide side : {RaySide::left, RaySide::right}) {
        const double most = terms.log_most(side, 1.25, log_size(lower), log_size(upper), *shift);
        const RaySum& found = side == RaySide::left ? left : right;
        const double scaled = most - count * scale - static_cast<double>(shift->offset);
        EXPECT_LE(std::abs(found.value), std::exp(scaled) * (1.0 + 1e-9) + 1e-300);
      }
    }
  }
}

TEST(RayTerms, NeedACertainSign) {
  const RayTerms terms(4.0, Ball(0.5));
  EXPECT_FALSE(terms.shifted(Ball(-1.0).widened(Ball(1e-20))).has_value());
  EXPECT_EQ(terms.shifted(Ball(-1.0))->left, 2.0);
  EXPECT_EQ(terms.shifted(Ball(-1.1))->left, 2.0);
  EXPECT_EQ(terms.shifted(Ball(-0.9))->left, 3.0);
  EXPECT_EQ(terms.shifted(Ball(1.0))->left, 5.0);
  EXPECT_EQ(terms.shifted(Ball(-9.0))->left, 0.0);
}

}  // namespace
}  // namespace modicum::testing::ray_terms_test
