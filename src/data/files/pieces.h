// A file as a sequence of pieces: some consecutive rows each, cut by position alone, so that what
// is computed from them depends on the bytes of the file and on nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/csv/field_reading.h"
#include "modicum/data/table.h"

namespace modicum::data {

inline constexpr std::size_t usual_piece_bytes = std::size_t{1} << 20;

/// Which columns of a table are wanted, and where each goes.
struct Selection {
  Selection(const std::vector<std::string>& names, const std::vector<std::size_t>& columns,
            BadRows bad_rows, const std::vector<FieldReading>& readings,
            const std::vector<std::size_t>& categories = {});

  const std::vector<std::string>& names;  // of all columns
  std::vector<std::size_t> columns;       // the ones wanted, in order
  BadRows bad_rows;
  const std::vector<FieldReading>& readings;                // of all columns
  std::vector<std::size_t> categories;                      // those wanted as categories, beside
  std::vector<std::pair<std::size_t, std::size_t>> copies;  // places of columns asked for twice
  std::vector<std::pair<std::size_t, std::size_t>> category_copies;
  std::vector<std::ptrdiff_t> target;  // for each column of the table its place, or -1
  std::vector<std::ptrdiff_t> category_target;
};

/// Rows that were read but not yet understood. Any thread may do that.
class Piece {
 public:
  virtual ~Piece() = default;
  virtual RowBlock numbers(const Selection& selection) const = 0;
  virtual TextBlock text(const Selection& selection) const = 0;
  /// Its categories are parts of the piece.
  virtual FieldBlock fields(const Selection& selection) const = 0;
  /// What becomes of its rows where bad ones are dropped.
  virtual RowCounts count(const Selection& selection) const = 0;
  /// Which of its rows are dropped, by their places from 0 on.
  struct Dropped {
    std::uint64_t rows = 0;  // all of the piece
    std::vector<std::uint64_t> places = {};
  };
  virtual Dropped dropped(const Selection& selection) const = 0;
  /// Bytes of the file up to the end of this piece.
  std::uint64_t file_position = 0;
};

class PieceReader {
 public:
  virtual ~PieceReader() = default;
  virtual const std::vector<std::string>& columns() const = 0;
  virtual FileAssumptions assumptions() const { return {}; }
  /// Whether the file tells the names of its columns.
  virtual bool has_names() const { return false; }
  /// Which fields of the first row are numbers, if that was asked for, is not told by the type of
  /// the file, and there is a row.
  virtual const std::optional<std::vector<bool>>& first_row() const {
    static const std::optional<std::vector<bool>> unknown;
    return unknown;
  }
  /// Null at the end.
  virtual std::unique_ptr<Piece> next() = 0;
};

/// Whether the file, inflated where it is gzip, begins as an NPY file does.
bool starts_as_npy(const std::string& path);

/// Rows of numbers, or columns of several types, with no file behind them.
std::unique_ptr<PieceReader> open_memory(const RowsInMemory& rows);
std::unique_ptr<PieceReader> open_memory(std::shared_ptr<const ColumnsInMemory> columns);

/// The rows of the only batch, before which there were so many.
std::unique_ptr<Piece> piece_of_columns(std::shared_ptr<const ColumnsInMemory> columns,
                                        std::uint64_t before);

/// Throws UnreadableFile: the field of this row, from 1 on, is no number, or no category.
[[noreturn]] void refuse_cell(const Selection& selection, const std::string& source,
                              std::uint64_t row, std::size_t column, const char* why);

/// Without the rows that have a number that is not finite. Throws UnreadableFile where bad rows are
/// refused, which names `source` and the number of the row, `first_row` being that of the first.
void drop_bad_rows(RowBlock& block, const Selection& selection, const std::string& source,
                   std::uint64_t first_row);

/// Numbers as the readings of their columns make them; NaN where they are none.
void apply_readings(RowBlock& block, const Selection& selection);

/// Rows of numbers with some of them as categories: `categories` are the columns of that name.
FieldBlock fields_of(const RowBlock& categories, RowBlock numbers, const Selection& selection,
                     const std::string& source, std::uint64_t first_row);

/// What became of so many rows, of which these are left.
RowCounts count_fields(std::size_t rows, const RowBlock& numbers, const FieldBlock& left);

/// The rows that drop_bad_rows would drop.
Piece::Dropped bad_rows_of(const RowBlock& block);

/// Numbers in full.
TextBlock as_text(const RowBlock& block);

/// NPY or CSV: by the first bytes of the file if they are no row's, without a header by its name.
std::unique_ptr<PieceReader> open_pieces(const std::string& path, const TableFiles& files,
                                         std::size_t piece_bytes = usual_piece_bytes);

}  // namespace modicum::data
