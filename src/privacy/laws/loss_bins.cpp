#include "privacy/laws/loss_bins.h"

#include <cmath>

namespace modicum {
// The mirror image of [l, r] is [-r, -l], with the masses exchanged.
LossBins unfolded(const LossBins& above_zero) {
  LossBins result{0.0, 2.0 * above_zero.lost, {}};
  const std::vector<LossBin>& bins = above_zero.bins;
  result.bins.reserve(2 * bins.size());
  const LossBin& beyond = bins.back();
  result.below = beyond.y_high * std::exp(-beyond.left) * outwards_up;
  for (auto bin = bins.rbegin() + 1; bin != bins.rend(); ++bin) {
    const double from_left = std::exp(-bin->left), from_right = std::exp(-bin->right);
    result.bins.push_back({-bin->right, -bin->left, bin->y_low * from_left * outwards_down,
                           bin->y_high * from_left * outwards_up,
                           bin->x_low * from_right * outwards_down,
                           bin->x_high * from_right * outwards_up, bin->late, bin->early});
  }
  result.bins.insert(result.bins.end(), bins.begin(), bins.end());
  return result;
}

}  // namespace modicum
