// Tables in files: CSV (plain or gzip) and NPY, read in one pass in blocks, memory independent of
// the number of rows.
//
// CSV (RFC 4180): every line is a row by itself, whatever it says, so that adding or removing one
// touches no other. A field that starts with a quote ends with the next single one in the line;
// separators and doubled quotes inside are part of it. Lines end with LF or CR LF, empty ones are
// skipped, a byte order mark before a line too.
// With a header the first bytes of a file tell whether it is gzip, NPY or CSV. Without one they may
// be those of a row, so that the name does: .gz, .npy or .npy.gz, all else is plain CSV.
// NPY: versions 1 to 3, one or two dimensions, f4 f8 i1..i8 u1..u8 b1, either byte order, C or
// Fortran order.
// Parquet, and what a query makes of files and databases, through DuckDB where it is there.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "modicum/data/field_rules.h"
#include "modicum/data/unreadable_file.h"

namespace modicum {

namespace data {
class ColumnsInMemory;
class QueriedRows;
struct KeptRows;
struct FieldReading;
}  // namespace data
class RowsElsewhere;

/// Numbers that are there already, such as those of an array of another library. Nothing is copied:
/// they must outlive the table.
struct RowsInMemory {
  const double* values;  ///< the first of the first row
  std::size_t rows, columns;
  std::ptrdiff_t row_step, column_step;  ///< from a row, a column, to the next, in numbers
};

/// Several files are read one after the other as one table, none of them twice.
struct TableFiles {
  std::vector<std::string> paths;  ///< a pattern such as part-*.csv stands for its files, sorted
  bool header = true;              ///< CSV: the first line of each file names the columns
  char separator = ',';
  /// The header is one whatever it says. Else it may be a row, whose fields would be published as
  /// names: it is refused (UsageError) unless all names are different words of ASCII letters,
  /// digits and underscores that begin with no digit.
  bool header_declared = false;
  /// CSV without a header: how many fields a row has, 1 to 1000000. Nothing is taken from the first
  /// line then, and an empty file is a table without rows. Else as many as the first line has.
  std::optional<std::size_t> fields = std::nullopt;
  /// Quoted fields may contain line ends. Rows are not lines then, and are trusted: one that opens
  /// a quote and does not close it swallows others, and one that goes on beyond 64 MB, or to the
  /// end of the file, is an UnreadableFile whatever `bad_rows` says.
  bool multiline = false;
  /// CSV: how many fields the first row of each file has, and which of them are numbers, is public.
  /// A first row that does not fit the columns, or what they are used for, is refused (UsageError).
  bool public_shape = false;
  /// Of all columns, for files that have no names of their own: CSV without a header, NPY. Else
  /// "1", "2", ... For CSV they also tell how many fields a row has.
  std::vector<std::string> names = {};
  /// In place of any files.
  std::optional<RowsInMemory> memory = std::nullopt;
  /// The same, for columns of several types: modicum/data/arrow.h makes them.
  std::shared_ptr<const data::ColumnsInMemory> columns = nullptr;
  /// The same, for what a query makes: modicum/data/query.h. Parquet files among `paths` are
  /// read so by themselves.
  std::shared_ptr<const data::QueriedRows> queried = nullptr;
  /// The same, for a table in pieces that others read: modicum/data/gathered.h. Nothing but sums
  /// can be had of it then, and whoever asks for rows gets a UsageError.
  std::shared_ptr<RowsElsewhere> elsewhere = nullptr;
  /// What the fields mean. Throws InvalidParameter where they name a column that is not there.
  FieldRules rules = {};
};

/// What a table takes for granted about the rows of its files, to be told in certificates.
struct FileAssumptions {
  bool multiline = false;            ///< every row closes its quotes
  bool width_of_first_line = false;  ///< how many fields the first line has is public
  bool header = false;               ///< the first line of each file is no row
  bool public_shape = false;         ///< of the first row: TableFiles::public_shape
  FieldRules rules = {};             ///< not assumed, but to be told beside
  std::string query = {};            ///< the same: what the rows are
  std::string query_rule = {};       ///< what becomes of a row there, types of columns included
  bool typed = false;                ///< columns and their types are those of the files: no CSV
};

/// What happens to a malformed row: one with the wrong number of fields (without a header or
/// `fields`, another than the first line), a quote that is not closed, a control character such as
/// NUL, more than 64 MB, or a selected field that is not a finite number: empty, NA, nan, inf, a
/// word. Where fields are read as text, the last does not count; as categories, an empty one does.
enum class BadRows {
  dropped,  ///< silently: a fixed public rule for each row by itself
  refused,  ///< throws UnreadableFile with file, line and column: that a run ends so is a signal
};

/// What became of the rows of a table. Not private.
struct RowCounts {
  std::uint64_t used = 0;
  // Dropped, and why.
  std::uint64_t other_length = 0;  ///< another number of fields
  std::uint64_t broken = 0;        ///< a quote that is not closed, a control character, too long
  std::uint64_t not_numbers = 0;   ///< a selected field that is not a finite number
  std::uint64_t missing = 0;       ///< one that is to be a category, and is empty
  std::uint64_t dropped() const { return other_length + broken + not_numbers + missing; }
  RowCounts& operator+=(const RowCounts& more);
  bool operator==(const RowCounts&) const = default;
};

struct ReadOptions {
  BadRows bad_rows = BadRows::dropped;
  unsigned threads = 0;  ///< 0: as many as there are cores. No result depends on it.
  /// Called now and then, from one thread at a time, with the bytes of the files read so far.
  std::function<void(std::uint64_t done, std::uint64_t total)> progress;
};

using RowBlock = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Handles one block of consecutive rows, on any thread. What it returns is then called in the
/// order of the rows, one at a time: reductions that depend on the order stay reproducible.
/// Either may throw: reading stops, and the first exception in the order of the rows is rethrown.
using BlockWork = std::function<std::function<void()>(const RowBlock&)>;

/// The same for fields as text (quotes removed), for columns that are not numbers.
using TextBlock = std::vector<std::vector<std::string>>;  // [row][selected column]
using TextWork = std::function<std::function<void()>(const TextBlock&)>;

/// Rows with some columns as categories and others as numbers. Categories are without blanks around
/// them, and as the rules of the table make them: see Table::category.
struct FieldBlock {
  std::size_t rows = 0, width = 0;           ///< width: categories of a row
  std::vector<std::string_view> categories;  ///< row after row; gone when the work returns
  RowBlock numbers;
  std::deque<std::string> kept = {};  ///< what some of the categories are parts of

  const std::string_view* categories_of(std::size_t row) const {
    return categories.data() + row * width;
  }
};
using FieldWork = std::function<std::function<void()>(const FieldBlock&)>;

class Table {
 public:
  /// Looks at the first line of every file: which kind, which columns. Throws UnreadableFile for
  /// files that are not there, empty or not tables, for a pattern without a match, and for a header
  /// with control characters or an unclosed quote; UsageError for a header that may be a row;
  /// InvalidParameter where columns differ, and for a file that is there twice, whatever its names.
  explicit Table(TableFiles files);

  /// From the header; without one (CSV without header, NPY) those given, else "1", "2", ...
  const std::vector<std::string>& columns() const { return columns_; }
  const FileAssumptions& assumptions() const { return assumptions_; }
  /// Nothing, if its rows are here.
  const std::shared_ptr<RowsElsewhere>& elsewhere() const { return files_.elsewhere; }
  /// The place of a column; throws InvalidParameter, naming `option`, if there is none or several.
  std::size_t index_of(const std::string& option, const std::string& name) const;
  /// Throws UsageError if the first row is known (public_shape) to have no number in this column.
  void require_numbers(std::size_t column) const;

  /// All rows, in blocks of about a megabyte of the file, cut by position alone. `columns` are
  /// places in columns(). Never called for an empty block. UnreadableFile for a file that cannot be
  /// read to its end, such as a truncated gzip file.
  void for_each_block(const std::vector<std::size_t>& columns, const ReadOptions& options,
                      const BlockWork& work) const;
  /// For several passes of for_each_block over the same columns: the first keeps the numbers of
  /// files in memory for the next, the same blocks in the same order, unless they take more bytes.
  void keep_rows(const std::vector<std::size_t>& columns, double most_bytes) const;
  void for_each_text_block(const std::vector<std::size_t>& columns, const ReadOptions& options,
                           const TextWork& work) const;
  /// Some columns as categories, others as numbers; either may be empty, and a column in both.
  void for_each_field_block(const std::vector<std::size_t>& categories,
                            const std::vector<std::size_t>& numbers, const ReadOptions& options,
                            const FieldWork& work) const;
  /// A category of this column as the rules of the table make it of fields: "true" for yes, 2020-07
  /// for 2020-07-02, "missing" for NA. What is none stays as it is.
  std::string category(std::size_t column, const std::string& text) const;
  /// Which categories are all there are, by the rules alone: those of booleans; else none.
  std::vector<std::string> all_categories(std::size_t column) const;
  /// What becomes of the rows where numbers are read from these columns, and categories from the
  /// others, if bad ones are dropped.
  RowCounts count_rows(const std::vector<std::size_t>& columns, const ReadOptions& options,
                       const std::vector<std::size_t>& categories = {}) const;
  /// Which of the rows are dropped then, by their numbers in ascending order: from 1 on over all
  /// files, headers and empty lines not counted.
  std::vector<std::uint64_t> dropped_rows(const std::vector<std::size_t>& columns,
                                          const ReadOptions& options) const;

 private:
  void take_shape(std::size_t file, const std::vector<bool>& numbers);
  void take_rules();

  TableFiles files_;  // patterns expanded
  std::vector<std::string> columns_;
  std::unordered_map<std::string, std::size_t> places_;  // one beyond the columns: of several
  std::vector<std::optional<std::size_t>>
      text_in_;                            // of each column: a file whose first row says so
  std::vector<std::string> file_columns_;  // as the files have them
  FileAssumptions assumptions_;
  std::shared_ptr<const std::vector<data::FieldReading>> readings_;  // of each column
  mutable std::shared_ptr<data::KeptRows> kept_;
};

/// The number in the table of the row that is `used` among those that are not dropped, from 1 on.
std::uint64_t row_number(const std::vector<std::uint64_t>& dropped, std::uint64_t used);

/// Numbers from a small file: JSON list (of lists) if it ends with .json, else NPY or CSV, in which
/// only `header` makes the first line another than numbers. A plain list, as an array of one
/// dimension, is one column. Strict: rows that differ in length, or anything that is not a finite
/// number, throw UnreadableFile, and so does a file without numbers. For public inputs and vectors
/// that were computed elsewhere.
RowBlock read_matrix(const std::string& path, bool header = false);

}  // namespace modicum
