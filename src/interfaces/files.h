// Whole files, read and written.
#pragma once

#include <string>
#include <string_view>

#include "modicum/numerics/errors.h"

namespace modicum {

/// A file that cannot be opened or read.
class UnreadableFile : public Error {
 public:
  using Error::Error;
};

/// The bytes of a file, or of standard input for "-". Throws UnreadableFile, for anything larger
/// than 256 MiB too.
std::string read_file(const std::string& path);

/// Writes beside `path` and renames, so that no half-written file is ever seen. Throws Error.
void write_file(const std::string& path, std::string_view content);

/// Writes to standard output and makes sure that it arrived. Throws Error.
void write_standard_output(std::string_view content);

}  // namespace modicum
