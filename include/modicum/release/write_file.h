// Files that are there as a whole or not at all.
#pragma once

#include <string>
#include <string_view>

namespace modicum {

/// Who may read a new file: as the process usually allows, or its owner and nobody else.
enum class FileAccess { usual, owner_only };

/// Writes beside `path`, makes sure that the bytes are on the disk, and renames: no half-written
/// file is ever seen, whatever happens. Throws Error.
void write_file(const std::string& path, std::string_view content,
                FileAccess access = FileAccess::usual);

/// Removes the file, if there is one, and makes sure that it is gone. Throws Error.
void remove_file(const std::string& path);

}  // namespace modicum
