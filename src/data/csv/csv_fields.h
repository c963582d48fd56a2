// Where fields and records of CSV text end, and what a field says (RFC 4180).
//
// A quote opens a quoted field only as its first byte; elsewhere it is a byte like any other. In a
// quoted field two quotes stand for one. What follows the closing quote up to the separator
// belongs to the field as it is. A record is a line, ended by LF or CR LF; where quoted fields may
// contain line ends, it ends with the first one outside quotes. A byte order mark before a record
// is no part of it: before every one, so that a row does not depend on which is the first.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

namespace modicum::data {

/// The text must go on to a final LF.
inline bool ends_record(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }

/// Behind the byte order mark, if there is one. The text must go on to a final LF.
inline const char* behind_mark(const char* p) {
  return p[0] == '\xEF' && p[1] == '\xBB' && p[2] == '\xBF' ? p + 3 : p;
}

/// Where the quoted part of a field that starts at `open` ends: behind its closing quote, or null
/// if it is not closed, or only by the last byte, before `end`.
inline const char* behind_closing_quote(const char* open, const char* end) {
  for (const char* p = open + 1; p < end; p += 2) {
    p = static_cast<const char*>(std::memchr(p, '"', static_cast<std::size_t>(end - p)));
    if (p == nullptr || p + 1 == end) return nullptr;
    if (p[1] != '"') return p + 1;
  }
  return nullptr;
}

/// The separator or end of record that ends the field starting at p; null if it opens a quote that
/// is not closed before `end`. [p, end) must end with LF.
inline const char* field_end(const char* p, const char* end, char separator) {
  if (*p == '"') {
    p = behind_closing_quote(p, end);
    if (p == nullptr) return nullptr;
  }
  while (*p != separator && !ends_record(p)) ++p;
  return p;
}

/// Behind the record in which a field starts at p, or `end` if a quote is not closed. [p, end) must
/// end with LF.
inline const char* behind_record(const char* p, const char* end, char separator) {
  for (;;) {
    p = field_end(p, end, separator);
    if (p == nullptr) return end;
    if (*p == '\n') return p + 1;
    if (*p != separator) return p + 2;
    ++p;
  }
}

/// Behind the line that goes on at p. [p, end) must end with LF.
inline const char* behind_line(const char* p, const char* end) {
  return static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p))) + 1;
}

/// The field [begin, end) without its quotes.
inline void append_field_text(const char* begin, const char* end, std::string& text) {
  if (begin == end || *begin != '"') {
    text.append(begin, end);
    return;
  }
  const char* p = begin + 1;
  for (; p < end; ++p) {
    if (*p == '"' && (p + 1 == end || p[1] != '"')) break;
    if (*p == '"') ++p;
    text.push_back(*p);
  }
  if (p < end) text.append(p + 1, end);
}

/// The first control character in [p, end), or `end`. Tabs, separators and the ends of lines are
/// none. [p, end) must end with LF.
inline const char* next_control(const char* p, const char* end, char separator) {
  const auto refused = [separator](const char* c) {
    return static_cast<unsigned char>(*c) < 32 && *c != '\t' && *c != separator && !ends_record(c);
  };
  constexpr std::uint64_t each = 0x0101010101010101;
  // Eight bytes at once, where the first is the lowest of a word.
  for (; std::endian::native == std::endian::little && end - p >= 8; p += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, p, 8);
    // The top bit of every byte: whether it is below 32. Adding 96 carries 32 and more into it.
    std::uint64_t small = ~(((word & 0x7f * each) + 0x60 * each) | word) & 0x80 * each;
    for (; small != 0; small &= small - 1) {
      const char* const c = p + std::countr_zero(small) / 8;
      if (refused(c)) return c;
    }
  }
  for (; p < end; ++p)
    if (refused(p)) return p;
  return end;
}

/// How many of these bytes, the first of which starts a line, are whole lines.
inline std::size_t whole_lines(const char* begin, std::size_t size) {
  const void* const newline = ::memrchr(begin, '\n', size);
  if (newline == nullptr) return 0;
  return static_cast<std::size_t>(static_cast<const char*>(newline) - begin) + 1;
}

/// Does this quote, outside quotes, open a field? `begin` starts a record.
inline bool opens_field(const char* begin, const char* quote, char separator) {
  if (quote == begin || quote[-1] == separator || quote[-1] == '\n') return true;
  if (quote - begin < 3 || std::memcmp(quote - 3, "\xEF\xBB\xBF", 3) != 0) return false;
  return quote - 3 == begin || quote[-4] == '\n';
}

/// How many of these bytes, the first of which starts a record, are whole records, if quoted fields
/// may contain line ends.
inline std::size_t whole_records(const char* begin, std::size_t size, char separator) {
  const char* const end = begin + size;
  const char* last = begin;  // behind the last record that is known to end
  const char* p = begin;     // outside quotes
  for (;;) {
    const auto left = static_cast<std::size_t>(end - p);
    const auto* quote = static_cast<const char*>(std::memchr(p, '"', left));
    const char* const stop = quote != nullptr ? quote : end;
    const void* newline = ::memrchr(p, '\n', static_cast<std::size_t>(stop - p));
    if (newline != nullptr) last = static_cast<const char*>(newline) + 1;
    if (quote == nullptr) break;
    p = opens_field(begin, quote, separator) ? behind_closing_quote(quote, end) : quote + 1;
    if (p == nullptr) break;
  }
  return static_cast<std::size_t>(last - begin);
}

}  // namespace modicum::data
