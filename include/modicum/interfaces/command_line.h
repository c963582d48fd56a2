// The program `modicum`, as functions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modicum/data/fields.h"
#include "modicum/release/released.h"

namespace modicum {

/// What a command answers.
struct CommandResult {
  CommandResult(std::string printed = "") : text(std::move(printed)) {}
  std::string text;  ///< for people, or with --json one object
  /// With --json and --output -: what belongs into that object as "released" and is not in the text
  /// yet. Large matrices need not become text for callers that want numbers.
  std::optional<Released> released;
};

/// Runs one command, given what follows the program's name. Prints nothing but a line of progress,
/// and that only on a terminal. Throws Error: UsageError for words that it does not know.
CommandResult run_command(std::vector<std::string> arguments);

/// Exit codes.
enum class ExitCode : int {
  done = 0,
  failed = 1,       ///< anything the others do not cover, such as output that cannot be written
  bad_input = 2,    ///< an argument or a description
  unreachable = 3,  ///< the privacy target cannot be met or proved; nothing is released
  unreadable = 4,   ///< a file that cannot be opened or read
};

/// The same, printed: the result on standard output, or nothing there and one line on standard
/// error.
ExitCode run_command_line(std::vector<std::string> arguments);

}  // namespace modicum
