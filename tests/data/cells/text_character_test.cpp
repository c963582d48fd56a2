#include "data/cells/text_character.h"

#include <gtest/gtest.h>

#include <string>

namespace modicum::text_character_test {
namespace {

TEST(ShownCharacter, CountsBytes) {
  EXPECT_EQ(shown_character("a"), 1U);
  EXPECT_EQ(shown_character("\xC3\xA9t"), 2U);          // e with an accent
  EXPECT_EQ(shown_character("\xE2\x88\x92"), 3U);       // a minus
  EXPECT_EQ(shown_character("\xF0\x9F\x98\x80!"), 4U);  // outside the basic plane
  EXPECT_EQ(shown_character("\xF4\x8F\xBF\xBD"), 4U);   // the last that may be shown
}

TEST(Utf8Character, TakesWhatIsNotShownToo) {
  EXPECT_EQ(utf8_character("\n"), 1U);
  EXPECT_EQ(utf8_character("\xE2\x80\xAE"), 3U);
  EXPECT_EQ(utf8_character("\xEF\xBF\xBF"), 3U);
  EXPECT_EQ(utf8_character("\xF4\x8F\xBF\xBF"), 4U);
  for (const char* const none : {"", "\x80", "\xC3", "\xC1\x81", "\xED\xA0\x80", "\xE0\x80\x80",
                                 "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xE2\x28\xA1"})
    EXPECT_EQ(utf8_character(none), 0U) << none;
}

TEST(ShownCharacter, RefusesWhatSteersOrIsNoCharacter) {
  for (const std::string text : {"",
                                 "\x01",
                                 "\n",
                                 "\x1b[31m",
                                 "\x7f",
                                 "\x80",
                                 "\xff\xfe",
                                 "\xC1\x81",
                                 "\xC2\x9B",
                                 "\xC3",
                                 "\xE2\x80\xAE",
                                 "\xE2\x81\xA6",
                                 "\xED\xA0\x80",
                                 "\xED\xBF\xBF",
                                 "\xEF\xBF\xBE",
                                 "\xEF\xBF\xBF",
                                 "\xEF\xB7\x90",
                                 "\xE0\x80\x80",
                                 "\xF0\x80\x80\x80",
                                 "\xF0\x9F\xBF\xBF",
                                 "\xF4\x90\x80\x80",
                                 "\xF5\x80\x80\x80",
                                 "\xE2\x28\xA1"})
    EXPECT_EQ(shown_character(text), 0U) << text;
}

}  // namespace
}  // namespace modicum::text_character_test
