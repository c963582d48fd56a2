// Files that are there as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace modicum {

/// Writes beside `path`, makes sure that the bytes are on the disk, and renames: no half-written
/// file is ever seen, whatever happens. Throws Error.
void write_file(const std::string& path, std::string_view content);

/// Removes the file, if there is one, and makes sure that it is gone. Throws Error.
void remove_file(const std::string& path);

}  // namespace modicum
