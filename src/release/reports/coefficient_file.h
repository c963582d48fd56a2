// Files of coefficients, read back.
#pragma once

#include <string>

#include "modicum/data/value.h"
#include "modicum/release/number_table.h"

namespace modicum {

/// {"rows", "columns", "values"}, as encode() writes it. Throws Error.
NumberTable numbers_in(const Value& whole);

/// `content` is a file of CSV or JSON, as encode() makes it. Throws UnreadableFile,
/// InvalidParameter for another ending.
NumberTable released_numbers_in(const std::string& content, const std::string& path);

/// Columns `coefficient` and `standardized`, which earlier versions spelled with an s.
bool holds_coefficients(const NumberTable& numbers);

/// `content` is a file of coefficients, as encode() makes it; the format goes by the path, and NPY
/// has no names of rows. Throws UnreadableFile, InvalidParameter for another ending.
NumberTable coefficients_in(const std::string& content, const std::string& path);

}  // namespace modicum
