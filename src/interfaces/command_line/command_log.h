// A line for each command, in the file that MODICUM_LOG names.
#pragma once

#include <string>
#include <vector>

namespace modicum {

/// Adds when the command ended, its name, the names of its options and its exit status: no value of
/// an option, no path, nothing of the data. Without MODICUM_LOG nothing happens; a log that cannot
/// be written changes nothing about the command.
void log_command(const std::string& command, const std::vector<std::string>& words,
                 int status) noexcept;

}  // namespace modicum
