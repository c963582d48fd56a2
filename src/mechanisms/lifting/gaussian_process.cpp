#include "modicum/mechanisms/gaussian_process.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "numerics/precise_ball.h"

namespace modicum {
namespace {

// A cell of pairs of neighbors (docs/derivations/gaussian-process.md), in units of l^2: v is the
// variance of f(x) given the other rows, and x = u/v. 0 <= v <= 1, v <= x <= 1.
struct Cell {
  double low_v, high_v, low_x, high_x;
  double bound = 0.0;
  bool operator<(const Cell& other) const { return bound < other.bound; }
};

Cell point(double v, double x) { return {v, v, x, x}; }

double require_ratio(const char* name, double value) {
  if (!(value >= 1e-100 && value <= 1e100))
    throw InvalidParameter(name, value, "must lie between 1e-100 and 1e100");
  return value;
}

// Bounds on cells, in doubles: roots, products, quotients and sums of numbers that are not negative
// and were themselves rounded once or twice, so the error is below 1e-14 of the result. Where a
// difference is taken the loss is taken off, and the result is enlarged by 1e-13.
class Neighbors {
 public:
  Neighbors(const GaussianProcessBounds& bounds, double lift)
      : noise_(require_ratio("noise_variance / kernel_bound",
                             bounds.noise_variance / bounds.kernel_bound)),
        lift_(require_ratio("lift / prior_bound", lift / bounds.prior_bound)),
        others_(bounds.largest_rows - 1.0) {}

  // Upper bound on G l^2 / B^2 = (1 + sqrt(n (v - u)) / s)^2 / (s^2 + v), n the number of the other
  // rows.
  double surprise(const Cell& cell) const {
    const double spread = cell.high_v * (1.0 - cell.low_x);
    const double reach = 1.0 + std::sqrt(others_ * spread / noise_);
    return reach * reach / (noise_ + cell.low_v) * (1.0 + 1e-13);
  }

  // Upper bound on what the squared mean of the dominating pair, over T, must be where a share of
  // it lies in the direction of the excess.
  double needed(const Cell& cell, double share) const {
    const double cosine = std::sqrt(share) + std::sqrt((1.0 - share) * shortfall(cell));
    return surprise(cell) / (cosine * cosine) * (1.0 + 1e-13);
  }

 private:
  // Lower bound on T/t - 1, t = a/(1 - a), a = min(u / (sqrt(u) + w), v / (1 + w)) / (s^2 + v), w
  // the lift over kappa.
  double shortfall(const Cell& cell) const {
    const double v = cell.high_v, u = v * cell.high_x;
    const double inverse = std::max((std::sqrt(u) + lift_) * (noise_ + cell.low_v) / u,
                                    (1.0 + lift_) * (noise_ + v) / v);
    const double excess = 1.0 / (noise_ + lift_ * (1.0 + noise_));
    const double lost = 1e-14 * (excess * inverse + excess + 1.0);
    return std::max(0.0, excess * (inverse - 1.0) - 1.0 - lost);
  }

  double noise_, lift_, others_;
};

// Towards 0 by orders of magnitude: that is where the maximum is if s is small.
double cut_of(double low, double high) { return low > 0.0 ? 0.5 * (low + high) : 0.25 * high; }

// Upper bound on a function of (v, x) that is bounded on cells: the cell with the largest bound is
// cut until that bound is hardly above a value found.
template <class Bound>
double largest_over_cells(const Bound& bound) {
  std::priority_queue<Cell> cells;
  double found = 0.0;
  const auto add = [&](Cell cell) {
    if (cell.high_x < cell.low_v) return;  // x < v everywhere
    cell.bound = bound(cell);
    if (!(cell.bound < HUGE_VAL)) throw Error("a bound on all neighbors is not finite");
    cells.push(cell);
  };
  add({0.0, 1.0, 0.0, 1.0});
  for (int cuts = 0; cuts < 20000 && cells.top().bound > (1.0 + 0x1p-8) * found; ++cuts) {
    const Cell worst = cells.top();
    cells.pop();
    const double v = cut_of(worst.low_v, worst.high_v), x = cut_of(worst.low_x, worst.high_x);
    found = std::max(found, bound(point(v, std::max(v, x))));
    for (const auto& [low_v, high_v] : {std::pair(worst.low_v, v), std::pair(v, worst.high_v)})
      for (const auto& [low_x, high_x] : {std::pair(worst.low_x, x), std::pair(x, worst.high_x)})
        add({low_v, high_v, low_x, high_x});
  }
  return cells.top().bound;
}

// The share for which the dominating pair has the least mean, roughly. Any share is sound.
double best_share(const Neighbors& neighbors) {
  double best = 0.5, least = HUGE_VAL;
  for (int i = 8; i < 32; ++i) {
    const double share = i / 32.0;
    double largest = 0.0;
    for (double v = 1.0; v > 1e-9; v *= 0.8)
      for (double x = 1.0; x >= v && x > 0.1; x -= 0.0625)
        largest = std::max(largest, neighbors.needed(point(v, x), share));
    if (!(largest < least)) continue;
    least = largest;
    best = share;
  }
  return best;
}

// B^2 / l^2.
Ball target_square(const GaussianProcessBounds& bounds) {
  return Ball(bounds.target_bound) * Ball(bounds.target_bound) / Ball(bounds.kernel_bound);
}

// Of a pair (without the record, with it), in units of the second.
PrivacyLoss with_record_first(const GaussianSpectrum& spectrum) {
  return PrivacyLoss::gaussian(spectrum.reversed()).as_upper_bound();
}

}  // namespace

GaussianProcessBounds::GaussianProcessBounds(double kernel, double noise, double target,
                                             double rows, double prior)
    : kernel_bound(require_positive("kernel_bound", kernel)),
      noise_variance(require_positive("noise_variance", noise)),
      target_bound(require_positive("target_bound", target)),
      largest_rows(require_count("largest_rows", rows)),
      prior_bound(require_positive("prior_bound", prior)) {}

double surprise_bound(const GaussianProcessBounds& bounds) {
  const Neighbors neighbors(bounds, bounds.prior_bound);  // the lift does not matter
  const double largest =
      largest_over_cells([&](const Cell& cell) { return neighbors.surprise(cell); });
  const PrecisionScope scope(proof_bits);
  return require_positive("target_bound", (Ball(largest) * target_square(bounds)).upper());
}

// T = kappa l^2 / (kappa s^2 + w (l^2 + s^2)).
double posterior_excess(const GaussianProcessBounds& bounds, double lift) {
  const PrecisionScope scope(proof_bits);
  const Ball kernel = bounds.kernel_bound, noise = bounds.noise_variance;
  const Ball prior = bounds.prior_bound, added = require_positive("lift", lift);
  return require_positive("lift",
                          (prior * kernel / (prior * noise + added * (kernel + noise))).upper());
}

// Two independent coordinates: (sqrt(share R), 1 + T) and a shift by sqrt((1 - share) R). Their sum
// with weights sqrt p and sqrt(1 - p) has excess p T and, for R as below, at least the mean of any
// neighbors with that excess.
PrivacyLoss gaussian_process_loss(const GaussianProcessBounds& bounds, double lift) {
  const double excess = posterior_excess(bounds, lift);
  const Neighbors neighbors(bounds, lift);
  const double share = best_share(neighbors);
  const double largest =
      largest_over_cells([&](const Cell& cell) { return neighbors.needed(cell, share); });
  const PrecisionScope scope(proof_bits);
  const Ball mean_square = Ball(excess) * Ball(largest) * target_square(bounds);
  GaussianSpectrum spectrum;
  spectrum.add({Precise::exactly(excess), to_precise("lift", Ball(share) * mean_square), 1.0});
  spectrum.add({Precise::exactly(0.0), to_precise("lift", Ball(1.0 - share) * mean_square), 1.0});
  return with_record_first(spectrum);
}

GaussianProcessCalibration calibrate_gaussian_process(const PrivacyTarget& target,
                                                      const GaussianProcessBounds& bounds) {
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but the loss of a Gaussian process is unbounded");
  const auto family = [&](double lift) { return gaussian_process_loss(bounds, lift); };
  // Much noise in the observations hides a row by itself. So little on top costs nothing, and keeps
  // the covariance away from singular ones.
  const double least = 0x1p-20 * bounds.prior_bound;
  const PrivacyLoss hidden = family(least);
  if (profile(hidden, target.epsilon, Accuracy::fast).delta().upper() <= target.delta &&
      profile(hidden, target.epsilon, Accuracy::certified).delta().upper() <= target.delta) {
    // There is less to take away than was allowed for: what is met is told.
    const double met = std::clamp(
        epsilon_at(hidden, target.delta, Accuracy::certified).value.upper(), 0.0, target.epsilon);
    const ProfilePoint achieved = profile(hidden, met, Accuracy::certified);
    if (achieved.delta().upper() <= target.delta) return {least, achieved};
    return {least, profile(hidden, target.epsilon, Accuracy::certified)};
  }
  const Calibration found = smallest_noise(family, target, bounds.prior_bound);
  return {found.parameter, found.achieved};
}

}  // namespace modicum
