// Rows of numbers in memory as pieces of a table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/cells/cell_text.h"
#include "data/files/pieces.h"

namespace modicum::data {
namespace {

class MemoryPiece final : public Piece {
 public:
  MemoryPiece(const RowsInMemory& rows, std::size_t first, std::size_t count)
      : all_(rows), first_(first), count_(count) {}

  RowBlock numbers(const Selection& selection) const override {
    RowBlock block = read(selection);
    drop_bad_rows(block, selection, "rows", first_);
    return block;
  }
  Dropped dropped(const Selection& selection) const override {
    return bad_rows_of(read(selection));
  }
  FieldBlock fields(const Selection& selection) const override {
    return fields_of(all(selection.categories), read(selection), selection, "rows", first_);
  }

  RowBlock read(const Selection& selection) const {
    RowBlock block = all(selection.columns);
    apply_readings(block, selection);
    return block;
  }
  RowBlock all(const std::vector<std::size_t>& columns) const {
    const std::size_t width = columns.size();
    RowBlock block(static_cast<Eigen::Index>(count_), static_cast<Eigen::Index>(width));
    for (std::size_t i = 0; i < count_; ++i) {
      const double* row = all_.values + static_cast<std::ptrdiff_t>(first_ + i) * all_.row_step;
      for (std::size_t j = 0; j < width; ++j)
        block(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
            row[static_cast<std::ptrdiff_t>(columns[j]) * all_.column_step];
    }
    return block;
  }

  TextBlock text(const Selection& selection) const override { return as_text(numbers(selection)); }
  RowCounts count(const Selection& selection) const override {
    return count_fields(count_, read(selection), fields(selection));
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
      refuse_cell(selection, source, first_row + static_cast<std::uint64_t>(row) + 1, column,
                  selection.readings[column].rule_in_words());
    }
  }
  if (kept < block.rows()) block.conservativeResize(kept, block.cols());
}

void refuse_cell(const Selection& selection, const std::string& source, std::uint64_t row,
                 std::size_t column, const char* why) {
  throw UnreadableFile(
      fmt::format("{}, row {}, column {}: {}", source, row, selection.names[column], why));
}

void apply_readings(RowBlock& block, const Selection& selection) {
  for (std::size_t j = 0; j < selection.columns.size(); ++j) {
    const FieldReading& reading = selection.readings[selection.columns[j]];
    if (reading.kind == FieldReading::Kind::plain) continue;
    for (double& value : block.col(static_cast<Eigen::Index>(j)))
      if (!reading.number(fmt::format("{}", value), value)) value = std::nan("");
  }
}

FieldBlock fields_of(const RowBlock& categories, RowBlock numbers, const Selection& selection,
                     const std::string& source, std::uint64_t first_row) {
  FieldBlock block;
  block.width = selection.categories.size();
  std::vector<std::string_view> own(block.width);
  std::string made;
  for (Eigen::Index row = 0; row < numbers.rows(); ++row) {
    const std::uint64_t place = first_row + static_cast<std::uint64_t>(row) + 1;
    bool good = first_bad_column(numbers, row) == numbers.cols();
    if (!good && selection.bad_rows == BadRows::refused) {
      const std::size_t column =
          selection.columns[static_cast<std::size_t>(first_bad_column(numbers, row))];
      refuse_cell(selection, source, place, column, selection.readings[column].rule_in_words());
    }
    for (std::size_t j = 0; j < block.width && good; ++j) {
      const double cell = categories(row, static_cast<Eigen::Index>(j));
      const std::size_t column = selection.categories[j];
      const std::string& text = block.kept.emplace_back(text_of_number(cell));
      const auto found = selection.readings[column].category(text, made);
      good = found.has_value();
      if (!good && selection.bad_rows == BadRows::refused)
        refuse_cell(selection, source, place, column, "no value");
      if (good) own[j] = made.empty() ? *found : block.kept.emplace_back(made);
    }
    if (!good) continue;
    const auto next = static_cast<Eigen::Index>(block.rows++);
    if (next != row) numbers.row(next) = numbers.row(row);
    block.categories.insert(block.categories.end(), own.begin(), own.end());
  }
  numbers.conservativeResize(static_cast<Eigen::Index>(block.rows), numbers.cols());
  block.numbers = std::move(numbers);
  return block;
}

RowCounts count_fields(std::size_t rows, const RowBlock& all, const FieldBlock& left) {
  RowCounts counts{.used = left.rows, .not_numbers = bad_rows_of(all).places.size()};
  counts.missing = rows - counts.used - counts.not_numbers;
  return counts;
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
