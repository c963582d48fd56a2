// Whole files and standard streams.
#pragma once

#include <string>
#include <string_view>

#include "modicum/data/unreadable_file.h"
#include "modicum/release/write_file.h"

namespace modicum {

/// The bytes of a file, or of standard input for "-". Throws UnreadableFile, for anything larger
/// than 256 MiB too.
std::string read_file(const std::string& path);

/// Writes to standard output and makes sure that it arrived. Throws Error.
void write_standard_output(std::string_view content);

}  // namespace modicum
