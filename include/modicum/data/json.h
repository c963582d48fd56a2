// JSON, the text of a tree of values.
#pragma once

#include <string>
#include <string_view>

#include "modicum/data/value.h"

namespace modicum {

/// A description, or another text of JSON, that cannot be used. One line that names the source, the
/// place inside it, the value and the rule:
/// "pair.json: compose[1].scale is -2, but must be positive and finite".
class InvalidDescription : public Error {
 public:
  using Error::Error;
};

inline constexpr std::size_t deepest_nesting = 64;

/// Parses a whole text. Throws InvalidDescription for what is not JSON (with line and column), for
/// repeated keys, numbers that double precision cannot hold (a nonzero number below 2.3e-308 in
/// size too: it would silently become another), and nesting beyond `deepest_nesting`.
Value parse_json(std::string_view text);

/// Without line breaks inside and with one at its end. An enclosure is {"lower", "upper"}, its ends
/// moved outward where parse_json would refuse them; numbers
/// that are not finite are null, which JSON has in their place; bytes that are not UTF-8 are
/// replaced.
std::string json_line(const Value& value);
/// The same over several lines, each level indented by so many blanks.
std::string json_lines(const Value& value, int indent);

/// A value for a message: short, on one line.
std::string shown(const Value& value);

/// Throws InvalidDescription: "path is value, but rule".
[[noreturn]] void refuse(std::string_view path, std::string_view value, std::string_view rule);

}  // namespace modicum
