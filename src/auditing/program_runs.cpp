#include "modicum/auditing/program_runs.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>

#include "auditing/program_output.h"

extern char** environ;

namespace modicum {
namespace {

using Clock = std::chrono::steady_clock;

std::string system_error(const char* what) {
  return fmt::format("{}: {}", what, std::strerror(errno));
}

sigset_t ending_signals() {
  sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&set, signal);
  return set;
}

// How a process is started: its own group, no input, no complaints, signals as they were.
class SpawnRules {
 public:
  SpawnRules(int output, const sigset_t& mask) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    ::posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    ::posix_spawnattr_init(&attributes_);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setsigmask(&attributes_, &mask);
    sigset_t defaults = ending_signals();
    for (const int ignored : {SIGPIPE, SIGXFSZ}) ::sigaddset(&defaults, ignored);  // by modicum
    ::posix_spawnattr_setsigdefault(&attributes_, &defaults);
    ::posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnRules() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&files_);
  }
  SpawnRules(const SpawnRules&) = delete;
  SpawnRules& operator=(const SpawnRules&) = delete;

  /// Throws Error: a command that is not there is a mistake, not an outcome.
  pid_t start(const std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t process = 0;
    const int error =
        ::posix_spawnp(&process, arguments[0], &files_, &attributes_, arguments.data(), environ);
    if (error != 0)
      throw Error(fmt::format("\"{}\" cannot be run: {}", words.front(), std::strerror(error)));
    return process;
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

std::string ending_of(int status) {
  if (WIFSIGNALED(status)) return fmt::format("killed by signal {}", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("exit status {}", WEXITSTATUS(status));
}

// The one sample in a file, or why there is none.
std::string read_output_file(const std::string& path, const RunLimits& limits, Samples& samples) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "it wrote no output file";
  const auto size = static_cast<std::size_t>(std::max<std::streamoff>(file.tellg(), 0));
  if (size > std::min(limits.bytes, limits.numbers * 64)) return "its output file is too large";
  std::string text(size, '\0');
  file.seekg(0);
  file.read(text.data(), static_cast<std::streamsize>(size));
  if (!file) return "its output file cannot be read";
  const std::vector<double> numbers = numbers_in_cells(text);
  if (numbers.empty()) return "its output file has no numbers";
  if (numbers.size() > limits.numbers) return "its output file has too many numbers";
  samples.add(numbers);
  return "";
}

}  // namespace

// Holds back the signals that ask the program to end, and says when one has come.
struct ProgramRunner::SignalWatch {
  SignalWatch() {
    const sigset_t set = ending_signals();
    ::pthread_sigmask(SIG_BLOCK, &set, &before);
    descriptor = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (descriptor < 0) {
      const std::string why = system_error("signals cannot be watched");
      ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw Error(why);
    }
  }
  ~SignalWatch() {
    ::close(descriptor);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  bool came() const {
    signalfd_siginfo information{};
    return ::read(descriptor, &information, sizeof information) ==
           static_cast<ssize_t>(sizeof information);
  }
  sigset_t before{};
  int descriptor = -1;
};

struct ProgramRunner::Running {
  explicit Running(const RunLimits& limits) : reader(limits) {}
  ~Running() {
    kill_group();
    if (!reaped) ::waitpid(process, nullptr, 0);
    if (pipe >= 0) ::close(pipe);
    if (exit >= 0) ::close(exit);
    if (!output_file.empty()) ::unlink(output_file.c_str());
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  // Only while the process is not reaped: until then its number belongs to nobody else.
  void kill_group() const {
    if (!reaped) ::kill(-process, SIGKILL);
  }
  // Whether it has ended by itself; it stays there to be reaped.
  bool ended() const {
    siginfo_t information{};
    return ::waitid(P_PID, static_cast<id_t>(process), &information, WEXITED | WNOHANG | WNOWAIT) ==
               0 &&
           information.si_pid == process;
  }

  std::size_t ticket = 0;
  pid_t process = 0;
  bool reaped = true;
  int pipe = -1;
  int exit = -1;  // readable once the process has ended, where the system has such a thing
  Clock::time_point deadline;
  std::string output_file, failure;
  OutputReader reader;
};

ProgramRunner::ProgramRunner(const RunLimits& limits)
    : limits_(limits), signals_(std::make_unique<SignalWatch>()) {
  require_positive("timeout", limits.seconds);
}

ProgramRunner::~ProgramRunner() { running_.clear(); }

std::size_t ProgramRunner::running() const { return running_.size(); }

void ProgramRunner::start(std::size_t ticket, const std::vector<std::string>& words,
                          const std::string& output_file) {
  RunLimits limits = limits_;
  if (!output_file.empty()) limits.samples = 0;
  auto run = std::make_unique<Running>(limits);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(system_error("no pipe"));
  run->pipe = ends[0];
  run->ticket = ticket;
  run->output_file = output_file;
  try {
    run->process = SpawnRules(ends[1], signals_->before).start(words);
    run->reaped = false;
    run->exit = static_cast<int>(::syscall(SYS_pidfd_open, run->process, 0));
  } catch (...) {
    ::close(ends[1]);
    throw;
  }
  ::close(ends[1]);
  ::fcntl(run->pipe, F_SETFL, O_NONBLOCK);
  // Longer than a year is for ever, and would overflow.
  run->deadline =
      Clock::now() +
      std::chrono::milliseconds(static_cast<long long>(1000.0 * std::min(limits_.seconds, 3e7)));
  running_.push_back(std::move(run));
}

// Takes what is in the pipe. False at its end, or when no more is wanted.
bool ProgramRunner::read_some(Running& run) const {
  char piece[1 << 16];
  // More than a pipe holds, and not for ever: others wait too.
  for (int i = 0; i < 64; ++i) {
    const ssize_t size = ::read(run.pipe, piece, sizeof piece);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return errno == EAGAIN;
    if (size == 0) return false;
    // What it prints beside a file is not looked at.
    if (!run.output_file.empty()) continue;
    if (!run.reader.read({piece, static_cast<std::size_t>(size)})) return false;
  }
  return true;
}

// The end of a run, whose group is killed: nothing that it started may go on.
void ProgramRunner::settle(Running& run) const {
  const bool by_itself = run.ended();
  run.kill_group();
  int status = 0;
  while (::waitpid(run.process, &status, 0) < 0 && errno == EINTR) continue;
  run.reaped = true;
  if (!run.reader.failure().empty()) return;  // it printed what cannot be read, and was ended
  std::string failure = run.failure;
  if (failure.empty() && by_itself) failure = ending_of(status);
  if (failure.empty() && run.output_file.empty()) {
    run.reader.finish();
    return;
  }
  if (failure.empty()) failure = read_output_file(run.output_file, limits_, run.reader.samples());
  if (failure.empty()) return;
  run.failure = failure;
  run.reader.samples().add_failure();
}

FinishedRun ProgramRunner::wait() {
  if (running_.empty()) throw Error("no run is left to wait for");
  for (;;) {
    std::vector<pollfd> watched{{signals_->descriptor, POLLIN, 0}};
    bool blind = false;  // an end that only looking again will show
    for (const auto& run : running_) {
      // Descriptors of -1 are passed over.
      watched.push_back({run->pipe, POLLIN, 0});
      watched.push_back({run->exit, POLLIN, 0});
      blind = blind || (run->pipe < 0 && run->exit < 0);
    }
    ::poll(watched.data(), watched.size(), blind ? 1 : 20);
    if (signals_->came()) throw Interrupted("interrupted");
    const Clock::time_point now = Clock::now();
    for (auto place = running_.begin(); place != running_.end(); ++place) {
      Running& run = **place;
      const bool ended = run.ended();  // before the last look into the pipe
      if (run.pipe >= 0 && !read_some(run)) {
        ::close(run.pipe);
        run.pipe = -1;
      }
      const bool late = !ended && now >= run.deadline;
      if (late) run.failure = "timed out";
      if (!ended && !late && run.reader.failure().empty()) continue;
      settle(run);
      FinishedRun result{run.ticket, std::move(run.reader.samples()),
                         run.failure.empty() ? run.reader.failure() : run.failure};
      running_.erase(place);
      return result;
    }
  }
}

}  // namespace modicum
