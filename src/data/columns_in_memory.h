// Columns of several types as they lie in memory, such as those of a data frame. A type is how
// cells are stored and no more: what becomes of a cell depends on its value and on what is asked of
// the column, so that one odd cell, which may change the type of a column, changes no other row.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace modicum::data {

/// Consecutive cells of one column. Nothing is copied: what is behind it must outlive it.
class Cells {
 public:
  virtual ~Cells() = default;
  /// As a number if it is stored as one. Else false: its text may be one all the same.
  virtual bool number(std::size_t, double&) const { return false; }
  /// So many from `first` on, as `number` tells them, each `step` behind the last; false where they
  /// are to be asked for one by one.
  virtual bool numbers(std::size_t first, std::size_t rows, double* to, std::size_t step) const;
  /// As a file would have it: 3 for 3 and 3.0, true for true; a date as 2020-07-02. Empty where
  /// there is none.
  virtual void text(std::size_t row, std::string& to) const = 0;
};

inline bool Cells::numbers(std::size_t, std::size_t, double*, std::size_t) const { return false; }

using CellsPointer = std::shared_ptr<const Cells>;

/// Which cells there are: bit `first` + row of these, or byte row where they are bytes that mark
/// those that are missing; all where there is none.
struct Validity {
  const std::uint8_t* bits = nullptr;
  std::size_t first = 0;
  const std::uint8_t* missing = nullptr;
  bool operator()(std::size_t row) const {
    if (missing != nullptr && missing[row] != 0) return false;
    return bits == nullptr || ((bits[(first + row) >> 3] >> ((first + row) & 7)) & 1) != 0;
  }
  /// Known to be true of every row.
  bool all() const { return bits == nullptr && missing == nullptr; }
};

/// Numbers of type `format`, as in the buffer protocol and in Arrow: one of cCsSiIlLqQefdg or ?,
/// `step` bytes apart. Null, if there is none of this format.
CellsPointer number_cells(const std::string& format, const void* first, std::ptrdiff_t step,
                          Validity validity);

/// Dates: whole numbers of 4 or 8 bytes that count units since 1970-01-01, so many to a day.
CellsPointer date_cells(std::size_t bytes, const void* first, std::ptrdiff_t step,
                        std::int64_t units_per_day, Validity validity);

/// Texts one after the other: text i is from offset i to offset i + 1, whole numbers of 4 or 8
/// bytes.
CellsPointer text_cells(std::size_t offset_bytes, const void* offsets, const char* bytes,
                        Validity validity);

/// Cells that are places, from 0 on, among these values; nothing where they are none.
CellsPointer dictionary_cells(CellsPointer places, CellsPointer values, std::size_t count);

/// Nothing in any row.
CellsPointer empty_cells();

/// Batches of rows, each with all the columns.
class ColumnsInMemory {
 public:
  struct Batch {
    std::size_t rows;
    std::vector<CellsPointer> columns;
  };

  ColumnsInMemory(std::vector<std::string> names, std::vector<Batch> batches,
                  std::shared_ptr<const void> owner = nullptr);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<Batch>& batches() const { return batches_; }
  std::size_t rows() const;

 private:
  std::vector<std::string> names_;
  std::vector<Batch> batches_;
  std::shared_ptr<const void> owner_;  // of what is behind the cells
};

}  // namespace modicum::data
