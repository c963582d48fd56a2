// A certificate where a description may stand: what it says is its loss.
#pragma once

#include "modicum/data/value.h"

namespace modicum {

inline bool is_certificate(const Value& tree) {
  return tree.is_record() && tree.contains("guarantee") &&
         (tree.contains("target") || (tree.contains("loss") && tree.contains("mechanism")));
}

}  // namespace modicum
