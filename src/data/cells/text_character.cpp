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
  const bool none = within(0xD800, 0xDFFF) || within(0xFDD0, 0xFDEF) || (code & 0xFFFE) == 0xFFFE;
  return !control && !direction && !none && code <= 0x10FFFF;
}

}  // namespace

std::size_t shown_character(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return may_be_shown(lead) ? 1 : 0;
  const std::size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 0 || text.size() < length) return 0;
  std::uint32_t code = lead & (0x7FU >> length);
  for (const char c : text.substr(1, length - 1)) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte & 0x3FU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  return code >= least[length] && may_be_shown(code) ? length : 0;
}

}  // namespace modicum
