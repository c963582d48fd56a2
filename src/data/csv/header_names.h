// Is a first line a header, or a row?
#pragma once

#include <string>
#include <vector>

namespace modicum::data {

/// Whether these fields, without blanks around them, are surely names of columns: each a word of
/// ASCII letters, digits and underscores that begins with no digit and does not stand for a truth
/// value or a missing number (NA, none, ...), and no two the same. A field with any other character
/// would be split by another separator, or may be a value.
bool are_surely_names(const std::vector<std::string>& fields);

}  // namespace modicum::data
