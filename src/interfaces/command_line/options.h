// The words of a command line, sorted into the fields of a job. The parser stays behind this.
#pragma once

#include <string>
#include <vector>

#include "interfaces/job.h"

namespace modicum {

/// What belongs to the command line alone.
struct CommonOptions {
  bool json = false, quiet = false, help = false;
};

/// Gives the fields their values. Throws UsageError for options that are not known, with the
/// closest that is, before anything is said about those that are missing.
CommonOptions parse_options(const JobKind& kind, Fields& fields, std::vector<std::string> words);

/// What stands for a value in help, and for a field without a name of its own in messages: FILE.
std::string placeholder_of(const Field& field);

/// "modicum calibrate gaussian": what it does, its options, an example.
std::string help_of(const JobKind& kind);
/// A group of commands: "" is the program.
std::string help_of_group(const std::string& name);

}  // namespace modicum
