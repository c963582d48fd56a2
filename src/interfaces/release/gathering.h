// Sums of one piece of a table, in place of a release.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "interfaces/reply.h"
#include "modicum/release/table_source.h"

namespace modicum {

/// What `release` asks of its table first. Throws Error where it asks for nothing.
std::vector<Value> questions_of(const std::function<void()>& release);

/// Reads the table for these questions and writes the answers, or shows them for "-".
Reply gathered_piece(TableSource source, const std::vector<Value>& questions,
                     const std::string& output, bool replace, Progress& progress);

}  // namespace modicum
