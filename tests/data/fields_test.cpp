#include "modicum/data/fields.h"

#include <gtest/gtest.h>

namespace modicum::fields_test {
namespace {

::testing::AssertionResult contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << text << " has no " << part;
}

template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(InStyle, WritesNamesAsOptionsOrAsArguments) {
  const std::string message = "`row_norm_bound` must not be given with `mu`";
  EXPECT_EQ(in_style(message, NameStyle::option), "--row-norm-bound must not be given with --mu");
  EXPECT_EQ(in_style(message, NameStyle::argument), "row_norm_bound must not be given with mu");
}

TEST(InStyle, LeavesOtherBackquotesAlone) {
  for (const char* message : {"a ` b", "``", "`Not a name`", "`--x` and `"})
    EXPECT_EQ(in_style(message, NameStyle::option), message);
  EXPECT_EQ(in_style("`No` `mu`", NameStyle::option), "`No` --mu");
}

TEST(Suggestion, NamesTheClosestWordOrNone) {
  const std::vector<std::string> known{"sensitivity", "epsilon", "delta"};
  EXPECT_EQ(suggestion("sensitivty", known), " (did you mean sensitivity?)");
  EXPECT_EQ(suggestion("dleta", {"sensitivity"}), "");
  EXPECT_EQ(suggestion("x", {}), "");
}

TEST(PlaceOfWord, TakesHyphensAndUnderscoresAlike) {
  const std::vector<std::string> words{"logistic", "smoothed_hinge"};
  EXPECT_EQ(place_of_word("loss", "smoothed-hinge", words), 1u);
  EXPECT_EQ(place_of_word("loss", "smoothed_hinge", words), 1u);
  EXPECT_EQ(refusal([&] { place_of_word("loss", "logistc", words); }),
            "loss is \"logistc\", but must be one of: logistic, smoothed_hinge (did you mean "
            "logistic?)");
}

struct Everything {
  double number = 1.0;
  std::optional<double> maybe = {};
  bool flag = false;
  std::string text = {};
  std::vector<double> numbers = {};
  std::optional<Range> range = {};
  std::map<std::string, Range> ranges = {};
  void fields(Fields& fields) {
    fields.add("number", number, "a number").required().synonym("count");
    fields.add("maybe", maybe, "another");
    fields.add("flag", flag, "a flag");
    fields.add("text", text, "a text");
    fields.add("numbers", numbers, "several");
    fields.add("range", range, "from, to");
    fields.add("ranges", ranges, "of columns");
  }
};

TEST(Fields, SetsWhatWasGivenAndLeavesTheRest) {
  Everything values;
  Fields fields;
  values.fields(fields);
  fields.set("number", 5);
  fields.set("numbers", std::vector<double>{1.0, 2.0});
  fields.set("range", std::vector<double>{0.0, 10.0});
  fields.set("ranges", Value{{"x", std::vector<double>{-1.0, 1.0}}});
  fields.finish();
  EXPECT_EQ(values.number, 5.0);
  EXPECT_FALSE(values.maybe);
  EXPECT_FALSE(values.flag);
  EXPECT_EQ(values.numbers, (std::vector{1.0, 2.0}));
  EXPECT_EQ(values.range->high, 10.0);
  EXPECT_EQ(values.ranges.at("x").low, -1.0);
  EXPECT_TRUE(fields.given("number"));
  EXPECT_FALSE(fields.given("maybe"));
}

TEST(Fields, RefusesValuesOfAnotherKindAndNamesTheField) {
  Everything values;
  Fields fields;
  values.fields(fields);
  EXPECT_EQ(refusal([&] { fields.set("number", "5"); }), "number is \"5\", but must be a number");
  EXPECT_EQ(refusal([&] { fields.set("number", true); }), "number is true, but must be a number");
  EXPECT_TRUE(contains(refusal([&] { fields.set("flag", 1); }), "must be true or false"));
  EXPECT_TRUE(contains(refusal([&] { fields.set("numbers", Value::list()); }), "an empty list"));
  EXPECT_TRUE(contains(refusal([&] { fields.set("range", 5); }), "range is 5"));
  EXPECT_THROW(fields.set("number", "5"), InvalidParameter);
}

TEST(Fields, KnowsSynonymsByTheNameOfTheField) {
  Everything values;
  Fields fields;
  values.fields(fields);
  fields.set("count", 3);
  EXPECT_EQ(values.number, 3.0);
  EXPECT_TRUE(fields.given("number"));
  EXPECT_EQ(refusal([&] { fields.set("number", 4); }),
            "`number` is given twice, but must be given once");
  EXPECT_EQ(fields.names()[1], "count");
}

TEST(Fields, RefusesUnknownNamesWithASuggestion) {
  Everything values;
  Fields fields;
  values.fields(fields);
  EXPECT_EQ(refusal([&] { fields.set("numbr", 5); }),
            "`numbr` is not known here (did you mean number?)");
  EXPECT_THROW(fields.set("x", 5), UsageError);
}

TEST(Fields, RefusesToFinishWithoutWhatIsRequired) {
  Everything values;
  Fields fields;
  values.fields(fields);
  EXPECT_EQ(refusal([&] { fields.finish(); }), "`number` is missing, but must be given");
}

TEST(Fields, TellsItsValuesByName) {
  Everything values;
  Fields fields;
  values.fields(fields);
  fields.set("flag", true);
  EXPECT_EQ(fields.values(), (Value{{"number", 1.0}, {"flag", true}}));
}

TEST(Fields, RefusesTheSameNameTwice) {
  double value = 0.0;
  Fields fields;
  fields.add("number", value, "");
  EXPECT_THROW(fields.add("number", value, ""), Error);
}

enum class Fruit { apple, pear };
const Choices<Fruit> fruits{{"apple", Fruit::apple, "red"}, {"pear", Fruit::pear, "green"}};

TEST(Fields, AChoiceHasWordsHelpAndARule) {
  Fruit fruit = Fruit::apple;
  std::optional<Fruit> second;
  Fields fields;
  const Field& field = fields.choice("fruit", fruit, fruits, "which one");
  fields.choice("second", second, fruits, "another");
  EXPECT_EQ(field.words, (std::vector<std::string>{"apple", "pear"}));
  EXPECT_EQ(field.help, "which one\napple: red\npear: green");
  EXPECT_EQ(fields.values(), (Value{{"fruit", "apple"}}));
  fields.set("fruit", "pear");
  fields.set("second", "apple");
  EXPECT_EQ(fruit, Fruit::pear);
  EXPECT_EQ(second, Fruit::apple);
}

TEST(Fields, AnInputIsAPathOrAContent) {
  Input<std::vector<double>> from_file, at_hand;
  Fields fields;
  const auto set = [&](const Value& given) { at_hand.content = given.numbers(); };
  fields.input("file", from_file, "a file");
  fields.input("either", at_hand, "a file, or numbers", set);
  EXPECT_FALSE(at_hand.given());
  EXPECT_TRUE(contains(refusal([&] { fields.set("file", 5); }), "must be the path of a file"));
  fields.set("file", "values.json");
  fields.set("either", std::vector<double>{2.0, 1.0});
  EXPECT_EQ(from_file.path, "values.json");
  EXPECT_EQ(at_hand.content, (std::vector{2.0, 1.0}));
}

struct Plain {
  void fields(Fields&) {}
};
struct Sampled {
  double rate = 0.0;
  void fields(Fields& fields) { fields.add("rate", rate, "of drawing").required(); }
};
struct Noisy {
  std::optional<double> noise = {};
  double rate = 0.5;
  void fields(Fields& fields) {
    fields.add("noise", noise, "deviation");
    fields.add("rate", rate, "of drawing");
  }
};
using AnyMethod = std::variant<Plain, Sampled, Noisy>;
const Methods<AnyMethod> any_methods{
    {"plain", Plain{}, ""}, {"sampled", Sampled{}, ""}, {"noisy", Noisy{}, ""}};

struct WithMethod {
  AnyMethod method = {};
  Fields fields = {};
  WithMethod() {
    fields.methods("method", method, any_methods, "how",
                   [](const Fields& given) { return given.given("noise") ? "noisy" : "plain"; });
  }
};

TEST(Methods, AChosenOneGetsItsValuesInAnyOrder) {
  WithMethod job;
  job.fields.set("rate", 0.25);
  job.fields.set("method", "sampled");
  job.fields.finish();
  EXPECT_EQ(std::get<Sampled>(job.method).rate, 0.25);
}

TEST(Methods, TheDefaultMayDependOnWhatWasGiven) {
  WithMethod nothing, noise;
  nothing.fields.finish();
  EXPECT_TRUE(std::holds_alternative<Plain>(nothing.method));
  noise.fields.set("noise", 2.0);
  noise.fields.finish();
  EXPECT_EQ(std::get<Noisy>(noise.method).noise, 2.0);
  EXPECT_EQ(std::get<Noisy>(noise.method).rate, 0.5);
}

TEST(Methods, RefuseWhatBelongsToAnotherAndWhatIsMissing) {
  WithMethod foreign, missing, unknown, mistyped;
  foreign.fields.set("rate", 0.25);
  EXPECT_EQ(refusal([&] { foreign.fields.finish(); }),
            "`rate` must not be given with `method` plain");
  missing.fields.set("method", "sampled");
  EXPECT_EQ(refusal([&] { missing.fields.finish(); }), "`rate` is missing, but must be given");
  EXPECT_TRUE(
      contains(refusal([&] { unknown.fields.set("method", "sampeld"); }), "did you mean sampled?"));
  mistyped.fields.set("noise", "loud");
  EXPECT_TRUE(contains(refusal([&] { mistyped.fields.finish(); }), "must be a number"));
}

TEST(Methods, SayInHelpWhoseAFieldIs) {
  WithMethod job;
  EXPECT_EQ(job.fields.find("noise")->help, "noisy: deviation");
  EXPECT_EQ(job.fields.find("rate")->help, "sampled, noisy: of drawing");
  EXPECT_FALSE(job.fields.find("rate")->is_required);  // only of one of the methods
}

}  // namespace
}  // namespace modicum::fields_test
