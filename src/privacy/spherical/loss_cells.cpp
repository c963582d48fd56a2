#include "privacy/spherical/loss_cells.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/dense.h"

namespace modicum {
namespace {

constexpr int points_of_cell = 6;
constexpr double least_of_tilted = 1e-21;  // of the largest weight

struct TiltedLosses {
  std::vector<double> losses, masses;  // masses relative to the largest
  double log_largest, low, high;
};

TiltedLosses tilted(const WeightedLosses& rule, double center) {
  TiltedLosses result{{}, {}, -infinity, infinity, -infinity};
  for (std::size_t i = 0; i < rule.losses.size(); ++i)
    result.log_largest =
        std::max(result.log_largest, rule.log_weights[i] + center * rule.losses[i]);
  for (std::size_t i = 0; i < rule.losses.size(); ++i) {
    const double loss = rule.losses[i];
    const double mass = std::exp(rule.log_weights[i] + center * loss - result.log_largest);
    if (!(mass > least_of_tilted)) continue;
    result.losses.push_back(loss);
    result.masses.push_back(mass);
    result.low = std::min(result.low, loss);
    result.high = std::max(result.high, loss);
  }
  return result;
}

// Masses at places of [-1, 1].
struct LossCell {
  std::vector<double> places, masses;
};

// Gauss's rule by Lanczos's recurrence: exact for polynomials of degree 11, weights above 0.
void add_gauss_points(const LossCell& cell, const std::function<void(double, double)>& add) {
  double total = 0.0;
  for (const double mass : cell.masses) total += mass;
  if (cell.places.size() <= points_of_cell) {
    for (std::size_t i = 0; i < cell.places.size(); ++i) add(cell.places[i], cell.masses[i]);
    return;
  }
  const Eigen::Map<const Eigen::ArrayXd> places(cell.places.data(),
                                                static_cast<Eigen::Index>(cell.places.size()));
  const Eigen::Map<const Eigen::ArrayXd> masses(cell.masses.data(), places.size());
  Eigen::ArrayXd now = (masses / total).sqrt(), before = Eigen::ArrayXd::Zero(places.size());
  Eigen::MatrixXd jacobi = Eigen::MatrixXd::Zero(points_of_cell, points_of_cell);
  double coupling = 0.0;
  int used = 0;
  while (used < points_of_cell) {
    const double diagonal = (places * now * now).sum();
    jacobi(used, used) = diagonal;
    ++used;
    const Eigen::ArrayXd next = (places - diagonal) * now - coupling * before;
    coupling = std::sqrt(next.square().sum());
    if (used == points_of_cell || !(coupling > 1e-10)) break;
    jacobi(used, used - 1) = jacobi(used - 1, used) = coupling;
    before = std::exchange(now, next / coupling);
  }
  const SymmetricEigen found = symmetric_eigen(jacobi.topLeftCorner(used, used));
  for (int i = 0; i < used; ++i)
    if (const double share = found.vectors(0, i) * found.vectors(0, i); share > 0.0)
      add(found.values(i), total * share);
}

}  // namespace

LossNodes gathered(const WeightedLosses& rule, double center, double height) {
  const TiltedLosses all = tilted(rule, center);
  const double range = all.high - all.low;
  const double cells = std::ceil(std::max(8.0, range * height / 0.7));
  if (!(range > 0.0) || !(cells * points_of_cell < 0.5 * static_cast<double>(all.losses.size())))
    return {rule.losses, rule.log_weights};
  std::vector<LossCell> table(static_cast<std::size_t>(cells));
  for (std::size_t i = 0; i < all.losses.size(); ++i) {
    const double place = (all.losses[i] - all.low) / range * cells;
    const double index = std::min(std::floor(place), cells - 1.0);
    LossCell& cell = table[static_cast<std::size_t>(index)];
    cell.places.push_back(2.0 * (place - index) - 1.0);
    cell.masses.push_back(all.masses[i]);
  }
  LossNodes result;
  for (std::size_t i = 0; i < table.size(); ++i)
    add_gauss_points(table[i], [&](double place, double mass) {
      const double loss = all.low + range * (static_cast<double>(i) + 0.5 + 0.5 * place) / cells;
      result.losses.push_back(loss);
      result.log_weights.push_back(std::log(mass) + all.log_largest - center * loss);
    });
  return result;
}

std::vector<UniformPart> layers_of(const WeightedLosses& rule, double center) {
  constexpr int bins = 40, layers = 40;
  const TiltedLosses all = tilted(rule, center);
  double total = 0.0, mean = 0.0, square = 0.0;
  for (std::size_t i = 0; i < all.losses.size(); ++i) {
    total += all.masses[i];
    mean += all.masses[i] * all.losses[i];
    square += all.masses[i] * all.losses[i] * all.losses[i];
  }
  mean /= total;
  const double deviation = std::sqrt(std::max(0.0, square / total - mean * mean));
  const double low = std::max(all.low, mean - 5.0 * deviation);
  const double width = (std::min(all.high, mean + 5.0 * deviation) - low) / bins;
  if (!(width > 0.0)) return {};
  std::vector<double> heights(bins);
  for (std::size_t i = 0; i < all.losses.size(); ++i)
    if (const double place = (all.losses[i] - low) / width; place >= 0.0 && place < bins)
      heights[static_cast<std::size_t>(place)] += all.masses[i] / total;
  const auto top = static_cast<std::size_t>(std::ranges::max_element(heights) - heights.begin());
  const double step = heights[top] / layers;
  std::vector<UniformPart> result;
  for (int layer = 1; layer <= layers; ++layer) {
    std::size_t from = top, to = top;
    while (from > 0 && heights[from - 1] >= step * layer) --from;
    while (to + 1 < bins && heights[to + 1] >= step * layer) ++to;
    const auto length = static_cast<double>(to - from + 1);
    result.push_back({0.95 * step * length, length * width});
  }
  return result;
}

}  // namespace modicum
