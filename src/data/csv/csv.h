// CSV files, cut into pieces of whole records.
#pragma once

#include <string>
#include <vector>

#include "data/csv/byte_stream.h"
#include "data/csv/csv_dialect.h"
#include "data/files/pieces.h"

namespace modicum::data {

class CsvReader final : public PieceReader {
 public:
  /// Reads the header, if there is one, or the first record, if it tells how many fields there are,
  /// and the first row if its shape is public. Throws UnreadableFile if one of the first two is
  /// missing, or any is not text, UsageError for a header that may be a row, and InvalidParameter
  /// for a separator that numbers or records are made of.
  CsvReader(const std::string& path, CsvDialect dialect,
            std::size_t piece_bytes = usual_piece_bytes);

  /// Names from the header; without one "1", "2", ...
  const std::vector<std::string>& columns() const override { return columns_; }
  FileAssumptions assumptions() const override;
  bool has_names() const override { return dialect_.header; }
  const std::optional<std::vector<bool>>& first_row() const override { return first_row_; }
  std::unique_ptr<Piece> next() override;

 private:
  void fill(std::size_t wanted);
  std::size_t fill_whole_records();
  [[noreturn]] void refuse(std::uint64_t offset, const char* why) const;
  void drop_front(std::size_t bytes);
  std::size_t find_record();
  std::size_t read_record(std::size_t whole, bool one_line, std::vector<std::string>& fields) const;
  void read_header();
  void require_names() const;
  void number_columns();
  void read_shape();
  std::unique_ptr<Piece> skip_line();

  ByteStream stream_;
  CsvDialect dialect_;
  std::size_t piece_bytes_;
  std::string buffer_;        // read, not yet handed out; starts with a record
  std::uint64_t offset_ = 0;  // of the buffer in the (inflated) file
  bool at_end_ = false;       // everything is in the buffer
  std::vector<std::string> columns_;
  std::optional<std::vector<bool>> first_row_;
};

}  // namespace modicum::data
