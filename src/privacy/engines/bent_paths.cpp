#include "privacy/engines/bent_paths.h"

#include <algorithm>
#include <cmath>

#include "privacy/engines/bent_path.h"

namespace modicum {
namespace {

// The center of a path for tails: where K(x) - s x - log|x (x+1)| is least, between the poles or
// beyond one of them, as the means of the loss under X and Y say.
std::optional<double> center_for(const LossMoment& moment, double shift, Kernel kernel) {
  double low = 0.0, high = 0.0;
  if (kernel == Kernel::profile || shift >= static_cast<double>(moment.jet(0.0L).first)) {
    const auto saddle = find_saddle(moment, shift, Kernel::profile);
    if (!saddle) return std::nullopt;
    return saddle->point;
  }
  if (shift <= static_cast<double>(moment.jet(-1.0L).first)) {
    const auto saddle = find_saddle(moment, shift, Kernel::tilted_lower);
    if (!saddle) return std::nullopt;
    return saddle->point;
  }
  low = -1.0;
  for (int i = 0; i < 12; ++i) {
    const double x = 0.5 * (low + high);
    const double slope =
        static_cast<double>(moment.jet(x).first) - shift - 1.0 / x - 1.0 / (x + 1.0);
    (slope < 0.0 ? low : high) = x;
  }
  return 0.5 * (low + high);
}

// Many copies: within some widths of the saddle the integrand has fallen, straight up.
bool falls_upwards(const CompositeExpansion& expansion, double scale) {
  return expansion.at({0.0, 16.0 * scale}).envelope < -42.0;
}

constexpr double enough = 1e-12, good = 1e-7, worthless = 1e-5;

}  // namespace

BentPaths::BentPaths(DirectedLoss loss)
    : loss_(std::move(loss)), moment_(std::make_unique<LossMoment>(loss_)) {}
BentPaths::~BentPaths() = default;

bool has_bent_paths(const DirectedLoss& loss) {
  return !loss.laws.empty() &&
         std::ranges::all_of(loss.laws, [](const LawPart& part) { return part.law->expands(); });
}

std::unique_ptr<BentPath> BentPaths::make_path(double shift, Kernel kernel) const {
  const LossMoment& moment = *moment_;
  const std::optional<double> center = center_for(moment, shift, kernel);
  if (!center) return nullptr;
  CompositeExpansion expansion(loss_, moment, *center);
  const double c = *center;
  const double curvature =
      static_cast<double>(expansion.jet().second) + 1.0 / (c * c) + 1.0 / ((c + 1.0) * (c + 1.0));
  const double poles = c > 0.0 ? c : c < -1.0 ? -1.0 - c : std::min(-c, c + 1.0);
  const double ends = std::min(moment.upper_end() - c, c - moment.lower_end());
  const double scale = std::min({1.0 / std::sqrt(curvature), poles, ends});
  if (!(scale > 0.0) || !std::isfinite(static_cast<double>(expansion.jet().uncertainty)))
    return nullptr;
  std::unique_ptr<BentPath> leaning;
  if (c > 0.0 && !falls_upwards(expansion, scale))
    if (const auto shape = leaning_shape(loss_, shift, c))
      leaning = BentPath::leaning({loss_, moment, shape->center}, shift, *shape);
  if (leaning && leaning->home_error() < good) return leaning;
  auto path = BentPath::through(std::move(expansion), shift, scale);
  if (leaning && !(path && path->home_error() < leaning->home_error())) return leaning;
  return path;
}

std::optional<QuantityValue> BentPaths::at(double shift, Kernel kernel) {
  constexpr std::size_t most_kept = 64;
  std::optional<BentPath::Estimate> best;
  const auto consider = [&](const BentPath& path) {
    BentPath::Estimate estimate = path.at(shift, kernel);
    if (!best || estimate.relative_error < best->relative_error) best = std::move(estimate);
  };
  const auto nearest = std::ranges::min_element(
      paths_, {}, [&](const auto& path) { return std::abs(path->home() - shift); });
  // Where a path of its own has cost digits, so would another beside it.
  const auto serves = [&](const BentPath& path) {
    consider(path);
    return best->relative_error < std::max(enough, 2.0 * path.home_error());
  };
  if (nearest == paths_.end() || !serves(**nearest)) {
    if (auto path = make_path(shift, kernel)) {
      consider(*path);
      if (paths_.size() == most_kept) paths_.erase(paths_.begin());
      paths_.push_back(std::move(path));
    }
  }
  if (!best || !(best->relative_error < worthless)) return std::nullopt;
  return QuantityValue{best->value, Proof::estimated};
}

}  // namespace modicum
