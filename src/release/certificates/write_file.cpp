#include "modicum/release/write_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <thread>
#include <utility>

namespace modicum {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const char* why) {
  throw Error(fmt::format("\"{}\" cannot be written: {}", path, why));
}
[[noreturn]] void fail(const std::string& path) { fail(path, std::strerror(errno)); }

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

// Whether a file is there, which then is a regular one.
bool regular_file_at(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) {
    if (errno == ENOENT) return false;
    fail(path);
  }
  if (!S_ISREG(found.st_mode)) fail(path, "it is no regular file");
  return true;
}

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

 private:
  int number_;
};

// No signal ends the thread half way; those that come are felt afterwards.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~SignalsHeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_{};
};

// A name in the folder under which `make` makes a file; none, with the reason in errno, if it does
// not.
template <class Make>
std::string new_name_in(const std::string& folder, const Make& make) {
  static std::atomic<unsigned> counter{0};
  for (;;) {
    std::string name = fmt::format("{}/.modicum-{}-{}", folder, ::getpid(), ++counter);
    if (make(name.c_str())) return name;
    if (errno != EEXIST) return "";
  }
}

// A file that is not in its place yet: one without a name, which vanishes with the process, where
// the system has such files; else one under another name, to be used with signals held back.
class NewFile {
 public:
  explicit NewFile(const std::string& path, FileAccess access = FileAccess::usual) : path_(path) {
    const mode_t mode = access == FileAccess::owner_only ? 0600 : 0666;
    const std::string folder = folder_of(path);
    descriptor_ = Descriptor(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
    if (descriptor_ && ::access(nameless().c_str(), F_OK) == 0) return;
    name_ = new_name_in(folder, [&](const char* name) {
      descriptor_ = Descriptor(::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
      return static_cast<bool>(descriptor_);
    });
    if (!descriptor_) fail(path_);
  }
  ~NewFile() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const std::string& path() const { return path_; }

  /// To the disk.
  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(descriptor_.number(), content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail(path_);
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::fsync(descriptor_.number()) != 0) fail(path_);
  }

  /// Gives it its name, which must be free: throws FileExists.
  void place() {
    if (name_.empty() ? linked(path_.c_str()) : ::link(name_.c_str(), path_.c_str()) == 0) return;
    if (errno == EEXIST) throw FileExists(path_);
    if (name_.empty()) fail(path_);
    // A file system without links: nobody else gives names now.
    if (regular_file_at(path_)) throw FileExists(path_);
    take_name();
  }
  /// The same, in place of what is there.
  void replace() {
    if (name_.empty())
      name_ = new_name_in(folder_of(path_), [&](const char* name) { return linked(name); });
    if (name_.empty()) fail(path_);
    take_name();
  }

 private:
  std::string nameless() const { return fmt::format("/proc/self/fd/{}", descriptor_.number()); }
  bool linked(const char* name) const {
    return ::linkat(AT_FDCWD, nameless().c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
  }
  void take_name() {
    if (std::rename(name_.c_str(), path_.c_str()) != 0) fail(path_);
    name_.clear();
  }

  std::string path_, name_;
  Descriptor descriptor_;
};

// The folders of some files, locked by themselves: nothing is left behind.
class LockedFolders {
 public:
  explicit LockedFolders(const std::deque<NewFile>& files) {
    for (const NewFile& file : files) {
      const std::string folder = folder_of(file.path());
      Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
      struct stat found {};
      if (opened && ::fstat(opened.number(), &found) == 0)
        folders_.emplace(std::pair{found.st_dev, found.st_ino}, std::move(opened));
      else all_ = false;
    }
    // In one order for everybody.
    for (const auto& [identity, folder] : folders_) all_ = locked(folder.number()) && all_;
  }

  /// Whether nobody else gives names now. Some network file systems have no such locks.
  bool all() const { return all_; }
  /// Makes names last. Folders that cannot be synced leave nothing half written either.
  bool sync() const {
    bool good = true;
    for (const auto& [identity, folder] : folders_)
      good = (::fsync(folder.number()) == 0 || errno == EINVAL || errno == EROFS) && good;
    return good;
  }

 private:
  static bool locked(int folder) {
    using namespace std::chrono_literals;
    for (auto waited = 0ms; ::flock(folder, LOCK_EX | LOCK_NB) != 0;) {
      if (errno == EINTR) continue;
      if (errno != EWOULDBLOCK) return false;
      if (waited > 20s) throw Error("the folder of the output is locked by another process");
      std::this_thread::sleep_for(10ms);
      waited += 10ms;
    }
    return true;
  }
  std::map<std::pair<dev_t, ino_t>, Descriptor> folders_;
  bool all_ = true;
};

// x.1.json for x.json
std::string numbered_name(const std::string& path, int number) {
  const fs::path whole(path);
  fs::path name = whole.stem();
  name += fmt::format(".{}{}", number, whole.extension().string());
  return (whole.parent_path() / name).string();
}

// New files in place of old ones.
class Exchange {
 public:
  explicit Exchange(const std::vector<FileContent>& files)
      : asides_(files.size()), placed_(files.size()) {
    for (const FileContent& file : files)
      files_.emplace_back(file.path, file.access).write(file.content);
  }

  void perform(OldFiles old) {
    const LockedFolders folders(files_);
    try {
      exchange(old, folders);
    } catch (...) {
      undo();
      throw;
    }
    folders.sync();
    for (std::size_t i = old == OldFiles::first_kept ? 1 : 0; i < asides_.size(); ++i)
      if (!asides_[i].empty()) ::unlink(asides_[i].c_str());
  }

 private:
  void exchange(OldFiles old, const LockedFolders& folders) {
    if (old == OldFiles::refused) refuse_old();
    else set_aside(folders);
    for (std::size_t i = files_.size(); i-- > 0;)
      if (!asides_[i].empty() && ::unlink(files_[i].path().c_str()) != 0 && errno != ENOENT)
        fail(files_[i].path());
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (i > 0 && !folders.sync()) fail(files_[i].path());
      files_[i].place();
      placed_[i] = true;
    }
  }

  void refuse_old() const {
    for (const NewFile& file : files_)
      if (regular_file_at(file.path())) throw FileExists(file.path());
  }

  // All under the same number, the last first: where names are moved, none is without those before.
  void set_aside(const LockedFolders& folders) {
    std::vector<bool> old;
    for (const NewFile& file : files_) {
      old.push_back(regular_file_at(file.path()));
      if (old.back() && !folders.all()) fail(file.path(), "its folder cannot be locked");
    }
    for (int number = 1;; ++number) {
      std::size_t left = files_.size();
      while (left > 0 && (!old[left - 1] || set_aside(left - 1, number))) --left;
      if (left == 0) return;
      put_back();
    }
  }
  // False where the name is taken. The file then has both names, or the new one alone where there
  // are no links.
  bool set_aside(std::size_t i, int number) {
    const std::string& path = files_[i].path();
    std::string name = numbered_name(path, number);
    if (::link(path.c_str(), name.c_str()) != 0) {
      if (errno == EEXIST || regular_file_at(name)) return false;
      if (std::rename(path.c_str(), name.c_str()) != 0) fail(path);
    }
    asides_[i] = std::move(name);
    return true;
  }

  void undo() noexcept {
    for (std::size_t i = files_.size(); i-- > 0;)
      if (placed_[i]) ::unlink(files_[i].path().c_str());
    put_back();
  }
  // A rename leaves both names of one file as they are.
  void put_back() noexcept {
    for (std::size_t i = 0; i < asides_.size(); ++i) {
      const char* const aside = asides_[i].c_str();
      if (!asides_[i].empty() && std::rename(aside, files_[i].path().c_str()) == 0) ::unlink(aside);
      asides_[i].clear();
    }
  }

  std::deque<NewFile> files_;
  std::vector<std::string> asides_;  // names of old files
  std::vector<bool> placed_;
};

}  // namespace

FileExists::FileExists(std::string path)
    : Error(fmt::format("\"{}\" is there already", path)), path_(std::move(path)) {}

void write_file(const std::string& path, std::string_view content, FileAccess access) {
  const SignalsHeldBack undisturbed;
  NewFile file(path, access);
  file.write(content);
  file.replace();
  const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.number());
}

void write_files(const std::vector<FileContent>& files, OldFiles old) {
  const SignalsHeldBack undisturbed;
  Exchange(files).perform(old);
}

void require_writable(const std::string& path) {
  regular_file_at(path);
  const SignalsHeldBack undisturbed;
  const NewFile trial(path);
}

}  // namespace modicum
