#include "data/files/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace modicum::data {
namespace {

static_assert(std::endian::native == std::endian::little);

// Numbers `stride` bytes apart, converted to the nearest doubles `step` apart.
template <class Number>
void convert(const char* from, std::size_t stride, bool swapped, std::size_t count, double* to,
             std::size_t step) {
  for (std::size_t i = 0; i < count; ++i, from += stride, to += step) {
    char bytes[sizeof(Number)];
    std::memcpy(bytes, from, sizeof(Number));
    if (swapped) std::reverse(bytes, bytes + sizeof(Number));
    Number value;
    std::memcpy(&value, bytes, sizeof(Number));
    *to = static_cast<double>(value);
  }
}

using Convert = void (*)(const char*, std::size_t, bool, std::size_t, double*, std::size_t);

Convert converter(const NpyHeader& header) {
  const bool has_sign = header.kind == 'i';
  if (header.kind == 'f') return header.item_bytes == 4 ? convert<float> : convert<double>;
  switch (header.item_bytes) {
    case 1:
      return has_sign ? convert<std::int8_t> : convert<std::uint8_t>;
    case 2:
      return has_sign ? convert<std::int16_t> : convert<std::uint16_t>;
    case 4:
      return has_sign ? convert<std::int32_t> : convert<std::uint32_t>;
    default:
      return has_sign ? convert<std::int64_t> : convert<std::uint64_t>;
  }
}

class NpyPiece final : public Piece {
 public:
  NpyPiece(std::string path, const NpyHeader& header, std::uint64_t first_row, std::size_t rows)
      : path_(std::move(path)), header_(header), first_row_(first_row), rows_(rows) {}

  std::string bytes;                     // C order
  std::shared_ptr<const OpenFile> file;  // Fortran order

  RowBlock numbers(const Selection& selection) const override {
    RowBlock block = read(selection);
    drop_bad_rows(block, selection, path_, first_row_);
    return block;
  }
  Dropped dropped(const Selection& selection) const override {
    return bad_rows_of(read(selection));
  }
  FieldBlock fields(const Selection& selection) const override {
    return fields_of(all(selection.categories), read(selection), selection, path_, first_row_);
  }

  TextBlock text(const Selection& selection) const override { return as_text(numbers(selection)); }
  RowCounts count(const Selection& selection) const override {
    return count_fields(rows_, read(selection), fields(selection));
  }

 private:
  RowBlock read(const Selection& selection) const {
    RowBlock block = all(selection.columns);
    apply_readings(block, selection);
    return block;
  }

  RowBlock all(const std::vector<std::size_t>& columns) const {
    const std::size_t width = columns.size();
    RowBlock block(static_cast<Eigen::Index>(rows_), static_cast<Eigen::Index>(width));
    for (std::size_t place = 0; place < width; ++place)
      read_column(columns[place], block.data() + place, width);
    return block;
  }

  void read_column(std::size_t column, double* to, std::size_t step) const {
    const std::size_t item = header_.item_bytes;
    const Convert convert_all = converter(header_);
    if (!header_.fortran_order) {
      convert_all(bytes.data() + column * item, header_.columns * item, header_.big_endian, rows_,
                  to, step);
      return;
    }
    std::string slice(rows_ * item, '\0');
    const std::uint64_t place = header_.data_offset + (column * header_.rows + first_row_) * item;
    if (file->read_at(place, slice.data(), slice.size()) != slice.size())
      throw UnreadableFile(fmt::format("{}: became shorter while it was read", path_));
    convert_all(slice.data(), item, header_.big_endian, rows_, to, step);
  }

  std::string path_;
  NpyHeader header_;
  std::uint64_t first_row_;
  std::size_t rows_;
};

}  // namespace

NpyReader::NpyReader(const std::string& path, std::size_t piece_bytes)
    : stream_(path), header_(read_npy_header(stream_)) {
  check_size();
  const std::uint64_t row_bytes = header_.columns * sizeof(double);
  rows_at_once_ = std::max<std::uint64_t>(1, piece_bytes / row_bytes);
  if (header_.fortran_order) {
    // Each column is a read of its own: fewer, longer ones.
    const std::uint64_t most = std::max<std::uint64_t>(1, 8 * piece_bytes / row_bytes);
    rows_at_once_ = std::max(rows_at_once_, std::min<std::uint64_t>(most, 4096));
    file_ = std::make_shared<const OpenFile>(path);
  }
  for (std::uint64_t i = 1; i <= header_.columns; ++i) columns_.push_back(std::to_string(i));
}

void NpyReader::check_size() {
  if (stream_.compressed()) {
    if (header_.fortran_order)
      throw UnreadableFile(fmt::format(
          "{}: Fortran order cannot be read from gzip: decompress it first", stream_.path()));
    return;  // seen at the end
  }
  if (stream_.file_size() != header_.data_offset + header_.data_bytes())
    throw UnreadableFile(
        fmt::format("{}: its length is not that of the array in its header", stream_.path()));
}

// Of the file, for showing progress.
std::uint64_t NpyReader::position_after(std::uint64_t rows) const {
  if (stream_.compressed()) return stream_.file_position();
  return header_.data_offset + rows * header_.columns * header_.item_bytes;
}

std::unique_ptr<Piece> NpyReader::next() {
  if (ended_) return nullptr;
  const auto rows = static_cast<std::size_t>(std::min(rows_at_once_, header_.rows - rows_done_));
  if (rows == 0) {
    char beyond = 0;
    if (!header_.fortran_order && stream_.read(&beyond, 1) != 0)
      throw UnreadableFile(fmt::format("{}: data behind the end of the array", stream_.path()));
    ended_ = true;
    return nullptr;
  }
  auto piece = std::make_unique<NpyPiece>(stream_.path(), header_, rows_done_, rows);
  if (header_.fortran_order) {
    piece->file = file_;
  } else {
    piece->bytes.resize(rows * header_.columns * header_.item_bytes);
    if (stream_.read(piece->bytes.data(), piece->bytes.size()) != piece->bytes.size())
      throw UnreadableFile(fmt::format("{}: the array ends too early", stream_.path()));
  }
  rows_done_ += rows;
  piece->file_position = position_after(rows_done_);
  return piece;
}

}  // namespace modicum::data
