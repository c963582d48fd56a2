#include "auditing/program_output.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/refusals.h"

namespace modicum::testing::program_output_test {
namespace {

// The samples that a text gives when it arrives in pieces of this size.
OutputReader read_in_pieces(std::string_view text, std::size_t size, const RunLimits& limits) {
  OutputReader reader(limits);
  for (std::size_t i = 0; i < text.size() && reader.read(text.substr(i, size)); i += size) continue;
  reader.finish();
  return reader;
}

TEST(OutputReader, ReadsLinesOfNumbersHoweverTheyArrive) {
  const std::string text = "1,2\n\n -3e2\t+4.5 , 6\r\nnan\n1e999 -inf 1e-999\n7";
  for (const std::size_t size : {1ul, 2ul, 3ul, 7ul, 100ul}) {
    OutputReader reader = read_in_pieces(text, size, {});
    const Samples& samples = reader.samples();
    EXPECT_EQ(reader.failure(), "");
    ASSERT_EQ(samples.size(), 5u);
    EXPECT_EQ(std::vector<double>(samples.at(0).begin(), samples.at(0).end()),
              (std::vector<double>{1.0, 2.0}));
    EXPECT_EQ(std::vector<double>(samples.at(1).begin(), samples.at(1).end()),
              (std::vector<double>{-300.0, 4.5, 6.0}));
    EXPECT_TRUE(std::isnan(samples.at(2)[0]));
    EXPECT_EQ(samples.at(3)[0], infinity);
    EXPECT_EQ(samples.at(3)[1], -infinity);
    EXPECT_EQ(samples.at(3)[2], 0.0);
    EXPECT_EQ(samples.at(4)[0], 7.0);
  }
}

TEST(OutputReader, CountsWhatCannotBeReadAsOneMoreSample) {
  struct Case {
    const char* text;
    std::size_t samples;
    const char* failure;
  };
  RunLimits limits;
  limits.numbers = 3;
  limits.bytes = 1000;
  for (const auto& [text, samples, failure] : {
           Case{"1\n2\nwarning\n3\n", 3, "line 3 of its output is not a list of numbers"},
           Case{"", 1, "it printed no numbers"},
           Case{"\n\n", 1, "it printed no numbers"},
           Case{"1 2 3 4\n", 1, "line 1 of its output has more than 3 numbers"},
           Case{"1x", 1, "line 1 of its output is not a list of numbers"},
           Case{"+-1\n", 1, "line 1 of its output is not a list of numbers"},
       }) {
    OutputReader reader = read_in_pieces(text, 2, limits);
    EXPECT_EQ(reader.failure(), failure);
    EXPECT_EQ(reader.samples().size(), samples) << text;
    EXPECT_EQ(reader.samples().failures(), 1u);
    EXPECT_TRUE(reader.samples().failed(samples - 1));
  }
  EXPECT_EQ(read_in_pieces(std::string(2000, '\n'), 10, limits).failure(),
            "it printed more than 1000 bytes");
  EXPECT_EQ(read_in_pieces(std::string(900, '1'), 10, limits).failure(),
            "line 1 of its output is too long");
  limits.samples = 2;
  EXPECT_EQ(read_in_pieces("1\n2\n", 9, limits).failure(), "");
  EXPECT_EQ(read_in_pieces("1\n", 9, limits).failure(), "it printed fewer than 2 samples");
  EXPECT_EQ(read_in_pieces("1\n2\n3\n", 9, limits).failure(), "it printed more than 2 samples");
}

TEST(NumbersInCells, PassOverNames) {
  EXPECT_EQ(numbers_in_cells("name,value\nage,1.5\r\nwage,-2\n"), (std::vector<double>{1.5, -2.0}));
  EXPECT_TRUE(numbers_in_cells("").empty());
}

}  // namespace
}  // namespace modicum::testing::program_output_test
