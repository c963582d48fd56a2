#include "modicum/ledger/reading.h"

#include <gtest/gtest.h>

#include <cmath>

#include "ledger/reading_ball.h"
#include "modicum/numerics/errors.h"
#include "support/refusals.h"

namespace modicum::reading_test {
namespace {

TEST(Reading, AThousandEqualPricesAddUpToWhatTheyAreWorth) {
  const PrecisionScope scope(320);
  const Reading each = reading_above(Ball(1.0) / Ball(2500.0));
  Reading sum;
  for (int i = 0; i < 1000; ++i) sum = sum + each;
  // 1000 / 2500, which is below the double 0.4.
  EXPECT_TRUE(sum <= Reading::exactly(0.4));
  EXPECT_FALSE(sum <= Reading::exactly(std::nextafter(0.4, 0.0)));
  EXPECT_FALSE(sum + each <= Reading::exactly(0.4));
}

TEST(Reading, RoundsToItsSide) {
  const PrecisionScope scope(1000);
  const Ball third = Ball(1.0) / Ball(3.0);
  EXPECT_TRUE((third - to_ball(reading_above(third))).surely_negative());
  EXPECT_TRUE((to_ball(reading_below(third)) - third).surely_negative());
  EXPECT_TRUE(reading_below(third) <= reading_above(third));
  EXPECT_FALSE(reading_above(third) <= reading_below(third));
  EXPECT_GE(Ball(reading_above(third).upper()).lower(), third.upper());
  EXPECT_LE(reading_below(third).lower(), 1.0 / 3.0);
  EXPECT_EQ(reading_above(Ball(0.5)).upper(), 0.5);
}

TEST(Reading, SumsAndDifferencesAreNeverTooSmall) {
  const PrecisionScope scope(4000);
  const Reading large = Reading::exactly(1e20), small = Reading::exactly(1e-20);
  EXPECT_TRUE(to_ball(large + small).lower() >= 1e20);
  EXPECT_FALSE((to_ball(large + small) - Ball(1e20) - Ball(1e-20)).surely_negative());
  EXPECT_FALSE((to_ball(large - small) - (Ball(1e20) - Ball(1e-20))).surely_negative());
  EXPECT_TRUE((small - large).is_zero());
  EXPECT_TRUE((large - large).is_zero());
}

TEST(Reading, ItsTextIsReadBackAsItIs) {
  const PrecisionScope scope(320);
  for (const Reading& each :
       {Reading(), Reading::exactly(0.1), reading_above(Ball(1.0) / Ball(3.0)),
        reading_below(Ball(1.0) / Ball(3.0)), Reading::exactly(1e-300)})
    EXPECT_EQ(Reading::from_text(each.text()), each) << each.text();
}

TEST(Reading, RefusesWhatIsNone) {
  for (const char* text : {"", "nan", "inf", "-1", "1 2", "1 nan", "one", "1  1e-20", "1 -1e300"})
    EXPECT_THROW(Reading::from_text(text), Error) << text;
  EXPECT_THROW(Reading::exactly(std::nan("")), InvalidParameter);
  EXPECT_THROW(Reading::exactly(-1.0), InvalidParameter);
}

}  // namespace
}  // namespace modicum::reading_test
