#include "release/certificates/read_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "data/cells/number_text.h"

namespace modicum {
namespace {

constexpr std::size_t largest_file = std::size_t{256} << 20;

std::string reason() { return std::strerror(errno); }

[[noreturn]] void unreadable(const std::string& path, const std::string& why) {
  throw UnreadableFile(
      fmt::format("{} cannot be read: {}", path == "-" ? "standard input" : in_quotes(path), why));
}

std::string read_stream(const std::string& path, std::FILE* stream) {
  std::string content;
  std::string block(std::size_t{1} << 16, '\0');
  errno = 0;
  for (std::size_t got = 0; (got = std::fread(block.data(), 1, block.size(), stream)) > 0;) {
    content.append(block, 0, got);
    if (content.size() > largest_file) unreadable(path, "it is larger than 256 MiB");
  }
  if (std::ferror(stream) != 0) unreadable(path, reason());
  return content;
}

}  // namespace

std::string read_file(const std::string& path) {
  if (path == "-") return read_stream(path, stdin);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) unreadable(path, reason());
  return read_stream(path, file.get());
}

}  // namespace modicum
