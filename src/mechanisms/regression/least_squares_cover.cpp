#include "mechanisms/regression/least_squares_cover.h"

#include <algorithm>
#include <cmath>

#include "mechanisms/suprema/supremum.h"
#include "modicum/mechanisms/least_squares.h"
#include "numerics/precise_ball.h"

namespace modicum {
namespace {

// Bounds on what a pair in [p1, p2] x [q1, q2], p <= q, looks like. a falls with p and grows with
// q, b likewise, and p (q - p) / (1 - q) grows with q and is largest at p = q/2.
struct Box {
  Ball lowest_a, highest_a, highest_b, highest_square;
  Ball rest;  // 1 - q at its least; without it there are no bounds

  Box(const LeverageSegment& piece, double columns) {
    // The ends of a piece are rounded: a little more than the piece is covered.
    const Ball one = 1.0, down = one - Ball(0x1p-50), up = one + Ball(0x1p-50);
    const Ball p1 = Ball(piece.row_start) * down, p2 = Ball(piece.row_end) * up;
    const Ball q1 = Ball(piece.full_start) * down, q2 = Ball(piece.full_end) * up;
    rest = one - q2;
    lowest_a = (q1 - p2 - p2 + p2 * p2) / (one - q1);
    highest_a = (q2 - p1 - p1 + p1 * p1) / (one - q2);
    highest_b = (q2 - p1) / (one - q2);
    const Ball middle = q2 / 2.0;
    const Ball top = (middle - p2).surely_positive()   ? p2
                     : (p1 - middle).surely_positive() ? p1
                                                       : middle;
    highest_square = Ball(columns) * top * (q2 - top) / (one - q2);
  }
};

SpectrumComponent coordinates(const Ball& excess, const Ball& mean_square, double multiplicity) {
  return {to_precise("row_leverage", excess), to_precise("row_leverage", mean_square),
          multiplicity};
}

// Spectra each of which dominates every pair of the box. The d - 1 coordinates without a mean are
// dominated by the largest of them (lemma 2).
class Dominating {
 public:
  Dominating(const LeverageSegment& piece, double columns, double features)
      : box_(piece, columns), features_(features) {}

  std::vector<GaussianSpectrum> all() const {
    if (!box_.rest.surely_positive()) return {};
    std::vector<GaussianSpectrum> result{by_splitting()};
    if (box_.lowest_a.surely_positive())
      result.push_back(by_stretching(box_.highest_a, box_.highest_a / box_.lowest_a));
    if (box_.highest_a.surely_negative())
      result.push_back(by_stretching(box_.lowest_a, box_.lowest_a / box_.highest_a));
    return result;
  }

 private:
  GaussianSpectrum others() const {
    GaussianSpectrum result;
    if (features_ > 1.0 && box_.highest_b.surely_positive())
      result.add(coordinates(box_.highest_b, 0.0, features_ - 1.0));
    return result;
  }
  // Lemma 2: (m, a) is the image of (m / c, a / c^2) under y -> c y + noise, |c| <= 1.
  GaussianSpectrum by_stretching(const Ball& excess, const Ball& ratio) const {
    GaussianSpectrum result = others();
    result.add(coordinates(excess, box_.highest_square * ratio, 1.0));
    return result;
  }
  // Lemma 3: (m, a) is the image of {(m / c, a0), (0, t)} under (y, y') -> c y + sqrt(1-c^2) y',
  // c^2 a0 + (1 - c^2) t = a. Here a0 is the least a and t beyond the largest; the further t is,
  // the less the mean grows and the more t itself gives away.
  GaussianSpectrum by_splitting() const {
    GaussianSpectrum result = others();
    const Ball width = box_.highest_a - box_.lowest_a;
    const double w = std::max(width.upper(), 0.0);
    const double reach = std::max(std::cbrt(box_.highest_square.upper() * w), 2.0 * w);
    if (!(reach > 0.0)) {
      result.add(coordinates(box_.lowest_a, box_.highest_square, 1.0));
      return result;
    }
    const Ball kept = Ball(1.0) - width / Ball(reach);
    result.add(coordinates(box_.lowest_a, box_.highest_square / kept, 1.0));
    result.add(coordinates(box_.lowest_a + Ball(reach), 0.0, 1.0));
    return result;
  }

  Box box_;
  double features_;
};

LeverageSegment part(const LeverageSegment& whole, double from, double to) {
  const auto between = [](double start, double end, double share) {
    return share <= 0.0 ? start : share >= 1.0 ? end : start + share * (end - start);
  };
  return {between(whole.row_start, whole.row_end, from),
          between(whole.full_start, whole.full_end, from),
          between(whole.row_start, whole.row_end, to),
          between(whole.full_start, whole.full_end, to)};
}

}  // namespace

double LeastSquaresCover::delta_at(const LeverageSegment& point, double epsilon) const {
  const double row = point.row_start, full = std::max(point.full_start, row);
  return profile(least_squares(columns_, features_, row, full), epsilon, Accuracy::fast)
      .delta()
      .lower();
}

LeastSquaresCover::Worst LeastSquaresCover::search(double epsilon) const {
  Worst worst{0.0, 0.0, -1.0};
  for (const LeverageSegment& segment : edge_) {
    const Peak peak =
        search_peak([&](double share) { return delta_at(part(segment, share, share), epsilon); });
    const LeverageSegment point = part(segment, peak.place, peak.place);
    if (peak.value > worst.delta)
      worst = {point.row_start, std::max(point.full_start, point.row_start), peak.value};
  }
  return worst;
}

// p and q are linear in v, so that a = ((1-p)^2 - (1-q)) / (1-q), b = (q-p) / (1-q) and
// m^2 = r p (q-p) / (1-q) are quotients of quadratic polynomials.
std::vector<MovingSpectrum> LeastSquaresCover::moving() const {
  const PrecisionScope scope(proof_bits);
  std::vector<MovingSpectrum> spectra;
  // Next to 1 the variances run through many orders of magnitude: left to the pieces.
  constexpr double largest_leverage = 0.99;
  if (edge_.back().full_end > largest_leverage) return spectra;
  for (const LeverageSegment& segment : edge_) {
    const Ball p = segment.row_start, q = segment.full_start, one = 1.0, r = columns_;
    const Ball up = Ball(segment.row_end) - p, along = Ball(segment.full_end) - q;
    const Ball rest = q - p, further = along - up;
    const Quadratic denominator{one - q, -along};
    MovingSpectrum spectrum{{{rest - p + p * p, further - up + p * up * 2.0, up * up},
                             {r * p * rest, r * (p * further + rest * up), r * up * further},
                             1.0,
                             denominator}};
    if (features_ > 1.0) spectrum.push_back({{rest, further}, {}, features_ - 1.0, denominator});
    spectra.push_back(std::move(spectrum));
  }
  return spectra;
}

double LeastSquaresCover::bound(double epsilon, double slack) const {
  if (const double bound = largest_deltas(moving(), {epsilon}, slack).front(); bound < infinity)
    return std::min(1.0, bound);
  return bound_by_pieces(epsilon, search(epsilon).delta, slack);
}

double LeastSquaresCover::bound_by_pieces(double epsilon, double attained, double slack) const {
  return proved_bound(attained, std::max(slack, piece_slack),
                      [&](double threshold) { return stays_below(epsilon, threshold); });
}

bool LeastSquaresCover::proves(double epsilon, double threshold) const {
  const double bound = largest_deltas(moving(), {epsilon}, close_slack).front();
  if (bound < infinity) return bound <= threshold;
  // By what `bound` will tell of it, so that the loss of a calibrated release meets its target.
  const double attained = search(epsilon).delta;
  return attained * (1.0 + piece_slack) <= threshold &&
         bound_by_pieces(epsilon, attained, 0.0) <= threshold;
}

bool LeastSquaresCover::stays_below(double epsilon, double threshold) const {
  const PrecisionScope scope(proof_bits);
  return std::all_of(edge_.begin(), edge_.end(), [&](const LeverageSegment& segment) {
    return covered_by_pieces(
        [&](double from, double to) {
          return piece_stays_below(part(segment, from, to), epsilon, threshold);
        },
        [&](double at) { return delta_at(part(segment, at, at), epsilon) <= threshold; });
  });
}

bool LeastSquaresCover::piece_stays_below(const LeverageSegment& piece, double epsilon,
                                          double threshold) const {
  const std::vector<GaussianSpectrum> spectra = Dominating(piece, columns_, features_).all();
  return std::any_of(spectra.begin(), spectra.end(), [&](const GaussianSpectrum& spectrum) {
    return proved_below(spectrum, epsilon, threshold);
  });
}

}  // namespace modicum
