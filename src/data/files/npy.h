// NPY files, in blocks of rows.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/files/npy_header.h"
#include "data/files/pieces.h"

namespace modicum::data {

class NpyReader final : public PieceReader {
 public:
  NpyReader(const std::string& path, std::size_t piece_bytes = usual_piece_bytes);

  const std::vector<std::string>& columns() const override { return columns_; }
  std::unique_ptr<Piece> next() override;

 private:
  void check_size();
  std::uint64_t position_after(std::uint64_t rows) const;

  ByteStream stream_;
  std::shared_ptr<const OpenFile> file_;  // for Fortran order: read from many places
  NpyHeader header_;
  std::uint64_t rows_at_once_ = 1, rows_done_ = 0;
  bool ended_ = false;
  std::vector<std::string> columns_;
};

}  // namespace modicum::data
