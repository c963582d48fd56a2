#include "data/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "data/csv_fields.h"
#include "data/csv_piece.h"
#include "data/number.h"

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
    : stream_(path), dialect_(dialect), piece_bytes_(piece_bytes) {
  checked_separator(dialect.separator);
  fill(std::max<std::size_t>(piece_bytes_, 3));
  refuse_binary(path, buffer_);
  if (buffer_.starts_with("\xEF\xBB\xBF")) drop_front(3);  // byte order mark
  read_first_record();
  name_columns();
}

// Reads on until the buffer holds this many bytes; false if it already does. Behind the last byte
// of the file a line end is added if there is none, so that every record has one.
bool CsvReader::fill(std::size_t wanted) {
  const std::size_t held = buffer_.size();
  if (at_end_ || held >= wanted) return false;
  buffer_.resize(wanted);
  const std::size_t got = stream_.read(buffer_.data() + held, wanted - held);
  buffer_.resize(held + got);
  at_end_ = buffer_.size() < wanted;
  if (at_end_ && !buffer_.empty() && buffer_.back() != '\n') buffer_.push_back('\n');
  return true;
}

// Reads until there is a whole record, and tells how many bytes are whole records: 0 at the end.
std::size_t CsvReader::fill_whole_records() {
  for (std::size_t wanted = piece_bytes_;; wanted *= 2) {
    fill(wanted);
    const std::size_t whole = whole_records(buffer_.data(), buffer_.size(), dialect_.separator);
    const bool unclosed = at_end_ && whole < buffer_.size();
    if (unclosed || (whole == 0 && buffer_.size() >= longest_row_bytes))
      throw UnreadableFile(
          fmt::format("{}, line {}: {}", stream_.path(), line_at(stream_.path(), offset_ + whole),
                      unclosed ? "a quote is opened and never closed"
                               : "a row of more than 64 MB, or an unclosed quote"));
    if (whole > 0 || at_end_) return whole;
    wanted = std::max(wanted, buffer_.size());
  }
}

void CsvReader::drop_front(std::size_t bytes) {
  buffer_.erase(0, bytes);
  offset_ += bytes;
}

void CsvReader::read_first_record() {
  const char* end = nullptr;
  for (;;) {
    const std::size_t whole = fill_whole_records();
    if (whole == 0) throw UnreadableFile(fmt::format("{}: is empty", stream_.path()));
    std::size_t empty = 0;  // bytes of empty lines
    while (empty < whole && ends_record(buffer_.data() + empty))
      empty += buffer_[empty] == '\r' ? 2 : 1;
    drop_front(empty);
    end = buffer_.data() + (whole - empty);
    if (empty < whole) break;
  }
  const char* p = buffer_.data();
  const char* const behind = behind_record(p, end, dialect_.separator);
  for (const char* c = p; c < behind; ++c)
    if (static_cast<unsigned char>(*c) < 32 && *c != '\t' && *c != dialect_.separator &&
        *c != '\n' && !ends_record(c))
      throw UnreadableFile(fmt::format("{}: is not a CSV file", stream_.path()));
  for (;;) {
    const char* const stop = field_end(p, end, dialect_.separator);
    append_field_text(p, stop, first_record_.emplace_back());
    if (ends_record(stop)) break;
    p = stop + 1;
  }
  if (dialect_.header) drop_front(static_cast<std::size_t>(behind - buffer_.data()));
}

void CsvReader::name_columns() {
  if (!dialect_.header) {
    for (std::size_t i = 0; i < first_record_.size(); ++i)
      columns_.push_back(std::to_string(i + 1));
    return;
  }
  double ignored = 0.0;
  bool any_number = false, all_numbers = true;
  for (std::string name : first_record_) {
    any_number = any_number || parse_number(name, ignored);
    all_numbers = all_numbers && is_number_or_missing(name);
    const auto first = std::min(name.find_first_not_of(" \t"), name.size());
    const auto last = name.find_last_not_of(" \t") + 1;
    columns_.push_back(first < last ? name.substr(first, last - first) : "");
  }
  if (any_number && all_numbers)  // the names are not shown: they may be data
    throw UnreadableFile(fmt::format(
        "{}: the first line is all numbers, so the file seems to have no header (--no-header)",
        stream_.path()));
}

std::unique_ptr<Piece> CsvReader::next() {
  const std::size_t whole = fill_whole_records();
  if (whole == 0) return nullptr;
  std::string rest = buffer_.substr(whole);
  buffer_.resize(whole);
  auto piece =
      std::make_unique<CsvPiece>(stream_.path(), offset_, dialect_.separator, std::move(buffer_));
  piece->file_position = std::min(stream_.file_position(), stream_.file_size());
  buffer_ = std::move(rest);
  offset_ += whole;
  return piece;
}

}  // namespace modicum::data
