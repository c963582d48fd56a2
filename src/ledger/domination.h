// Whether one description gives away at least as much as another.
#pragma once

#include "modicum/data/value.h"

namespace modicum {

/// True where it is proved that the loss of `item` dominates that of `release`, both without
/// counts, between the same neighbors. False where it is not so, or no proof is to be had.
bool dominates(const Value& item, const Value& release);

}  // namespace modicum
