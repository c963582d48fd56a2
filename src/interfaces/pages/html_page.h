// Web pages in one file: nothing is loaded from anywhere.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "modicum/data/value.h"

namespace modicum {

/// Text as the content of an element, or between double quotes as an attribute.
std::string html_text(std::string_view text);

/// JSON as the content of a script element: no "<" that could end it.
std::string json_in_html(const Value& value);

/// Rows of cells; the first row is the heading. The cells are text.
std::string html_table(const std::vector<std::vector<std::string>>& rows);

/// A document whose policy forbids it to load or send anything. `title` is text, `body` is HTML.
std::string html_page(std::string_view title, std::string_view body);

}  // namespace modicum
