// The program `modicum`, as functions.
#pragma once

#include <string>
#include <vector>

#include "modicum/data/fields.h"

namespace modicum {

/// Runs one command, given what follows the program's name; its answer for people, or with --json
/// one object. Prints nothing but a line of progress, and that only on a terminal. Throws Error:
/// UsageError for words that it does not know.
std::string run_command(const std::vector<std::string>& arguments);

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
ExitCode run_command_line(const std::vector<std::string>& arguments);

}  // namespace modicum
