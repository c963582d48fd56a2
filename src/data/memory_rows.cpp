// Rows of numbers in memory as pieces of a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/pieces.h"

namespace modicum::data {
namespace {

class MemoryPiece final : public Piece {
 public:
  MemoryPiece(const RowsInMemory& rows, std::size_t first, std::size_t count)
      : all_(rows), first_(first), count_(count) {}

  RowBlock numbers(const Selection& selection) const override {
    RowBlock block = all(selection);
    drop_bad_rows(block, selection, "rows", first_);
    return block;
  }
  Dropped dropped(const Selection& selection) const override { return bad_rows_of(all(selection)); }

  RowBlock all(const Selection& selection) const {
    const std::size_t width = selection.columns.size();
    RowBlock block(static_cast<Eigen::Index>(count_), static_cast<Eigen::Index>(width));
    for (std::size_t i = 0; i < count_; ++i) {
      const double* row = all_.values + static_cast<std::ptrdiff_t>(first_ + i) * all_.row_step;
      for (std::size_t j = 0; j < width; ++j)
        block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
            row[static_cast<std::ptrdiff_t>(selection.columns[j]) * all_.column_step];
    }
    return block;
  }

  TextBlock text(const Selection& selection) const override { return as_text(numbers(selection)); }
  RowCounts count(const Selection& selection) const override {
    return count_finite(count_, numbers(selection));
  }

 private:
  RowsInMemory all_;
  std::size_t first_, count_;
};

class MemoryReader final : public PieceReader {
 public:
  explicit MemoryReader(const RowsInMemory& rows) : all_(rows) {
    for (std::size_t i = 0; i < rows.columns; ++i) columns_.push_back(fmt::format("{}", i + 1));
    at_once_ = std::max<std::size_t>(
        1, usual_piece_bytes / sizeof(double) / std::max<std::size_t>(1, rows.columns));
  }
  const std::vector<std::string>& columns() const override { return columns_; }
  std::unique_ptr<Piece> next() override {
    const std::size_t count = std::min(at_once_, all_.rows - done_);
    if (count == 0) return nullptr;
    auto piece = std::make_unique<MemoryPiece>(all_, done_, count);
    done_ += count;
    piece->file_position = done_ * all_.columns * sizeof(double);
    return piece;
  }

 private:
  RowsInMemory all_;
  std::vector<std::string> columns_;
  std::size_t at_once_ = 1, done_ = 0;
};

Eigen::Index first_bad_column(const RowBlock& block, Eigen::Index row) {
  Eigen::Index column = 0;
  while (column < block.cols() && std::isfinite(block(row, column))) ++column;
  return column;
}

}  // namespace

void drop_bad_rows(RowBlock& block, const Selection& selection, const std::string& source,
                   std::uint64_t first_row) {
  Eigen::Index kept = 0;
  for (Eigen::Index row = 0; row < block.rows(); ++row) {
    const auto bad = first_bad_column(block, row);
    if (bad == block.cols()) {
      if (kept != row) block.row(kept) = block.row(row);
      ++kept;
    } else if (selection.bad_rows == BadRows::refused) {
      const std::size_t column = selection.columns[static_cast<std::size_t>(bad)];
      throw UnreadableFile(fmt::format("{}, row {}, column {}: not a finite number", source,
                                       first_row + static_cast<std::uint64_t>(row) + 1,
                                       selection.names[column]));
    }
  }
  if (kept < block.rows()) block.conservativeResize(kept, block.cols());
}

RowCounts count_finite(std::size_t rows, const RowBlock& left) {
  const auto used = static_cast<std::uint64_t>(left.rows());
  return {.used = used, .not_numbers = rows - used};
}

Piece::Dropped bad_rows_of(const RowBlock& block) {
  Piece::Dropped found{static_cast<std::uint64_t>(block.rows())};
  for (Eigen::Index row = 0; row < block.rows(); ++row)
    if (first_bad_column(block, row) != block.cols())
      found.places.push_back(static_cast<std::uint64_t>(row));
  return found;
}

TextBlock as_text(const RowBlock& block) {
  TextBlock result;
  for (Eigen::Index i = 0; i < block.rows(); ++i) {
    auto& fields = result.emplace_back();
    for (Eigen::Index j = 0; j < block.cols(); ++j)
      fields.push_back(fmt::format("{}", block(i, j)));
  }
  return result;
}

std::unique_ptr<PieceReader> open_memory(const RowsInMemory& rows) {
  return std::make_unique<MemoryReader>(rows);
}

}  // namespace modicum::data
