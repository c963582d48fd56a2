#include <gtest/gtest.h>

#include "modicum/auditing/program_runs.h"
#include "support/refusals.h"

namespace modicum::testing::program_words_test {
namespace {

using Words = std::vector<std::string>;

TEST(SplitCommand, IsThatOfAShell) {
  EXPECT_EQ(split_command("a b\tc\n d "), (Words{"a", "b", "c", "d"}));
  EXPECT_EQ(split_command("sh -c 'echo \"$x\" \\ y'"), (Words{"sh", "-c", "echo \"$x\" \\ y"}));
  EXPECT_EQ(split_command(R"(a "b \" \\ \n c" d\ e)"), (Words{"a", R"(b " \ \n c)", "d e"}));
  EXPECT_EQ(split_command("a '' \"\" b''c"), (Words{"a", "", "", "bc"}));
  EXPECT_EQ(split_command("a\\"), (Words{"a\\"}));
  for (const char* bad : {"", "  ", "'a", "a \"b", "\"a\\\"", "''"})
    EXPECT_TRUE(refuses("command", [&] { return split_command(bad); })) << bad;
  EXPECT_TRUE(refuses("command", [] { return split_command(std::string_view("a\0b", 3)); }));
}

TEST(CommandWords, PutPathsInTheirPlaces) {
  EXPECT_EQ(command_words({"p", "-f", "x"}, "in", ""), (Words{"p", "-f", "x", "in"}));
  EXPECT_EQ(command_words({"p", "--a={input}", "{input}"}, "in", ""), (Words{"p", "--a=in", "in"}));
  EXPECT_EQ(command_words({"p", "{output}", "{input}"}, "{output}", "out"),
            (Words{"p", "out", "{output}"}));
  EXPECT_TRUE(asks_for_output({"p", "-o={output}"}));
  EXPECT_FALSE(asks_for_output({"p", "{input}"}));
}

}  // namespace
}  // namespace modicum::testing::program_words_test
