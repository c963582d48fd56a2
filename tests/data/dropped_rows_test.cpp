// Which rows are dropped, by the numbers that people count.
#include <gtest/gtest.h>

#include <cmath>

#include "data/temporary_files.h"

namespace modicum::dropped_rows_test {
namespace {

using testing::all_columns;
using testing::rows_of;
using testing::table_of;
using testing::TemporaryFolder;

using Numbers = std::vector<std::uint64_t>;

TEST(DroppedRows, AreCountedFromTheFirstRowOn) {
  const TemporaryFolder folder;
  const Table table =
      table_of(folder.write("t.csv", "a,b\n1,2\n\nx,4\n5\n7,8\n\"9,1\n1,nan\n3,3\n"));
  EXPECT_EQ(table.dropped_rows({0, 1}, {}), (Numbers{2, 3, 5, 6}));
  EXPECT_EQ(table.dropped_rows({1}, {}), (Numbers{3, 5, 6}));
  EXPECT_EQ(table_of(folder.write("e.csv", "a,b\n")).dropped_rows({0}, {}), Numbers{});
}

// Over blocks and files, whatever the number of threads: together with those that are read they
// are all of them.
TEST(DroppedRows, GoOnOverFiles) {
  const TemporaryFolder folder;
  Numbers expected;
  std::vector<double> kept;
  TableFiles files;
  std::uint64_t number = 0;
  for (const char* name : {"one.csv", "two.csv"}) {
    std::string text = "a,b\n";
    for (int i = 0; i < 200000; ++i) {
      ++number;
      const bool bad = number % 7 == 3;
      text += std::to_string(number) + (bad ? ",\n" : ",0\n");
      if (bad) expected.push_back(number);
      else kept.push_back(static_cast<double>(number));
    }
    files.paths.push_back(folder.write(name, text));
  }
  const Table table(files);
  for (const unsigned threads : {1U, 4U}) {
    ReadOptions options;
    options.threads = threads;
    EXPECT_EQ(table.dropped_rows({0, 1}, options), expected);
  }
  const RowBlock rows = rows_of(table, {0, 1});
  ASSERT_EQ(rows.rows(), static_cast<Eigen::Index>(kept.size()));
  for (Eigen::Index i = 0; i < rows.rows(); i += 997)
    EXPECT_EQ(static_cast<double>(row_number(expected, static_cast<std::uint64_t>(i) + 1)),
              rows(i, 0));
}

TEST(DroppedRows, OfNumbersInMemory) {
  const std::vector<double> values{1.0, NAN, 3.0, 4.0, INFINITY, 6.0};
  TableFiles files;
  files.memory = RowsInMemory{values.data(), 6, 1, 1, 1};
  const Numbers dropped = Table(files).dropped_rows({0}, {});
  EXPECT_EQ(dropped, (Numbers{2, 5}));
  EXPECT_EQ(row_number(dropped, 1), 1U);
  EXPECT_EQ(row_number(dropped, 2), 3U);
  EXPECT_EQ(row_number(dropped, 3), 4U);
  EXPECT_EQ(row_number(dropped, 4), 6U);
  EXPECT_EQ(row_number({}, 4), 4U);
  EXPECT_EQ(row_number({1, 2, 3}, 1), 4U);
}

}  // namespace
}  // namespace modicum::dropped_rows_test
