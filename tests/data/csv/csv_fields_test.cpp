#include "data/csv/csv_fields.h"

#include <gtest/gtest.h>

#include <random>

#include "data/csv/csv.h"
#include "data/temporary_files.h"

namespace modicum::data::csv_fields_test {
namespace {

using modicum::testing::TemporaryFolder;

// How many bytes are whole records, one byte after the other.
std::size_t slowly(const std::string& text, char separator) {
  std::size_t whole = 0;
  enum { start, plain, quoted, quote_seen } state = start;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (i == whole && text.compare(i, 3, "\xEF\xBB\xBF") == 0) {  // a record starts behind it
      i += 2;
      continue;
    }
    if (state == quoted) {
      if (c == '"') state = quote_seen;
      continue;
    }
    if ((state == start || state == quote_seen) && c == '"') {
      state = quoted;
      continue;
    }
    state = c == separator || c == '\n' ? start : plain;
    if (c == '\n') whole = i + 1;
  }
  return whole;
}

std::string random_text(std::mt19937_64& generator, std::size_t length) {
  std::string text;
  while (text.size() < length) {
    if (generator() % 20 == 0) text += "\xEF\xBB\xBF";
    text.push_back("\"\"\n\r,,a1 2"[generator() % 10]);
  }
  return text;
}

TEST(WholeRecords, AgreeWithReadingByteAfterByte) {
  std::mt19937_64 generator(3);
  for (int i = 0; i < 200000; ++i) {
    const std::string text = random_text(generator, generator() % 24);
    ASSERT_EQ(whole_records(text.data(), text.size(), ','), slowly(text, ',')) << text;
  }
}

TEST(NextControl, AgreesWithReadingByteAfterByte) {
  std::mt19937_64 generator(5);
  for (int i = 0; i < 100000; ++i) {
    std::string text;
    for (std::size_t length = generator() % 30; text.size() < length;)
      text.push_back(generator() % 3 == 0 ? static_cast<char>(generator() % 256)
                                          : "ab\n\r\t,\x7f\xff"[generator() % 8]);
    text += '\n';
    for (const char separator : {',', '\t', '\x01'}) {
      std::size_t expected = 0;
      for (; expected < text.size(); ++expected) {
        const char c = text[expected];
        if (c < 0 || c >= 32 || c == '\t' || c == '\n' || c == separator) continue;
        if (c != '\r' || text[expected + 1] != '\n') break;
      }
      const char* const end = text.data() + text.size();
      ASSERT_EQ(next_control(text.data(), end, separator) - text.data(),
                static_cast<std::ptrdiff_t>(expected));
    }
  }
}

TextBlock read_in_pieces(const std::string& path, std::size_t piece_bytes) {
  CsvReader reader(path, {.header = false, .multiline = true}, piece_bytes);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < reader.columns().size(); ++i) all.push_back(i);
  const std::vector<FieldReading> readings(all.size());
  const Selection selection(reader.columns(), all, BadRows::dropped, readings);
  TextBlock rows;
  while (const auto piece = reader.next())
    for (auto& row : piece->text(selection)) rows.push_back(row);
  return rows;
}

TEST(CsvReader, ReadsTheSameRowsOfSeveralLinesHoweverLargeThePieces) {
  const TemporaryFolder folder;
  std::mt19937_64 generator(4);
  int read = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::string path = folder.write("t.csv", random_text(generator, 1 + generator() % 60));
    TextBlock whole;
    try {
      whole = read_in_pieces(path, usual_piece_bytes);
    } catch (const UnreadableFile&) {
      EXPECT_THROW(read_in_pieces(path, 4), UnreadableFile);
      continue;
    }
    ++read;
    for (const std::size_t bytes : {1, 2, 3, 5, 17})
      ASSERT_EQ(read_in_pieces(path, bytes), whole) << bytes;
  }
  EXPECT_GT(read, 500);
}

}  // namespace
}  // namespace modicum::data::csv_fields_test
