// How the text of a CSV file is to be read.
#pragma once

#include <cstddef>
#include <optional>

#include "data/csv/byte_stream.h"

namespace modicum::data {

/// A row beyond this would not fit the bound on memory.
inline constexpr std::size_t longest_row_bytes = std::size_t{1} << 26;

struct CsvDialect {
  char separator = ',';
  bool header = true;                                // the first line names the columns
  bool header_declared = false;                      // whatever it says
  std::optional<std::size_t> fields = std::nullopt;  // without a header: not from the first line
  bool multiline = false;                            // quoted fields may contain line ends
  bool public_shape = false;                         // of the first row
  char decimal = '.';                                // or a comma
  Compression compression = Compression::by_content;
  std::size_t longest_row = longest_row_bytes;  // without the line end
};

}  // namespace modicum::data
