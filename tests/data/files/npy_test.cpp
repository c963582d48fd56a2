#include "data/files/npy.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "data/temporary_files.h"

namespace modicum::npy_test {
namespace {

using testing::gzipped;
using testing::matrix;
using testing::refusal;
using testing::rows_of;
using testing::table_of;
using testing::TemporaryFolder;
using testing::text_of;

std::string npy(int version, const std::string& dictionary, const std::string& data) {
  const std::string header = dictionary + "  \n";
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    file += static_cast<char>(header.size() >> (8 * i) & 255);
  return file + header + data;
}

std::string array(const std::string& type, bool fortran, const std::string& shape,
                  const std::string& data, int version = 1) {
  return npy(version,
             fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", type,
                         fortran ? "True" : "False", shape),
             data);
}

template <class Number>
std::string bytes_of(std::vector<Number> values, bool big_endian = false) {
  std::string bytes;
  for (const Number& value : values) {
    char item[sizeof(Number)];
    std::memcpy(item, &value, sizeof(Number));
    if (big_endian) std::reverse(item, item + sizeof(Number));
    bytes.append(item, sizeof(Number));
  }
  return bytes;
}

template <class Number>
void expect_type(const TemporaryFolder& folder, const std::string& type, Number low, Number high) {
  const std::vector<Number> values = {low, high, 1, 0, 2, 100};
  for (const bool big : {false, true}) {
    const std::string name = (sizeof(Number) == 1 ? '|' : big ? '>' : '<') + type;
    const std::string data = bytes_of(values, big);
    const auto l = static_cast<double>(low), h = static_cast<double>(high);
    for (const int version : {1, 2, 3}) {
      EXPECT_EQ(rows_of(table_of(folder.write("t", array(name, false, "(2, 3)", data, version)))),
                matrix({{l, h, 1}, {0, 2, 100}}))
          << name;
      EXPECT_EQ(rows_of(table_of(folder.write("t", array(name, true, "(2, 3)", data, version)))),
                matrix({{l, 1, 2}, {h, 0, 100}}))
          << name;
    }
  }
}

TEST(Npy, ReadsEveryTypeInEitherByteOrderAndEitherOrderOfEntries) {
  const TemporaryFolder folder;
  expect_type<double>(folder, "f8", -1.7e308, 5e-324);
  expect_type<float>(folder, "f4", -3.4e38f, 1e-45f);
  expect_type<std::int8_t>(folder, "i1", -128, 127);
  expect_type<std::uint8_t>(folder, "u1", 0, 255);
  expect_type<std::int16_t>(folder, "i2", -32768, 32767);
  expect_type<std::uint16_t>(folder, "u2", 0, 65535);
  expect_type<std::int32_t>(folder, "i4", -2147483647 - 1, 2147483647);
  expect_type<std::uint32_t>(folder, "u4", 0, 4294967295u);
  expect_type<std::int64_t>(folder, "i8", std::numeric_limits<std::int64_t>::min(), 1234567890123);
  expect_type<std::uint64_t>(folder, "u8", 0, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(rows_of(table_of(folder.write("t", array("|b1", false, "(2, 1)", {'\1', '\0'})))),
            matrix({{1}, {0}}));
}

TEST(Npy, TakesOneDimensionAsOneColumn) {
  const TemporaryFolder folder;
  const std::string data = bytes_of<double>({1, 2, 3});
  const auto table = table_of(folder.write("t", array("<f8", false, "(3,)", data)));
  EXPECT_EQ(table.columns(), std::vector<std::string>{"1"});
  EXPECT_EQ(rows_of(table), matrix({{1}, {2}, {3}}));
  EXPECT_EQ(rows_of(table_of(folder.write("t", array("<f8", true, "(3,)", data)))),
            matrix({{1}, {2}, {3}}));
  EXPECT_EQ(rows_of(table_of(folder.write("t", array("<f8", false, "(0, 4)", "")))).rows(), 0);
  EXPECT_EQ(text_of(table_of(folder.write("t", array("<f8", false, "(1, 3)", data)))),
            (TextBlock{{"1", "2", "3"}}));
}

TEST(Npy, ReadsGzipButNotInFortranOrder) {
  const TemporaryFolder folder;
  const std::string data = bytes_of<double>({1, 2, 3, 4});
  const std::string good = gzipped(array("<f8", false, "(2, 2)", data));
  EXPECT_EQ(rows_of(table_of(folder.write("t", good))), matrix({{1, 2}, {3, 4}}));
  for (const std::string& content :
       {array("<f8", true, "(2, 2)", data), array("<f8", false, "(3, 2)", data),
        array("<f8", false, "(1, 2)", data)}) {
    const std::string path = folder.write("t", gzipped(content));
    EXPECT_CONTAINS(refusal([&] { rows_of(table_of(path)); }), path);
  }
}

TEST(Npy, DropsRowsThatAreNotFiniteOrSaysWhereTheyAre) {
  const TemporaryFolder folder;
  const double nan = std::nan(""), inf = std::numeric_limits<double>::infinity();
  const std::string data = bytes_of<double>({1, 2, nan, 3, 4, inf, 5, 6});
  const std::string path = folder.write("t", array("<f8", false, "(4, 2)", data));
  EXPECT_EQ(rows_of(table_of(path)), matrix({{1, 2}, {5, 6}}));
  EXPECT_EQ(rows_of(table_of(path), {1}), matrix({{2}, {3}, {6}}));
  ReadOptions strict;
  strict.bad_rows = BadRows::refused;
  EXPECT_CONTAINS(refusal([&] { rows_of(table_of(path), strict); }), path + ", row 2, column 1");
  EXPECT_CONTAINS(refusal([&] { rows_of(table_of(path), {1}, strict); }), "row 3, column 2");
}

// Both orders of a file of many pieces, with any number of threads.
TEST(Npy, ReadsLargeFilesInPieces) {
  const TemporaryFolder folder;
  constexpr int rows = 40000, columns = 13;
  std::vector<double> by_rows, by_columns;
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) by_rows.push_back(i * 100.0 + j);
  for (int j = 0; j < columns; ++j)
    for (int i = 0; i < rows; ++i) by_columns.push_back(i * 100.0 + j);
  const std::string shape = fmt::format("({}, {})", rows, columns);
  folder.write("c", array("<f8", false, shape, bytes_of(by_rows)));
  folder.write("f", array(">f8", true, shape, bytes_of(by_columns, true)));
  for (const unsigned threads : {1u, 2u, 3u, 8u}) {
    std::uint64_t last = 0, total = 0;
    ReadOptions options;
    options.threads = threads;
    options.progress = [&](std::uint64_t done, std::uint64_t all) {
      EXPECT_GE(done, last);
      last = done;
      total = all;
    };
    const RowBlock c = rows_of(table_of(folder.path("c")), {12, 0}, options);
    last = 0;
    const RowBlock f = rows_of(table_of(folder.path("f")), {12, 0}, options);
    ASSERT_EQ(c.rows(), rows);
    EXPECT_EQ(c, f);
    EXPECT_EQ(last, total);
    for (int i = 0; i < rows; ++i) ASSERT_EQ(c(i, 0) - 12.0, i * 100.0);
  }
}

TEST(Npy, RefusesDamagedFilesAndOtherArrays) {
  const TemporaryFolder folder;
  const std::string data = bytes_of<double>({1, 2, 3, 4});
  const std::string good = array("<f8", false, "(2, 2)", data);
  std::vector<std::string> bad = {
      good.substr(0, good.size() - 1),
      good + "x",
      array("<f8", false, "(2, 3)", data),
      array("<f8", false, "()", data),
      array("<f8", false, "(1, 2, 2)", data),
      array("<f8", false, "(4, 0)", ""),
      array("<f2", false, "(8, 2)", data),
      array("<c8", false, "(2, 2)", data),
      array("|O8", false, "(2, 2)", data),
      array("|f8", false, "(2, 2)", data),
      array("<U1", false, "(2, 2)", data),
      array("<f8", false, "(-2, 2)", data),
      array("<f8", false, "(2.0, 2)", data),
      array("<f8", false, "(99999999999999999999, 2)", data),
      array("<f8", false, "(4611686018427387904, 4)", data),
      array("<f8", false, "(0, 5000000)", ""),
      npy(4, "{}", ""),
      npy(1, "{}", data),
      npy(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (4,), }", data),
      npy(1, "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (4,), }", data)};
  for (std::size_t size = 6; size < good.size() - data.size(); ++size)
    bad.push_back(good.substr(0, size));
  for (const std::string& content : bad) {
    const std::string path = folder.write("t.npy", content);
    EXPECT_CONTAINS(refusal([&] { rows_of(table_of(path)); }), path);
  }
}

}  // namespace
}  // namespace modicum::npy_test
