// Where fields and records of CSV text end, and what a field says (RFC 4180).
//
// A quote opens a quoted field only as its first byte; elsewhere it is a byte like any other. In a
// quoted field two quotes stand for one. What follows the closing quote up to the separator
// belongs to the field as it is. A record ends with LF or CR LF outside quotes.
#pragma once

#include <cstring>
#include <string>

namespace modicum::data {

/// The text must go on to a final LF.
inline bool ends_record(const char* p) { return *p == '\n' || (*p == '\r' && p[1] == '\n'); }

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

/// The separator or end of record that ends the field starting at p. [p, end) must consist of
/// whole records.
inline const char* field_end(const char* p, const char* end, char separator) {
  if (*p == '"') {
    const char* const behind = behind_closing_quote(p, end);
    p = behind != nullptr ? behind : end - 1;
  }
  while (*p != separator && !ends_record(p)) ++p;
  return p;
}

/// Behind the record that starts at p. [p, end) must consist of whole records.
inline const char* behind_record(const char* p, const char* end, char separator) {
  for (;;) {
    p = field_end(p, end, separator);
    if (*p == '\n') return p + 1;
    if (*p != separator) return p + 2;
    ++p;
  }
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

/// How many of these bytes, the first of which starts a record, are whole records.
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
    const bool opens = quote == begin || quote[-1] == separator || quote[-1] == '\n';
    p = opens ? behind_closing_quote(quote, end) : quote + 1;
    if (p == nullptr) break;
  }
  return static_cast<std::size_t>(last - begin);
}

}  // namespace modicum::data
