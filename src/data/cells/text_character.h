// Text from files, one character at a time.
#pragma once

#include <string_view>

namespace modicum {

/// Bytes of the UTF-8 character that the text begins with; 0 where there is none.
std::size_t utf8_character(std::string_view text);

/// Bytes of the UTF-8 character that the text begins with; 0 where there is none that may be shown:
/// bytes that are not UTF-8, control characters, surrogates and other code points that are no
/// characters, and those that change the direction of the text around them.
std::size_t shown_character(std::string_view text);

}  // namespace modicum
