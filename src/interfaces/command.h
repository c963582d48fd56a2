// What the commands of the program share: flags, numbers, descriptions, a progress line.
#pragma once

#include <CLI/CLI.hpp>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "modicum/interfaces/command_line.h"
#include "interfaces/command_line/words.h"
#include "modicum/release/description.h"
#include "modicum/privacy/profile.h"

namespace modicum {

/// --json, --fast and --certified.
struct CommonFlags {
  bool json = false, fast = false, certified = false;
  Accuracy accuracy() const;
};
void add_common_flags(CLI::App& command, CommonFlags& flags);
/// The same where every answer is proved anyway.
void add_proved_flags(CLI::App& command, CommonFlags& flags);

/// Adds a command with an example under its help.
CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& what,
                      const std::string& example);

/// Options of a command that take one number each, by their names, such as "--epsilon".
class NumberOptions {
 public:
  /// Required, unless a default is given.
  CLI::Option* add(CLI::App& command, const std::string& name, const std::string& help,
                   const std::string& by_default = "");
  /// Throws InvalidParameter that names the option.
  double at(const std::string& name) const;

 private:
  std::map<std::string, std::string> texts_;
};

/// FILE and a list of numbers, as in `profile FILE --epsilon 1 2`. Whichever comes first: a last
/// value that is no number is the FILE.
struct FileAndNumbers {
  std::string file;
  std::vector<std::string> numbers;
  void settle();  ///< throws UsageError where the FILE is missing
};

/// Reads and parses FILE ("-": standard input).
Description load_description(const std::string& file, const CommonFlags& flags);

/// One line on standard error, from the second second on, only where that is a terminal.
class ProgressLine {
 public:
  explicit ProgressLine(std::string what);
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine();
  void report(std::size_t done, std::size_t total);

 private:
  void show();
  std::string what_, state_;
  std::mutex mutex_;
  std::condition_variable finished_;
  bool stop_ = false;
  std::thread thread_;
};

// Each adds its commands to the program. A command leaves what it prints in `output`.
void add_audit_command(CLI::App& program, CommandResult& output);
void add_claim_command(CLI::App& audit, CommandResult& output);  // under `audit`
void add_release_gaussian_process_command(CLI::App& release, CommandResult& output);

}  // namespace modicum
