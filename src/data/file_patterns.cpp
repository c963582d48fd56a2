#include "data/file_patterns.h"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>

#include "modicum/data/unreadable_file.h"

namespace modicum::data {
namespace {

bool exists(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

// glob would sort by the language of the user.
std::vector<std::string> matches(const std::string& pattern) {
  ::glob_t found{};
  const int status = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found);
  std::vector<std::string> paths;
  if (status == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  ::globfree(&found);
  if (status != 0 && status != GLOB_NOMATCH)
    throw UnreadableFile(fmt::format("{}: the folder cannot be read", pattern));
  if (paths.empty()) throw UnreadableFile(fmt::format("{}: no file matches", pattern));
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

std::vector<std::string> expand_patterns(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (exists(path) || path.find_first_of("*?[") == std::string::npos) {
      files.push_back(path);
      continue;
    }
    const std::vector<std::string> found = matches(path);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

}  // namespace modicum::data
