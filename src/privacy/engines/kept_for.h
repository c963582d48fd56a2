// What was learned about a loss, kept from question to question.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// Whether the finite parts are the same.
bool same_finite_loss(const DirectedLoss& a, const DirectedLoss& b);

/// The `Kept` of this loss, which is made from it and gives it back as loss(): this thread
/// remembers the last few it was asked for. Good until the next call.
template <class Kept>
Kept& kept_for(const DirectedLoss& loss) {
  constexpr std::size_t most_kept = 8;
  thread_local std::vector<std::unique_ptr<Kept>> kept;  // the last one asked for comes last
  const auto known = std::ranges::find_if(
      kept, [&](const auto& one) { return same_finite_loss(one->loss(), loss); });
  if (known != kept.end()) {
    std::rotate(known, known + 1, kept.end());
  } else {
    if (kept.size() == most_kept) kept.erase(kept.begin());
    kept.push_back(std::make_unique<Kept>(loss));
  }
  return *kept.back();
}

}  // namespace modicum
