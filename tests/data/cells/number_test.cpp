#include "data/cells/number.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

namespace modicum::data::number_test {
namespace {

// Both ways must give the bits of the C library's strtod.
void expect_like_strtod(const std::string& text) {
  const double expected = std::strtod(text.c_str(), nullptr);
  double value = 0.0;
  const bool finite = std::isfinite(expected);
  ASSERT_EQ(parse_number(text, value), finite) << text;
  if (finite) {
    ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
  }
  const char* const end = parse_plain_decimal(text.c_str(), value);
  if (end == nullptr) return;
  ASSERT_EQ(end, text.c_str() + text.size()) << text;
  ASSERT_EQ(std::bit_cast<std::uint64_t>(value), std::bit_cast<std::uint64_t>(expected)) << text;
}

std::string digits(std::mt19937_64& generator, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text.push_back(static_cast<char>('0' + generator() % 10));
  return text;
}

TEST(ParseNumber, AgreesWithTheCLibraryOnRandomDecimals) {
  std::mt19937_64 generator(1);
  const auto below = [&](unsigned bound) { return static_cast<int>(generator() % bound); };
  for (int i = 0; i < 300000; ++i) {
    std::string text = below(3) == 0 ? "-" : below(4) == 0 ? "+" : "";
    text += digits(generator, 1 + below(i % 2 ? 8 : 25));
    if (below(4) != 0) text += "." + digits(generator, below(i % 3 ? 8 : 25));
    if (below(3) == 0)
      text += fmt::format("{}{}", below(2) ? 'e' : 'E', below(below(2) ? 40 : 700) - below(350));
    expect_like_strtod(text);
  }
}

TEST(ParseNumber, AgreesWithTheCLibraryOnRandomBitsWrittenOut) {
  std::mt19937_64 generator(2);
  for (int i = 0; i < 200000; ++i) {
    const auto value = std::bit_cast<double>(generator());
    if (!std::isfinite(value)) continue;
    expect_like_strtod(fmt::format("{}", value));
    expect_like_strtod(fmt::format("{:.16e}", value));
    expect_like_strtod(fmt::format("{:.25e}", value));
  }
}

TEST(ParseNumber, AgreesWithTheCLibraryWhereItIsHard) {
  for (const char* text : {"0",
                           "-0",
                           "+0",
                           "0.0",
                           "00000000000000000000000001",
                           "9007199254740992",
                           "9007199254740993",
                           "9007199254740993.0000000000000000000001",
                           "18446744073709551615",
                           "18446744073709551616",
                           "9999999999999999999",
                           "99999999999999999999",
                           "1e22",
                           "1e23",
                           "9007199254740992e22",
                           "9007199254740991e-22",
                           "9007199254740993e-1",
                           "4.9e-324",
                           "2.4703282292062327e-324",
                           "2.4703282292062328e-324",
                           "2.2250738585072011e-308",
                           "1.7976931348623157e308",
                           "1.7976931348623158e308",
                           "1.7976931348623159e308",
                           "1e309",
                           "-1e309",
                           "1e-400",
                           "-1e-400",
                           "1e-99999999999999999999",
                           "1e99999999999999999999",
                           "0e99999999999999999999",
                           "0.000000000000000000000000000000000000001e400",
                           ".5",
                           "5.",
                           "1.e5",
                           "0.1e1",
                           "1e+5",
                           "1E-5",
                           "1e05",
                           "1e0000000005",
                           "123456789.123456789e-20",
                           "8.5e-23",
                           "100000000000000016777215",
                           "0.3000000000000000166533453693773481063544750213"})
    expect_like_strtod(text);
  expect_like_strtod("0." + std::string(400, '0') + "1e390");
  expect_like_strtod("1" + std::string(400, '0') + "e-390");
  expect_like_strtod("0." + std::string(400, '0') + "1");
  expect_like_strtod("1" + std::string(400, '0'));
}

TEST(ParseNumber, AllowsBlanksAroundAndAPlus) {
  double value = 0.0;
  EXPECT_TRUE(parse_number(" \t+1.5e1\t ", value));
  EXPECT_EQ(value, 15.0);
}

TEST(ParseNumber, RefusesWhatIsNoFiniteNumberAndLeavesTheValueAlone) {
  for (const char* text :
       {"",    " ",    "NA",    "nan",  "-nan",       "NaN",  "inf",   "-inf",  "Infinity",
        "+-1", "-+1",  "--1",   "- 1",  "1 2",        "1,5",  "1e",    "1e+",   "e5",
        ".",   "-",    "+",     "-.",   ".e1",        "0x10", "0x1p3", "1_000", "1d5",
        "1f",  "true", "1e5.5", "1..2", "\xC2\xA0 1", "1\n",  "\"1\"", "1e400", "-1e400"}) {
    double value = 7.0;
    EXPECT_FALSE(parse_number(text, value)) << text;
    EXPECT_EQ(value, 7.0) << text;
  }
}

TEST(ParseNumber, KnowsTheWordsForValuesThatAreNoNumbers) {
  for (const char* text : {"NA", "NaN", "null", "None", "Inf", "TRUE", "false"})
    EXPECT_TRUE(is_value_word(text)) << text;
  for (const char* text : {"", "x", "1x", "age", "nana", "information", "1"})
    EXPECT_FALSE(is_value_word(text)) << text;
}

TEST(ParseNumber, LeavesBlanksOff) {
  EXPECT_EQ(without_blanks(" \ta b\t "), "a b");
  EXPECT_EQ(without_blanks(" \t"), "");
  EXPECT_EQ(without_blanks(""), "");
}

}  // namespace
}  // namespace modicum::data::number_test
