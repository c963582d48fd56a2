#include "data/csv/header_names.h"

#include <gtest/gtest.h>

namespace modicum::data::header_names_test {
namespace {

TEST(HeaderNames, AreIdentifiersAllDifferent) {
  for (const std::vector<std::string>& names :
       {std::vector<std::string>{"age"}, {"a", "b"}, {"x1", "_", "A_2", "Age"}, {"narrow", "nano"}})
    EXPECT_TRUE(are_surely_names(names)) << names.front();
  for (const char* field :
       {"",     " ",  "1",    "2nd",  "a b", "a;b",  "a|b",      "a\tb", "a,b", "a.b", "a-b", "$52",
        "52kg", "NA", "none", "NULL", "inf", "True", "\xC3\xA9", "@",    "[",   "`",   "{"})
    EXPECT_FALSE(are_surely_names({"age", field})) << field;
  EXPECT_FALSE(are_surely_names({"a", "b", "a"}));
}

// Quadratic work would take minutes.
TEST(HeaderNames, MayBeMany) {
  std::vector<std::string> names;
  for (int i = 0; i < 500000; ++i) names.push_back("c" + std::to_string(i));
  EXPECT_TRUE(are_surely_names(names));
}

}  // namespace
}  // namespace modicum::data::header_names_test
