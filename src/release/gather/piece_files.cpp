#include "release/gather/piece_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "data/file_patterns.h"
#include "data/number_text.h"
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

// Questions for one pass, gone when it is over, whatever happens.
class PassFile {
 public:
  PassFile(fs::path path, const std::string& questions) : path_(std::move(path)) {
    write_file(path_.string(), questions, FileAccess::owner_only);
  }
  ~PassFile() {
    std::error_code none;
    fs::remove(path_, none);
  }
  PassFile(const PassFile&) = delete;
  PassFile& operator=(const PassFile&) = delete;
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
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
  const PassFile file(folder / fmt::format("pass-{}.json", ::getpid()), questions);
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
