#include "interfaces/serve/served_folders.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/cells/number_text.h"
#include "modicum/data/unreadable_file.h"
#include "release/certificates/read_file.h"

namespace modicum {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_files = 1000;
constexpr int deepest_folder = 4;

bool is_inside(const fs::path& path, const fs::path& folder) {
  const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end() && rest != path.end();
}

}  // namespace

ServedFolders::ServedFolders(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    std::error_code problem;
    fs::path folder = fs::canonical(path, problem);
    if (problem || !fs::is_directory(folder, problem))
      throw UnreadableFile(fmt::format("{} is not a folder that can be read", one_line(path, 200)));
    folders_.push_back(std::move(folder));
  }
}

std::string ServedFolders::file(const std::string& field, const std::string& path) const {
  const auto refuse = [&](const char* rule) {
    throw InvalidParameter(field, in_quotes(path), rule);
  };
  if (path.empty() || path == "-") refuse("must be the path of a file");
  if (path.find_first_of("*?[") != std::string::npos) refuse("must be one file, not a pattern");
  if (path.find("://") != std::string::npos)
    refuse("must be a file: a page reaches no other machine");
  std::error_code problem;
  fs::path given(path);
  if (given.is_relative() && !folders_.empty()) given = folders_.front() / given;
  const fs::path meant = fs::weakly_canonical(given, problem);
  if (problem) refuse("must be a file in a folder that is served");
  if (std::ranges::none_of(folders_, [&](const fs::path& each) { return is_inside(meant, each); }))
    refuse("must be a file in a folder that is served; name folders with --folder");
  return meant.string();
}

Value ServedFolders::list() const {
  Value files = Value::list();
  for (const fs::path& folder : folders_) {
    std::vector<fs::path> found;
    std::error_code problem;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                        problem);
    for (; !problem && at != fs::recursive_directory_iterator(); at.increment(problem)) {
      const bool hidden = at->path().filename().string().starts_with('.');
      if (at->is_directory(problem) && (hidden || at.depth() + 1 >= deepest_folder))
        at.disable_recursion_pending();
      else if (!hidden && !at->is_symlink(problem) && at->is_regular_file(problem))
        found.push_back(at->path());
      if (found.size() >= most_files) break;
    }
    std::ranges::sort(found);
    for (const fs::path& path : found) {
      const std::uintmax_t bytes = fs::file_size(path, problem);
      files.push_back({{"path", path.string()},
                       {"name", path.lexically_relative(folder).string()},
                       {"folder", folder.string()},
                       {"bytes", problem ? 0.0 : static_cast<double>(bytes)}});
    }
  }
  return files;
}

std::string text_of_file(const std::string& path, std::uintmax_t largest) {
  std::error_code problem;
  const std::uintmax_t bytes = fs::file_size(path, problem);
  if (problem) throw UnreadableFile(fmt::format("{} cannot be read", one_line(path, 200)));
  if (bytes > largest)
    throw UnreadableFile(fmt::format("{} is too large to be shown", one_line(path, 200)));
  return read_file(path);
}

std::string in_base64(std::string_view bytes) {
  static constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const auto byte = [&](std::size_t at) -> std::uint32_t {
      return at < bytes.size() ? static_cast<unsigned char>(bytes[at]) : 0U;
    };
    const std::uint32_t three = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    for (std::size_t j = 0; j < 4; ++j)
      text += i + j > bytes.size() ? '=' : letters[three >> (18 - 6 * j) & 63];
  }
  return text;
}

}  // namespace modicum
