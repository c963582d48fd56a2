#include "interfaces/command_line/terminal_progress.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <system_error>

#include "interfaces/command_line/standard_streams.h"

namespace modicum {

TerminalProgress::TerminalProgress() {
  if (::isatty(STDERR_FILENO) == 0) return;
  try {
    thread_ = std::thread([this] { show(); });
  } catch (const std::system_error&) {
    // The system has no more threads to give: nothing is shown.
  }
}

TerminalProgress::~TerminalProgress() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  finished_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void TerminalProgress::begin(std::string_view what) {
  if (!thread_.joinable()) return;
  const std::lock_guard lock(mutex_);
  what_ = what;
  state_.clear();
}

void TerminalProgress::report(std::uint64_t done, std::uint64_t total) {
  if (!thread_.joinable()) return;
  const std::lock_guard lock(mutex_);
  state_ = fmt::format(", {} of {}", done, total);
}

void TerminalProgress::show() {
  // Signals are for the thread that works, which may hold them back.
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
  std::unique_lock lock(mutex_);
  const auto stopped = [this] { return stop_; };
  int seconds = 0;
  while (!finished_.wait_for(lock, std::chrono::seconds(1), stopped))
    write_standard_error(fmt::format("\r\033[Kmodicum: {}{}, {} s", what_, state_, ++seconds));
  if (seconds > 0) write_standard_error("\r\033[K");
}

}  // namespace modicum
