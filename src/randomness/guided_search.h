// Where a uniform number falls among rising sums, by its first 64 bits.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace modicum {

/// Sums of probabilities, each rounded down to 64 bits: floors[0] is 0, and they never fall.
class GuidedSearch {
 public:
  GuidedSearch() = default;
  explicit GuidedSearch(std::vector<std::uint64_t> floors) : floors_(std::move(floors)) {
    guide_bits_ = std::max(1, static_cast<int>(std::bit_width(floors_.size() - 1)));
    std::uint32_t place = 0;
    for (std::uint64_t lead = 0; lead >> guide_bits_ == 0; ++lead) {
      const std::uint64_t word = lead << (64 - guide_bits_);
      while (place + 1 < floors_.size() && floors_[place + 1] <= word) ++place;
      guide_.push_back(place);
    }
  }

  /// The last sum that may lie at or below a number which begins with this word. Those after it lie
  /// above; it and those before it lie at or below, but for sums whose floor is the word.
  std::size_t last_up_to(std::uint64_t word) const {
    std::size_t place = guide_[word >> (64 - guide_bits_)];
    while (place + 1 < floors_.size() && floors_[place + 1] <= word) ++place;
    return place;
  }

  const std::vector<std::uint64_t>& floors() const { return floors_; }

 private:
  std::vector<std::uint64_t> floors_;
  std::vector<std::uint32_t> guide_;  // by the leading bits: the place at which to begin
  int guide_bits_ = 0;
};

}  // namespace modicum
