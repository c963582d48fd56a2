// A line of a CSV file is a row by itself: nothing that it says touches the others.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "data/cells/number.h"
#include "data/csv/csv.h"
#include "data/temporary_files.h"

namespace modicum::testing::csv_piece_test {
namespace {

using data::CsvDialect;
using data::CsvReader;
using Fields = std::vector<std::string>;

// The second route: lines first, then one byte after the other. Empty if the line is no row.
Fields fields_of_line(std::string line, std::size_t longest) {
  if (line.size() > longest) return {};
  if (line.ends_with('\r')) line.pop_back();
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  if (line.empty()) return {};
  Fields fields{""};
  enum { start, plain, quoted, quote_seen } state = start;
  for (const char c : line) {
    if (c >= 0 && c < 32 && c != '\t') return {};
    if (state == quoted) {
      if (c == '"') state = quote_seen;
      else fields.back() += c;
    } else if (c == '"' && state != plain) {
      if (state == quote_seen) fields.back() += c;
      state = quoted;
    } else if (c == ',') {
      fields.emplace_back();
      state = start;
    } else {
      fields.back() += c;
      state = plain;
    }
  }
  return state == quoted ? Fields{} : fields;
}

TextBlock rows_by_lines(const std::string& text, std::size_t width, std::size_t longest) {
  TextBlock rows;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const Fields fields = fields_of_line(text.substr(start, end - start), longest);
    if (fields.size() == width) rows.push_back(fields);
    start = end + 1;
  }
  return rows;
}

RowBlock numbers_in(const TextBlock& rows, std::size_t width) {
  RowBlock numbers(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(width));
  Eigen::Index count = 0;
  for (const Fields& fields : rows) {
    std::size_t good = 0;
    for (const std::string& field : fields)
      good += data::parse_number(field, numbers(count, static_cast<Eigen::Index>(good))) ? 1 : 0;
    if (good == width) ++count;
  }
  numbers.conservativeResize(count, Eigen::NoChange);
  return numbers;
}

std::string nasty_text(std::mt19937_64& generator, std::size_t length) {
  const std::string bytes("\"\"\n\n\n\r,,,,a1122334 \t\0\x1f\x8b\x7f\xff.", 29);
  std::string text;
  while (text.size() < length) {
    const auto choice = generator() % 40;
    if (choice == 0) text += "\xEF\xBB\xBF";
    else if (choice == 1) text += "\r\n";
    else if (choice == 2) text += "\n1,\"2\"\n";
    else text += bytes[generator() % bytes.size()];
  }
  return text;
}

struct Read {
  TextBlock text;
  RowBlock numbers;
};

Read read_in_pieces(const std::string& path, const CsvDialect& dialect, std::size_t piece_bytes) {
  CsvReader reader(path, dialect, piece_bytes);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < reader.columns().size(); ++i) all.push_back(i);
  const std::vector<data::FieldReading> readings(all.size());
  const data::Selection selection(reader.columns(), all, BadRows::dropped, readings);
  Read read{{}, RowBlock(0, static_cast<Eigen::Index>(all.size()))};
  while (const auto piece = reader.next()) {
    for (auto& row : piece->text(selection)) read.text.push_back(row);
    const RowBlock block = piece->numbers(selection);
    read.numbers.conservativeResize(read.numbers.rows() + block.rows(), Eigen::NoChange);
    read.numbers.bottomRows(block.rows()) = block;
  }
  return read;
}

TEST(CsvRows, AreLinesReadOneAfterTheOtherHoweverLargeThePieces) {
  const TemporaryFolder folder;
  std::mt19937_64 generator(11);
  std::size_t rows = 0, numbers = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = nasty_text(generator, generator() % 80);
    const std::string path = folder.write("t.csv", text);
    CsvDialect dialect{.header = false, .fields = 1 + generator() % 3};
    dialect.compression = data::Compression::by_name;
    if (i % 2 == 0) dialect.longest_row = 3 + generator() % 6;
    const TextBlock expected = rows_by_lines(text, *dialect.fields, dialect.longest_row);
    const RowBlock expected_numbers = numbers_in(expected, *dialect.fields);
    rows += expected.size();
    numbers += static_cast<std::size_t>(expected_numbers.rows());
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{2}, std::size_t{5},
                                    1 + generator() % 80, data::usual_piece_bytes}) {
      const Read read = read_in_pieces(path, dialect, bytes);
      ASSERT_EQ(read.text, expected) << text << " in pieces of " << bytes;
      ASSERT_EQ(read.numbers, expected_numbers) << text << " in pieces of " << bytes;
    }
  }
  EXPECT_GT(rows, 2000u);
  EXPECT_GT(numbers, 500u);
}

TEST(CsvRows, AreTheSameWithAnyNumberOfThreads) {
  const TemporaryFolder folder;
  std::mt19937_64 generator(12);
  std::string text = nasty_text(generator, 3000000);
  const TextBlock expected = rows_by_lines(text, 2, data::longest_row_bytes);
  const RowBlock numbers = numbers_in(expected, 2);
  EXPECT_GT(numbers.rows(), 10000);
  for (const std::string& path :
       {folder.write("t.csv", text), folder.write("t.csv.gz", gzipped(text))}) {
    const Table table = table_without_header(path, 2);
    for (const unsigned threads : {1u, 2u, 3u, 8u}) {
      ReadOptions options;
      options.threads = threads;
      EXPECT_EQ(text_of(table, options), expected);
      EXPECT_EQ(rows_of(table, options), numbers);
    }
  }
}

struct BadLine {
  std::string text;
  const char* fault;
};

const std::vector<BadLine>& bad_lines() {
  static const std::vector<BadLine> all{
      {"\"1,2", "quote"},
      {"1,\"2", "quote"},
      {"1,\"2\"\"", "quote"},
      {std::string("1,\0", 3), "control character"},
      {std::string("\0\0\0", 3), "control character"},
      {"1,2\r3", "control character"},
      {"1,2\x1b[0m", "control character"},
      {"\x1f\x8b\x08junk", "control character"},
      {"\x93NUMPY\x01", "control character"},
      {"PK\x03\x04", "control character"},
      {"1", "number of fields"},
      {"1,2,3,\"", "number of fields"},
      {"\"\xEF\xBB\xBF", "quote"},
  };
  return all;
}

TEST(CsvRows, LeaveTheOthersAloneWhateverTheySayAndWhereverTheyStand) {
  const TemporaryFolder folder;
  for (const BadLine& bad : bad_lines())
    for (std::size_t place = 0; place < 4; ++place) {
      std::vector<std::string> lines{"1,2", "\"3\",4", "5,\"6\""};
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(place), bad.text);
      const std::string text = fmt::format("{}\n", fmt::join(lines, "\n"));
      const RowBlock expected = matrix({{1, 2}, {3, 4}, {5, 6}});
      const std::string rows = folder.write("rows.csv", text);
      EXPECT_EQ(rows_of(table_without_header(rows, 2)), expected) << bad.text << " at " << place;
      const std::string named = folder.write("named.csv", "a,b\n" + text);
      EXPECT_EQ(rows_of(testing::table_of(named)), expected) << bad.text << " at " << place;
      for (const unsigned threads : {1u, 2u}) {
        const std::string message =
            refusal([&] { rows_of(table_without_header(rows, 2), strict(threads)); });
        EXPECT_CONTAINS(message, fmt::format("{}, line {}: ", rows, place + 1));
        EXPECT_CONTAINS(message, bad.fault);
        EXPECT_CONTAINS(refusal([&] { text_of(testing::table_of(named), strict(threads)); }),
                        fmt::format("{}, line {}: ", named, place + 2));
      }
    }
}

TEST(CsvRows, MayStartWithAByteOrderMarkAnywhere) {
  const TemporaryFolder folder;
  const std::string mark = "\xEF\xBB\xBF";
  const std::string path =
      folder.write("t.csv", mark + "1,2\n" + mark + "\n" + mark + "\"3\",4\n5," + mark + "6\n");
  EXPECT_EQ(rows_of(table_without_header(path, 2)), matrix({{1, 2}, {3, 4}}));
  EXPECT_EQ(rows_of(table_without_header(path, {})), matrix({{1, 2}, {3, 4}}));
}

TEST(CsvRows, OfTooManyBytesAreDroppedAlone) {
  const TemporaryFolder folder;
  const std::string longest(data::longest_row_bytes, ' ');
  for (const std::size_t beyond : {std::size_t{0}, std::size_t{1}, std::size_t{5000000}}) {
    std::string line = longest + std::string(beyond, ' ');
    line[5] = '7';
    const std::string path = folder.write("t.csv", "a\n1\n" + line + "\n3\n\"\n4\n");
    const Table table = testing::table_of(path);
    EXPECT_EQ(rows_of(table), beyond > 0 ? matrix({{1}, {3}, {4}}) : matrix({{1}, {7}, {3}, {4}}));
    EXPECT_CONTAINS(refusal([&] { rows_of(table, strict()); }),
                    path + (beyond > 0 ? ", line 3: more than 64 MB" : ", line 5: a quote"));
  }
  // At the end of the file, without a line end; and as a header.
  const std::string last = folder.write("last.csv", "a\n1\n" + longest + "11");
  EXPECT_EQ(rows_of(testing::table_of(last)), matrix({{1}}));
  const std::string header = folder.write("header.csv", longest + "a\n1\n");
  EXPECT_CONTAINS(refusal([&] { testing::table_of(header); }), header + ", line 1: ");
}

}  // namespace
}  // namespace modicum::testing::csv_piece_test
