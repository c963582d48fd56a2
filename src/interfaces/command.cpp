#include "interfaces/command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "release/read_file.h"
#include "data/number_text.h"

namespace modicum {

Accuracy CommonFlags::accuracy() const {
  if (certified) return Accuracy::certified;
  return fast ? Accuracy::fast : Accuracy::automatic;
}

void add_common_flags(CLI::App& command, CommonFlags& flags) {
  command.add_flag("--json", flags.json, "print one JSON object");
  CLI::Option* fast = command.add_flag(
      "--fast", flags.fast, "double arithmetic with an honest error estimate instead of a proof");
  command.add_flag("--certified", flags.certified, "insist on a proof in ball arithmetic")
      ->excludes(fast);
}

CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& what,
                      const std::string& example) {
  CLI::App* command = parent.add_subcommand(name, what);
  command->footer("Example:\n" + example);
  return command;
}

void add_proved_flags(CLI::App& command, CommonFlags& flags) {
  command.add_flag("--json", flags.json, "print one JSON object");
  CLI::Option* fast =
      command.add_flag("--fast", flags.fast, "no effect: the answer ends in a proof");
  command.add_flag("--certified", flags.certified, "no effect: it always is")->excludes(fast);
}

CLI::Option* NumberOptions::add(CLI::App& command, const std::string& name, const std::string& help,
                                const std::string& by_default) {
  std::string& text = texts_[name] = by_default;
  return command.add_option(name, text, help)->type_name("NUMBER")->required(by_default.empty());
}

double NumberOptions::at(const std::string& name) const {
  return parse_number(name, texts_.at(name));
}

void FileAndNumbers::settle() {
  if (file.empty() && numbers.size() > 1 && !read_number(numbers.back())) {
    file = std::move(numbers.back());
    numbers.pop_back();
  }
  if (file.empty())
    throw UsageError(
        "FILE is missing, but must be given: a mechanism description, or - for standard input");
}

Description load_description(const std::string& file, const CommonFlags& flags) {
  const bool standard_input = file == "-";
  return parse_description(
      read_file(file), standard_input ? "standard input" : file, flags.accuracy(),
      standard_input ? "" : std::filesystem::path(file).parent_path().string());
}

ProgressLine::ProgressLine(std::string what) : what_(std::move(what)) {
  if (::isatty(STDERR_FILENO) != 0) thread_ = std::thread([this] { show(); });
}

ProgressLine::~ProgressLine() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  finished_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void ProgressLine::report(std::size_t done, std::size_t total) {
  if (!thread_.joinable()) return;
  const std::lock_guard lock(mutex_);
  state_ = fmt::format(", {} of {}", done, total);
}

void ProgressLine::show() {
  std::unique_lock lock(mutex_);
  const auto stopped = [this] { return stop_; };
  int seconds = 0;
  while (!finished_.wait_for(lock, std::chrono::seconds(1), stopped))
    fmt::print(stderr, "\r\033[Kmodicum: {}{}, {} s", what_, state_, ++seconds);
  if (seconds > 0) fmt::print(stderr, "\r\033[K");
}

}  // namespace modicum
