#include "data/files/pieces.h"

#include <algorithm>
#include <array>

#include "data/csv/byte_stream.h"
#include "data/csv/csv.h"
#include "data/files/npy.h"

namespace modicum::data {

bool starts_as_npy(const std::string& path) {
  std::array<char, npy_magic.size()> start{};
  const std::size_t got = ByteStream(path).read(start.data(), start.size());
  return std::string_view(start.data(), got) == npy_magic;
}

namespace {

// For each column of the table its place among those wanted, or -1.
std::vector<std::ptrdiff_t> places_of(const std::vector<std::size_t>& wanted, std::size_t columns,
                                      std::vector<std::pair<std::size_t, std::size_t>>& copies) {
  std::vector<std::ptrdiff_t> target(columns, -1);
  for (std::size_t place = 0; place < wanted.size(); ++place) {
    if (wanted[place] >= columns)
      throw InvalidParameter("column", static_cast<double>(wanted[place]) + 1.0,
                             "the table has fewer columns");
    std::ptrdiff_t& known = target[wanted[place]];
    if (known < 0) known = static_cast<std::ptrdiff_t>(place);
    else copies.emplace_back(static_cast<std::size_t>(known), place);
  }
  return target;
}

}  // namespace

Selection::Selection(const std::vector<std::string>& all_names,
                     const std::vector<std::size_t>& wanted, BadRows bad_rows_rule,
                     const std::vector<FieldReading>& all_readings,
                     const std::vector<std::size_t>& wanted_categories)
    : names(all_names),
      columns(wanted),
      bad_rows(bad_rows_rule),
      readings(all_readings),
      categories(wanted_categories),
      target(places_of(columns, names.size(), copies)),
      category_target(places_of(categories, names.size(), category_copies)) {}

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
      .decimal = files.rules.decimal,
      .compression = files.header ? Compression::by_content : Compression::by_name};
  return std::make_unique<CsvReader>(path, dialect, piece_bytes);
}

}  // namespace modicum::data
