#include "release/gather/piece_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "data/cells/number_text.h"
#include "data/files/file_patterns.h"
#include "modicum/release/gather.h"
#include "modicum/release/write_file.h"
#include "release/certificates/read_file.h"

extern char** environ;  // NOLINT: POSIX has it so

namespace modicum {
namespace {

namespace fs = std::filesystem;

std::vector<PieceText> read_pieces(const std::vector<std::string>& patterns) {
  std::vector<PieceText> pieces;
  for (const std::string& path : data::expand_patterns(patterns))
    pieces.push_back({path, read_file(path)});
  return pieces;
}

// A file that whoever wrote it keeps locked as long as it runs.
class LockedFile {
 public:
  explicit LockedFile(const fs::path& path)
      : file_(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)) {
    locked_ = file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) == 0;
    refused_ = file_ < 0 || (!locked_ && errno == EWOULDBLOCK);
  }
  ~LockedFile() {
    if (file_ >= 0) ::close(file_);
  }
  LockedFile(const LockedFile&) = delete;
  LockedFile& operator=(const LockedFile&) = delete;
  bool is_locked() const { return locked_; }
  // As this program writes what is confidential: for the owner alone.
  bool begins_with(std::string_view start) const {
    struct stat found {};
    if (::fstat(file_, &found) != 0 || found.st_uid != ::geteuid() || (found.st_mode & 077) != 0)
      return false;
    std::string own(start.size(), '\0');
    return ::pread(file_, own.data(), own.size(), 0) == static_cast<ssize_t>(start.size()) &&
           own == start;
  }
  // Still there, and nobody else's; some file systems know no locks.
  bool is_own() const {
    struct stat found {};
    return !refused_ && ::fstat(file_, &found) == 0 && found.st_nlink > 0;
  }

 private:
  int file_;
  bool locked_ = false, refused_ = false;
};

constexpr const char* pass_start = "pass-";
constexpr const char* pass_end = ".json";

bool is_pass_file(const std::string& name) {
  const std::size_t start = std::string_view(pass_start).size();
  return name.starts_with(pass_start) && name.ends_with(pass_end) &&
         name.find_first_not_of("0123456789", start) ==
             name.size() - std::string_view(pass_end).size();
}

// Questions of releases that were killed are as confidential as those of others. What others call
// so is left alone: all questions begin alike.
void remove_forsaken(const fs::path& folder, const std::string& questions) {
  const std::string start = questions.substr(0, 48);
  std::error_code none;
  for (const auto& each : fs::directory_iterator(folder.empty() ? fs::path(".") : folder, none)) {
    if (!is_pass_file(each.path().filename().string()) || !each.is_regular_file(none)) continue;
    if (const LockedFile file(each.path()); file.is_locked() && file.begins_with(start))
      fs::remove(each.path(), none);
  }
}

// Questions for one pass, gone when it is over, whatever happens; where the process is killed, with
// the next release beside the same pieces.
class PassFile {
 public:
  PassFile(const fs::path& folder, const std::string& questions)
      : path_(folder / fmt::format("{}{}{}", pass_start, ::getpid(), pass_end)) {
    remove_forsaken(folder, questions);
    // Between writing and locking another release may have taken it for forsaken.
    for (int attempts = 0; attempts < 100; ++attempts) {
      write_file(path_.string(), questions, FileAccess::owner_only);
      lock_ = std::make_unique<LockedFile>(path_);
      if (lock_->is_own()) return;
    }
    remove();
    throw Error(fmt::format("{} is not left in peace; nothing is released", path_.string()));
  }
  ~PassFile() { remove(); }
  PassFile(const PassFile&) = delete;
  PassFile& operator=(const PassFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  void remove() {
    std::error_code none;
    fs::remove(path_, none);
  }
  fs::path path_;
  std::unique_ptr<LockedFile> lock_;
};

// For a shell: between single quotes nothing has a meaning but the quote.
std::string in_shell_quotes(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string with_path(const std::string& command, const std::string& path) {
  std::string result;
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command.compare(i, 2, "{}") == 0) {
      result += in_shell_quotes(path);
      ++i;
    } else {
      result += command[i];
    }
  }
  return result;
}

// By the shell. What it prints goes nowhere, since it may be sums; what goes wrong it may say on
// standard error. Throws Error unless it succeeds.
void run_command(const std::string& command) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::string shell = "sh", option = "-c", words = command;
  char* const arguments[] = {shell.data(), option.data(), words.data(), nullptr};
  pid_t child = 0;
  const int problem = ::posix_spawn(&child, "/bin/sh", &actions, nullptr, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) throw Error("the command for a pass cannot be started; nothing is released");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw Error("the command for a pass is lost; nothing is released");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw Error(fmt::format("the command for a pass failed ({}); nothing is released",
                            WIFEXITED(status) ? fmt::format("exit code {}", WEXITSTATUS(status))
                                              : fmt::format("signal {}", WTERMSIG(status))));
}

std::vector<PieceText> gather_by_command(const GatheringFields& gathering,
                                         const std::string& questions) {
  // Beside the pieces, where whoever makes them can read it.
  const fs::path folder =
      gathering.gathered.empty() ? fs::path() : fs::path(gathering.gathered.front()).parent_path();
  const PassFile file(folder, questions);
  run_command(with_path(gathering.each_pass, file.path()));
  return read_pieces(gathering.gathered);
}

std::size_t whole_pieces(double pieces) {
  if (!(pieces >= 1.0 && pieces <= 1e9 && pieces == std::floor(pieces)))
    throw InvalidParameter("pieces", pieces, "must be a whole number from 1 to 1e9");
  return static_cast<std::size_t>(pieces);
}

}  // namespace

std::shared_ptr<RowsElsewhere> open_pieces_of(const GatheringFields& gathering) {
  GatheringChoice choice;
  if (gathering.pieces) choice.pieces = whole_pieces(*gathering.pieces);
  choice.persons_together = gathering.persons_together;
  if (gathering.each_pass.empty()) return gathered_table(read_pieces(gathering.gathered), choice);
  if (gathering.gathered.empty())
    throw UsageError("`each_pass` must not be given without `gathered`, the files that it makes");
  if (gathering.each_pass.find("{}") == std::string::npos)
    throw InvalidParameter("each_pass", in_quotes(gathering.each_pass),
                           "must have {} where the file with questions is to be named");
  choice.ask = [gathering](const std::string& questions) {
    return gather_by_command(gathering, questions);
  };
  return gathered_table({}, std::move(choice));
}

}  // namespace modicum
