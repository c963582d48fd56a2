// Files that are there as a whole or not at all, alone or together.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "modicum/numerics/errors.h"

namespace modicum {

/// Who may read a new file: as the process usually allows, or its owner and nobody else.
enum class FileAccess { usual, owner_only };

struct FileContent {
  std::string path;
  std::string_view content;
  FileAccess access = FileAccess::usual;
};

/// What becomes of files that are there already.
enum class OldFiles {
  refused,     ///< nothing is written
  replaced,    ///< they are gone
  first_kept,  ///< the first in the list stays, under a name that was free: x.1.json for x.json
};

/// A file is there that must not be.
class FileExists : public Error {
 public:
  explicit FileExists(std::string path);
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// Replaces the file at once: whoever looks finds the old bytes or the new ones, whatever happens.
/// Throws Error.
void write_file(const std::string& path, std::string_view content,
                FileAccess access = FileAccess::usual);

/// Files that belong together: all of them, or none and everything as it was. The bytes are on the
/// disk before the first file has its name; names are given in the order of the list, one process
/// at a time in a folder, and old files go in the reverse order, so that no file is ever beside
/// those of another writer. If the process is killed between two names, the files at the front of
/// the list are there, and old ones are whole under numbered names. Throws FileExists, Error.
void write_files(const std::vector<FileContent>& files, OldFiles old);

/// Throws Error unless a file can be written there: in a folder where files can be made, and not in
/// place of something that is no regular file.
void require_writable(const std::string& path);

}  // namespace modicum
