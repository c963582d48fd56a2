// What is printed, and what becomes of it where nobody listens.
#pragma once

#include <string_view>

namespace modicum {

/// Writes to standard output and makes sure that it arrived. Throws Error.
void write_standard_output(std::string_view content);

/// Throws Error if standard output is closed, so that nothing is begun in vain.
void require_standard_output();

/// Writes to standard error. Where that is closed or full there is nobody left to tell.
void write_standard_error(std::string_view content) noexcept;

}  // namespace modicum
