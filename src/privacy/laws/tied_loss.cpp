#include <algorithm>
#include <cmath>

#include "privacy/laws/tied_law.h"

namespace modicum {
namespace {

// Doubles are a few units off in their last place; ends are moved outwards by much more.
constexpr double outwards = 0x1p-44;

double moved_down(double value) { return value - outwards * std::abs(value); }
double moved_up(double value) { return value + outwards * std::abs(value); }

}  // namespace

// Where U is flat, and where p = 1 is best, by log(1 + x) <= x: see the derivation.
TiedLoss::TiedLoss(SlopeTie tie, double b, double a) : tie_(tie), b_(b), a_(a) {
  const double half = 0.5 * a * a;
  if (tie == SlopeTie::logistic) {
    const double steepest = 4.0 * b;
    start_ = moved_down(-std::max(steepest, half) / a);
    end_ = steepest > half ? moved_up(steepest / a) - moved_down(a) : moved_up(-0.5 * a);
  } else {
    start_ = std::min(0.0, moved_down(b / (1.0 + b) / a) - moved_up(0.5 * a));
    end_ =
        b >= half ? moved_up(2.0 * b / a) - moved_down(a) : moved_up(b / a) - moved_down(0.5 * a);
  }
}

double TiedLoss::least() const { return tie_ == SlopeTie::logistic ? 0.0 : std::log1p(b_); }

double TiedLoss::curved(double p) const {
  const double k = tie_ == SlopeTie::logistic ? 4.0 * p * (1.0 - p) : (1.0 - p) * (1.0 + p);
  return std::log1p(b_ * k);
}

double TiedLoss::bending(double p, double q) const {
  if (tie_ == SlopeTie::logistic) {
    const double t = std::min(p * (1.0 - p), q * (1.0 - q)), s = 4.0 * b_;
    return s * (2.0 + s * (1.0 - 2.0 * t)) / ((1.0 + s * t) * (1.0 + s * t));
  }
  const double rest = 1.0 + b_ * (1.0 - q * q);
  return 2.0 * b_ * (1.0 + b_ + b_ * q * q) / (rest * rest);
}

// Between p and q a function is at most the larger of its ends and (q - p)^2/8 times its bending.
double TiedLoss::at(double n) const {
  const auto value = [&](double p) { return curved(p) + p * a_ * (0.5 * p * a_ + n); };
  struct Cell {
    double from, to, at_from, at_to;
  };
  const double first = value(0.0), last = value(1.0);
  const double rise = std::max(0.0, a_ * (0.5 * a_ + end_) - least());
  double best = std::max(first, last), bound = best;
  std::vector<Cell> cells{{0.0, 1.0, first, last}};
  while (!cells.empty()) {
    const Cell cell = cells.back();
    cells.pop_back();
    const double width = cell.to - cell.from;
    const double bend = std::max(0.0, bending(cell.from, cell.to) - a_ * a_);
    const double most = std::max(cell.at_from, cell.at_to) + bend * width * width / 8.0;
    if (most <= best + 1e-9 * rise || width < 1e-12) {
      bound = std::max(bound, most);
      continue;
    }
    const double middle = 0.5 * (cell.from + cell.to), there = value(middle);
    best = std::max(best, there);
    cells.push_back({cell.from, middle, cell.at_from, there});
    cells.push_back({middle, cell.to, there, cell.at_to});
  }
  return bound + outwards * (std::log1p(b_) + 0.5 * a_ * a_ + a_ * std::abs(n));
}

std::vector<double> TiedLoss::places(int chords) const {
  std::vector<double> all{start_};
  // Closer together where U is nearly what it is beyond: there it matters most.
  for (int i = 1; i < chords; ++i) {
    const double left = 1.0 - static_cast<double>(i) / chords;
    all.push_back(end_ - (end_ - start_) * left * left);
  }
  all.push_back(end_);
  if (start_ < 0.0 && 0.0 < end_) all.push_back(0.0);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace modicum
