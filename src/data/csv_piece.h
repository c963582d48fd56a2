// Some whole records of a CSV file.
#pragma once

#include <string>

#include "data/pieces.h"

namespace modicum::data {

/// Text has no NUL bytes. Throws UnreadableFile.
void refuse_binary(const std::string& path, const std::string& bytes);

class CsvPiece final : public Piece {
 public:
  /// `offset` of these bytes in the (inflated) file. They must be whole records, the last of which
  /// ends with LF, too.
  CsvPiece(std::string path, std::uint64_t offset, char separator, std::string bytes);

  RowBlock numbers(const Selection& selection) const override;
  TextBlock text(const Selection& selection) const override;

 private:
  /// What is wrong with a row.
  enum class Fault { none, number_of_fields, value };
  struct Row {
    const char* behind;  // where the next one starts
    Fault fault;
    std::size_t column;  // of the table, if a value is at fault
  };

  const char* end() const { return bytes_.data() + bytes_.size(); }
  const char* behind_empty_lines(const char* p) const;
  const char* read_field(const char* p, double& value, std::string& scratch) const;
  Row read_numbers(const char* p, const Selection& selection, double* values,
                   std::string& scratch) const;
  Row read_text(const char* p, const Selection& selection, std::vector<std::string>& fields) const;
  bool keep(const Row& row, const char* start, const Selection& selection) const;
  std::size_t most_rows(std::size_t columns) const;

  std::string path_;
  std::uint64_t offset_;
  char separator_;
  std::string bytes_;
};

}  // namespace modicum::data
