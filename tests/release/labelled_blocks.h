// Rows with labels in memory.
#pragma once

#include "modicum/release/labelled_rows.h"

namespace modicum::testing {

/// Keeps a reference to the block.
inline PassOverRows pass_over(const LabelledBlock& block) {
  return [&block](const LabelledWork& work) {
    if (block.features.rows() == 0) return;
    if (const auto finish = work(block)) finish();
  };
}

}  // namespace modicum::testing
