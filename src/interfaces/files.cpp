#include "interfaces/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "interfaces/number_text.h"

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

// A new file beside its destination, gone unless it was renamed to it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& destination)
      : destination_(destination), path_(destination + ".XXXXXX") {
    descriptor_ = ::mkstemp(path_.data());
    if (descriptor_ < 0) fail();
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!renamed_) ::unlink(path_.c_str());
  }

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail();
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void keep() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(descriptor_, 0666 & ~mask) != 0 || ::fsync(descriptor_) != 0) fail();
    if (::close(std::exchange(descriptor_, -1)) != 0) fail();
    if (std::rename(path_.c_str(), destination_.c_str()) != 0) fail();
    renamed_ = true;
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(fmt::format("{} cannot be written: {}", in_quotes(destination_), reason()));
  }
  std::string destination_, path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

}  // namespace

std::string read_file(const std::string& path) {
  if (path == "-") return read_stream(path, stdin);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (!file) unreadable(path, reason());
  return read_stream(path, file.get());
}

void write_file(const std::string& path, std::string_view content) {
  TemporaryFile file(path);
  file.write(content);
  file.keep();
}

void write_standard_output(std::string_view content) {
  errno = 0;
  if (std::fwrite(content.data(), 1, content.size(), stdout) != content.size() ||
      std::fflush(stdout) != 0)
    throw Error(fmt::format("standard output cannot be written: {}", reason()));
}

}  // namespace modicum
