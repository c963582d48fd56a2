#include "modicum/ledger/price.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <queue>

#include "ledger/reading_ball.h"
#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"
#include "privacy/engines/loss_moment.h"
#include "privacy/engines/quantity.h"
#include "privacy/profile_source.h"

namespace modicum {
namespace {

constexpr double sharpness = 1e-5;
constexpr double largest_mu = 64.0;
constexpr double furthest_epsilon = 0x1p20;
constexpr int most_cells = 4000;

double normal_below(double x) { return 0.5 * std::erfc(-x * M_SQRT1_2); }

// The test "L > level" of N(mu, 1) against N(0, 1): its power less e^epsilon times its size. No
// test does better than delta_mu(epsilon), which is reached at level = epsilon.
double gain(double mu, double level, double epsilon) {
  return normal_below(mu / 2.0 - level / mu) -
         std::exp(epsilon) * normal_below(-mu / 2.0 - level / mu);
}

Ball proved_gain(double mu, double level, double epsilon) {
  const Ball m = mu, at = Ball(level) / m;
  return normal_above(at - m / 2.0) - exp(Ball(epsilon)) * normal_above(at + m / 2.0);
}

// delta of one direction at one epsilon, at most.
struct End {
  double epsilon, delta;
};

// One direction between two epsilons, and a mu that is proved to suffice there.
struct Cell {
  int direction;
  End left, right;
  double mu;
  bool operator<(const Cell& other) const { return mu < other.mu; }
};

class Pricing {
 public:
  /// Both directions must outlive it.
  Pricing(const DirectedLoss& forward, const DirectedLoss& reverse, bool symmetric, double slack)
      : slack_(slack),
        sources_{{forward, Accuracy::certified}, {reverse, Accuracy::certified}},
        directions_(symmetric ? 1 : 2) {}

  double mu() {
    std::priority_queue<Cell> cells;
    for (int direction = 0; direction < directions_; ++direction) {
      const End left = at(direction, 0.0);
      cells.push(cell(direction, left, last(direction, left)));
    }
    for (int i = 0; i < most_cells && cells.top().mu > needed_ * (1.0 + sharpness); ++i) {
      const Cell widest = cells.top();
      const double middle = 0.5 * (widest.left.epsilon + widest.right.epsilon);
      if (!(middle > widest.left.epsilon && middle < widest.right.epsilon)) break;
      cells.pop();
      const End between = at(widest.direction, middle);
      cells.push(cell(widest.direction, widest.left, between));
      cells.push(cell(widest.direction, between, widest.right));
    }
    return cells.top().mu;
  }

 private:
  End at(int direction, double epsilon) {
    // As sharp as what is compared with it asks for.
    const double covered = needed_ > 0.0 ? gain(needed_, epsilon, epsilon) : 0.0;
    const double known = slack_ + (covered > 0.0 ? covered : 0.0);
    const QuantityValue value = sources_[direction].roughly(epsilon, 10.0 * sharpness * known);
    require_proof(Accuracy::certified, value.proof);
    const End end{epsilon, bounded(value.value, 1.0).upper()};
    if (!(end.delta <= slack_))
      needed_ = std::max(needed_, least([&](double mu) { return holds(mu, epsilon, end); }));
    return end;
  }

  // Where delta has come down to the slack: from there on nothing is asked of mu.
  End last(int direction, End end) {
    for (double epsilon = 1.0; !(end.delta <= slack_); epsilon *= 2.0) {
      if (epsilon > furthest_epsilon)
        throw TargetUnreachable(fmt::format(
            "this loss has no price with a slack of {}: delta is still larger at epsilon = {}",
            slack_, furthest_epsilon));
      end = at(direction, epsilon);
    }
    return end;
  }

  // delta is convex in e^epsilon, so between the ends it lies below the chord; the gain of one test
  // is a straight line in e^epsilon, so it need only be above at both ends.
  Cell cell(int direction, const End& left, const End& right) {
    if (left.delta <= slack_) return {direction, left, right, 0.0};  // delta never grows
    const double level = 0.5 * (left.epsilon + right.epsilon);
    double mu = least([&](double m) { return holds(m, level, left) && holds(m, level, right); });
    const PrecisionScope scope(160);
    for (double step = 0x1p-48; !(proved(mu, level, left) && proved(mu, level, right));
         step *= 4.0) {
      mu *= 1.0 + step;
      if (!(mu < 2.0 * largest_mu)) refuse_large();
    }
    return {direction, left, right, mu};
  }

  bool holds(double mu, double level, const End& end) const {
    return end.delta - slack_ <= (1.0 - slack_) * gain(mu, level, end.epsilon);
  }
  bool proved(double mu, double level, const End& end) const {
    const Ball allowed =
        Ball(slack_) + (Ball(1.0) - Ball(slack_)) * proved_gain(mu, level, end.epsilon);
    return (Ball(end.delta) - allowed).surely_nonpositive();
  }

  // The least mu at which this holds, about; it holds at the one returned.
  template <class Holds>
  static double least(Holds holds_at) {
    double low = 1e-12, high = 0.25;
    if (holds_at(low)) return low;
    while (!holds_at(high)) {
      low = high;
      if ((high *= 2.0) > largest_mu) refuse_large();
    }
    while (high > low * (1.0 + 0x1p-40)) {
      const double middle = std::sqrt(low * high);
      if (!(middle > low && middle < high)) break;
      (holds_at(middle) ? high : low) = middle;
    }
    return high;
  }

  [[noreturn]] static void refuse_large() {
    throw TargetUnreachable(
        fmt::format("this loss is too large to be priced: mu would be above {}", largest_mu));
  }

  double slack_;
  QuantitySource sources_[2];
  int directions_;
  double needed_ = 0.0;  // by the points so far
};

// The largest probability of an infinite loss.
Ball infinite_mass(const PrivacyLoss& loss) {
  if (loss.forward().mutually_singular || loss.reverse().mutually_singular) return Ball(1.0);
  return max(to_ball(loss.forward().infinite_mass), to_ball(loss.reverse().infinite_mass));
}

bool gaussian_part_shifts(const DirectedLoss& loss) {
  return loss.gaussian.is_pure_shift() && loss.gaussian.proof() == Proof::certified;
}

Ball squared_shift(const DirectedLoss& loss) {
  Ball sum;
  for (const SpectrumComponent& each : loss.gaussian.components()) sum += to_ball(each.mean_square);
  return sum;
}

DirectedLoss without_gaussian(DirectedLoss loss) {
  loss.gaussian = {};
  return loss;
}

// A part that only shifts is worth what it shifts; the others have a price of their own.
Ball price_by_parts(const PrivacyLoss& loss, double slack) {
  const DirectedLoss forward = without_gaussian(loss.forward()),
                     reverse = without_gaussian(loss.reverse());
  if (!gaussian_part_shifts(loss.forward()) || !gaussian_part_shifts(loss.reverse()) ||
      !largest_finite_loss(forward).finite() || !largest_finite_loss(reverse).finite())
    throw HasNoPrice(fmt::format(
        "this loss has no price with a slack of {}: it is unbounded, and no shift of a Gaussian",
        slack));
  const Ball mu = Pricing(forward, reverse, loss.is_symmetric(), slack).mu();
  return mu * mu + max(squared_shift(loss.forward()), squared_shift(loss.reverse()));
}

}  // namespace

double infinite_probability(const PrivacyLoss& loss) {
  const PrecisionScope scope(320);
  return std::min(infinite_mass(loss).upper(), 1.0);
}

bool is_shift(const PrivacyLoss& loss) {
  return loss.forward().is_gaussian() && loss.reverse().is_gaussian() &&
         gaussian_part_shifts(loss.forward()) && gaussian_part_shifts(loss.reverse());
}

double Price::mu() const {
  const PrecisionScope scope(160);
  return mu_squared.is_zero() ? 0.0 : sqrt(to_ball(mu_squared)).upper();
}

Price price(const PrivacyLoss& loss, double slack) {
  if (!(slack >= 0.0 && slack < 1.0))
    throw InvalidParameter("slack", slack, "must be at least 0 and below 1");
  const PrecisionScope scope(320);
  const Ball infinite = infinite_mass(loss);
  if (!(infinite - Ball(slack)).surely_nonpositive())
    throw HasNoPrice(fmt::format(
        "this loss has no price with a slack of {}: it is infinite with a larger probability",
        slack));
  if (is_shift(loss))
    return {reading_above(max(squared_shift(loss.forward()), squared_shift(loss.reverse()))),
            std::min(infinite.upper(), slack)};
  // Where the slack covers no tail there must be none.
  if (!(infinite - Ball(slack)).surely_negative() &&
      !(largest_finite_loss(loss.forward()).finite() &&
        largest_finite_loss(loss.reverse()).finite()))
    return {reading_above(price_by_parts(loss, slack)), slack};
  const Ball mu = Pricing(loss.forward(), loss.reverse(), loss.is_symmetric(), slack).mu();
  return {reading_above(mu * mu), slack};
}

}  // namespace modicum
