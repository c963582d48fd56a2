#include "data/cells/text_character.h"

#include <cstdint>

namespace modicum {
namespace {

bool may_be_shown(std::uint32_t code) {
  const auto within = [code](std::uint32_t from, std::uint32_t to) {
    return code >= from && code <= to;
  };
  const bool control = code < 0x20 || within(0x7F, 0x9F);
  const bool direction = within(0x202A, 0x202E) || within(0x2066, 0x2069);
  const bool none = within(0xFDD0, 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
  return !control && !direction && !none;
}

struct Character {
  std::size_t length = 0;
  std::uint32_t code = 0;
};

// No longer than it needs to be, no surrogate, and not beyond the last code point.
Character first_character(std::string_view text) {
  if (text.empty()) return {};
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {1, lead};
  const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || text.size() < length) return {};
  std::uint32_t code = lead & (0x7FU >> length);
  for (const char c : text.substr(1, length - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) return {};
    code = code << 6 | (byte & 0x3FU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least[length] || surrogate || code > 0x10FFFF || lead >= 0xF5) return {};
  return {length, code};
}

}  // namespace

std::size_t utf8_character(std::string_view text) { return first_character(text).length; }

std::size_t shown_character(std::string_view text) {
  const Character first = first_character(text);
  return first.length > 0 && may_be_shown(first.code) ? first.length : 0;
}

}  // namespace modicum
