#include "data/csv/csv_piece.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/cells/number.h"
#include "data/csv/byte_stream.h"
#include "data/csv/csv_fields.h"

namespace modicum::data {
namespace {

constexpr const char* too_long = "more than 64 MB";

[[noreturn]] void refuse_line(const std::string& path, std::uint64_t offset,
                              const CsvDialect& dialect, const std::string& why) {
  throw UnreadableFile(
      fmt::format("{}, line {}{}", path, line_at(path, offset, dialect.compression), why));
}

}  // namespace

CsvPiece::CsvPiece(std::string path, std::uint64_t offset, const CsvDialect& dialect,
                   std::string bytes)
    : path_(std::move(path)), offset_(offset), dialect_(dialect), bytes_(std::move(bytes)) {}

// A row has a byte at least for every column, so that short lines cannot ask for much memory.
std::size_t CsvPiece::most_rows(std::size_t columns) const {
  std::size_t lines = 0;
  for (const char* p = bytes_.data(); p < end(); ++lines) p = behind_line(p, end());
  return std::min(lines, bytes_.size() / columns);
}

// `read` understands one row, `take` is called after it with what it found and where the row
// starts. Where rows are lines it sees nothing but its own, and where it ends does not depend on
// what it says.
template <class Read, class Take>
void CsvPiece::for_each_row(const Read& read, const Take& take) const {
  const char* control = next_control(bytes_.data(), end(), dialect_.separator);
  for (const char* start = bytes_.data(); start < end();) {
    const char* const bound = dialect_.multiline ? end() : behind_line(start, end());
    const char* const p = behind_mark(start);
    if (ends_record(p)) {  // an empty line
      start = behind_line(p, end());
      continue;
    }
    const bool overlong =
        !dialect_.multiline && static_cast<std::size_t>(bound - start) > dialect_.longest_row + 1;
    Row row = overlong ? Row{bound, Fault::length, 0} : read(p, bound);
    if (control < row.behind) {
      if (!overlong) row.fault = Fault::control_character;
      control = next_control(row.behind, end(), dialect_.separator);
    }
    take(row, start);
    start = row.behind;
  }
}

// `take` is called after rows without a fault.
template <class Read, class Take>
void CsvPiece::for_each_good_row(const Selection& selection, const Read& read,
                                 const Take& take) const {
  for_each_row(read, [&](const Row& row, const char* start) {
    if (row.fault == Fault::none) take();
    else if (selection.bad_rows == BadRows::refused) refuse(row, start, selection);
  });
}

// Returns the end of the field, or null if it is not a number.
const char* CsvPiece::read_field(const char* p, const char* end, const FieldReading& reading,
                                 double& value, std::string& scratch) const {
  const bool plain = reading.is_plain();
  const char* const quick = plain ? parse_plain_decimal(p, value) : nullptr;
  if (quick != nullptr && (*quick == dialect_.separator || ends_record(quick))) return quick;
  const char* const stop = field_end(p, end, dialect_.separator);
  if (stop == nullptr) return nullptr;
  std::string_view text(p, static_cast<std::size_t>(stop - p));
  if (*p == '"') {
    scratch.clear();
    append_field_text(p, stop, scratch);
    text = scratch;
  }
  return (plain ? parse_number(text, value) : reading.number(text, value)) ? stop : nullptr;
}

// Returns the end of the field, or null if a quote is not closed.
const char* CsvPiece::read_category(const char* p, const char* end, const FieldReading& reading,
                                    const Place& to, std::size_t place, std::string& scratch,
                                    Fault& fault) const {
  const char* const stop = field_end(p, end, dialect_.separator);
  if (stop == nullptr) return nullptr;
  std::string_view text(p, static_cast<std::size_t>(stop - p));
  if (*p == '"') {
    append_field_text(p, stop, to.kept->emplace_back());
    text = to.kept->back();
  }
  const std::optional<std::string_view> found = reading.category(text, scratch);
  if (!found) fault = Fault::category;
  else if (scratch.empty()) to.categories[place] = *found;
  else to.categories[place] = to.kept->emplace_back(scratch);
  return stop;
}

// A field starts at p, in the row at fault.
CsvPiece::Row CsvPiece::wrong_number_of_fields(const char* p, const char* end) const {
  return {dialect_.multiline ? behind_record(p, end, dialect_.separator) : end,
          Fault::number_of_fields, 0};
}

CsvPiece::Row CsvPiece::read_numbers(const char* p, const char* end, const Selection& selection,
                                     const Place& to, std::string& scratch) const {
  const std::size_t width = selection.target.size();
  const char separator = dialect_.separator;
  Fault fault = Fault::none;
  std::size_t faulty = 0;
  for (std::size_t column = 0; column < width; ++column) {
    const std::ptrdiff_t place = selection.target[column];
    const FieldReading& reading = selection.readings[column];
    const char* stop = nullptr;
    if (to.categories != nullptr && selection.category_target[column] >= 0 &&
        fault == Fault::none) {
      stop = read_category(p, end, reading, to,
                           static_cast<std::size_t>(selection.category_target[column]), scratch,
                           fault);
      if (stop == nullptr) return {end, Fault::quote, 0};
      if (fault != Fault::none) faulty = column;
    }
    if (place >= 0 && fault == Fault::none) {
      stop = read_field(p, end, reading, to.values[place], scratch);
      if (stop == nullptr) fault = Fault::value, faulty = column;
    }
    if (stop == nullptr) stop = field_end(p, end, separator);
    if (stop == nullptr) return {end, Fault::quote, 0};
    const bool last = column + 1 == width;
    if (*stop == separator ? last : !last)
      return wrong_number_of_fields(stop + (last ? 1 : 0), end);
    p = stop + 1;
  }
  if (p[-1] == '\r') ++p;
  for (const auto& [from, copy] : selection.copies) to.values[copy] = to.values[from];
  if (to.categories != nullptr)
    for (const auto& [from, copy] : selection.category_copies)
      to.categories[copy] = to.categories[from];
  return {p, fault, faulty};
}

CsvPiece::Row CsvPiece::read_text(const char* p, const char* end, const Selection& selection,
                                  std::vector<std::string>& fields) const {
  fields.assign(selection.columns.size(), {});
  for (std::size_t column = 0;; ++column) {
    const char* const stop = field_end(p, end, dialect_.separator);
    if (stop == nullptr) return {end, Fault::quote, 0};
    if (column < selection.target.size() && selection.target[column] >= 0)
      append_field_text(p, stop, fields[static_cast<std::size_t>(selection.target[column])]);
    p = stop + 1;
    if (*stop == dialect_.separator) continue;
    if (*stop == '\r') ++p;
    for (const auto& [from, to] : selection.copies) fields[to] = fields[from];
    return {p, column + 1 == selection.target.size() ? Fault::none : Fault::number_of_fields, 0};
  }
}

// Messages name the place, never the value.
void CsvPiece::refuse(const Row& row, const char* start, const Selection& selection) const {
  std::string why;
  switch (row.fault) {
    case Fault::length:
      why = fmt::format(": {}", too_long);
      break;
    case Fault::control_character:
      why = ": contains a control character";
      break;
    case Fault::quote:
      why = ": a quote is opened and not closed in this line";
      break;
    case Fault::value:
      why = fmt::format(", column {}: {}", selection.names[row.column],
                        selection.readings[row.column].rule_in_words());
      break;
    case Fault::category:
      why = fmt::format(", column {}: no value", selection.names[row.column]);
      break;
    default:
      why = fmt::format(": the number of fields is not that of the columns, {}",
                        selection.names.size());
  }
  refuse_line(path_, offset_ + static_cast<std::uint64_t>(start - bytes_.data()), dialect_, why);
}

RowBlock CsvPiece::numbers(const Selection& selection) const {
  const auto width = static_cast<Eigen::Index>(selection.columns.size());
  RowBlock block(static_cast<Eigen::Index>(most_rows(selection.target.size())), width);
  Eigen::Index rows = 0;
  std::string scratch;
  // A row at fault may come when there is no room left: it goes elsewhere.
  std::vector<double> beyond(selection.columns.size());
  for_each_good_row(
      selection,
      [&](const char* p, const char* end) {
        double* const values = rows < block.rows() ? block.data() + rows * width : beyond.data();
        return read_numbers(p, end, selection, {values, nullptr, nullptr}, scratch);
      },
      [&] { ++rows; });
  if (rows < block.rows()) block.conservativeResize(rows, width);
  return block;
}

TextBlock CsvPiece::text(const Selection& selection) const {
  TextBlock block;
  std::vector<std::string> fields;
  for_each_good_row(
      selection,
      [&](const char* p, const char* end) { return read_text(p, end, selection, fields); },
      [&] { block.push_back(std::move(fields)); });
  return block;
}

FieldBlock CsvPiece::fields(const Selection& selection) const {
  const std::size_t width = selection.columns.size();
  const std::size_t most = most_rows(selection.target.size());
  FieldBlock block;
  block.width = selection.categories.size();
  block.numbers.resize(static_cast<Eigen::Index>(most), static_cast<Eigen::Index>(width));
  block.categories.resize(most * block.width);
  std::string scratch;
  // A row at fault may come when there is no room left: it goes elsewhere.
  std::vector<double> beyond(width);
  std::vector<std::string_view> categories_beyond(block.width + 1);
  for_each_good_row(
      selection,
      [&](const char* p, const char* end) {
        const bool room = block.rows < most;
        return read_numbers(
            p, end, selection,
            {room ? block.numbers.data() + block.rows * width : beyond.data(),
             room && block.width > 0 ? block.categories.data() + block.rows * block.width
                                     : categories_beyond.data(),
             &block.kept},
            scratch);
      },
      [&] { ++block.rows; });
  block.categories.resize(block.rows * block.width);
  if (block.rows < most)
    block.numbers.conservativeResize(static_cast<Eigen::Index>(block.rows),
                                     static_cast<Eigen::Index>(width));
  return block;
}

// Of each row read for its numbers and categories: what is wrong with it.
template <class Take>
void CsvPiece::for_each_fault(const Selection& selection, const Take& take) const {
  std::string scratch;
  std::vector<double> values(selection.columns.size());
  std::vector<std::string_view> categories(selection.categories.size() + 1);
  std::deque<std::string> kept;
  for_each_row(
      [&](const char* p, const char* end) {
        kept.clear();
        return read_numbers(p, end, selection, {values.data(), categories.data(), &kept}, scratch);
      },
      [&](const Row& row, const char*) { take(row.fault); });
}

RowCounts CsvPiece::count(const Selection& selection) const {
  RowCounts counts;
  for_each_fault(selection, [&](Fault fault) {
    if (fault == Fault::none) ++counts.used;
    else if (fault == Fault::number_of_fields) ++counts.other_length;
    else if (fault == Fault::value) ++counts.not_numbers;
    else if (fault == Fault::category) ++counts.missing;
    else ++counts.broken;
  });
  return counts;
}

CsvPiece::Dropped CsvPiece::dropped(const Selection& selection) const {
  Dropped found;
  for_each_fault(selection, [&](Fault fault) {
    if (fault != Fault::none) found.places.push_back(found.rows);
    ++found.rows;
  });
  return found;
}

OverlongLine::OverlongLine(std::string path, std::uint64_t offset, const CsvDialect& dialect)
    : path_(std::move(path)), offset_(offset), dialect_(dialect) {}

void OverlongLine::refuse_if_strict(const Selection& selection) const {
  if (selection.bad_rows == BadRows::refused)
    refuse_line(path_, offset_, dialect_, fmt::format(": {}", too_long));
}

RowBlock OverlongLine::numbers(const Selection& selection) const {
  refuse_if_strict(selection);
  return RowBlock(0, static_cast<Eigen::Index>(selection.columns.size()));
}

TextBlock OverlongLine::text(const Selection& selection) const {
  refuse_if_strict(selection);
  return {};
}

FieldBlock OverlongLine::fields(const Selection& selection) const {
  refuse_if_strict(selection);
  return {};
}

}  // namespace modicum::data
