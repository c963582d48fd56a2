#include "release/sketches/leverage_frontier.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace modicum {

LeverageFrontier::Point LeverageFrontier::point_of(const LeveragePair& pair) {
  const double p = pair.row, rest = 1.0 - p - pair.residual;
  const double excess = pair.residual - p * (1.0 - p);  // a (1 - q)
  const double square = p * pair.residual;              // w (1 - q)
  return {pair,
          excess > 0.0   ? 1
          : excess < 0.0 ? -1
                         : 0,
          std::abs(excess) / rest, pair.residual / rest,
          excess == 0.0 ? std::numeric_limits<double>::infinity() : square / std::abs(excess)};
}

bool LeverageFrontier::dominates(const Point& larger, const Point& smaller) const {
  return larger.sign == smaller.sign && larger.row >= smaller.row &&
         larger.mean_per >= smaller.mean_per && (!has_others_ || larger.other >= smaller.other);
}

void LeverageFrontier::add(const Point& point) {
  const auto stronger = std::find_if(points_.begin(), points_.end(),
                                     [&](const Point& each) { return dominates(each, point); });
  if (stronger != points_.end()) {
    std::iter_swap(stronger, points_.begin());
    return;
  }
  std::erase_if(points_, [&](const Point& each) { return dominates(point, each); });
  points_.push_back(point);
}

void LeverageFrontier::add(const LeveragePair& pair) {
  // Such a row makes no difference.
  if (pair.row == 0.0 && pair.residual == 0.0) return;
  add(point_of(pair));
}

void LeverageFrontier::add(const LeverageFrontier& other) {
  for (const Point& point : other.points_) add(point);
}

std::vector<LeveragePair> LeverageFrontier::pairs() const {
  std::vector<LeveragePair> result;
  for (const Point& point : points_) result.push_back(point.pair);
  return result;
}

}  // namespace modicum
