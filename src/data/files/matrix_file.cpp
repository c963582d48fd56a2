// Small files of numbers as a matrix. Nothing is dropped: a file is understood in full or refused.
#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "data/csv/byte_stream.h"
#include "data/files/pieces.h"
#include "modicum/data/json.h"
#include "modicum/data/matrix_shape.h"
#include "modicum/data/table.h"

namespace modicum {
namespace {

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
  throw UnreadableFile(fmt::format("{}: {}", path, why));
}

std::string read_all(const std::string& path) {
  constexpr std::size_t most = std::size_t{1} << 30, step = std::size_t{1} << 20;
  data::ByteStream stream(path);
  std::string bytes;
  for (;;) {
    const std::size_t held = bytes.size();
    bytes.resize(held + step);
    bytes.resize(held + stream.read(bytes.data() + held, step));
    if (bytes.size() < held + step) return bytes;
    if (bytes.size() > most) refuse(path, "is larger than 1 GB");
  }
}

double finite_number(const std::string& path, const Value& value) {
  if (!value.is_number()) refuse(path, "must be a list, or a list of lists, of numbers");
  const double number = value.number();
  if (!std::isfinite(number)) refuse(path, "contains a number that is not finite");
  return number;
}

Value list_in(const std::string& path) {
  Value parsed;
  try {
    parsed = parse_json(read_all(path));
  } catch (const InvalidDescription&) {  // says nothing of what is in the file
    refuse(path, "is not valid JSON");
  }
  if (!parsed.is_list() || parsed.size() == 0) refuse(path, "must be a list that is not empty");
  return parsed;
}

MatrixShape shape_of_list(const std::string& path, const Value& parsed) {
  const std::size_t columns = parsed.at(0).is_list() ? parsed.at(0).size() : 1;
  if (columns == 0) refuse(path, "has an empty row");
  return {static_cast<Eigen::Index>(parsed.size()), static_cast<Eigen::Index>(columns)};
}

RowBlock read_json(const std::string& path) {
  const Value parsed = list_in(path);
  const bool nested = parsed.at(0).is_list();
  const MatrixShape shape = shape_of_list(path, parsed);
  const auto columns = static_cast<std::size_t>(shape.columns);
  RowBlock matrix(shape.rows, shape.columns);
  for (std::size_t i = 0; i < parsed.size(); ++i) {
    const Value& row = parsed.items()[i];
    if (nested && (!row.is_list() || row.size() != columns))
      refuse(path, "must have rows of equal length");
    for (std::size_t j = 0; j < columns; ++j)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          finite_number(path, nested ? row.items()[j] : row);
  }
  return matrix;
}

std::unique_ptr<data::PieceReader> open_table(const std::string& path, bool header) {
  TableFiles files;
  files.paths = {path};
  files.header = header || data::starts_as_npy(path);
  files.header_declared = true;
  return data::open_pieces(path, files);
}

MatrixShape shape_of_table(const std::string& path, bool header) {
  const auto reader = open_table(path, header);
  const std::vector<data::FieldReading> readings(reader->columns().size());
  const data::Selection nothing(reader->columns(), {}, BadRows::dropped, readings);
  MatrixShape shape{0, static_cast<Eigen::Index>(reader->columns().size())};
  while (const auto piece = reader->next())
    shape.rows += static_cast<Eigen::Index>(piece->dropped(nothing).rows);
  if (shape.rows == 0) refuse(path, "contains no numbers");
  return shape;
}

RowBlock read_table(const std::string& path, bool header) {
  const auto reader = open_table(path, header);
  std::vector<std::size_t> all(reader->columns().size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  const std::vector<data::FieldReading> readings(all.size());
  const data::Selection everything(reader->columns(), all, BadRows::refused, readings);
  std::vector<RowBlock> blocks;
  Eigen::Index rows = 0;
  while (const auto piece = reader->next()) {
    blocks.push_back(piece->numbers(everything));
    rows += blocks.back().rows();
  }
  if (rows == 0) refuse(path, "contains no numbers");
  RowBlock matrix(rows, static_cast<Eigen::Index>(all.size()));
  rows = 0;
  for (const RowBlock& block : blocks) {
    matrix.middleRows(rows, block.rows()) = block;
    rows += block.rows();
  }
  return matrix;
}

}  // namespace

MatrixShape matrix_shape(const std::string& path, bool header) {
  return path.ends_with(".json") ? shape_of_list(path, list_in(path))
                                 : shape_of_table(path, header);
}

RowBlock read_matrix(const std::string& path, bool header) {
  return path.ends_with(".json") ? read_json(path) : read_table(path, header);
}

}  // namespace modicum
