#include "modicum/mechanisms/gaussian_optimality.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <queue>
#include <vector>

#include "mechanisms/optimal/whole_noise.h"
#include "modicum/mechanisms/spherical.h"
#include "modicum/numerics/bracketing.h"
#include "numerics/symmetric_beta.h"

namespace modicum {
namespace {

// Up to here each number by itself may need more noise than the test says.
constexpr double few_numbers = 256.0;

// Mills' ratio P[N > x] / phi(x).
Ball mills_ratio(const Ball& x) {
  return normal_above(x) * sqrt(Ball(2.0) * Ball::pi()) * exp(x * x / 2.0);
}

// g(u) = delta at mu = 1/sqrt(u) has the slope -mu^3 phi(a)/2, with a = mu/2 - epsilon/mu and b =
// mu/2 + epsilon/mu: the tangent at u meets the axis at delta + mu phi(a)/2. That is 1 = g(0) where
// it just touches, and since e^epsilon phi(b) = phi(a),
//   1 - delta - mu phi(a)/2 = phi(a) (F(a) + F(b)),   F(x) = M(x) - x/2,   M Mills' ratio.
// The sum falls as mu grows, so that it has one root. M falls and is convex, hence so is F, with
// |F'(a)| >= |F'(b)| for a < b; and a rises by 1/2 + epsilon/mu^2, at least as fast as b may fall.
Ball room_under_tangent(double mu, double epsilon) {
  const Ball middle = Ball(mu) / 2.0, apart = Ball(epsilon) / mu;
  return mills_ratio(middle - apart) + mills_ratio(middle + apart) - middle;
}

Ball gaussian_delta_at(double mu, double epsilon) {
  const Ball middle = Ball(mu) / 2.0, apart = Ball(epsilon) / mu;
  return normal_above(apart - middle) - exp(Ball(epsilon)) * normal_above(middle + apart);
}

// A set that noise of squared radius q is in more often than the same noise shifted by 1 along an
// axis: x + bend |y|^2 < offset, x the coordinate along the axis and y the others. One of `bend`
// and `offset` is 0. With W the cosine, these are W < (offset - bend r^2) 2/(r (1 + root)) and
//   W < -(1 - offset + bend r^2) 2/(r (1 + root')),
// root^2 = 1 + 4 bend^2 r^2, root'^2 = root^2 + 4 bend. The first falls with r; the second rises,
// for a bend up to r^2 = (1 + 4 bend)/bend only.
struct ShiftTest {
  double bend, offset;
};

// How much more often, times e^epsilon for the shifted one.
class TestedNoise {
 public:
  TestedNoise(double dimension, double epsilon, const ShiftTest& test)
      : dimension_(dimension), epsilon_(epsilon), test_(test) {
    const PrecisionScope scope(proof_bits);
    half_ = (Ball(dimension) - 1.0) / 2.0;
    Ball whole, part;
    arb_lgamma(whole.raw(), (half_ + 0.5).raw(), PrecisionScope::bits());
    arb_lgamma(part.raw(), half_.raw(), PrecisionScope::bits());
    log_scale_ = log(Ball::pi()) / 2.0 + part - whole;
    if (test.bend > 0.0) peak_ = Ball(1.0) / test.bend + 4.0;
    else peak_ = infinity;
  }

  /// A lower bound for all squared radii from `low` to `high`.
  Ball least(double low, double high) const {
    const Ball far = cosine(high, test_.offset);
    const Ball inside = far.surely_positive() ? Ball(1.0) - beyond(far) : beyond(-far);
    const Ball shift = high < peak_.lower()  ? cosine(high, test_.offset - 1.0)
                       : low > peak_.upper() ? cosine(low, test_.offset - 1.0)
                                             : Ball(-2.0) / sqrt(peak_);
    return inside - exp(Ball(epsilon_)) * beyond(-shift);
  }

  /// In doubles.
  double about(const SymmetricBetaTail& angle, double square) const {
    const auto log_below = [&](double offset) {
      return angle.log_upper(-cosine(square, offset).middle());
    };
    return std::exp(log_below(test_.offset)) - std::exp(epsilon_ + log_below(test_.offset - 1.0));
  }

  double dimension() const { return dimension_; }
  double log_angle_scale() const { return log_scale_.middle(); }

 private:
  Ball cosine(double square, double offset) const {
    const Ball radius = sqrt(Ball(square)), bent = Ball(test_.bend) * square;
    const Ball root = sqrt(Ball(1.0) + Ball(4.0 * test_.bend) * (bent - offset));
    return (Ball(offset) - bent) * 2.0 / (radius * (root + 1.0));
  }
  // P[W > w], w >= 0.
  Ball beyond(const Ball& w) const {
    if (!(w.lower() < 1.0)) return 0.0;
    if (!(w.upper() < 1.0)) return Ball::between(0.0, beyond(Ball(w.lower())).upper());
    return exp(half_ * log((Ball(1.0) - w) * (w + 1.0)) - log_scale_) *
           symmetric_beta_mills(dimension_, max(w, Ball(0.0)));
  }

  double dimension_, epsilon_;
  ShiftTest test_;
  Ball half_, log_scale_, peak_;
};

// The least value of the test plus slope q over all squared radii q, from below. Intervals of the
// least bound are split until that is within `tolerance` of a value.
double least_with_slope(const TestedNoise& noise, double epsilon, double slope, double tolerance) {
  struct Cell {
    double low, high, bound;
    bool operator<(const Cell& other) const { return bound > other.bound; }
  };
  const auto cell = [&](double low, double high) {
    return Cell{low, high, (noise.least(low, high) + Ball(slope) * low).lower()};
  };
  // Beyond the end the line alone exceeds what any test may lose.
  const double end = (std::exp(epsilon) + 2.0) / slope;
  std::priority_queue<Cell> cells;
  for (double high = end; high > 1e-9 * end; high *= 0.8) cells.push(cell(0.8 * high, high));
  cells.push(cell(0.0, 1e-9 * end));
  for (int splits = 0; splits < 4000; ++splits) {
    const Cell worst = cells.top();
    const double value = (noise.least(worst.high, worst.high) + Ball(slope) * worst.high).upper();
    if (value - worst.bound <= tolerance) break;
    cells.pop();
    const double middle = 0.5 * (worst.low + worst.high);
    cells.push(cell(worst.low, middle));
    cells.push(cell(middle, worst.high));
  }
  return cells.top().bound;
}

// min over q of q + weight (test(q) - delta), largest over the weight: concave in it. In doubles,
// on a grid.
struct RoughFloor {
  double floor, weight;
};
RoughFloor rough_floor(const TestedNoise& noise, double delta, double gaussian_error) {
  const SymmetricBetaTail angle(noise.dimension(), noise.log_angle_scale());
  std::vector<std::array<double, 2>> points;
  for (double q = 1e-3 * gaussian_error; q < 1e3 * gaussian_error; q *= 1.03)
    points.push_back({q, noise.about(angle, q) - delta});
  const auto floor_with = [&](double log_weight) {
    double least = infinity;
    for (const auto& [q, gain] : points) least = std::min(least, q + std::exp(log_weight) * gain);
    return least;
  };
  const double start = std::log(gaussian_error / delta);
  const Bracket found = narrow_to_minimum([&](double x) { return -floor_with(x); },
                                          {start - 12.0, start + 4.0}, 1e-3);
  return {floor_with(found.low), std::exp(found.low)};
}

}  // namespace

Enclosure gaussian_optimal_up_to(double epsilon) {
  require_non_negative("epsilon", epsilon);
  const PrecisionScope scope(256);
  const auto room = [&](double mu) { return room_under_tangent(mu, epsilon).middle(); };
  // There a >= 2, and M(x) < x/2 from 1.2 on.
  const double above = 4.0 + 2.0 * std::sqrt(2.0 * epsilon);
  double below = above;
  while (!room_under_tangent(below, epsilon).surely_positive()) below *= 0.5;
  Bracket bracket = narrow_bracket(room, {below, above}, 1e-15);
  // Moved outwards until both ends are sure.
  for (double step = ulp; !room_under_tangent(bracket.low, epsilon).surely_positive(); step *= 2.0)
    bracket.low *= 1.0 - step;
  for (double step = ulp; !room_under_tangent(bracket.high, epsilon).surely_negative(); step *= 2.0)
    bracket.high *= 1.0 + step;
  return {gaussian_delta_at(bracket.low, epsilon).lower(),
          gaussian_delta_at(bracket.high, epsilon).upper()};
}

// Each number of the answer, with its noise, meets the target: in low dimension that says more.
// Every noise is no better than a spherical one of the same error [WeiBienstock2026, Lemma 3.3],
// and a spherical one is a mixture over its squared radius q: its delta is at least E test(q) for
// any test. With I = min over q of test(q) + slope q, E test(q) >= I - slope E q, so that delta is
// met only if E q >= (I - delta)/slope. The search for test and slope need not be trusted.
double additive_error_floor(const PrivacyTarget& target, double dimension) {
  if (!(require_count("dimension", dimension) >= 2.0 && dimension <= largest_spherical_dimension))
    throw InvalidParameter("dimension", dimension, "must be from 2 to 100000000");
  require_positive("delta", target.delta);
  if (!(target.epsilon <= 500.0))
    throw InvalidParameter("epsilon", target.epsilon, "must be at most 500");
  const PrecisionScope scope(96);
  const double deviation = calibrate_gaussian(target, 1.0).parameter;
  const double error = dimension * deviation * deviation;
  // In high dimension the best test is at x < 1/2 - epsilon deviation^2.
  const bool bends = target.epsilon * deviation * deviation > 0.5;
  const auto test_at = [&](double x) {
    return bends ? ShiftTest{std::exp(x) * target.epsilon / dimension, 0.0} : ShiftTest{0.0, x};
  };
  const auto noise_at = [&](double x) {
    return TestedNoise(dimension, target.epsilon, test_at(x));
  };
  const auto loss = [&](double x) { return -rough_floor(noise_at(x), target.delta, error).floor; };
  const Bracket found =
      narrow_to_minimum(loss, bends ? Bracket{-3.0, 3.0} : Bracket{0.0, 0.999}, 0.02);
  const TestedNoise noise = noise_at(found.low);
  const double slope = 1.0 / rough_floor(noise, target.delta, error).weight;
  const double least = least_with_slope(noise, target.epsilon, slope, 1e-4 * target.delta);
  const double by_test = std::max(0.0, ((Ball(least) - target.delta) / slope).lower());
  if (dimension > few_numbers) return by_test;
  return std::max(by_test, (Ball(dimension) * floor_of_one_number(target, {})).lower());
}

}  // namespace modicum
