// The files that a page may name: those in named folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "modicum/data/value.h"

namespace modicum {

/// Folders whose files may be read and written, and nothing outside of them.
class ServedFolders {
 public:
  /// Throws UnreadableFile for one that is no folder.
  explicit ServedFolders(const std::vector<std::string>& paths);

  /// The file that is meant, as it is to be opened; links are followed before it is judged. Throws
  /// InvalidParameter, naming the field, for what is outside, for patterns and for stores
  /// elsewhere.
  std::string file(const std::string& field, const std::string& path) const;

  /// What can be chosen: [{"path", "name", "bytes"}], by name, without hidden files.
  Value list() const;

 private:
  std::vector<std::filesystem::path> folders_;
};

inline constexpr std::uintmax_t largest_text = 4 << 20, largest_file = 32 << 20;  ///< bytes
/// Throws UnreadableFile, for what is larger too.
std::string text_of_file(const std::string& path, std::uintmax_t largest = largest_text);

std::string in_base64(std::string_view bytes);

}  // namespace modicum
