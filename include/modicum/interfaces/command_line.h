// The program `modicum`, as a function.
#pragma once

#include <string>
#include <vector>

namespace modicum {

/// Exit codes.
enum class ExitCode : int {
  done = 0,
  failed = 1,       ///< anything the others do not cover, such as output that cannot be written
  bad_input = 2,    ///< an argument or a description
  unreachable = 3,  ///< the privacy target cannot be met or proved; nothing is released
  unreadable = 4,   ///< a file that cannot be opened or read
};

/// Runs one command, given what follows the program's name. Prints its result on standard output,
/// or nothing there and one line on standard error.
ExitCode run_command_line(std::vector<std::string> arguments);

}  // namespace modicum
