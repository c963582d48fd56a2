#include "release/descriptions/loss_table.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "modicum/release/description.h"

namespace modicum::loss_table_test {
namespace {

std::string refusal(const std::string& text) {
  try {
    parse_loss_table(text);
  } catch (const InvalidDescription& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text.substr(0, 200);
  return "";
}

void expect_table(const std::string& text, const LossTable& expected) {
  const LossTable table = parse_loss_table(text);
  EXPECT_EQ(table.losses, expected.losses) << text;
  EXPECT_EQ(table.probabilities, expected.probabilities) << text;
  EXPECT_EQ(table.infinite, expected.infinite) << text;
}

TEST(LossTable, ReadsRows) {
  expect_table("-0.5,0.25\n1e-3,0.75\n", {{-0.5, 1e-3}, {0.25, 0.75}, 0.0});
  expect_table("+2,1", {{2.0}, {1.0}, 0.0});
  expect_table("0,0\n0,1\n", {{0.0, 0.0}, {0.0, 1.0}, 0.0});
}

TEST(LossTable, AddsUpInfiniteLosses) {
  expect_table("inf,0.25\n1,0.5\n+inf,0.125\ninfinity,0.125\n", {{1.0}, {0.5}, 0.5});
  expect_table("inf,1", {{}, {}, 1.0});
}

TEST(LossTable, SkipsWhatIsNoRow) {
  const LossTable two{{-1.0, 1.0}, {0.25, 0.75}, 0.0};
  expect_table("loss,probability\n-1,0.25\n1,0.75\n", two);
  expect_table("# made by hand\n\n loss , probability \n-1,0.25\n\n  # more\n1,0.75\n\n", two);
  expect_table("\xef\xbb\xbfloss,probability\r\n-1,0.25\r\n\r\n1,0.75\r\n", two);
  expect_table(" -1\t,  0.25 \n\t1 ,0.75", two);
}

TEST(LossTable, NamesTheLineTheValueAndTheRule) {
  EXPECT_EQ(refusal("0,1\n\n# x\nabc,0\n"),
            "line 4: loss is \"abc\", but must be a finite number or inf");
  EXPECT_EQ(refusal("0,x"), "line 1: probability is \"x\", but must be a number");
  EXPECT_EQ(refusal("0,1.5"), "line 1: probability is 1.5, but must be from 0 to 1");
  EXPECT_EQ(refusal("0,-0.5"), "line 1: probability is -0.5, but must be from 0 to 1");
  EXPECT_EQ(refusal("0;1"),
            "line 1: row is \"0;1\", but must be a loss and a probability, with a comma");
  EXPECT_EQ(refusal("0,1e-400"),
            "line 1: probability is 1e-400, but must be finite, and zero or at least 2.3e-308 in "
            "size");
}

TEST(LossTable, RefusesWhatIsNoNumber) {
  for (const std::string loss : {"nan", "-nan", "-inf", "-infinity", "", "1 2", "0x1", "1e999"})
    EXPECT_TRUE(refusal(loss + ",0.5").starts_with("line 1: loss is ")) << loss;
  for (const std::string mass : {"nan", "inf", "-inf", "", "0.5,1", "1e999", "50%"})
    EXPECT_TRUE(refusal("0," + mass).starts_with("line 1: probability is ")) << mass;
}

TEST(LossTable, TakesAHeadingOnlyFirst) {
  EXPECT_TRUE(refusal("0,1\nloss,probability\n").starts_with("line 2: probability is"));
  EXPECT_TRUE(refusal("epsilon,delta\n0,1\n").starts_with("line 1: "));
}

TEST(LossTable, RefusesAnEmptyTable) {
  for (const std::string text : {"", "\n\n", "# nothing\n", "loss,probability\n"})
    EXPECT_EQ(refusal(text), "table is empty, but must have at least one row");
}

TEST(LossTable, IsLimitedInRows) {
  std::string text;
  for (std::size_t i = 0; i < most_table_rows; ++i) text += "0,0\n";
  EXPECT_EQ(parse_loss_table(text).losses.size(), most_table_rows);
  EXPECT_EQ(refusal(text + "inf,0\n"),
            "line 1000001: row is number 1000001, but a table must have at most 1000000 rows");
}

TEST(LossTable, KeepsHostileTextShort) {
  EXPECT_LT(refusal(std::string(100000, 'x') + ",1").size(), 200u);
  EXPECT_LT(refusal(std::string("\x1b[31m\0", 6) + std::string(100000, 'x')).size(), 200u);
}

RC_GTEST_PROP(LossTable, NeverFailsInAnotherWay, (const std::string& text)) {
  try {
    parse_loss_table(text);
  } catch (const InvalidDescription&) {
  }
}

}  // namespace
}  // namespace modicum::loss_table_test
