// Rows that are read once and kept for the next passes, where they fit.
#pragma once

#include <memory>

#include "modicum/release/labeled_rows.h"

namespace modicum {

/// Memory for rows, in bytes: a whole number of 4 bytes for each entry, 8 for each label.
inline constexpr double most_kept_bytes = 0x1p29;

/// The same rows in the same blocks and order, in every pass. The first reads them; where they do
/// not fit every pass does. `threads` as in ReadOptions.
PassOverRows kept_rows(PassOverRows pass, unsigned threads, double most_bytes = most_kept_bytes);

}  // namespace modicum
