// Rows with labels in memory.
#pragma once

#include "modicum/release/labeled_rows.h"

namespace modicum::testing {

/// Keeps a reference to the block.
inline PassOverRows pass_over(const LabeledBlock& block) {
  return [&block](const LabeledWork& work) {
    if (block.features.rows() == 0) return;
    if (const auto finish = work(block)) finish();
  };
}

}  // namespace modicum::testing
