#include "data/columns_in_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

#include "data/cells/cell_text.h"
#include "data/files/pieces.h"

namespace modicum::data {
namespace {

template <class Number>
Number cell_at(const void* first, std::ptrdiff_t step, std::size_t row) {
  Number value;
  std::memcpy(&value, static_cast<const char*>(first) + static_cast<std::ptrdiff_t>(row) * step,
              sizeof value);
  return value;
}

template <class Number>
class NumberCells final : public Cells {
 public:
  NumberCells(const void* first, std::ptrdiff_t step, Validity validity)
      : first_(first), step_(step), validity_(validity) {}
  bool number(std::size_t row, double& value) const override {
    value = validity_(row) ? static_cast<double>(cell_at<Number>(first_, step_, row)) : NAN;
    return true;
  }
  bool numbers(std::size_t first, std::size_t rows, double* to, std::size_t step) const override {
    if (validity_.all())
      for (std::size_t i = 0; i < rows; ++i)
        to[i * step] = static_cast<double>(cell_at<Number>(first_, step_, first + i));
    else
      for (std::size_t i = 0; i < rows; ++i) NumberCells::number(first + i, to[i * step]);
    return true;
  }
  void text(std::size_t row, std::string& to) const override {
    if (!validity_(row)) return to.clear();
    const Number cell = cell_at<Number>(first_, step_, row);
    if constexpr (!std::is_integral_v<Number>) to = text_of_number(static_cast<double>(cell));
    else if constexpr (std::is_signed_v<Number>) to = text_of_whole(std::int64_t{cell});
    else to = text_of_whole(std::uint64_t{cell});
  }

 private:
  const void* first_;
  std::ptrdiff_t step_;
  Validity validity_;
};

// A byte each.
class BooleanCells final : public Cells {
 public:
  BooleanCells(const void* first, std::ptrdiff_t step, Validity validity)
      : first_(first), step_(step), validity_(validity) {}
  bool number(std::size_t row, double& value) const override {
    value = validity_(row) ? (truth(row) ? 1.0 : 0.0) : NAN;
    return true;
  }
  void text(std::size_t row, std::string& to) const override {
    to = !validity_(row) ? "" : truth(row) ? "true" : "false";
  }

 private:
  bool truth(std::size_t row) const { return cell_at<std::uint8_t>(first_, step_, row) != 0; }
  const void* first_;
  std::ptrdiff_t step_;
  Validity validity_;
};

template <class Whole>
class DateCells final : public Cells {
 public:
  DateCells(const void* first, std::ptrdiff_t step, std::int64_t units_per_day, Validity validity)
      : first_(first), step_(step), units_per_day_(units_per_day), validity_(validity) {}
  void text(std::size_t row, std::string& to) const override {
    to.clear();
    const Whole cell = cell_at<Whole>(first_, step_, row);
    if (!validity_(row) || cell == std::numeric_limits<Whole>::min()) return;  // "not a time"
    const std::int64_t days = cell / units_per_day_ - (cell % units_per_day_ < 0 ? 1 : 0);
    const std::int64_t rest = cell - days * units_per_day_;
    constexpr std::int64_t first_day = -719162, last_day = 2932896;  // years 1 to 9999
    if (days < first_day || days > last_day) return;
    const CalendarDate date = date_of_days(static_cast<long>(days));
    to = fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
    if (rest != 0) to = text_of_moment(fmt::format("{}T{}", to, time_of(rest)));
  }

 private:
  // hh:mm:ss, with as many digits behind the point as units of a second have.
  std::string time_of(std::int64_t rest) const {
    constexpr std::int64_t day = 86400;
    const std::int64_t units = units_per_day_ > day ? units_per_day_ / day : 1;
    const std::int64_t seconds =
        units_per_day_ > day ? rest / units : rest * (day / units_per_day_);
    std::string time =
        fmt::format("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    const int digits = units == 1 ? 0 : units == 1000 ? 3 : units == 1000000 ? 6 : 9;
    if (digits > 0) time += fmt::format(".{:0{}}", rest % units, digits);
    return time;
  }

  const void* first_;
  std::ptrdiff_t step_;
  std::int64_t units_per_day_;
  Validity validity_;
};

template <class Offset>
class TextCells final : public Cells {
 public:
  TextCells(const void* offsets, const char* bytes, Validity validity)
      : offsets_(offsets), bytes_(bytes), validity_(validity) {}
  void text(std::size_t row, std::string& to) const override {
    if (!validity_(row)) return to.clear();
    const auto at = [&](std::size_t i) { return cell_at<Offset>(offsets_, sizeof(Offset), i); };
    to.assign(bytes_ + at(row), bytes_ + at(row + 1));
  }

 private:
  const void* offsets_;
  const char* bytes_;
  Validity validity_;
};

class EmptyCells final : public Cells {
 public:
  void text(std::size_t, std::string& to) const override { to.clear(); }
};

class DictionaryCells final : public Cells {
 public:
  DictionaryCells(CellsPointer places, CellsPointer values, std::size_t count)
      : places_(std::move(places)), values_(std::move(values)), count_(count) {}
  bool number(std::size_t row, double& value) const override {
    value = NAN;
    const std::optional<std::size_t> place = place_of(row);
    return !place || values_->number(*place, value);
  }
  void text(std::size_t row, std::string& to) const override {
    to.clear();
    if (const std::optional<std::size_t> place = place_of(row)) values_->text(*place, to);
  }

 private:
  std::optional<std::size_t> place_of(std::size_t row) const {
    double place = NAN;
    places_->number(row, place);
    if (!(place >= 0.0 && place < static_cast<double>(count_))) return {};
    return static_cast<std::size_t>(place);
  }
  CellsPointer places_, values_;
  std::size_t count_;
};

// Some rows of a batch.
class ColumnsPiece final : public Piece {
 public:
  ColumnsPiece(std::shared_ptr<const ColumnsInMemory> all, std::size_t batch, std::size_t first,
               std::size_t rows, std::uint64_t before)
      : all_(std::move(all)), batch_(batch), first_(first), rows_(rows), before_(before) {}

  RowBlock numbers(const Selection& selection) const override {
    RowBlock block = read(selection);
    drop_bad_rows(block, selection, "rows", before_);
    return block;
  }
  TextBlock text(const Selection& selection) const override {
    TextBlock block(rows_);
    for (std::size_t i = 0; i < rows_; ++i) {
      block[i].resize(selection.columns.size());
      for (std::size_t j = 0; j < selection.columns.size(); ++j)
        cells(selection.columns[j]).text(first_ + i, block[i][j]);
    }
    return block;
  }
  FieldBlock fields(const Selection& selection) const override {
    FieldBlock block;
    block.width = selection.categories.size();
    block.numbers.resize(static_cast<Eigen::Index>(rows_),
                         static_cast<Eigen::Index>(selection.columns.size()));
    block.categories.resize(rows_ * block.width);
    Row row;
    for (std::size_t i = 0; i < rows_; ++i) {
      if (read_row(selection, i, block, row)) ++block.rows;
      else if (selection.bad_rows == BadRows::refused)
        refuse_cell(selection, "rows", before_ + i + 1, row.faulty, row.why);
    }
    block.categories.resize(block.rows * block.width);
    block.numbers.conservativeResize(static_cast<Eigen::Index>(block.rows), Eigen::NoChange);
    return block;
  }
  RowCounts count(const Selection& selection) const override {
    return count_fields(rows_, read(selection), fields(selection));
  }
  Dropped dropped(const Selection& selection) const override {
    return bad_rows_of(read(selection));
  }

 private:
  struct Row {
    std::string text = {}, made = {};
    std::size_t faulty = 0;
    const char* why = "";
  };

  const Cells& cells(std::size_t column) const { return *all_->batches()[batch_].columns[column]; }
  // NaN where there is none.
  double number(const FieldReading& reading, std::size_t column, std::size_t row,
                std::string& text) const {
    double value = NAN;
    const Cells& own = cells(column);
    if (reading.kind == FieldReading::Kind::plain && own.number(first_ + row, value)) return value;
    own.text(first_ + row, text);
    return reading.number(text, value) ? value : NAN;
  }
  RowBlock read(const Selection& selection) const {
    RowBlock block(static_cast<Eigen::Index>(rows_),
                   static_cast<Eigen::Index>(selection.columns.size()));
    std::string text;
    const std::size_t width = selection.columns.size();
    constexpr std::size_t at_once = 128;  // rows that a nearby cache holds, column by column
    for (std::size_t start = 0; start < rows_; start += at_once) {
      const std::size_t count = std::min(at_once, rows_ - start);
      for (std::size_t j = 0; j < width; ++j) {
        const std::size_t column = selection.columns[j];
        const FieldReading& reading = selection.readings[column];
        double* const to = block.data() + start * width + j;
        if (reading.kind == FieldReading::Kind::plain &&
            cells(column).numbers(first_ + start, count, to, width))
          continue;
        for (std::size_t i = 0; i < count; ++i)
          to[i * width] = number(reading, column, start + i, text);
      }
    }
    return block;
  }
  // To the next row of the block; false if it is at fault.
  bool read_row(const Selection& selection, std::size_t i, FieldBlock& block, Row& row) const {
    for (std::size_t j = 0; j < selection.columns.size(); ++j) {
      const std::size_t column = selection.columns[j];
      const double value = number(selection.readings[column], column, i, row.text);
      row.faulty = column;
      row.why = selection.readings[column].rule_in_words();
      if (!std::isfinite(value)) return false;
      block.numbers(static_cast<Eigen::Index>(block.rows), static_cast<Eigen::Index>(j)) = value;
    }
    for (std::size_t j = 0; j < block.width; ++j) {
      const std::size_t column = selection.categories[j];
      cells(column).text(first_ + i, row.text);
      const auto found = selection.readings[column].category(row.text, row.made);
      row.faulty = column;
      row.why = "no value";
      if (!found) return false;
      block.categories[block.rows * block.width + j] = block.kept.emplace_back(*found);
    }
    return true;
  }

  std::shared_ptr<const ColumnsInMemory> all_;
  std::size_t batch_, first_, rows_;
  std::uint64_t before_;
};

class ColumnsReader final : public PieceReader {
 public:
  explicit ColumnsReader(std::shared_ptr<const ColumnsInMemory> all) : all_(std::move(all)) {}
  const std::vector<std::string>& columns() const override { return all_->names(); }
  bool has_names() const override { return true; }
  std::unique_ptr<Piece> next() override {
    while (batch_ < all_->batches().size() && done_ == all_->batches()[batch_].rows)
      ++batch_, done_ = 0;
    if (batch_ == all_->batches().size()) return nullptr;
    constexpr std::size_t at_once = 16384;
    const std::size_t rows = std::min(at_once, all_->batches()[batch_].rows - done_);
    auto piece = std::make_unique<ColumnsPiece>(all_, batch_, done_, rows, before_);
    done_ += rows;
    before_ += rows;
    piece->file_position = before_;
    return piece;
  }

 private:
  std::shared_ptr<const ColumnsInMemory> all_;
  std::size_t batch_ = 0, done_ = 0;
  std::uint64_t before_ = 0;
};

}  // namespace

std::unique_ptr<Piece> piece_of_columns(std::shared_ptr<const ColumnsInMemory> columns,
                                        std::uint64_t before) {
  const std::size_t rows = columns->batches().front().rows;
  return std::make_unique<ColumnsPiece>(std::move(columns), 0, 0, rows, before);
}

ColumnsInMemory::ColumnsInMemory(std::vector<std::string> names, std::vector<Batch> batches,
                                 std::shared_ptr<const void> owner)
    : names_(std::move(names)), batches_(std::move(batches)), owner_(std::move(owner)) {
  for (const Batch& batch : batches_)
    if (batch.columns.size() != names_.size())
      throw InvalidParameter("columns", static_cast<double>(batch.columns.size()),
                             "must be as many as there are names");
}

std::size_t ColumnsInMemory::rows() const {
  std::size_t all = 0;
  for (const Batch& batch : batches_) all += batch.rows;
  return all;
}

CellsPointer number_cells(const std::string& format, const void* first, std::ptrdiff_t step,
                          Validity validity) {
  const auto of = [&]<class Number>(Number) -> CellsPointer {
    return std::make_shared<NumberCells<Number>>(first, step, validity);
  };
  if (format.size() != 1) return nullptr;
  switch (format[0]) {
    case 'c':
    case 'b':
      return of(std::int8_t{});
    case 'C':
    case 'B':
      return of(std::uint8_t{});
    case 's':
    case 'h':
      return of(std::int16_t{});
    case 'S':
    case 'H':
      return of(std::uint16_t{});
    case 'i':
      return of(std::int32_t{});
    case 'I':
      return of(std::uint32_t{});
    case 'l':
    case 'q':
      return of(std::int64_t{});
    case 'L':
    case 'Q':
      return of(std::uint64_t{});
    case 'f':
      return of(float{});
    case 'd':
    case 'g':
      return of(double{});
    case '?':
      return std::make_shared<BooleanCells>(first, step, validity);
    default:
      return nullptr;
  }
}

CellsPointer date_cells(std::size_t bytes, const void* first, std::ptrdiff_t step,
                        std::int64_t units_per_day, Validity validity) {
  if (bytes == 4)
    return std::make_shared<DateCells<std::int32_t>>(first, step, units_per_day, validity);
  return std::make_shared<DateCells<std::int64_t>>(first, step, units_per_day, validity);
}

CellsPointer text_cells(std::size_t offset_bytes, const void* offsets, const char* bytes,
                        Validity validity) {
  if (offset_bytes == 4) return std::make_shared<TextCells<std::int32_t>>(offsets, bytes, validity);
  return std::make_shared<TextCells<std::int64_t>>(offsets, bytes, validity);
}

CellsPointer dictionary_cells(CellsPointer places, CellsPointer values, std::size_t count) {
  return std::make_shared<DictionaryCells>(std::move(places), std::move(values), count);
}

CellsPointer empty_cells() { return std::make_shared<EmptyCells>(); }

std::unique_ptr<PieceReader> open_memory(std::shared_ptr<const ColumnsInMemory> columns) {
  return std::make_unique<ColumnsReader>(std::move(columns));
}

}  // namespace modicum::data
