// What a rule of nodes gives along a stretch of a line, gathered by the losses of its nodes.
#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

#include "privacy/spherical/spherical_moment_line.h"

namespace modicum {
namespace {

constexpr int cell_points = 20;
constexpr double dropped = 1e-25;  // weights below are left out and counted as an error
constexpr long most_places = 1L << 20;

// Sums in doubles, of some nodes at a time, so that they are as good as sums of long doubles.
template <std::size_t terms>
struct Gathered {
  std::array<double, terms> recent{};
  std::array<long double, terms> sums{};
  int pending = 0;
  void flush() {
    for (std::size_t n = 0; n < terms; ++n) sums[n] += recent[n];
    recent.fill(0.0);
    pending = 0;
  }
};

}  // namespace

// In a cell of half width 1/height around m, exp(iyl) = exp(iym) sum of (iy)^n (l - m)^n / n! but
// for 1/18! of 1.
SphericalMomentStretch::SphericalMomentStretch(const SphericalGeometry& geometry, double center,
                                               double height, double tolerance)
    : height_(height), width_(height > 0.0 ? 2.0 / height : infinity) {
  const SphericalCells cells(geometry, {center, height});
  log_scale_ = cells.log_scale();
  constexpr int most_pending = 64;
  using Cell = Gathered<terms>;
  std::unordered_map<long, Cell> gathered;
  std::array<double, terms> inverses{};
  for (int n = 1; n < terms; ++n) inverses[static_cast<std::size_t>(n)] = 1.0 / n;
  long last = 0, lowest = most_places, highest = -most_places;  // neighbors have losses nearby
  Cell* last_cell = &gathered[0];
  long double total = 0.0L, first = 0.0L, second = 0.0L, rounding = 0.0L;
  double left_out = 0.0, nodes = 0.0;
  const double missed = cells.visit(tolerance, cell_points, [&](const CellNode& node) {
    if (!(node.weight >= dropped)) {  // a weight that is no number is caught by the sum below
      left_out += node.weight;
      return;
    }
    ++nodes;
    total += node.weight;
    const long double moment = static_cast<long double>(node.weight) * node.loss;
    first += moment;
    second += moment * node.loss;
    rounding += node.weight * node.rounding;
    const double place = height > 0.0 ? std::nearbyint(node.loss / width_) : 0.0;
    if (!(std::abs(place) < most_places)) {
      left_out = infinity;
      return;
    }
    if (static_cast<long>(place) != last) {
      last = static_cast<long>(place);
      last_cell = &gathered[last];
    }
    lowest = std::min(lowest, last);
    highest = std::max(highest, last);
    if (!(height > 0.0)) return;
    Cell& cell = *last_cell;
    const double offset = node.loss - place * width_;
    double term = node.weight;
    cell.recent[0] += term;
    for (std::size_t n = 1; n < terms; ++n) cell.recent[n] += term *= offset * inverses[n];
    if (++cell.pending == most_pending) cell.flush();
  });
  total_ = static_cast<double>(total);
  if (!(missed < infinity) || !std::isfinite(left_out) || !(total_ > 0.0) || !std::isfinite(total_))
    return;
  variance_ =
      std::max(0.0, static_cast<double>(second / total - (first / total) * (first / total)));
  if (height > 0.0) {
    first_middle_ = static_cast<double>(lowest) * width_;
    cells_.resize(static_cast<std::size_t>(highest - lowest) + 1, Moments{});
    for (auto& [place, cell] : gathered) {
      if (place < lowest || place > highest) continue;
      cell.flush();
      std::copy(cell.sums.begin(), cell.sums.end(),
                cells_[static_cast<std::size_t>(place - lowest)].begin());
    }
    reach_ = static_cast<double>(std::max(std::abs(lowest), std::abs(highest))) * width_;
  }
  // The places of cells are rounded, which moves every loss by a unit of the largest at most. Terms
  // have 2n roundings, n! of which leave a few; sums of doubles have `most_pending`.
  error_ = (missed + left_out + static_cast<double>(rounding) +
            total_ * (2e-16 + ulp * (64.0 + 4.0 * most_pending + 4.0 * height * reach_) +
                      nodes * 0x1p-62)) *
           (1.0 + 1e-9);
}

// Phases turn by the same angle from one cell to the next: 16 of them by products.
std::complex<double> SphericalMomentStretch::sum_at(double y) const {
  if (!(height_ > 0.0)) return total_;
  const std::complex<double> turn = std::polar(1.0, y * width_);
  std::complex<double> sum = 0.0, phase = 1.0;
  const double square = y * y;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Moments& moments = cells_[i];
    double even = 0.0, odd = 0.0;  // of (iy)^n: 1, iy, -y^2, -iy^3, ...
    for (std::size_t n = terms; n > 0; n -= 2) {
      even = moments[n - 2] - square * even;
      odd = moments[n - 1] - square * odd;
    }
    odd *= y;
    if (i % 16 == 0) phase = std::polar(1.0, y * (first_middle_ + static_cast<double>(i) * width_));
    const double re = phase.real(), im = phase.imag();
    sum += std::complex<double>(re * even - im * odd, re * odd + im * even);
    phase = {re * turn.real() - im * turn.imag(), re * turn.imag() + im * turn.real()};
  }
  return sum;
}

// With the rounding of the sum itself, and of the phases.
double SphericalMomentStretch::error_at(double y) const {
  return error_ + total_ * ulp *
                      (128.0 + static_cast<double>(cells_.size()) +
                       8.0 * y * (reach_ + 2.0 / std::max(height_, 1e-300)));
}

}  // namespace modicum
