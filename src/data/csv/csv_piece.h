// Some whole records of a CSV file.
#pragma once

#include <deque>
#include <string>

#include "data/csv/csv_dialect.h"
#include "data/files/pieces.h"

namespace modicum::data {

class CsvPiece final : public Piece {
 public:
  /// `offset` of these bytes in the (inflated) file. They must be whole records, the last of which
  /// ends with LF, too.
  CsvPiece(std::string path, std::uint64_t offset, const CsvDialect& dialect, std::string bytes);

  RowBlock numbers(const Selection& selection) const override;
  TextBlock text(const Selection& selection) const override;
  FieldBlock fields(const Selection& selection) const override;
  RowCounts count(const Selection& selection) const override;
  Dropped dropped(const Selection& selection) const override;

 private:
  /// What is wrong with a row.
  enum class Fault { none, length, control_character, quote, number_of_fields, value, category };
  struct Row {
    const char* behind;  // where the next one starts
    Fault fault;
    std::size_t column;  // of the table, if a value is at fault
  };

  const char* end() const { return bytes_.data() + bytes_.size(); }
  template <class Read, class Take>
  void for_each_row(const Read& read, const Take& take) const;
  template <class Read, class Take>
  void for_each_good_row(const Selection& selection, const Read& read, const Take& take) const;
  template <class Take>
  void for_each_fault(const Selection& selection, const Take& take) const;
  /// Where a row is read to.
  struct Place {
    double* values;
    std::string_view* categories;   // null: no categories are wanted
    std::deque<std::string>* kept;  // what they are parts of, if not of the piece
  };
  const char* read_field(const char* p, const char* end, const FieldReading& reading, double& value,
                         std::string& scratch) const;
  const char* read_category(const char* p, const char* end, const FieldReading& reading,
                            const Place& to, std::size_t place, std::string& scratch,
                            Fault& fault) const;
  Row read_numbers(const char* p, const char* end, const Selection& selection, const Place& to,
                   std::string& scratch) const;
  Row read_text(const char* p, const char* end, const Selection& selection,
                std::vector<std::string>& fields) const;
  Row wrong_number_of_fields(const char* p, const char* end) const;
  [[noreturn]] void refuse(const Row& row, const char* start, const Selection& selection) const;
  std::size_t most_rows(std::size_t columns) const;

  std::string path_;
  std::uint64_t offset_;
  CsvDialect dialect_;
  std::string bytes_;
};

/// A line beyond the longest row, of which nothing was kept. It is dropped or refused.
class OverlongLine final : public Piece {
 public:
  OverlongLine(std::string path, std::uint64_t offset, const CsvDialect& dialect);
  RowBlock numbers(const Selection& selection) const override;
  TextBlock text(const Selection& selection) const override;
  FieldBlock fields(const Selection& selection) const override;
  RowCounts count(const Selection&) const override { return {.broken = 1}; }
  Dropped dropped(const Selection&) const override { return {1, {0}}; }

 private:
  void refuse_if_strict(const Selection& selection) const;

  std::string path_;
  std::uint64_t offset_;
  CsvDialect dialect_;
};

}  // namespace modicum::data
