#include "data/csv_piece.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "data/byte_stream.h"
#include "data/csv_fields.h"
#include "data/number.h"

namespace modicum::data {

void refuse_binary(const std::string& path, const std::string& bytes) {
  if (std::memchr(bytes.data(), '\0', bytes.size()) != nullptr)
    throw UnreadableFile(fmt::format("{}: contains NUL bytes, so it is not a CSV file", path));
}

CsvPiece::CsvPiece(std::string path, std::uint64_t offset, char separator, std::string bytes)
    : path_(std::move(path)), offset_(offset), separator_(separator), bytes_(std::move(bytes)) {}

const char* CsvPiece::behind_empty_lines(const char* p) const {
  while (p < end() && ends_record(p)) p += *p == '\n' ? 1 : 2;
  return p;
}

// A row has a byte at least for every column, so that short lines cannot ask for much memory.
std::size_t CsvPiece::most_rows(std::size_t columns) const {
  std::size_t lines = 0;
  for (const char* p = bytes_.data(); p < end(); ++lines)
    p = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end() - p))) + 1;
  return std::min(lines, bytes_.size() / columns);
}

// Returns the end of the field, or null if it is not a number.
const char* CsvPiece::read_field(const char* p, double& value, std::string& scratch) const {
  const char* const quick = parse_plain_decimal(p, value);
  if (quick != nullptr && (*quick == separator_ || ends_record(quick))) return quick;
  const char* const stop = field_end(p, end(), separator_);
  std::string_view text(p, static_cast<std::size_t>(stop - p));
  if (*p == '"') {
    scratch.clear();
    append_field_text(p, stop, scratch);
    text = scratch;
  }
  return parse_number(text, value) ? stop : nullptr;
}

CsvPiece::Row CsvPiece::read_numbers(const char* p, const Selection& selection, double* values,
                                     std::string& scratch) const {
  const std::size_t width = selection.target.size();
  Fault fault = Fault::none;
  std::size_t faulty = 0;
  for (std::size_t column = 0; column < width; ++column) {
    const std::ptrdiff_t place = selection.target[column];
    const char* stop = nullptr;
    if (place >= 0 && fault == Fault::none) {
      stop = read_field(p, values[place], scratch);
      if (stop == nullptr) fault = Fault::value, faulty = column;
    }
    if (stop == nullptr) stop = field_end(p, end(), separator_);
    const bool last = column + 1 == width;
    if (*stop == separator_ ? last : !last)
      return {behind_record(stop + (last ? 1 : 0), end(), separator_), Fault::number_of_fields, 0};
    p = stop + 1;
  }
  if (p[-1] == '\r') ++p;
  for (const auto& [from, to] : selection.copies) values[to] = values[from];
  return {p, fault, faulty};
}

CsvPiece::Row CsvPiece::read_text(const char* p, const Selection& selection,
                                  std::vector<std::string>& fields) const {
  fields.assign(selection.columns.size(), {});
  for (std::size_t column = 0;; ++column) {
    const char* const stop = field_end(p, end(), separator_);
    if (column < selection.target.size() && selection.target[column] >= 0)
      append_field_text(p, stop, fields[static_cast<std::size_t>(selection.target[column])]);
    p = stop + 1;
    if (*stop == separator_) continue;
    if (*stop == '\r') ++p;
    for (const auto& [from, to] : selection.copies) fields[to] = fields[from];
    return {p, column + 1 == selection.target.size() ? Fault::none : Fault::number_of_fields, 0};
  }
}

// Messages name the place, never the value.
bool CsvPiece::keep(const Row& row, const char* start, const Selection& selection) const {
  if (row.fault == Fault::none) return true;
  if (selection.bad_rows == BadRows::dropped) return false;
  const auto line = line_at(path_, offset_ + static_cast<std::uint64_t>(start - bytes_.data()));
  if (row.fault == Fault::value) {
    std::string name = selection.names[row.column];
    for (char& c : name)
      if (c == '\n' || c == '\r') c = ' ';  // a message is one line
    throw UnreadableFile(
        fmt::format("{}, line {}, column {}: not a finite number", path_, line, name));
  }
  throw UnreadableFile(
      fmt::format("{}, line {}: the number of fields is not that of the columns, {}", path_, line,
                  selection.names.size()));
}

RowBlock CsvPiece::numbers(const Selection& selection) const {
  refuse_binary(path_, bytes_);
  const auto width = static_cast<Eigen::Index>(selection.columns.size());
  RowBlock block(static_cast<Eigen::Index>(most_rows(selection.target.size())), width);
  Eigen::Index rows = 0;
  std::string scratch;
  // A row at fault may come when there is no room left: it goes elsewhere.
  std::vector<double> beyond(selection.columns.size());
  for (const char* p = behind_empty_lines(bytes_.data()); p < end();) {
    double* const values = rows < block.rows() ? block.data() + rows * width : beyond.data();
    const Row row = read_numbers(p, selection, values, scratch);
    if (keep(row, p, selection)) ++rows;
    p = behind_empty_lines(row.behind);
  }
  if (rows < block.rows()) block.conservativeResize(rows, width);
  return block;
}

TextBlock CsvPiece::text(const Selection& selection) const {
  refuse_binary(path_, bytes_);
  TextBlock block;
  std::vector<std::string> fields;
  for (const char* p = behind_empty_lines(bytes_.data()); p < end();) {
    const Row row = read_text(p, selection, fields);
    if (keep(row, p, selection)) block.push_back(std::move(fields));
    p = behind_empty_lines(row.behind);
  }
  return block;
}

}  // namespace modicum::data
