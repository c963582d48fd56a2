#include "data/pieces.h"

#include <algorithm>
#include <array>

#include "data/byte_stream.h"
#include "data/csv.h"
#include "data/npy.h"

namespace modicum::data {

bool starts_as_npy(const std::string& path) {
  std::array<char, npy_magic.size()> start{};
  const std::size_t got = ByteStream(path).read(start.data(), start.size());
  return std::string_view(start.data(), got) == npy_magic;
}

Selection::Selection(const std::vector<std::string>& all_names,
                     const std::vector<std::size_t>& wanted, BadRows bad_rows_rule)
    : names(all_names), columns(wanted), bad_rows(bad_rows_rule), target(all_names.size(), -1) {
  for (std::size_t place = 0; place < columns.size(); ++place) {
    if (columns[place] >= names.size())
      throw InvalidParameter("column", static_cast<double>(columns[place]) + 1.0,
                             "the table has fewer columns");
    std::ptrdiff_t& known = target[columns[place]];
    if (known < 0) known = static_cast<std::ptrdiff_t>(place);
    else copies.emplace_back(static_cast<std::size_t>(known), place);
  }
}

std::unique_ptr<PieceReader> open_pieces(const std::string& path, const TableFiles& files,
                                         std::size_t piece_bytes) {
  if (files.header ? starts_as_npy(path) : path.ends_with(".npy") || path.ends_with(".npy.gz"))
    return std::make_unique<NpyReader>(path, piece_bytes);
  const CsvDialect dialect{
      .separator = files.separator,
      .header = files.header,
      .header_declared = files.header_declared,
      .fields = files.fields,
      .multiline = files.multiline,
      .public_shape = files.public_shape,
      .compression = files.header ? Compression::by_content : Compression::by_name};
  return std::make_unique<CsvReader>(path, dialect, piece_bytes);
}

}  // namespace modicum::data
