// Whole files.
#pragma once

#include <string>

#include "modicum/data/unreadable_file.h"
#include "modicum/release/write_file.h"

namespace modicum {

/// The bytes of a file, or of standard input for "-". Throws UnreadableFile, for anything larger
/// than 256 MiB too.
std::string read_file(const std::string& path);

}  // namespace modicum
