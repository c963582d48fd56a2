// Questions, answered where the rows are.
#pragma once

#include "modicum/data/gathered.h"
#include "modicum/randomness/random_source.h"

namespace modicum {

/// What the rows of this table add up to. Throws Error, InvalidParameter for a question that is
/// none, or of another table.
WholeSums answer(const Table& table, const Value& question, const ReadOptions& options,
                 RandomSource& choosing);

}  // namespace modicum
