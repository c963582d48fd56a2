// Newton's method with a certificate at its end.
#include <Eigen/Cholesky>
#include <cmath>

#include "release/logistic_objective.h"

namespace modicum {
namespace {

constexpr int most_passes = 300;

[[noreturn]] void give_up() {
  throw Error(
      "the minimiser of the logistic regression could not be proved to be accurate enough; nothing "
      "is released");
}

// With |x| <= 1 the second derivative of the objective along a line of speed |step| grows at most
// like exp(|step| t), since |f'''| <= f'' for the logistic loss. So for t = log(1 + |step|) /
// |step| a Newton step falls by at least its decrement times t - (|step| - log(1 + |step|)) /
// |step|^2 > 0 (docs/derivations/logistic.md).
double surely_descending(const Eigen::VectorXd& step) {
  const double length = step.stableNorm();
  return length > 0.0 ? std::log1p(length) / length : 1.0;
}

class Newton {
 public:
  Newton(const PassOverRows& pass, Eigen::Index dimension, double rows, double ridge)
      : pass_(pass),
        rows_(rows),
        ridge_(ridge),
        theta_(Eigen::VectorXd::Zero(dimension)),
        at_(point(theta_)) {}

  /// Until the gradient is proved to be at most so long.
  void run(double gradient_tolerance) {
    while (!(at_.gradient_bound() <= gradient_tolerance)) step();
  }

  const Eigen::VectorXd& theta() const { return theta_; }
  const LogisticPoint& at() const { return at_; }
  int passes() const { return passes_; }

 private:
  LogisticPoint point(const Eigen::VectorXd& theta) {
    if (++passes_ > most_passes || !theta.allFinite()) give_up();
    LogisticPoint there = logistic_point(pass_, theta, ridge_);
    if (!(there.rows == rows_))
      throw Error("the files have changed while they were read; nothing is released");
    return there;
  }

  // A shorter step for as long as the objective does not fall as much as its slope lets expect, but
  // none shorter than the one that is proved to descend.
  void step() {
    const Eigen::VectorXd direction = -at_.hessian.ldlt().solve(at_.gradient);
    const double decrement = -at_.gradient.dot(direction);
    if (!(decrement > 0.0)) give_up();
    const double least = surely_descending(direction);
    for (double length = 1.0;; length = std::max(0.5 * length, least)) {
      Eigen::VectorXd next = theta_ + length * direction;
      LogisticPoint there = point(next);
      if (length > least && !falls(there, length * decrement)) continue;
      theta_ = std::move(next);
      at_ = std::move(there);
      return;
    }
  }

  // The objective decides, or, once its rounding hides what is left to gain, the gradient.
  bool falls(const LogisticPoint& there, double slope) const {
    const long double visible = 1e-12L * (1.0L + at_.value);
    if (slope < visible) return there.gradient.stableNorm() < at_.gradient.stableNorm();
    return there.value <= at_.value - 0.1L * slope;
  }

  const PassOverRows& pass_;
  double rows_, ridge_;
  int passes_ = 0;
  Eigen::VectorXd theta_;
  LogisticPoint at_;
};

// In units in which |x| <= 1: x is divided by `unit`, a power of two, so theta is multiplied.
LogisticModel fit(const PassOverRows& pass, Eigen::Index dimension, const IntegerClip& clip,
                  double regularization, double tolerance) {
  require_positive("tolerance", tolerance);
  const double unit = std::ldexp(clip.grid(), 20);
  // Within these limits dividing by powers of two is exact.
  const double ridge = require_positive("regularization", regularization) / unit / unit;
  if (!(ridge >= 1e-30 && ridge <= 1e30))
    throw InvalidParameter("regularization", regularization,
                           "must lie between 1e-30 and 1e30 times the squared row norm bound");
  const LogisticMoments moments = logistic_moments(pass, dimension);
  Newton newton(pass, dimension, moments.rows, ridge);
  newton.run(0.999 * ridge * (tolerance * unit));
  LogisticModel model;
  model.regularization = regularization;
  model.row_norm_bound = clip.row_norm_bound();
  model.rows = moments.rows;
  model.minimiser = newton.theta() / unit;
  // The objective bends at least like the ridge, so a short gradient means a near minimiser.
  model.minimiser_error = (1.0 + 1e-10) * newton.at().gradient_bound() / ridge / unit;
  model.precision = moments.matrix * (0.25 * unit * unit);
  model.precision.diagonal().array() += regularization;
  model.passes = newton.passes();
  if (!model.minimiser.allFinite() || !(model.minimiser_error <= tolerance)) give_up();
  return model;
}

}  // namespace

LogisticModel fit_logistic(const LabelledRows& rows, double regularization, double tolerance,
                           const ReadOptions& options) {
  LogisticModel model = fit([&](const LabelledWork& work) { rows.for_each_block(options, work); },
                            static_cast<Eigen::Index>(rows.features().width()), rows.clip(),
                            regularization, tolerance);
  model.label = rows.label();
  return model;
}

LogisticModel fit_logistic(const LabelledBlock& rows, const IntegerClip& clip,
                           double regularization, double tolerance) {
  const PassOverRows pass = [&](const LabelledWork& work) {
    if (rows.features.rows() == 0) return;
    if (const std::function<void()> finish = work(rows)) finish();
  };
  return fit(pass, rows.features.cols(), clip, regularization, tolerance);
}

}  // namespace modicum
