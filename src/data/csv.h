// CSV files, cut into pieces of whole records.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/byte_stream.h"
#include "data/pieces.h"

namespace modicum::data {

struct CsvDialect {
  char separator = ',';
  bool header = true;  // the first record names the columns
};

class CsvReader final : public PieceReader {
 public:
  /// Reads the first record. Throws UnreadableFile if the file is empty or not text, and
  /// InvalidParameter for a separator that numbers or records are made of.
  CsvReader(const std::string& path, CsvDialect dialect,
            std::size_t piece_bytes = usual_piece_bytes);

  /// Names from the header; without one "1", "2", ...
  const std::vector<std::string>& columns() const override { return columns_; }
  const std::vector<std::string>& first_record() const { return first_record_; }
  std::unique_ptr<Piece> next() override;

 private:
  bool fill(std::size_t wanted);
  std::size_t fill_whole_records();
  void drop_front(std::size_t bytes);
  void read_first_record();
  void name_columns();

  ByteStream stream_;
  CsvDialect dialect_;
  std::size_t piece_bytes_;
  std::string buffer_;        // read, not yet handed out; starts with a record
  std::uint64_t offset_ = 0;  // of the buffer in the (inflated) file
  bool at_end_ = false;       // everything is in the buffer
  std::vector<std::string> first_record_, columns_;
};

}  // namespace modicum::data
