// Bytes as a file with a table: understood or refused with the library's own errors, nothing else;
// the same rows whichever way they are read; and lines that leave each other alone.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string_view>

#include "checks.h"
#include "data/csv/csv.h"
#include "modicum/data/gram.h"

namespace modicum::fuzz {
namespace {

// A file that exists in memory only.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes) : descriptor_(::memfd_create("table", 0)) {
    if (descriptor_ < 0 ||
        ::write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return fmt::format("/proc/self/fd/{}", descriptor_); }

 private:
  int descriptor_;
};

using Rows = std::vector<std::vector<double>>;

std::vector<std::size_t> all_columns(const std::vector<std::string>& names) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < names.size(); ++i) columns.push_back(i);
  return columns;
}

void append(Rows& rows, const RowBlock& block) {
  for (Eigen::Index i = 0; i < block.rows(); ++i)
    rows.emplace_back(block.data() + i * block.cols(), block.data() + (i + 1) * block.cols());
}

Rows numbers(const Table& table, unsigned threads) {
  Rows rows;
  ReadOptions options;
  options.threads = threads;
  table.for_each_block(all_columns(table.columns()), options,
                       [&](const RowBlock& block) { return [&, block] { append(rows, block); }; });
  return rows;
}

// The second way: fields as text, each read by the C library.
Rows numbers_from_text(const Table& table) {
  Rows rows;
  table.for_each_text_block(all_columns(table.columns()), {}, [&](const TextBlock& block) {
    return [&, block] {
      for (const auto& fields : block) {
        auto& row = rows.emplace_back();
        for (const std::string& field : fields) {
          const auto last = field.find_last_not_of(" \t");
          const std::string text = field.substr(0, last == std::string::npos ? 0 : last + 1);
          char* end = nullptr;
          const double value = std::strtod(text.c_str(), &end);
          const bool whole = !text.empty() && *end == '\0' && std::isfinite(value) &&
                             text.find_first_of("xXpP\n\r\v\f") == std::string::npos;
          if (whole) row.push_back(value);
        }
        if (row.size() != fields.size()) rows.pop_back();
      }
    };
  });
  return rows;
}

// Cut into pieces of a few bytes.
Rows numbers_in_pieces(const std::string& path, const TableFiles& files, std::size_t bytes) {
  Rows rows;
  const auto reader = data::open_pieces(path, files, bytes);
  const std::vector<data::FieldReading> readings(reader->columns().size());
  const data::Selection selection(reader->columns(), all_columns(reader->columns()),
                                  BadRows::dropped, readings);
  while (const auto piece = reader->next()) append(rows, piece->numbers(selection));
  return rows;
}

void require_same(const Record& record, const char* what, const Rows& a, const Rows& b) {
  record.require(a.size() == b.size(), "{}: {} and {} rows", what, a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j)
      record.require(std::bit_cast<std::uint64_t>(a[i][j]) == std::bit_cast<std::uint64_t>(b[i][j]),
                     "{}: row {}, column {} is {} or {}", what, i, j, a[i][j], b[i][j]);
}

// A line is a row by itself: the rows of a file are those of its lines, each a file of its own. No
// line, not even the first, may be the reason to refuse any.
void check_lines(const Record& record, std::string_view bytes, std::size_t fields) {
  const auto rows_in = [&](std::string_view text) {
    const MemoryFile file(text);
    TableFiles files;
    files.paths = {file.path()};
    files.header = false;
    files.fields = fields;
    Rows rows;
    constexpr std::size_t piece_bytes = 64;
    const bool read = succeeds(record, "lines",
                               [&] { rows = numbers_in_pieces(file.path(), files, piece_bytes); });
    record.require(read, "a file of lines was refused");
    return rows;
  };
  const Rows whole = rows_in(bytes);
  Rows one_by_one;
  constexpr int most_lines = 30;  // the last one of these may be many
  for (int line = 1; !bytes.empty(); ++line) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size() - 1) + 1;
    const std::size_t taken = line < most_lines ? end : bytes.size();
    for (const auto& row : rows_in(bytes.substr(0, taken))) one_by_one.push_back(row);
    bytes.remove_prefix(taken);
  }
  require_same(record, "line by line", whole, one_by_one);
}

void check_table(const Record& record, const MemoryFile& file, bool header, bool multiline) {
  TableFiles files;
  files.paths = {file.path()};
  files.header = header;
  files.header_declared = true;
  files.multiline = multiline;
  Rows rows;
  if (!succeeds(record, "Table", [&] { rows = numbers(Table(files), 1); })) return;
  const Table table(files);
  for (const auto& row : rows)
    for (const double value : row) record.require(std::isfinite(value), "a value is {}", value);
  require_same(record, "two threads", rows, numbers(table, 2));
  const std::uint64_t used = table.count_rows(all_columns(table.columns()), {}).used;
  record.require(used == rows.size(), "{} rows are read, {} counted", rows.size(), used);
  require_same(record, "as text", rows, numbers_from_text(table));
  for (const std::size_t bytes : {1, 7, 64})
    require_same(record, "in pieces", rows, numbers_in_pieces(file.path(), files, bytes));
  if (table.columns().size() > 50) return;
  succeeds(record, "accumulate_gram",
           [&] { accumulate_gram(table, RowRule(table, {}, {}, true), 1.0); });
}

void run(std::string_view bytes) {
  const Record record;
  const MemoryFile file(bytes);
  for (const bool multiline : {false, true}) {
    check_table(record, file, true, multiline);
    check_table(record, file, false, multiline);
  }
  for (const std::size_t fields : {1, 2, 3}) check_lines(record, bytes, fields);
  for (const bool header : {false, true})
    succeeds(record, "read_matrix", [&] { read_matrix(file.path(), header); });
  succeeds(record, "a header or a row", [&] {
    TableFiles files;
    files.paths = {file.path()};
    files.public_shape = true;
    RowRule(Table(files), {});
  });
}

}  // namespace
}  // namespace modicum::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  modicum::fuzz::run({reinterpret_cast<const char*>(data), size});
  return 0;
}
