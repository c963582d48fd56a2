#include "modicum/data/value.h"

#include <gtest/gtest.h>

namespace modicum::value_test {
namespace {

TEST(Value, IsNothingByDefault) {
  EXPECT_TRUE(Value().is_null());
  EXPECT_TRUE(Value(nullptr).is_null());
  EXPECT_TRUE(Value(std::optional<double>()).is_null());
  EXPECT_EQ(Value().size(), 0u);
}

TEST(Value, KeepsWholeNumbersApartFromOthers) {
  EXPECT_TRUE(Value(5).is_whole());
  EXPECT_TRUE(Value(std::size_t{5}).is_whole());
  EXPECT_FALSE(Value(5.0).is_whole());
  EXPECT_TRUE(Value(5.0).is_number());
  EXPECT_EQ(Value(5).number(), 5.0);
  EXPECT_EQ(Value(5).whole(), 5);
  EXPECT_THROW(Value(5.0).whole(), Error);
}

TEST(Value, KeepsTruthValuesApartFromNumbersAndTexts) {
  EXPECT_TRUE(Value(true).is_bool());
  EXPECT_FALSE(Value(true).is_number());
  EXPECT_TRUE(Value("true").is_text());  // not the truth of a pointer
  EXPECT_THROW(Value(true).number(), Error);
  EXPECT_THROW(Value(1).boolean(), Error);
}

TEST(Value, KeepsAnEnclosureWhole) {
  const Value value = Enclosure(0.25, 0.5);
  EXPECT_TRUE(value.is_enclosure());
  EXPECT_FALSE(value.is_number());
  EXPECT_EQ(value.enclosure().upper(), 0.5);
  EXPECT_THROW(value.number(), Error);  // it never turns into a bare number by itself
}

TEST(Value, KeepsTheOrderOfItsMembers) {
  Value value{{"zebra", 1}, {"apple", 2}};
  value["middle"] = 3;
  value["zebra"] = 4;  // in its old place
  std::vector<std::string> keys;
  for (const auto& [key, each] : value.members()) keys.push_back(key);
  EXPECT_EQ(keys, (std::vector<std::string>{"zebra", "apple", "middle"}));
  EXPECT_EQ(value.at("zebra").whole(), 4);
  EXPECT_EQ(value.size(), 3u);
}

TEST(Value, BecomesAListOrARecordWhenItIsFilled) {
  Value list, record;
  list.push_back(1);
  record["key"]["inner"] = "text";
  EXPECT_TRUE(list.is_list());
  EXPECT_EQ(record.at("key").at("inner").text(), "text");
  EXPECT_THROW(list["key"], Error);
  EXPECT_THROW(record.push_back(1), Error);
  EXPECT_THROW(Value(1).push_back(1), Error);
}

TEST(Value, ARecordWithOneMemberIsNoList) {
  const Value value{{"from", {{"rho", 0.5}}}};
  EXPECT_TRUE(value.is_record());
  EXPECT_TRUE(value.at("from").is_record());
  EXPECT_EQ(value.at("from").at("rho").number(), 0.5);
}

TEST(Value, EmptyListsAndRecordsDiffer) {
  EXPECT_TRUE(Value::list().is_list());
  EXPECT_TRUE(Value::record().is_record());
  EXPECT_NE(Value::list(), Value::record());
  EXPECT_NE(Value::list(), Value());
}

TEST(Value, TakesListsOfAnything) {
  EXPECT_EQ(Value(std::vector<double>{1.5, 2.5}).numbers(), (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(Value(std::vector<std::string>{"a", "b"}).texts(),
            (std::vector<std::string>{"a", "b"}));
  EXPECT_THROW(Value(std::vector<std::string>{"a"}).numbers(), Error);
}

TEST(Value, FindsNothingWhereThereIsNothing) {
  const Value value{{"a", 1}};
  EXPECT_EQ(value.find("b"), nullptr);
  EXPECT_FALSE(Value(1).contains("a"));
  EXPECT_THROW(value.at("b"), Error);
  EXPECT_THROW(Value(std::vector<double>{1.0}).at(1), Error);
}

TEST(Value, EqualsByContent) {
  EXPECT_EQ((Value{{"a", {{"b", 1}}}}), (Value{{"a", {{"b", 1}}}}));
  EXPECT_NE((Value{{"a", 1}, {"b", 2}}), (Value{{"b", 2}, {"a", 1}}));
}

}  // namespace
}  // namespace modicum::value_test
