#include <gtest/gtest.h>

#include "data/temporary_files.h"
#include "modicum/data/matrix_shape.h"

namespace modicum::matrix_file_test {
namespace {

using testing::gzipped;
using testing::matrix;
using testing::refusal;
using testing::TemporaryFolder;

TEST(ReadMatrix, ReadsJson) {
  const TemporaryFolder folder;
  EXPECT_EQ(read_matrix(folder.write("a.json", "[[1, 2.5], [-3e2, 4]]")),
            matrix({{1, 2.5}, {-300, 4}}));
  EXPECT_EQ(read_matrix(folder.write("a.json", " [1, 2, 3]\n")), matrix({{1}, {2}, {3}}));
}

TEST(ReadMatrix, ReadsCsvAndSkipsAHeaderIfThereIsOne) {
  const TemporaryFolder folder;
  const RowBlock expected = matrix({{1, 2}, {3, 4}});
  for (const std::string header : {"a,b\n", ",b\n", "7,8\n", ""}) {
    const std::string text = header + "1,2\n3,4\n";
    EXPECT_EQ(read_matrix(folder.write("a.csv", text), !header.empty()), expected) << text;
    EXPECT_EQ(read_matrix(folder.write("a.csv.gz", gzipped(text)), !header.empty()), expected);
  }
  std::string text = "x\n";
  for (int i = 0; i < 400000; ++i) text += std::to_string(i) + "\n";
  const RowBlock many = read_matrix(folder.write("a.csv", text), true);
  ASSERT_EQ(many.rows(), 400000);
  for (int i = 0; i < 400000; ++i) ASSERT_EQ(many(i, 0), i);
}

TEST(ReadMatrix, ReadsNpy) {
  const TemporaryFolder folder;
  std::string file("\x93NUMPY\x01\x00", 8);
  const std::string header = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2)}\n";
  file += static_cast<char>(header.size());
  file += '\0';
  file += header + "\x01\x02\x03\x04";
  EXPECT_EQ(read_matrix(folder.write("a.npy", file)), matrix({{1, 3}, {2, 4}}));
}

// Before any number is looked at: what is none does not matter.
TEST(MatrixShape, IsThatOfTheMatrix) {
  const TemporaryFolder folder;
  const auto shape = [&](const char* name, const std::string& text, bool header = false) {
    return matrix_shape(folder.write(name, text), header);
  };
  EXPECT_EQ(shape("a.csv", "1,2\n3,4\n5,nan\n"), (MatrixShape{3, 2}));
  EXPECT_EQ(shape("a.csv", "a,b\n3,4\n", true), (MatrixShape{1, 2}));
  EXPECT_EQ(shape("a.csv.gz", gzipped("1\nx\n3\n")), (MatrixShape{3, 1}));
  EXPECT_EQ(shape("a.json", "[[1, 2], [3, null]]"), (MatrixShape{2, 2}));
  EXPECT_EQ(shape("a.json", "[1, 2, 3]"), (MatrixShape{3, 1}));
  for (const char* text : {"", "[]", "[[]]", "[1, 2", "3"})
    EXPECT_THROW(shape("a.json", text), UnreadableFile) << text;
  EXPECT_THROW(shape("a.csv", ""), UnreadableFile);
  EXPECT_THROW(shape("a.csv", "a,b\n", true), UnreadableFile);
  EXPECT_THROW(matrix_shape(folder.path("none.csv")), UnreadableFile);
}

TEST(ReadMatrix, RefusesWhatIsNotAWholeMatrixOfNumbers) {
  const TemporaryFolder folder;
  for (const char* text :
       {"", "[]", "[[]]", "[[1, 2], [3]]", "[[1], 2]", "[1, [2]]", "[1, null]", "[true]", "[\"1\"]",
        "{\"a\": 1}", "3", "[1, 2", "[NaN]", "[1e999]", "[[1, 2], [3, 4]] x", "[[[1]]]"}) {
    const std::string path = folder.write("a.json", text);
    EXPECT_CONTAINS(refusal([&] { read_matrix(path); }), path);
  }
  // Not even the first line is left out for being no number.
  for (const char* text : {"", "a,b\n", "1,2\n3\n", "1,2\n3,x\n", "1,2\n,4\n", "nan,nan\n1,2\n",
                           "1,x\n3,4\n", "a,b\n1,2\n3,inf\n", "1,2\n3,1e999\n", "a,b\n1,2\n",
                           "1e400\n1\n2\n", "0x10\n1\n", "12;3\n1\n", "1\n1e400\n", "1\n0x10\n"}) {
    const std::string path = folder.write("a.csv", text);
    const std::string message = refusal([&] { read_matrix(path); });
    EXPECT_CONTAINS(message, path);
    for (const char* field : {"1e400", "0x10", "12;3", "1e999"})
      EXPECT_EQ(message.find(field), std::string::npos);
  }
  EXPECT_CONTAINS(refusal([&] { read_matrix(folder.write("b.csv", "a,b\n"), true); }), "b.csv");
  EXPECT_CONTAINS(refusal([&] { read_matrix(folder.path("none.json")); }), "none.json");
}

}  // namespace
}  // namespace modicum::matrix_file_test
