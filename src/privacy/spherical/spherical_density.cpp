#include "privacy/spherical/spherical_density.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/gauss_legendre.h"

namespace modicum {
namespace {

using Cell = SphericalLevels::Cell;

constexpr int level_points = 9;
constexpr long most_level_cells = 25000;
constexpr double least_piece = 1e-12;  // relative to the loss it lies at
constexpr double widest_piece = 2.0;
// Of a cell that is dropped: of the density, and of the mass where cells shrink to a corner.
constexpr double dropped_share = 1e-15, dropped_mass = 1e-11;
constexpr double largest_share = 30.0;  // of a cell's bound, relative to the density
constexpr double level_ratio = 3.0 + 2.8284271247461903;  // spread + sqrt(spread^2 - 1)

// Relative to width times bound: of Gauss's rule; and of Chebyshev interpolation at n places.
double error_of_degree(double n) { return 4.0 * std::pow(level_ratio, -n) / (level_ratio - 1.0); }
constexpr double lebesgue = 3.0;  // 1 + (2/pi) log(16) < 3

// cos(k theta_j) at the zeros cos(theta_j).
const auto& cosines() {
  constexpr std::size_t n = 16;
  static const auto table = [] {
    std::array<std::array<double, n>, n> result{};
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t j = 0; j < n; ++j)
        result[k][j] = std::cos(M_PI * static_cast<double>(k) * (static_cast<double>(j) + 0.5) / n);
    return result;
  }();
  return table;
}

}  // namespace

// Clenshaw's recurrence.
double SphericalDensity::Piece::at(double loss) const {
  const double t = (loss - middle()) / half();
  double b1 = 0.0, b2 = 0.0;
  for (std::size_t k = degree; k-- > 1;) {
    const double b0 = coefficients[k] + 2.0 * t * b1 - b2;
    b2 = b1;
    b1 = b0;
  }
  return coefficients[0] + t * b1 - b2;
}

// Values at the zeros of Chebyshev's polynomial. Coefficients and their sums are wrong by less than
// 16 units of the largest value each; places by two units, times the polynomial's slope.
void SphericalDensity::Piece::interpolate(const Values& values) {
  double largest = 0.0, slope = 0.0;
  for (std::size_t k = 0; k < degree; ++k) {
    double sum = 0.0;
    for (std::size_t j = 0; j < degree; ++j) sum += values[j] * cosines()[k][j];
    coefficients[k] = sum * (k == 0 ? 1.0 : 2.0) / degree;
    slope += std::abs(coefficients[k]) * static_cast<double>(k * k);
    largest = std::max(largest, std::abs(values[k]));
  }
  error += 32.0 * degree * ulp * largest + 4.0 * ulp * (1.0 + right / half()) * slope;
}

// For choices only: where cells are narrow enough.
double SphericalDensity::typical_density(double loss) {
  if (const auto found = typical_.find(loss); found != typical_.end()) return found->second;
  double sum = 0.0;
  for (const int points : {16, 400}) {
    const double width = levels_.farthest() / points;
    for (int i = 0; i < points; ++i) sum += width * levels_.estimate(width * (i + 0.5), loss);
    if (sum > 0.0) break;
  }
  return typical_[loss] = sum;
}

// What is dropped is missed, and will be missing from the sum of all masses.
bool SphericalDensity::drops(const Cell& cell, const SphericalLevels::Bound& bound,
                             double typical) const {
  const double width = 2.0 * cell.half_place, little = dropped_share * typical;
  const double little_mass = dropped_mass * typical * std::min(cell.loss, 1.0);
  if (!(typical > 0.0) || width * std::exp(bound.log_bound) < little) return true;
  if (!(cell.half_place > 1e-13 * levels_.farthest()) ||
      !(cell.half_loss > least_piece * cell.loss))
    return true;
  // A few places tell little of a wide cell: a ridge may lie between them.
  constexpr double narrow = 1.0 / 64.0;
  if (bound.log_bound < infinity || cell.half_place > narrow * levels_.farthest()) return false;
  double largest = 0.0;
  for (const double x : {-0.99, 0.0, 0.99})
    for (const double l : {-0.99, 0.99})
      largest = std::max(largest, levels_.estimate(cell.place + x * cell.half_place,
                                                   cell.loss + l * cell.half_loss));
  return !(largest * width > little) || largest * width * 2.0 * cell.half_loss < little_mass;
}

// Gauss's rule along the curves at each of the losses.
SphericalDensity::Piece SphericalDensity::along(const Cell& cell,
                                                const SphericalLevels::Bound& bound) const {
  const GaussRule& gauss = gauss_legendre(level_points);
  Piece piece{cell.loss - cell.half_loss, cell.loss + cell.half_loss};
  Values values{}, errors{};
  const double size = 2.0 * cell.half_place * std::exp(bound.log_bound);
  double missed = 0.0;
  for (std::size_t i = 0; i < gauss.points.size(); ++i) {
    const double place = cell.place + cell.half_place * gauss.points[i],
                 weight = cell.half_place * gauss.weights[i];
    double start = bound.root, last = start, last_but_one = start;
    for (std::size_t j = 0; j < degree; ++j) {
      const double loss = cell.loss + cell.half_loss * cosines()[1][j];
      const auto value = levels_.at(place, loss, start);
      values[j] += weight * value.density;
      errors[j] += weight * value.density * value.error;
      // Within the reach there is one root only.
      const bool found = std::abs(value.root - bound.root) <= bound.reach;
      missed = found ? std::max(missed, value.missed) : infinity;
      // Neighboring losses: by the line through the last two.
      last_but_one = std::exchange(last, value.root);
      start = value.root;
      if (j > 0 && j + 1 < degree)
        start += (last - last_but_one) * (cosines()[1][j + 1] - cosines()[1][j]) /
                 (cosines()[1][j] - cosines()[1][j - 1]);
    }
  }
  // Of the rule, and of the rounding of places and losses, by Cauchy's formula.
  const double moved =
      missed / cell.half_loss +
      8.0 * ulp * (2.0 + std::abs(cell.place) / cell.half_place + cell.loss / cell.half_loss);
  piece.bound = size;
  piece.error = size * (error_of_degree(degree - 1.0) +
                        lebesgue * (error_of_degree(2.0 * level_points - 1.0) + moved)) +
                lebesgue * std::ranges::max(errors);
  piece.interpolate(values);
  return piece;
}

// Between neighboring ends the sum of all parts is a polynomial.
void SphericalDensity::join(std::vector<Piece> parts) {
  std::ranges::sort(parts, {}, &Piece::left);
  std::vector<double> ends;
  for (const Piece& part : parts) ends.insert(ends.end(), {part.left, part.right});
  std::ranges::sort(ends);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<const Piece*> open;
  auto next = parts.begin();
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    Piece piece{ends[i], ends[i + 1]};
    for (; next != parts.end() && next->left <= piece.left; ++next) open.push_back(&*next);
    std::erase_if(open, [&](const Piece* part) { return part->right <= piece.left; });
    if (open.empty()) continue;
    Values values{};
    for (const Piece* part : open) {
      for (std::size_t j = 0; j < degree; ++j)
        values[j] += part->at(piece.middle() + piece.half() * cosines()[1][j]);
      piece.bound += part->bound;
      piece.error += part->error;
    }
    piece.interpolate(values);
    pieces_.push_back(piece);
  }
}

// Cells of places and losses, halved along one side or the other until they are proved. Losses are
// halved exactly.
bool SphericalDensity::make(double left) {
  std::vector<Piece> parts;
  const double farthest = levels_.farthest();
  std::vector<Cell> todo{{0.5 * farthest, 0.5 * farthest, left + 0.5 * width_, 0.5 * width_}};
  while (!todo.empty()) {
    const Cell cell = todo.back();
    todo.pop_back();
    if (++cells_ > most_level_cells) return false;
    const double typical = typical_density(cell.loss);
    const SphericalLevels::Bound bound = levels_.bound(cell);
    if (drops(cell, bound, typical)) continue;
    if (2.0 * cell.half_place * std::exp(bound.log_bound) <= largest_share * typical) {
      parts.push_back(along(cell, bound));
      if (!std::isfinite(parts.back().error)) return false;
      continue;
    }
    Cell first = cell, second = cell;
    if (bound.finer_place) {
      first.half_place = second.half_place = 0.5 * cell.half_place;
      first.place -= first.half_place;
      second.place += second.half_place;
    } else {
      first.half_loss = second.half_loss = 0.5 * cell.half_loss;
      first.loss -= first.half_loss;
      second.loss += second.half_loss;
    }
    todo.insert(todo.end(), {first, second});
  }
  join(std::move(parts));
  return true;
}

bool SphericalDensity::reach(double end) {
  if (width_ == 0.0) width_ = std::min(widest_piece, std::exp2(std::ceil(std::log2(end)) - 3.0));
  for (; !failed_ && end_ < end; end_ += width_) failed_ = !make(end_);
  return !failed_;
}

std::vector<double> SphericalDensity::checkpoints(double end) const {
  std::vector<std::pair<double, double>> beyond;  // from right to left
  double sum = 0.0;
  for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece) {
    if (!(piece->left < end)) continue;
    sum += std::max(0.0, within(*piece, piece->left, std::min(piece->right, end), 0.0).x);
    beyond.emplace_back(piece->left, sum);
  }
  std::vector<double> result{0.0};
  if (beyond.empty()) return result;
  const double least = std::max(beyond.front().second, 1e-290);
  const double ratio = std::exp(-std::max(0.5, std::log(sum / least) / 64.0));
  for (auto place = beyond.rbegin(); place != beyond.rend(); ++place)
    if (place->second < ratio * sum) {
      result.push_back(place->first);
      sum = place->second;
    }
  return result;
}

// Gauss's rule with as many points as the width needs. It is wrong by at most width * 4 B
// rho^{1-2n} / (rho - 1) for a function bounded by B on a disc around the middle, here of twice the
// piece's half width, or 1, where e^-l is at most 3: less than 1e-14 times the width and the
// piece's bound. Next to the whole piece 18 points are exact for the polynomial times 20 terms of
// e^-l.
SphericalDensity::Mass SphericalDensity::within(const Piece& piece, double left, double right,
                                                double origin) {
  const double half = 0.5 * (right - left), center = 0.5 * (left + right),
               disc = std::min(2.0 * piece.half(), 1.0) / half;
  const int points = disc > 3100.0 ? 2 : disc > 180.0 ? 3 : disc > 42.0 ? 4 : disc > 10.0 ? 6 : 18;
  const GaussRule& gauss = gauss_legendre(points);
  Mass mass;
  for (std::size_t i = 0; i < gauss.points.size(); ++i) {
    const double loss = center + half * gauss.points[i];
    const double value = half * gauss.weights[i] * piece.at(loss);
    mass.x += value;
    mass.y += value * std::exp(origin - loss);
  }
  mass.error =
      2.0 * half * (2.0 * piece.error + 1e-14 * piece.bound) + 16.0 * ulp * std::abs(mass.x);
  return mass;
}

SphericalDensity::Mass SphericalDensity::Sweep::between(double left, double right) {
  Mass sum;
  const auto& pieces = density_.pieces_;
  while (piece_ < pieces.size() && pieces[piece_].right <= left) ++piece_;
  for (std::size_t i = piece_; i < pieces.size() && pieces[i].left < right; ++i) {
    const Piece& piece = pieces[i];
    const double from = std::max(left, piece.left), to = std::min(right, piece.right);
    const Mass part = within(piece, from, to, left);
    sum.x += part.x;
    sum.y += part.y;
    sum.error += part.error;
  }
  return sum;
}

}  // namespace modicum
