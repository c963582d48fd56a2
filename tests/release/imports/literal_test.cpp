#include "release/imports/literal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/data/json.h"
#include "support/seeded_random.h"

namespace modicum::testing::literal_test {
namespace {

TEST(Literals, AreReadAsPythonPrintsThem) {
  EXPECT_EQ(parse_literal("[(1.0, 0.01, 5), (2, 1e-3, 7),]").at(1).at(1).number(), 1e-3);
  EXPECT_EQ(parse_literal("[(1.0, 0.01, 5)]").at(std::size_t{0}).at(2).whole(), 5);
  EXPECT_EQ(parse_literal("(3)").whole(), 3);
  EXPECT_EQ(parse_literal("(3,)").size(), 1U);
  EXPECT_TRUE(parse_literal(" None ").is_null());
  EXPECT_TRUE(parse_literal("True").boolean());
  EXPECT_EQ(parse_literal("-inf").number(), -HUGE_VAL);
  EXPECT_EQ(parse_literal("np.float64(0.25)").number(), 0.25);
  // Which print fewer digits than they have.
  for (const char* rounded : {"array([1.0, 2.0])", "float32(1.1)", "float16(1.1)"}) {
    bool is_number = false;
    try {
      is_number = parse_literal(rounded).is_number() || parse_literal(rounded).is_list();
    } catch (const Error&) {
    }
    EXPECT_FALSE(is_number) << rounded;
  }
  EXPECT_EQ(parse_literal("{'a': \"b\\n\", 'c': -4e-320}").at("a").text(), "b\n");
  EXPECT_EQ(parse_literal("{'c': -4e-320}").at("c").number(), -4e-320);
  EXPECT_EQ(parse_literal("\n[]").size(), 0U);
}

TEST(Literals, CallsAreRecords) {
  const Value call = parse_literal("dp_event.Outer(event=Inner(x=1.5), list=[Inner(x=2)])");
  EXPECT_EQ(call.at("class_name").text(), "Outer");
  EXPECT_EQ(call.at("event").at("x").number(), 1.5);
  EXPECT_EQ(call.at("list").at(std::size_t{0}).at("class_name").text(), "Inner");
  const Value tuple =
      parse_literal("_XNamedTupleWrapper(module_name='m', class_name='GaussianDpEvent', z=1)");
  EXPECT_EQ(tuple.at("class_name").text(), "GaussianDpEvent");
  EXPECT_EQ(parse_literal("NoOpDpEvent()").size(), 1U);
}

TEST(Literals, JsonIsOneOfThem) {
  EXPECT_EQ(parse_literal(R"({"a": [1, 2.5, null, true], "b": {"c": "d"}})"),
            parse_json(R"({"a": [1, 2.5, null, true], "b": {"c": "d"}})"));
}

TEST(Literals, RefusesWhatIsNone) {
  for (const char* bad : {"",
                          "(",
                          "[1",
                          "[1 2]",
                          "{1: 2}",
                          "{'a' 1}",
                          "{'a': 1, 'a': 2}",
                          "name",
                          "F(1)",
                          "F(a=1, a=2)",
                          "F(a=)",
                          "'open",
                          "'\\x'",
                          "nan",
                          "1.5.2",
                          "1e999",
                          "--1",
                          "1 2",
                          "__import__",
                          "F(a=1",
                          "lambda: 0",
                          "[1, , 2]",
                          "\x01",
                          "GaussianDpEvent(class_name='NoOpDpEvent')",
                          "F(class_name=1)"})
    EXPECT_THROW(parse_literal(bad), InvalidDescription) << bad;
  EXPECT_THROW(parse_literal(std::string(100, '[') + std::string(100, ']')), InvalidDescription);
  try {
    parse_literal("[1,\n  ?]");
    FAIL();
  } catch (const InvalidDescription& error) {
    EXPECT_EQ(std::string(error.what()), "line 2, column 3: found \"?]\", but must be a value");
  }
}

// One or two changes to a text that is fine: a value, or a refusal that names the place.
TEST(Literals, NeverFailInAnotherWay) {
  const std::string fine =
      "ComposedDpEvent(events=[SelfComposedDpEvent(event=PoissonSampledDpEvent("
      "sampling_probability=0.01, event=GaussianDpEvent(noise_multiplier=1.0)), count=1000), "
      "{'a': (1, -2.5e-3, None), \"b\": np.float64(inf)}])";
  const std::string characters = "()[]{}=,:.'\"\\-+eE0 aN\n\xff";
  SeededRandom random(18);
  for (int trial = 0; trial < 3000; ++trial) {
    std::string text = fine;
    for (int change = random.whole(1, 2); change > 0; --change) {
      const auto place =
          static_cast<std::size_t>(random.whole(0, static_cast<int>(text.size()) - 1));
      const auto letter =
          static_cast<std::size_t>(random.whole(0, static_cast<int>(characters.size()) - 1));
      if (random.whole(0, 2) == 0) text.erase(place, static_cast<std::size_t>(random.whole(1, 9)));
      else text.insert(place, 1, characters[letter]);
    }
    try {
      parse_literal(text);
    } catch (const InvalidDescription& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("line ")) << error.what();
    }
  }
}

}  // namespace
}  // namespace modicum::testing::literal_test
