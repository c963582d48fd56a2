#include "modicum/release/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what = "written") {
  throw Error(fmt::format("\"{}\" cannot be {}: {}", path, what, std::strerror(errno)));
}

// A rename or removal is on the disk once the folder is. Folders that cannot be opened or synced
// (some network file systems) leave nothing half written either.
void sync_folder_of(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

// A new file beside its destination, gone unless it was renamed to it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& destination)
      : destination_(destination), path_(destination + ".XXXXXX") {
    descriptor_ = ::mkstemp(path_.data());
    if (descriptor_ < 0) fail(destination_);
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
      if (written < 0) fail(destination_);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void keep(FileAccess access) {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    const mode_t mode = access == FileAccess::owner_only ? 0600 : 0666 & ~mask;
    if (::fchmod(descriptor_, mode) != 0 || ::fsync(descriptor_) != 0) fail(destination_);
    if (::close(std::exchange(descriptor_, -1)) != 0) fail(destination_);
    if (std::rename(path_.c_str(), destination_.c_str()) != 0) fail(destination_);
    renamed_ = true;
    sync_folder_of(destination_);
  }

 private:
  std::string destination_, path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

}  // namespace

void write_file(const std::string& path, std::string_view content, FileAccess access) {
  TemporaryFile file(path);
  file.write(content);
  file.keep(access);
}

void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0) {
    if (errno == ENOENT) return;
    fail(path, "removed");
  }
  sync_folder_of(path);
}

}  // namespace modicum
