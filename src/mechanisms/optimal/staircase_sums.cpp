#include "mechanisms/optimal/staircase_sums.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace modicum {
namespace {

long step_of(long k, long inner, long sensitivity) {
  return (k + sensitivity - inner) / sensitivity;
}

// What the cost rises by per delta that is given up, from a to b.
double slope(const Corner& a, const Corner& b) { return (b.cost - a.cost) / (a.delta - b.delta); }

// The staircases with this first step, by falling delta: those on the lower hull of (delta, cost).
// It goes on for two periods beyond delta.
std::vector<Corner> hull_of(const StaircaseTask& task, long inner, double delta, long longest) {
  const long period = task.sensitivity;
  const long double ratio = std::exp(-static_cast<long double>(task.epsilon));
  std::vector<Corner> hull;
  std::vector<long double> sums{0.0L};  // of the first heights, for 0 <= k < period
  long double mass = 0.0L, cost = 0.0L, height = 1.0L, above = 1.0L;
  long beyond = 0;
  for (long k = 0; k <= longest && beyond <= 2 * period; ++k) {
    const long step = step_of(k, inner, period), start = inner + (step - 1) * period;
    if (step > 0 && k == start) {
      above = height;
      height *= ratio;
    }
    mass += k == 0 ? height : 2.0L * height;
    cost += 2.0L * height * task.cost(static_cast<double>(k));
    // The mass of the integers from max(k - D + 1, -k) to k: those with nothing D further out.
    long double uncovered = 0.0L;
    if (k < period) {
      sums.push_back(sums.back() + height);
      const long back = std::min(k, period - 1 - k);
      uncovered = sums.back() + sums[static_cast<std::size_t>(back) + 1] - 1.0L;
    } else {
      const auto own = static_cast<long double>(k - start + 1);
      uncovered = own * height + (static_cast<long double>(period) - own) * above;
    }
    const Corner next{static_cast<double>(uncovered / mass), static_cast<double>(cost / mass),
                      static_cast<double>(mass), inner, k};
    if (!hull.empty() && !(next.delta < hull.back().delta)) {
      if (next.cost < hull.back().cost) hull.back() = next;
      continue;
    }
    while (hull.size() >= 2 &&
           slope(hull[hull.size() - 2], hull.back()) >= slope(hull.back(), next))
      hull.pop_back();
    hull.push_back(next);
    if (next.delta <= delta) ++beyond;
  }
  return hull;
}

constexpr std::ptrdiff_t kept_beside = 6;

// Those of the hull beside delta.
void keep_beside(const std::vector<Corner>& hull, double delta, std::vector<Corner>& kept) {
  const auto first = std::ranges::partition_point(
      hull, [&](const Corner& corner) { return corner.delta > delta; });
  const auto from = first - std::min(kept_beside, first - hull.begin());
  const auto to = first + std::min(kept_beside, hull.end() - first);
  kept.insert(kept.end(), from, to);
}

std::optional<StaircaseMixture> least_of(const std::vector<Corner>& corners, double delta) {
  std::optional<StaircaseMixture> best;
  const auto consider = [&](const Corner& near, const Corner& far, double share) {
    const double cost = near.cost + share * (far.cost - near.cost);
    if (!best || cost < best->cost) best = StaircaseMixture{near, far, share, cost};
  };
  for (const Corner& near : corners) {
    if (!(near.delta <= delta)) continue;
    for (const Corner& far : corners)
      if (far.delta > delta) consider(near, far, (delta - near.delta) / (far.delta - near.delta));
    if (!best) consider(near, near, 0.0);
  }
  return best;
}

double cost_at(const std::vector<Corner>& hull, double delta) {
  const auto best = least_of(hull, delta);
  return best ? best->cost : HUGE_VAL;
}

// All first steps of a small period; of a large one those about the best, found by halving steps.
std::vector<long> inner_candidates(const StaircaseTask& task, double delta, long longest) {
  const long period = task.sensitivity;
  std::vector<long> all;
  if (period <= 24) {
    for (long inner = 1; inner <= period; ++inner) all.push_back(inner);
    return all;
  }
  const auto cost_of = [&](long inner) {
    std::vector<Corner> kept;
    keep_beside(hull_of(task, inner, delta, longest), delta, kept);
    return cost_at(kept, delta);
  };
  long best = best_inner(task);
  double least = cost_of(best);
  for (long step = period / 4; step >= 1; step /= 2)
    for (const long inner : {best - step, best + step})
      if (inner >= 1 && inner <= period)
        if (const double cost = cost_of(inner); cost < least) {
          least = cost;
          best = inner;
        }
  for (long inner = best - 3; inner <= best + 3; ++inner)
    if (inner >= 1 && inner <= period) all.push_back(inner);
  return all;
}

}  // namespace

MixtureSearch least_mixture(const StaircaseTask& task, double delta, long longest) {
  std::vector<Corner> corners;
  double smallest = HUGE_VAL;
  for (const long inner : inner_candidates(task, delta, longest)) {
    const std::vector<Corner> hull = hull_of(task, inner, delta, longest);
    keep_beside(hull, delta, corners);
    smallest = std::min(smallest, hull.back().delta);
  }
  const bool found = smallest <= delta;
  const double reached = found ? delta : smallest;
  return {*least_of(corners, reached), reached, found};
}

// With q = e^-epsilon the sums of q^(i+1), i q^(i+1) and i^2 q^(i+1) over all i >= 0.
StepSums::StepSums(double epsilon) : q(exp(-Ball(epsilon))) {
  const Ball rest = -expm1(-Ball(epsilon));
  zeroth = q / rest;
  first = q * zeroth / rest;
  second = first * (q + 1.0) / rest;
}

Ball StepSums::outward(const StaircaseTask& task, double k) const {
  const auto d = static_cast<double>(task.sensitivity);
  switch (task.cost.kind) {
    case NoiseError::Kind::squared:
      return Ball(k) * Ball(k) * zeroth + Ball(2.0 * d * k) * first + Ball(d * d) * second;
    case NoiseError::Kind::absolute:
      return Ball(k) * zeroth + Ball(d) * first;
    case NoiseError::Kind::interval:
      break;
  }
  const double skipped = std::max(0.0, std::ceil((task.cost.width + 1.0 - k) / d));
  return exp(-Ball(skipped) * Ball(task.epsilon)) * zeroth;
}

Ball endless_cost(const StaircaseTask& task, long inner) {
  const PrecisionScope scope(proof_bits);
  const StepSums sums(task.epsilon);
  const auto d = static_cast<double>(task.sensitivity), r = static_cast<double>(inner);
  Ball cost;
  for (double k = 1.0; k < r + d; ++k) cost += k < r ? Ball(task.cost(k)) : sums.outward(task, k);
  return cost * 2.0 / (Ball(2.0 * r - 1.0) + Ball(2.0 * d) * sums.zeroth);
}

// The cost falls to its least and rises again, by less than doubles can tell where epsilon is tiny.
long best_inner(const StaircaseTask& task) {
  long low = 1, high = task.sensitivity;
  const auto cheaper = [&](long inner, long other) {
    return (endless_cost(task, inner) - endless_cost(task, other)).surely_negative();
  };
  while (high - low > 8) {
    const long middle = (low + high) / 2;
    (cheaper(middle + 1, middle) ? low : high) = middle;
  }
  long best = low;
  for (long inner = low + 1; inner <= high; ++inner)
    if (cheaper(inner, best)) best = inner;
  return best;
}

}  // namespace modicum
