#include "data/files/pieces.h"

#include <gtest/gtest.h>

#include "data/temporary_files.h"
#include "modicum/numerics/errors.h"
#include "support/refusals.h"

namespace modicum::testing::pieces_test {
namespace {

using data::Selection;

TEST(Selection, SaysWhereEachColumnGoes) {
  const std::vector<std::string> names{"a", "b", "c"};
  const std::vector<data::FieldReading> readings(3);
  const Selection selection(names, {2, 0, 2}, BadRows::dropped, readings);
  EXPECT_EQ(selection.target, (std::vector<std::ptrdiff_t>{1, -1, 0}));
  ASSERT_EQ(selection.copies.size(), 1u);
  EXPECT_EQ(selection.copies.front(), (std::pair<std::size_t, std::size_t>{0, 2}));
  EXPECT_TRUE(
      refuses("column", [&] { return Selection(names, {3}, BadRows::dropped, readings).columns; }));
}

TEST(Pieces, AreNpyIfTheBytesSaySo) {
  const TemporaryFolder folder;
  const std::string text = folder.write("text.npy", "a,b\n1,2\n");
  const std::string bytes = folder.write("bytes.csv", std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_FALSE(data::starts_as_npy(text));
  EXPECT_TRUE(data::starts_as_npy(bytes));
  EXPECT_TRUE(data::starts_as_npy(folder.write("packed.csv", gzipped("\x93NUMPY\x01"))));
  EXPECT_FALSE(data::starts_as_npy(folder.write("empty", "")));
}

// A header is a row of names, which no NPY file begins with; without one the name decides.
TEST(Pieces, AreReadByContentWithAHeaderAndByNameWithout) {
  const TemporaryFolder folder;
  const std::string path = folder.write("text.npy", "a,b\n1,2\n");
  TableFiles files;
  EXPECT_EQ(data::open_pieces(path, files)->columns(), (std::vector<std::string>{"a", "b"}));
  files.header = false;
  EXPECT_THROW(data::open_pieces(path, files), Error);
}

}  // namespace
}  // namespace modicum::testing::pieces_test
