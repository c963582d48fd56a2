// A request as the words of a command, to be pasted into a shell.
#pragma once

#include <string>

#include "interfaces/job.h"

namespace modicum {

/// `given` has values by the names of fields; a description stands in the text that follows.
std::string command_words(const JobKind& kind, const Fields& fields, const Value& given);

}  // namespace modicum
