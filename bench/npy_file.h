// Tables for benchmarks.
#pragma once

#include <fmt/format.h>

#include <fstream>
#include <string>

#include "modicum/data/table.h"

namespace modicum {

inline void write_npy(const std::string& path, const RowBlock& matrix) {
  std::string header =
      fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}, {}), }}", matrix.rows(),
                  matrix.cols());
  header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
  header += '\n';
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\0' << static_cast<char>(header.size() & 0xff)
       << static_cast<char>(header.size() >> 8) << header;
  file.write(reinterpret_cast<const char*>(matrix.data()),
             static_cast<std::streamsize>(matrix.size() * sizeof(double)));
}

}  // namespace modicum
