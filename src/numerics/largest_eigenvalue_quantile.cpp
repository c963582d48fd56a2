// Quantiles of the largest eigenvalue: a search that may be careless, and two probabilities that
// prove where it ended.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "modicum/numerics/errors.h"
#include "modicum/numerics/largest_eigenvalue.h"

namespace modicum {
namespace {

constexpr int most_steps = 100;

// Of doubles around x; near 0 that of those around 1/8, which is fine enough.
double spacing(double x) {
  const double place = std::max(std::abs(x), 0.125);
  return std::nextafter(place, HUGE_VAL) - place;
}

// P[lambda_1 > x] is about exp(-rate), rate = 1/2 the integral of sqrt(t^2 - 4 d) from the edge 2
// sqrt(d) to x, times the factor of the Tracy-Widom tail. Only a first guess depends on it.
double rough_log_tail(double dimension, double x) {
  const double edge = 2.0 * std::sqrt(dimension);
  const double rate =
      0.25 * (x * std::sqrt(x * x - edge * edge) - edge * edge * std::acosh(x / edge));
  return -rate - std::log(1.0 + 10.6 * rate);
}

// Bisection of a decreasing function, to six digits of the width.
template <class Function>
double rough_root(const Function& f, double low, double high) {
  for (int halving = 0; halving < 20; ++halving) {
    const double middle = 0.5 * (low + high);
    (f(middle) > 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// In the middle the Tracy-Widom law by a shifted gamma law [Chiani2014], that by the cube of a
// normal one; around the edge sqrt(4 d - 2), which serves small d better than 2 sqrt(d).
double guess_in_the_middle(double dimension, double upper_tail) {
  const double shape = 46.446, scale = 0.186054, shift = 9.84801;
  const double normal = rough_root(
      [&](double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)) - upper_tail; }, -9.0, 9.0);
  const double root = 1.0 - 1.0 / (9.0 * shape) + normal / (3.0 * std::sqrt(shape));
  return std::sqrt(4.0 * dimension - 2.0) +
         std::pow(dimension, -1.0 / 6.0) * (shape * scale * root * root * root - shift);
}

double first_guess(double dimension, double upper_tail) {
  if (upper_tail > 1e-3) return guess_in_the_middle(dimension, upper_tail);
  const double edge = 2.0 * std::sqrt(dimension);
  return rough_root([&](double x) { return rough_log_tail(dimension, x) - std::log(upper_tail); },
                    edge, edge + 60.0);
}

class QuantileSearch {
 public:
  QuantileSearch(double dimension, double upper_tail)
      : dimension_(dimension), upper_tail_(upper_tail) {}

  Enclosure found() {
    const auto [place, doubt] = approach();
    // Two points that enclose it, as close as the probabilities can tell them apart.
    double step = doubt;
    while (!low_ || *low_ < place - 2.0 * step) {
      evaluate(place - step);
      if (low_ && *low_ >= place - step) break;
      step = require_progress(2.0 * step);
    }
    step = doubt;
    while (!high_ || *high_ > place + 2.0 * step) {
      evaluate(place + step);
      if (high_ && *high_ <= place + step) break;
      step = require_progress(2.0 * step);
    }
    return {*low_, *high_};
  }

 private:
  struct Approached {
    double place, doubt;
  };

  static double require_progress(double step) {
    if (!(step < 1e3)) throw Error("the quantile of the largest eigenvalue could not be enclosed");
    return step;
  }

  // The difference of the log odds at x and at the quantile; moves the proved ends.
  double evaluate(double x) {
    const ProbabilitySplit here = goe_largest_eigenvalue(dimension_, x);
    // The smaller of the two keeps its digits; 1 - upper_tail is exact from 1/2 on.
    const double rest = 1.0 - upper_tail_;
    const bool by_tail = upper_tail_ <= 0.5;
    if (by_tail ? here.above.upper() <= upper_tail_ : here.at_most.lower() >= rest)
      high_ = high_ ? std::min(*high_, x) : x;
    if (by_tail ? here.above.lower() >= upper_tail_ : here.at_most.upper() <= rest)
      low_ = low_ ? std::max(*low_, x) : x;
    const auto odds = [](double at_most, double above) {
      return std::log(at_most) - std::log(above);
    };
    return odds(here.at_most.upper(), here.above.upper()) - odds(rest, upper_tail_);
  }

  // The secant method on the log odds, which are nearly straight; bisection where it would leave
  // what is known.
  Approached approach() {
    double x = first_guess(dimension_, upper_tail_), gap = evaluate(x);
    double next = x - std::copysign(0.1 * std::pow(dimension_, -1.0 / 6.0), gap), last_step = 1.0;
    for (int count = 0; count < most_steps && gap != 0.0; ++count) {
      const double before = std::exchange(x, next), gap_before = std::exchange(gap, evaluate(x));
      const double step = -gap * (x - before) / (gap - gap_before), least = 2.0 * spacing(x);
      if (std::abs(step) <= least) return {x, least};
      next = inside(x + step, x, gap);
      // The error of a secant step is of the order of the product of the last two.
      if (next == x + step && std::abs(step * last_step) <= least) return {next, least};
      if (std::abs(next - x) <= least) return {x, least};
      last_step = std::min(1.0, std::abs(next - x));
    }
    return {x, 2.0 * spacing(x)};
  }

  double inside(double next, double x, double gap) const {
    const bool known = low_ && high_;
    if (known && next > *low_ && next < *high_) return next;
    if (known) return 0.5 * (*low_ + *high_);
    // One end only: not too far, and to the right side.
    const double furthest = 4.0 + 0.5 * std::abs(x);
    const bool forwards = gap < 0.0;
    if (std::isfinite(next) && (next > x) == forwards && std::abs(next - x) <= furthest)
      return next;
    return forwards ? x + furthest : x - furthest;
  }

  double dimension_, upper_tail_;
  std::optional<double> low_, high_;  // proved
};

}  // namespace

Enclosure goe_largest_eigenvalue_quantile(double dimension, double upper_tail) {
  if (!(upper_tail >= 1e-290 && upper_tail < 1.0))
    throw InvalidParameter("upper_tail", upper_tail, "must be at least 1e-290 and below 1");
  return QuantileSearch(dimension, upper_tail).found();
}

}  // namespace modicum
