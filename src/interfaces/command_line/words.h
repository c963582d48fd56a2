// Words of a command line as values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modicum/data/fields.h"

namespace modicum {

/// A number given to a field. Throws InvalidParameter that names it.
double parse_number(std::string_view name, const std::string& text);

/// The value that the words stand for: `NAME=LOW:HIGH` a range of a column, `LOW:HIGH` one of all.
/// Throws InvalidParameter that names the field.
Value value_of_words(const Field& field, const std::vector<std::string>& words);

}  // namespace modicum
