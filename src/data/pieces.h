// A file as a sequence of pieces: some consecutive rows each, cut by position alone, so that what
// is computed from them depends on the bytes of the file and on nothing else.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modicum/data/table.h"

namespace modicum::data {

inline constexpr std::size_t usual_piece_bytes = std::size_t{1} << 20;

/// Which columns of a table are wanted, and where each goes.
struct Selection {
  Selection(const std::vector<std::string>& names, const std::vector<std::size_t>& columns,
            BadRows bad_rows);

  const std::vector<std::string>& names;  // of all columns
  std::vector<std::size_t> columns;       // the ones wanted, in order
  BadRows bad_rows;
  std::vector<std::ptrdiff_t> target;  // for each column of the table its place, or -1
  std::vector<std::pair<std::size_t, std::size_t>> copies;  // places of columns asked for twice
};

/// Rows that were read but not yet understood. Any thread may do that.
class Piece {
 public:
  virtual ~Piece() = default;
  virtual RowBlock numbers(const Selection& selection) const = 0;
  virtual TextBlock text(const Selection& selection) const = 0;
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

/// Rows of numbers with no file behind them.
std::unique_ptr<PieceReader> open_memory(const RowsInMemory& rows);

/// Without the rows that have a number that is not finite. Throws UnreadableFile where bad rows are
/// refused, which names `source` and the number of the row, `first_row` being that of the first.
void drop_bad_rows(RowBlock& block, const Selection& selection, const std::string& source,
                   std::uint64_t first_row);

/// The same of those that are left of so many rows.
RowCounts count_finite(std::size_t rows, const RowBlock& left);

/// The rows that drop_bad_rows would drop.
Piece::Dropped bad_rows_of(const RowBlock& block);

/// Numbers in full.
TextBlock as_text(const RowBlock& block);

/// NPY or CSV: by the first bytes of the file if they are no row's, without a header by its name.
std::unique_ptr<PieceReader> open_pieces(const std::string& path, const TableFiles& files,
                                         std::size_t piece_bytes = usual_piece_bytes);

}  // namespace modicum::data
