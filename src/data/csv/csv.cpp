#include "data/csv/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "data/cells/number.h"
#include "data/csv/csv_fields.h"
#include "data/csv/csv_piece.h"
#include "data/csv/header_names.h"
#include "modicum/data/fields.h"

namespace modicum::data {
namespace {

char checked_separator(char separator) {
  constexpr std::string_view refused = "\"\n\r.+-0123456789eE";
  if (separator == '\0' || refused.find(separator) != std::string_view::npos)
    throw InvalidParameter("separator", fmt::format("character {}", static_cast<int>(separator)),
                           "must not be a part of numbers, a quote or a line end");
  return separator;
}

}  // namespace

CsvReader::CsvReader(const std::string& path, CsvDialect dialect, std::size_t piece_bytes)
    : stream_(path, dialect.compression), dialect_(dialect), piece_bytes_(piece_bytes) {
  checked_separator(dialect.separator);
  if (dialect.header) read_header();
  else number_columns();
  if (dialect.public_shape) read_shape();
}

FileAssumptions CsvReader::assumptions() const {
  return {dialect_.multiline, !dialect_.header && !dialect_.fields, dialect_.header,
          dialect_.public_shape};
}

// Reads on until the buffer holds this many bytes. Behind the last byte of the file a line end is
// added if there is none, so that every record has one.
void CsvReader::fill(std::size_t wanted) {
  const std::size_t held = buffer_.size();
  if (at_end_ || held >= wanted) return;
  buffer_.resize(wanted);
  const std::size_t got = stream_.read(buffer_.data() + held, wanted - held);
  buffer_.resize(held + got);
  at_end_ = buffer_.size() < wanted;
  if (at_end_ && !buffer_.empty() && buffer_.back() != '\n') buffer_.push_back('\n');
}

// Reads until there is a whole record, and tells how many bytes are whole records: 0 at the end,
// and before a line that is too long.
std::size_t CsvReader::fill_whole_records() {
  const std::size_t most = std::max(piece_bytes_, dialect_.longest_row + 1);
  for (std::size_t wanted = piece_bytes_;; wanted = std::min(2 * wanted, most)) {
    fill(wanted);
    const std::size_t whole =
        dialect_.multiline ? whole_records(buffer_.data(), buffer_.size(), dialect_.separator)
                           : whole_lines(buffer_.data(), buffer_.size());
    if (at_end_ && whole < buffer_.size())
      refuse(offset_ + whole, "a quote is opened and never closed");
    if (whole > 0 || at_end_) return whole;
    if (buffer_.size() < most) continue;
    if (dialect_.multiline) refuse(offset_, "a row of more than 64 MB, or an unclosed quote");
    return 0;
  }
}

void CsvReader::refuse(std::uint64_t offset, const char* why) const {
  throw UnreadableFile(fmt::format("{}, line {}: {}", stream_.path(),
                                   line_at(stream_.path(), offset, dialect_.compression), why));
}

void CsvReader::drop_front(std::size_t bytes) {
  buffer_.erase(0, bytes);
  offset_ += bytes;
}

// Drops empty lines, so that the buffer starts with a record, behind a byte order mark at most.
// Tells how many bytes of it are whole records: 0 at the end of the file.
std::size_t CsvReader::find_record() {
  for (;;) {
    const std::size_t whole = fill_whole_records();
    if (whole == 0 && at_end_) return 0;
    if (whole == 0) refuse(offset_, "more than 64 MB, so that this is not a CSV file");
    const char* const end = buffer_.data() + whole;
    const char* start = buffer_.data();
    while (start < end && ends_record(behind_mark(start))) start = behind_line(start, end);
    const auto empty = static_cast<std::size_t>(start - buffer_.data());
    drop_front(empty);
    if (empty < whole) return whole - empty;
  }
}

// The fields of the record that the buffer starts with, of which so many bytes are whole records.
// Tells how many bytes the record is.
std::size_t CsvReader::read_record(std::size_t whole, bool one_line,
                                   std::vector<std::string>& fields) const {
  const char* p = behind_mark(buffer_.data());
  const char* end = buffer_.data() + whole;
  if (one_line) end = behind_line(p, end);
  const char* const behind = behind_record(p, end, dialect_.separator);
  if (next_control(p, behind, dialect_.separator) != behind)
    refuse(offset_, "a control character, so that this is not a CSV file");
  for (;; ++p) {
    const char* const stop = field_end(p, end, dialect_.separator);
    if (stop == nullptr) refuse(offset_, "a quote is opened and not closed in this line");
    append_field_text(p, stop, fields.emplace_back());
    p = stop;
    if (ends_record(stop)) break;
  }
  const auto size = static_cast<std::size_t>(behind - buffer_.data());
  if (size > dialect_.longest_row + 1)
    refuse(offset_, "more than 64 MB, so that this is not a CSV file");
  return size;
}

// A header is a line in any case: names do not contain line ends.
void CsvReader::read_header() {
  const std::size_t whole = find_record();
  if (whole == 0) throw UnreadableFile(fmt::format("{}: is empty", stream_.path()));
  drop_front(read_record(whole, true, columns_));
  for (std::string& name : columns_) name = std::string(without_blanks(name));
  if (!dialect_.header_declared) require_names();
}

// A row must not be published as names. It may be one, so that nothing of it is told.
void CsvReader::require_names() const {
  const bool ends_with_separator = columns_.size() > 1 && columns_.back().empty();
  std::vector<std::string> names = columns_;
  if (ends_with_separator) names.pop_back();
  if (!are_surely_names(names))
    throw UsageError(fmt::format(
        "{}: the first line may be data: names of columns are words of letters, digits and "
        "underscores, all different, with the `separator` between them, a comma unless it is given "
        "(many spreadsheets write semicolons); give `header` if it is a "
        "header all the same, or `no_header`, with `names`, if it is data",
        stream_.path()));
  if (ends_with_separator)
    throw UsageError(fmt::format(
        "{}: the header ends with a separator, so that the last column has no name; take it away, "
        "or give `header` and `select` the columns to use",
        stream_.path()));
}

void CsvReader::number_columns() {
  std::vector<std::string> fields;
  if (!dialect_.fields) {
    const std::size_t whole = find_record();
    if (whole == 0) throw UnreadableFile(fmt::format("{}: is empty", stream_.path()));
    read_record(whole, !dialect_.multiline, fields);
  }
  const std::size_t count = dialect_.fields.value_or(fields.size());
  for (std::size_t i = 0; i < count; ++i) columns_.push_back(std::to_string(i + 1));
}

void CsvReader::read_shape() {
  const std::size_t whole = find_record();
  if (whole == 0) return;
  std::vector<std::string> fields;
  read_record(whole, !dialect_.multiline, fields);
  double ignored = 0.0;
  FieldReading reading;
  reading.decimal = dialect_.decimal;
  first_row_.emplace();
  for (const std::string& field : fields) first_row_->push_back(reading.number(field, ignored));
}

std::unique_ptr<Piece> CsvReader::next() {
  const std::size_t whole = fill_whole_records();
  if (whole == 0) return at_end_ ? nullptr : skip_line();
  std::string rest = buffer_.substr(whole);
  buffer_.resize(whole);
  auto piece = std::make_unique<CsvPiece>(stream_.path(), offset_, dialect_, std::move(buffer_));
  piece->file_position = std::min(stream_.file_position(), stream_.file_size());
  buffer_ = std::move(rest);
  offset_ += whole;
  return piece;
}

// Stands for the line by nothing but its place.
std::unique_ptr<Piece> CsvReader::skip_line() {
  auto piece = std::make_unique<OverlongLine>(stream_.path(), offset_, dialect_);
  std::size_t line_end = std::string::npos;
  do {
    drop_front(buffer_.size());
    fill(piece_bytes_);
    line_end = buffer_.find('\n');
  } while (line_end == std::string::npos && !at_end_);
  drop_front(line_end == std::string::npos ? buffer_.size() : line_end + 1);
  buffer_.shrink_to_fit();
  piece->file_position = std::min(stream_.file_position(), stream_.file_size());
  return piece;
}

}  // namespace modicum::data
