// Scripts, styles and pages of the explorer, compiled into the program.
#pragma once

#include <string_view>

namespace modicum {

/// The text of a file, or nothing if there is none of this name.
const char* page_file(std::string_view name);

}  // namespace modicum
