// Lines of one loss, each with the integrand at its nodes, which serves a range of shifts.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "modicum/privacy/privacy_loss.h"
#include "privacy/quantity_value.h"

namespace modicum {

/// `OneLine` knows the profile at(shift), the shift it was made for, home(), and its width() there,
/// relatively.
template <class OneLine>
class KeptLines {
 public:
  /// Widths up to `enough` are as good as any.
  explicit KeptLines(DirectedLoss loss, double enough = 0.0)
      : loss_(std::move(loss)), enough_(enough) {}
  const DirectedLoss& loss() const { return loss_; }
  /// By the nearest line, if it is about as sharp here as at home, or sharp enough.
  std::optional<Ball> known(double shift) const {
    const auto nearest = std::ranges::min_element(
        lines_, {}, [&](const OneLine& line) { return std::abs(line.home() - shift); });
    if (nearest == lines_.end()) return std::nullopt;
    Ball value = nearest->at(shift);
    if (!(relative_width(value) <= std::max(enough_, 4.0 * nearest->width()))) return std::nullopt;
    return value;
  }
  /// Kept unless it is very long.
  Ball add(OneLine line) {
    constexpr std::size_t most_kept = 16, longest = 1U << 14U;
    Ball value = line.at(line.home());
    if (line.size() > longest) return value;
    if (lines_.size() == most_kept) lines_.erase(lines_.begin());
    lines_.push_back(std::move(line));
    return value;
  }

 private:
  DirectedLoss loss_;
  double enough_;
  std::vector<OneLine> lines_;
};

}  // namespace modicum
