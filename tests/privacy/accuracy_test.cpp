#include "modicum/privacy/accuracy.h"

#include <gtest/gtest.h>

#include "support/refusals.h"

namespace modicum::testing::accuracy_test {
namespace {

TEST(Accuracy, HasAWordThatLeadsBack) {
  EXPECT_STREQ(to_string(Accuracy::automatic), "automatic");
  EXPECT_STREQ(to_string(Accuracy::fast), "fast");
  EXPECT_STREQ(to_string(Accuracy::certified), "certified");
  for (const Accuracy accuracy : {Accuracy::automatic, Accuracy::fast, Accuracy::certified})
    EXPECT_EQ(read_accuracy("mode", to_string(accuracy)), accuracy);
}

TEST(Accuracy, RefusesOtherWordsAndNamesTheParameter) {
  for (const char* word : {"", "Fast", "exact", "fast "})
    EXPECT_TRUE(refuses("mode", [&] { return read_accuracy("mode", word); })) << word;
}

}  // namespace
}  // namespace modicum::testing::accuracy_test
