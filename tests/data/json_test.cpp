#include "modicum/data/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace modicum::json_test {
namespace {

::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text << " has no " << part;
}

std::string refusal(std::string_view text) {
  try {
    parse_json(text);
  } catch (const InvalidDescription& error) {
    return error.what();
  }
  return "accepted";
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, ReadsWhatItWrote) {
  const std::string text =
      "{\"zebra\":[1,-2.5,true,null,\"caf\xc3\xa9 "
      "\\\"q\\\"\"],\"apple\":{\"inner\":{}},\"empty\":[]}\n";
  EXPECT_EQ(json_line(parse_json(text)), text);
}

TEST(ParseJson, KeepsWholeNumbersWhole) {
  EXPECT_TRUE(parse_json("5").is_whole());
  EXPECT_FALSE(parse_json("5.0").is_whole());
  EXPECT_FALSE(parse_json("5e0").is_whole());
  EXPECT_EQ(parse_json("-9223372036854775808").whole(), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_json("18446744073709551615").number(), 18446744073709551615.0);  // no int64
}

TEST(ParseJson, KeepsTheOrderOfKeys) {
  const Value value = parse_json(R"({"zebra": 1, "apple": 2})");
  EXPECT_EQ(value.members().front().first, "zebra");
}

TEST(ParseJson, RefusesTheSecondOfTwoEqualKeys) {
  EXPECT_EQ(refusal(R"({"compose": [{}, {"scale": 1, "scale": 2}]})"),
            "compose[1].scale is given twice, but must be given once");
}

TEST(ParseJson, RefusesANulByteWhereverItIs) {
  using namespace std::string_view_literals;
  for (const std::string_view text : {"{}\0"sv, "{}\0garbage"sv, "[1,\0 2]"sv, "\0"sv})
    EXPECT_TRUE(contains(refusal(text), "NUL")) << text.size();
}

TEST(ParseJson, RefusesDeepNestingBeforeItIsBuilt) {
  EXPECT_NO_THROW(parse_json(nested(deepest_nesting)));
  EXPECT_TRUE(contains(refusal(nested(deepest_nesting + 1)), "deep"));
  EXPECT_TRUE(contains(refusal(std::string(1000000, '[')), "deep"));
}

TEST(ParseJson, RefusesNumbersThatWouldBecomeOthers) {
  for (const char* text : {"[1e400]", "[-1e400]", "[1e-400]", "[1e-310]"})
    EXPECT_TRUE(contains(refusal(text), "[0] is ")) << text;
  EXPECT_EQ(parse_json("0.0e-400").number(), 0.0);
}

TEST(ParseJson, TellsWhereTheTextIsNotJson) {
  EXPECT_TRUE(contains(refusal("{\n  \"a\": ]\n}"), "line 2, column 8: not JSON"));
  EXPECT_TRUE(contains(refusal(" \n"), "the text is empty"));
  EXPECT_TRUE(contains(refusal("[1] [2]"), "line 1"));
  EXPECT_TRUE(contains(refusal(R"({"scale": NaN})"), "scale is NaN, but must be a finite number"));
}

TEST(JsonLine, WritesAnEnclosureByItsEnds) {
  EXPECT_EQ(json_line(Value{{"delta", Enclosure(0.25, 0.5)}}),
            "{\"delta\":{\"lower\":0.25,\"upper\":0.5}}\n");
}

TEST(JsonLine, HasNeitherInfinityNorNaN) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(json_line(std::vector<double>{infinity, -infinity, std::nan("")}),
            "[null,null,null]\n");
}

TEST(JsonLine, WritesWholeNumbersWithoutAPoint) {
  EXPECT_EQ(json_line(Value{{"whole", 5}, {"real", 5.0}}), "{\"whole\":5,\"real\":5.0}\n");
}

TEST(JsonLine, WritesNumbersThatReadBackAsTheyWere) {
  for (const double value : {0.1, 1.0 / 3.0, 2.3e-308, std::numeric_limits<double>::max()})
    EXPECT_EQ(parse_json(json_line(value)).number(), value);
}

// The reader refuses numbers below the least normal double: what is written holds the enclosure.
TEST(JsonLine, WritesEnclosuresThatCanBeReadBack) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const auto& [lower, upper] : {std::pair{0.0, tiny},
                                     {tiny, 1.0},
                                     {tiny, 3.0 * tiny},
                                     {-tiny, tiny},
                                     {-2.0 * tiny, -tiny}}) {
    const Value read = parse_json(json_line(Enclosure(lower, upper)));
    EXPECT_LE(read.at("lower").number(), lower);
    EXPECT_GE(read.at("upper").number(), upper);
    EXPECT_LE(read.at("upper").number() - upper, 2.3e-308);
  }
}

TEST(JsonLine, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(json_line("a\xff z"),
            "\"a\xef\xbf\xbd"
            "ff z\"\n");
  EXPECT_EQ(json_line("\xc3\xa4\xc3"),
            "\"\xc3\xa4\xef\xbf\xbd"
            "c3\"\n");
}

// No two names become one, neither by what is replaced nor by what looks like it.
TEST(JsonLine, KeepsNamesApart) {
  const Value record{{"a\xe8", 1},
                     {"a\xe9", 2},
                     {"a\xef\xbf\xbd"
                      "e9",
                      3},
                     {"a", 4}};
  const Value read = parse_json(json_line(record));
  ASSERT_EQ(read.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(read.members()[i].second.whole(), static_cast<std::int64_t>(i) + 1);
}

TEST(JsonLines, IndentsEachLevel) {
  EXPECT_EQ(json_lines(Value{{"a", {{"b", 1}}}}, 2), "{\n  \"a\": {\n    \"b\": 1\n  }\n}\n");
}

TEST(Shown, IsShortWhateverTheValueIs) {
  EXPECT_EQ(shown("text"), "\"text\"");
  EXPECT_EQ(shown(2.5), "2.5");
  EXPECT_EQ(shown(Value::list()), "a list");
  EXPECT_EQ(shown(std::vector<double>(1000)), "a list of 1000");
  EXPECT_EQ(shown(Value::record()), "an object");
}

}  // namespace
}  // namespace modicum::json_test
