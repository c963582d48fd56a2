#include "data/files/file_patterns.h"

#include <fmt/format.h>
#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "data/cells/number_text.h"
#include "modicum/data/unreadable_file.h"

namespace modicum::data {
namespace {

// Links lead to the same file by other names.
using FileIdentity = std::pair<dev_t, ino_t>;

void refuse_the_same_twice(const std::vector<std::string>& files) {
  std::map<FileIdentity, const std::string*> seen;
  for (const std::string& file : files) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) continue;  // for the reader to refuse
    const auto [first, is_new] = seen.emplace(FileIdentity{status.st_dev, status.st_ino}, &file);
    if (!is_new)
      throw InvalidParameter("data file", in_quotes(file),
                             fmt::format("must not be the same file as {}: its rows would count "
                                         "twice",
                                         in_quotes(*first->second)));
  }
}

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
  refuse_the_same_twice(files);
  return files;
}

}  // namespace modicum::data
