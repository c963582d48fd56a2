// Pieces in files, and the command that makes them anew for each pass.
#pragma once

#include "modicum/data/gathered.h"
#include "modicum/release/table_source.h"

namespace modicum {

/// Throws as gathered_table does, UnreadableFile for a file that is not there, Error where the
/// command for a pass fails.
std::shared_ptr<RowsElsewhere> open_pieces_of(const GatheringFields& gathering);

}  // namespace modicum
