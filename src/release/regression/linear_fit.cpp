#include "release/regression/linear_fit.h"

#include <cmath>
#include <optional>

#include "modicum/numerics/errors.h"
#include "numerics/dense.h"

namespace modicum {
namespace {

constexpr int most_passes = 2000, easy_passes = 40, quick_steps = 8;
// Of the first gradient: from here on Newton's method doubles the digits.
constexpr long double near_share = 1e-5L;
constexpr double many_rows = 10000.0;
// A step is long enough when the slope at its end is below this share of that at its start.
constexpr long double overshoot = 0.1L, undershoot = 0.5L;
// Of the numbers that are added: what rounding may hide of their sum.
constexpr long double hidden_share = 1e-12L;

[[noreturn]] void give_up() {
  throw Error(
      "the minimizer of the regression could not be proved to be accurate enough; nothing is "
      "released");
}

// A loss with the same slopes far away whose kinks are so many times as wide, within reason.
PredictionLoss softened(const PredictionLoss& loss, double times) {
  const auto wider = [&](double most) {
    return std::max(loss.parameter(), std::min(most, times * loss.parameter()));
  };
  switch (loss.kind()) {
    case PredictionLossKind::smoothed_hinge:
      return PredictionLoss::smoothed_hinge(wider(0.5));
    case PredictionLossKind::huber:
      return PredictionLoss::huber(wider(1.0));
    case PredictionLossKind::log_cosh:
      return PredictionLoss::log_cosh(wider(1.0));
    case PredictionLossKind::logistic:
    case PredictionLossKind::squared:
      break;
  }
  return loss;
}

class Newton {
 public:
  Newton(const PassOverRows& pass, const LinearObjective& objective)
      : pass_(pass), objective_(objective), at_(point(LongVector::Zero(objective.tilt.size()))) {}

  /// Until the gradient is proved to be at most so long.
  void run(double gradient_tolerance) {
    const double ridge = objective_.ridge;
    const auto near = [&](double enough) { return at_.gradient_bound() <= enough; };
    approach();
    while (!near(gradient_tolerance) && passes_ < easy_passes) step();
    if (near(gradient_tolerance)) return;
    // Kinks and little regularization: the same with more of it and softer kinks, then with less
    // and less.
    const PredictionLoss loss = objective_.loss;
    double more = std::max(1e4, 1.0 / ridge);
    for (; more > 1.0; more /= 10.0) {
      change(more * ridge, softened(loss, more));
      while (!near(1e-3 * more * ridge * (1.0 + static_cast<double>(at_.theta.stableNorm()))))
        step();
    }
    change(ridge, loss);
    while (!near(gradient_tolerance)) step();
  }

  const ObjectivePoint& at() const { return at_; }
  int passes() const { return passes_; }

 private:
  // The first steps need no proof, and passes in doubles cost a fraction of those in whole numbers.
  // Small tables cost nothing in any case.
  void approach() {
    if (at_.rows < many_rows) passes_ = 0;
    const long double enough = near_share * at_.gradient.stableNorm();
    const int most = at_.rows < many_rows ? 0 : quick_steps;
    for (int taken = 0; taken < most && at_.gradient.stableNorm() > enough; ++taken)
      if (!step()) break;
    digits_ = GradientDigits::whole;
    at_ = point(at_.theta);
  }

  ObjectivePoint point(const LongVector& theta) {
    if (++passes_ > most_passes || !theta.allFinite()) give_up();
    ObjectivePoint there = objective_point(pass_, objective_, theta, digits_);
    if (rows_ && !(there.rows == *rows_))
      throw Error("the files have changed while they were read; nothing is released");
    rows_ = there.rows;
    return there;
  }

  void change(double ridge, const PredictionLoss& loss) {
    objective_.ridge = ridge;
    objective_.loss = loss;
    at_ = point(at_.theta);
  }

  // Along a direction of descent the slope of a convex function grows, from -decrement on: a step
  // that ends where it is well above 0 was too long. The next is where the slope would vanish if it
  // grew in proportion between the ends that are known, within the middle of them.
  // Whether there was a direction of descent, as there is unless rounding hides it.
  bool step() {
    const Eigen::VectorXd gradient = at_.gradient.cast<double>();
    const LongVector direction = -solve_semidefinite(at_.hessian, gradient).cast<long double>();
    const long double decrement = -at_.gradient.dot(direction);
    if (!(decrement > 0.0L)) {
      if (digits_ == GradientDigits::doubles) return false;
      give_up();
    }
    const LongVector start = at_.theta;
    const auto lower = [&](const ObjectivePoint& there) {
      return there.value <= at_.value + hidden_share * at_.size;
    };
    struct End {
      long double length, slope;
    } low{0.0L, -decrement}, high{1.0L, 0.0L};
    for (long double length = 1.0L;;) {
      ObjectivePoint there = point(start + length * direction);
      const long double slope = there.gradient.dot(direction);
      const bool fits = slope <= overshoot * decrement && lower(there);
      if (fits) {
        at_ = std::move(there);
        low = {length, slope};
        if (length == 1.0L || slope >= -undershoot * decrement) return true;
      } else {
        high = {length, std::max(slope, 0.0L)};
      }
      const long double width = high.length - low.length;
      const long double share = low.slope / (low.slope - high.slope);
      length = low.length + width * std::clamp(share, 0.02L, 0.5L);
      if (!(length > low.length)) return true;
    }
  }

  const PassOverRows& pass_;
  LinearObjective objective_;
  GradientDigits digits_ = GradientDigits::doubles;
  int passes_ = 0;
  std::optional<double> rows_;
  ObjectivePoint at_;
};

}  // namespace

// In units in which |x| <= 1: x is divided by `unit`, a power of two, so theta is multiplied.
RegressionMinimizer minimize(const PassOverRows& pass, const IntegerClip& clip,
                             const RegressionProblem& problem, double tolerance) {
  require_positive("tolerance", tolerance);
  const double unit = unit_of(clip);
  // Within these limits dividing by powers of two is exact.
  const double ridge = require_positive("regularization", problem.regularization) / unit / unit;
  if (!(ridge >= 1e-30 && ridge <= 1e30))
    throw InvalidParameter("regularization", problem.regularization,
                           "must lie between 1e-30 and 1e30 times the squared row norm bound");
  if (!problem.tilt.allFinite() || !(problem.tilt_error >= 0.0)) give_up();
  const LinearObjective objective{problem.loss, ridge,
                                  problem.tilt / static_cast<long double>(unit)};
  const double tilt_error = problem.tilt_error / unit;
  const double longest = 0.999 * ridge * (tolerance * unit) - tilt_error;
  if (!(longest > 0.0)) give_up();
  Newton newton(pass, objective);
  newton.run(longest);
  RegressionMinimizer found;
  found.coefficients = newton.at().theta.cast<double>() / unit;
  // The objective bends at least like the ridge, so a short gradient means a near minimizer; and
  // the coefficients are rounded to doubles.
  found.error = (1.0 + 1e-10) * ((newton.at().gradient_bound() + tilt_error) / ridge / unit +
                                 0x1p-53 * found.coefficients.stableNorm());
  found.rows = newton.at().rows;
  found.passes = newton.passes();
  if (!found.coefficients.allFinite() || !(found.error <= tolerance)) give_up();
  return found;
}

}  // namespace modicum
