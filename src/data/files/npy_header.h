// The header of NPY files, versions 1 to 3.
#pragma once

#include <cstdint>
#include <string_view>

#include "data/csv/byte_stream.h"

namespace modicum::data {

inline constexpr std::string_view npy_magic = "\x93NUMPY";

struct NpyHeader {
  char kind = 'f';             // f, i, u, b: floating, signed, unsigned, boolean
  std::size_t item_bytes = 8;  // 1, 2, 4, 8
  bool big_endian = false;
  bool fortran_order = false;
  std::uint64_t rows = 0, columns = 0;  // one dimension: one column
  std::uint64_t data_offset = 0;

  std::uint64_t data_bytes() const { return rows * columns * item_bytes; }
};

/// Reads up to the first byte of the data. Throws UnreadableFile for a header that is damaged, and
/// for arrays that are not tables of numbers.
NpyHeader read_npy_header(ByteStream& stream);

}  // namespace modicum::data
