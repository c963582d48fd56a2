#include "interfaces/plot/label_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace modicum::label_groups_test {
namespace {

using Names = std::vector<std::string>;
using Places = std::vector<std::size_t>;

Names names_of(const std::vector<LabelGroup>& groups) {
  Names names;
  for (const LabelGroup& group : groups) names.push_back(group.name);
  return names;
}

TEST(LabelGroups, SortWords) {
  const auto groups = label_groups({"b", "a", "b", "Z"}, 12);
  EXPECT_EQ(names_of(groups), (Names{"Z", "a", "b"}));
  EXPECT_EQ(groups[2].members, (Places{0, 2}));
  EXPECT_FALSE(groups[2].rest);
}

TEST(LabelGroups, SortNumbersByTheirValueHoweverTheyAreWritten) {
  const auto groups = label_groups({"10", "2", "2.0", "-0", "0", "2e0"}, 12);
  EXPECT_EQ(names_of(groups), (Names{"0", "2", "10"}));
  EXPECT_EQ(groups[0].members, (Places{3, 4}));
  EXPECT_EQ(groups[1].members, (Places{1, 2, 5}));
}

TEST(LabelGroups, TakeAllForWordsWhereOneIs) {
  EXPECT_EQ(names_of(label_groups({"10", "2", "2.0", "x"}, 12)), (Names{"10", "2", "2.0", "x"}));
}

TEST(LabelGroups, LeaveOutBlanksAndNameWhatIsEmpty) {
  const auto groups = label_groups({" a", "a\t", "", "  "}, 12);
  EXPECT_EQ(names_of(groups), (Names{"(empty)", "a"}));
  EXPECT_EQ(groups[0].members, (Places{2, 3}));
}

TEST(LabelGroups, OfNothingAreNone) { EXPECT_TRUE(label_groups({}, 12).empty()); }

TEST(LabelGroups, KeepTheLargestAndPutTheOthersTogether) {
  // Label i occurs i times, 1 to 5.
  std::vector<std::string> labels;
  for (int i = 1; i <= 5; ++i)
    labels.insert(labels.end(), static_cast<std::size_t>(i), std::to_string(i));
  const auto groups = label_groups(labels, 3);
  EXPECT_EQ(names_of(groups), (Names{"3", "4", "5", "other"}));
  EXPECT_TRUE(groups[3].rest);
  EXPECT_EQ(groups[3].members, (Places{0, 1, 2}));
  EXPECT_EQ(names_of(label_groups(labels, 5)), (Names{"1", "2", "3", "4", "5"}));
}

TEST(LabelGroups, KeepTheFirstAmongEqualOnes) {
  EXPECT_EQ(names_of(label_groups({"d", "c", "b", "a"}, 2)), (Names{"a", "b", "other"}));
}

TEST(LabelGroups, HaveOneGroupOfTheNameOther) {
  const auto groups = label_groups({"other", "other", "a", "b", "c"}, 2);
  EXPECT_EQ(names_of(groups), (Names{"a", "b", "other"}));
  EXPECT_EQ(groups[2].members, (Places{0, 1, 4}));
  EXPECT_EQ(names_of(label_groups({"other", "a"}, 2)), (Names{"a", "other"}));
}

TEST(LabelGroups, HoldEveryRowOnce) {
  std::vector<std::string> labels;
  for (int i = 0; i < 500; ++i) labels.push_back("label " + std::to_string(i * i % 37));
  Places all;
  for (const LabelGroup& group : label_groups(labels, 12))
    all.insert(all.end(), group.members.begin(), group.members.end());
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), labels.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i], i);
}

}  // namespace
}  // namespace modicum::label_groups_test
