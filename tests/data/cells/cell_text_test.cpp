#include "data/cells/cell_text.h"

#include <gtest/gtest.h>

#include <cmath>

namespace modicum::data::cell_text_test {
namespace {

// Two persons whose numbers one double stands for must not become one.
TEST(CellText, OfNumbersThatMayBeSeveralIsNothing) {
  EXPECT_EQ(text_of_number(5.0), "5");
  EXPECT_EQ(text_of_number(-0.5), "-0.5");
  EXPECT_EQ(text_of_number(0.0), "0");
  EXPECT_EQ(text_of_number(-0.0), "0");  // one group, not two
  EXPECT_EQ(text_of_number(0x1p53 - 1.0), "9007199254740991");
  for (const double value : {0x1p53, -0x1p53, 0x1p60, 1e300, HUGE_VAL, std::nan("")})
    EXPECT_EQ(text_of_number(value), "") << value;
  EXPECT_EQ(text_of_whole(std::int64_t{9007199254740991}), "9007199254740991");
  EXPECT_EQ(text_of_whole(std::int64_t{9007199254740992}), "");
  EXPECT_EQ(text_of_whole(std::int64_t{-9007199254740993}), "");
  EXPECT_EQ(text_of_whole(std::uint64_t{18446744073709551615u}), "");
  // As whole and as floating numbers the same.
  for (const std::int64_t value : {0LL, 7LL, -12LL, 123456789012LL})
    EXPECT_EQ(text_of_whole(value), text_of_number(static_cast<double>(value)));
}

TEST(CellText, OfMomentsHasOneForm) {
  EXPECT_EQ(text_of_moment("2020-07-02"), "2020-07-02");
  EXPECT_EQ(text_of_moment("2020-07-02T00:00:00"), "2020-07-02");
  EXPECT_EQ(text_of_moment("2020-07-02 00:00:00.000000000"), "2020-07-02");
  EXPECT_EQ(text_of_moment("2020-07-02T00:00"), "2020-07-02");
  EXPECT_EQ(text_of_moment("2020-07-02T10:20:30.500000"), "2020-07-02T10:20:30.5");
  EXPECT_EQ(text_of_moment("2020-07-02T10:20:00"), "2020-07-02T10:20:00");
  EXPECT_EQ(text_of_moment("2020-07-02T00:00:00+02:00"), "2020-07-02T00:00:00+02:00");
  EXPECT_EQ(text_of_moment("unknown"), "unknown");
}

TEST(CellText, OfDecimalsIsExact) {
  EXPECT_EQ(text_of_decimal("1.10"), "1.1");
  EXPECT_EQ(text_of_decimal("100"), "100");
  EXPECT_EQ(text_of_decimal("3.000"), "3");
  EXPECT_EQ(text_of_decimal("0.10000000000000000001"), "0.10000000000000000001");
  EXPECT_EQ(text_of_decimal("1E+5"), "1E+5");
}

}  // namespace
}  // namespace modicum::data::cell_text_test
