#include "numerics/spread_measure.h"

#include <algorithm>
#include <cmath>

#include "numerics/ball.h"

namespace modicum {
namespace {

constexpr std::size_t most_points = 24000;
// More than the rounding of a sum of that many numbers, for what is small anyway.
constexpr double slightly_more = 1.0 + 0x1p-30;

// Distance of the points at z: the width between the medians, growing beyond them.
double step_at(const SpreadShape& shape, double z) {
  const auto [first, last] = std::minmax(shape.median, shape.weighted_median);
  const double outside = std::max({0.0, first - z, z - last});
  return std::hypot(shape.width, 0.25 * outside);
}

std::vector<double> places(const SpreadShape& shape, double spacing) {
  std::vector<double> found;
  for (double z = shape.low; z < shape.high && found.size() <= most_points;
       z += spacing * step_at(shape, z))
    found.push_back(z);
  found.push_back(shape.high);
  return found;
}

struct SpreadAtom {
  double value, mass;
};

// A few atoms instead of many, for the shape of a sum.
std::vector<SpreadAtom> thinned(const SpreadMeasure& measure) {
  constexpr std::size_t most = 150;
  const std::size_t size = measure.points.size(), group = (size + most - 1) / most;
  std::vector<SpreadAtom> atoms;
  for (std::size_t from = 0; from < size; from += group) {
    double mass = 0.0, mean = 0.0;
    for (std::size_t i = from; i < std::min(size, from + group); ++i) {
      mass += measure.masses[i];
      mean += measure.masses[i] * measure.points[i];
    }
    if (mass > 0.0) atoms.push_back({mean / mass, mass});
  }
  return atoms;
}

// log(value / mean) of what lies `point` above the offset, which is the mean or 0.
double place_of(double point, double mean, double offset) {
  return offset > 0.0 ? std::log1p(point / mean) : std::log(point / mean);
}

// In doubles: where the points lie is a matter of width, not of truth.
SpreadShape shape_of_sum(const SpreadMeasure& a, const SpreadMeasure& b, double mean, double tail) {
  const std::vector<SpreadAtom> left = thinned(a), right = thinned(b);
  const double offset = a.offset + b.offset;
  std::vector<SpreadAtom> sums;
  sums.reserve(left.size() * right.size());
  for (const SpreadAtom& one : left)
    for (const SpreadAtom& other : right)
      sums.push_back({one.value + other.value, one.mass * other.mass});
  std::ranges::sort(sums, {}, &SpreadAtom::value);
  const auto weighted = [&](const SpreadAtom& atom) {
    return atom.mass * (offset + atom.value) / mean;
  };
  // Where the mass from below, or the weighted mass from above, exceeds a share of 1.
  const auto from_below = [&](double share) {
    double sum = 0.0;
    for (const SpreadAtom& atom : sums)
      if ((sum += atom.mass) >= share) return place_of(atom.value, mean, offset);
    return place_of(sums.back().value, mean, offset);
  };
  const auto from_above = [&](double share) {
    double sum = 0.0;
    for (auto atom = sums.rbegin(); atom != sums.rend(); ++atom)
      if ((sum += weighted(*atom)) >= share) return place_of(atom->value, mean, offset);
    return place_of(sums.front().value, mean, offset);
  };
  // The few atoms reach less far than what they stand for.
  const double end = 1e-6 * tail;
  SpreadShape shape{mean, from_below(end), from_above(end), from_below(0.5), from_above(0.5), 0.0};
  const double width =
      0.5 * std::min(from_below(0.84) - from_below(0.16), from_above(0.16) - from_above(0.84));
  // Medians that are far apart are of losses so large that they need not be known as well.
  const double apart = std::max(width, 0.125 * (shape.weighted_median - shape.median));
  shape.width = std::max(std::sqrt(width * apart), 1e-4 * (shape.high - shape.low));
  shape.low -= 0.25 * step_at(shape, shape.low);
  shape.high += 0.25 * step_at(shape, shape.high);
  return shape;
}

// The sums, row by row, each spread to the points around it. Rows are added up in blocks, so that
// no mass is a sum of more than a few hundred numbers.
class Spreader {
 public:
  static constexpr std::size_t block = 64;

  explicit Spreader(SpreadMeasure& into) : into_(into), points_(into.points) {
    const std::size_t size = points_.size();
    into_.masses.assign(size, 0.0);
    part_.assign(size, 0.0);
    for (std::size_t k = 0; k + 1 < size; ++k) {
      const double inverse = 1.0 / (points_[k + 1] - points_[k]);
      inverse_gaps_.push_back(inverse);
      const double largest = std::max(std::abs(points_[k]), std::abs(points_[k + 1]));
      slack_.push_back(2.0 * ulp * largest * inverse);
    }
  }

  // The mass `weight` times those from j on, moved by `shift`; `first` in place of the first.
  void add_row(double weight, double shift, const SpreadMeasure& row, std::size_t j, double first) {
    const std::size_t last = points_.size() - 1, size = row.points.size();
    const double *const points = points_.data(), *const others = row.points.data();
    double* const part = part_.data();
    double mass = first;
    const auto next = [&] { mass = ++j < size ? row.masses[j] : 0.0; };
    for (; j < size && others[j] + shift <= points[0]; next()) {
      into_.at_zero += weight * mass;
      into_.beyond += weight * mass * (into_.offset * slightly_more + (others[j] + shift));
    }
    std::size_t k = j < size ? gap_of(others[j] + shift) : last;
    while (j < size) {
      double place = others[j] + shift;
      while (k < last && place >= points[k + 1]) ++k;
      // Rounding may have lifted sums to this point, from the gap before.
      for (std::size_t i = j; i < size && others[i] + shift == points[k]; ++i)
        part[k - 1] += weight * (i == j ? mass : row.masses[i]) * slack_[k - 1];
      if (k == last) break;
      const double left = points[k], right = points[k + 1], inverse = inverse_gaps_[k];
      const std::size_t start = j;
      double sum = 0.0, moved = 0.0;
      do {
        sum += mass;
        moved += mass * ((place - left) * inverse);
        next();
        if (j == size) break;
        place = others[j] + shift;
      } while (place < right);
      const double slack = sum * (slack_[k] + ulp * static_cast<double>(j - start + 8));
      part[k] += weight * (std::max(sum - moved, 0.0) + slack);
      part[k + 1] += weight * (moved + slack);
    }
    for (; j < size; next()) {
      const double place = others[j] + shift;
      part[last] += weight * mass;
      into_.beyond += weight * mass * (place - points[last] + 2.0 * ulp * std::abs(place));
    }
    if (++rows_ % block == 0) settle();
  }
  void settle() {
    for (std::size_t k = 0; k < part_.size(); ++k) into_.masses[k] += part_[k];
    std::ranges::fill(part_, 0.0);
  }
  // Additions and products of each mass, and what underflowed.
  void finish(double columns) {
    settle();
    const double rows = static_cast<double>(rows_);
    const double factor = 1.0 + ulp * (3.0 * block + rows / block + 32.0);
    for (double& mass : into_.masses) mass *= factor;
    const double underflown = 0x1p-1066 * rows * columns;
    const double sums = slightly_more + 2.0 * ulp * rows * columns;  // of that many numbers
    into_.at_zero = (into_.at_zero + underflown) * sums;
    into_.beyond = (into_.beyond + 0x1p10 * underflown * (into_.offset + points_.back())) * sums;
  }

 private:
  std::size_t gap_of(double place) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(points_, place) - points_.begin()) - 1;
  }

  SpreadMeasure& into_;
  const std::vector<double>& points_;
  std::vector<double> inverse_gaps_, slack_, part_;
  std::size_t rows_ = 0;
};

// At least the mass, and the mean, of what is finite.
SpreadAtom whole(const SpreadMeasure& measure) {
  SpreadAtom sum{0.0, measure.at_zero};
  for (std::size_t i = 0; i < measure.points.size(); ++i) {
    sum.mass += measure.masses[i];
    sum.value += measure.masses[i] * measure.value(i);
  }
  return {sum.value * slightly_more, sum.mass * slightly_more};
}

}  // namespace

std::vector<double> spread_points(const SpreadShape& shape, double spacing, double offset) {
  std::vector<double> found = places(shape, spacing);
  for (; found.size() > most_points; found = places(shape, spacing)) spacing *= 1.25;
  for (double& z : found) z = shape.mean * (offset > 0.0 ? std::expm1(z) : std::exp(z));
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

SpreadMeasure spread_sum(const SpreadMeasure& a, const SpreadMeasure& b, double mean,
                         double spacing, double tail) {
  SpreadMeasure sum;
  sum.offset = a.offset + b.offset;
  sum.points = spread_points(shape_of_sum(a, b, mean, tail), spacing, sum.offset);
  const SpreadAtom left = whole(a), right = whole(b);
  // What one has at 0, with all of the other, goes to 0 and to infinity.
  sum.at_zero = a.at_zero * right.mass + b.at_zero * left.mass;
  sum.beyond = a.beyond * right.mass + b.beyond * left.mass + a.at_zero * right.value +
               b.at_zero * left.value;
  Spreader spreader(sum);
  const bool twice = &a == &b;
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    if (twice) spreader.add_row(2.0 * a.masses[i], a.points[i], a, i, 0.5 * a.masses[i]);
    else spreader.add_row(a.masses[i], a.points[i], b, 0, b.masses.front());
  }
  spreader.finish(static_cast<double>(b.points.size()));
  return sum;
}

}  // namespace modicum
