#include "privacy/spherical/spherical_line.h"

#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "modicum/numerics/bracketing.h"

namespace modicum {
namespace {

constexpr long line_bits = 192;
// Radii are looked at where the density is above e^-1000 of its maximum.
constexpr double line_drop = 1000.0;
// Narrower than this, relative to the step, a window has a mass of its width times the density.
constexpr double narrow_window = 1e-18;

using LineFunction = std::function<Ball(const Ball&)>;

// Where f, surely positive at the first place and surely not at the other, has its root: proved by
// signs next to a guess, and where these are not sure, between the places.
Ball enclosed_root(const LineFunction& f, double positive, double other) {
  const double sign = positive < other ? 1.0 : -1.0;
  const auto roughly = [&](double t) {
    const PrecisionScope scope(80);
    return f(Ball(sign * t)).middle();
  };
  const Bracket found = narrow_bracket(roughly, {sign * positive, sign * other}, 1e-15);
  const Ball above = sign * found.low, width = Ball(sign * found.high) - above;
  const Ball from = f(above), to = f(above + width);
  const Ball guess = (above + width * (from / (from - to))).midpoint();
  for (double part = 1e-14; part < 1e15; part *= 100.0) {
    const Ball first = (guess - width * part).midpoint(), last = (guess + width * part).midpoint();
    if (f(first).surely_positive() && f(last).surely_nonpositive()) return hull(first, last);
  }
  return Ball::between(std::min(positive, other), std::max(positive, other));
}

// From `from` towards `to`, where f is surely of a sign, about the first place where it is.
template <class Sure>
double first_sure(const Sure& sure, double from, double to) {
  if (sure(from)) return from;
  for (int i = 0; i < 16; ++i) {
    const double middle = 0.5 * (from + to);
    (sure(middle) ? to : from) = middle;
  }
  return to;
}

// The root between `inside`, where f is surely not positive, and `outside`; none if it lies beyond.
// Where f is too near to 0 to tell, it is somewhere between `outside` and where it can be told.
std::optional<Ball> root_up_to(const LineFunction& f, double outside, double inside) {
  const Ball value = f(outside);
  if (value.surely_positive()) return enclosed_root(f, outside, inside);
  if (value.surely_nonpositive()) return std::nullopt;
  const double told =
      first_sure([&](double x) { return f(x).surely_nonpositive(); }, outside, inside);
  return Ball::between(std::min(outside, told), std::max(outside, told));
}

Ball probability(const Ball& value) {
  if (!value.finite()) return Ball::between(0.0, 1.0);
  if (value.surely_positive() && (value - 1.0).surely_nonpositive()) return value;
  return Ball::between(std::clamp(value.lower(), 0.0, 1.0), std::clamp(value.upper(), 0.0, 1.0));
}

class SphericalLine {
 public:
  SphericalLine(const SphericalPair& pair, const SphericalGeometry& geometry, double level)
      : pair_(pair),
        level_(level),
        low_(geometry.where_density_drops(line_drop, -1.0)),
        high_(geometry.where_density_drops(line_drop, 1.0)),
        pole_(!pair.deficit.exactly_zero()) {}

  LineTails tails() const;

 private:
  // Log radii of the ends of an interval; none where an end is beyond the radii looked at.
  struct Interval {
    std::optional<Ball> first, last;
  };

  // The loss of moving from one radius to the other, less the level.
  Ball excess(const Ball& from, const Ball& to) const {
    const Ball grown = pair_.shape * (exp(log(to) * pair_.p) - exp(log(from) * pair_.p));
    return (pole_ ? grown + pair_.deficit * log(to / from) : grown) - level_;
  }
  // Of moving away from the other center: falls with the radius, then rises.
  Ball away(const Ball& x) const {
    const Ball radius = exp(x);
    return excess(radius, radius + pair_.step);
  }
  // Of moving towards it and beyond: falls up to the step.
  Ball towards(const Ball& x) const {
    const Ball radius = exp(x);
    return excess(radius, pair_.step - radius);
  }
  // Has the sign of the derivative of `away`.
  Ball away_slope(const Ball& x) const {
    const Ball far = exp(x) + pair_.step, longer = log(far) - x;
    const Ball gained = expm1((Ball(pair_.p) - 1.0) * longer);
    return pair_.shape * pair_.p * exp(x * pair_.p) * far * gained - pair_.deficit * pair_.step;
  }

  std::optional<Ball> near_end() const;
  std::optional<Interval> within_level() const;
  std::optional<Interval> around_turn(double turn) const;
  Ball below(const Ball& x) const;
  Ball above(const Ball& x) const;
  Ball window(const Ball& inner, const Ball& outer) const;

  const SphericalPair& pair_;
  double level_, low_, high_;
  bool pole_;
};

// P[R < e^x], R^p being of the gamma law, and P[R > e^x]. Where x is hardly known at all, its ends
// decide.
Ball SphericalLine::below(const Ball& x) const {
  if (x.upper() - x.lower() > 1e-3) return hull(below(x.lower()), below(x.upper()));
  Ball result;
  arb_hypgeom_gamma_lower(result.raw(), pair_.shape.raw(), (pair_.shape * exp(x * pair_.p)).raw(),
                          1, PrecisionScope::bits());
  return probability(result);
}

Ball SphericalLine::above(const Ball& x) const {
  if (x.upper() - x.lower() > 1e-3) return hull(above(x.lower()), above(x.upper()));
  Ball result;
  arb_hypgeom_gamma_upper(result.raw(), pair_.shape.raw(), (pair_.shape * exp(x * pair_.p)).raw(),
                          1, PrecisionScope::bits());
  return probability(result);
}

// P[step - inner <= R <= step + outer].
Ball SphericalLine::window(const Ball& inner, const Ball& outer) const {
  const Ball width = inner + outer, from = pair_.step - inner, to = pair_.step + outer;
  if ((width - pair_.step * narrow_window).surely_negative()) {
    const Ball radius = hull(from, to), y = log(radius) * pair_.p;
    return exp(pair_.log_density - pair_.shape * (expm1(y) - y)) / radius * width;
  }
  // The smaller of both differences has more digits.
  if ((pair_.step - 1.0).surely_negative()) return below(log(to)) - below(log(from));
  return above(log(from)) - above(log(to));
}

// The log radius up to which moving towards the other center and beyond exceeds the level.
std::optional<Ball> SphericalLine::near_end() const {
  const auto f = [this](const Ball& x) { return towards(x); };
  const Ball middle = log(pair_.step / 2.0);
  if (level_ == 0.0) return middle;
  const double last = middle.middle() + 0.1;
  if (!(low_ < last)) return std::nullopt;
  return f(last).surely_nonpositive() ? root_up_to(f, low_, last) : Ball::between(low_, last);
}

// Where moving away stays within the level; none if nowhere.
std::optional<SphericalLine::Interval> SphericalLine::within_level() const {
  if (level_ == 0.0) return std::nullopt;
  const auto f = [this](const Ball& x) { return away(x); };
  const auto exceeds = [this](double x) { return away(x).surely_positive(); };
  const auto up_to = [&](double end, double other) -> std::optional<Ball> {
    if (f(end).surely_nonpositive()) return root_up_to(f, other, end);
    const double told = first_sure(exceeds, end, other);
    return Ball::between(std::min(end, told), std::max(end, told));
  };
  if (away_slope(low_).surely_positive()) return Interval{std::nullopt, up_to(low_, high_)};
  if (away_slope(high_).surely_negative()) return Interval{up_to(high_, low_), std::nullopt};
  const auto falling = [this](double x) { return -away_slope(x).middle(); };
  return around_turn(narrow_bracket(falling, {low_, high_}, 1e-15).high);
}

// Left of a place where `away` falls it falls, right of one where it rises it rises. Of what is
// between them nothing is known, unless it is within the level at both; so they should be close.
std::optional<SphericalLine::Interval> SphericalLine::around_turn(double turn) const {
  const auto f = [this](const Ball& x) { return away(x); };
  for (double apart = 1e-14 * std::max(1.0, std::abs(turn)); apart < high_ - low_; apart *= 16.0) {
    const double left = std::max(low_, turn - apart), right = std::min(high_, turn + apart);
    if (!away_slope(left).surely_negative() || !away_slope(right).surely_positive()) continue;
    const Ball first = f(left), last = f(right), here = Ball::between(left, right);
    if (first.surely_nonpositive() && last.surely_nonpositive())
      return Interval{root_up_to(f, low_, left), root_up_to(f, high_, right)};
    if (!first.surely_positive() || !last.surely_positive()) continue;
    if (f(here).surely_positive()) return std::nullopt;
    return Interval{here, here};
  }
  return Interval{Ball::between(low_, high_), Ball::between(low_, high_)};
}

// By the sign of the move, with e^n the end towards the other center and [e^a, e^b] the radii
// within the level away from it:
//   P_X[L > level] = (P[R < e^n] + P[R < e^a] + P[R > e^b]) / 2,
// and since the loss of moving back is the negative one, from the radius that was reached,
//   P_X[L <= -level] = (P[s - e^n <= R <= s + e^a] + P[R >= s + e^b]) / 2.
LineTails SphericalLine::tails() const {
  const std::optional<Ball> near = near_end();
  const std::optional<Interval> within = within_level();
  const auto at_most = [](const Ball& value) { return Ball::between(0.0, value.upper()); };
  const Ball rarely_low = at_most(below(low_)), rarely_high = at_most(above(high_));
  const auto radius = [&](const std::optional<Ball>& x) {
    return x ? exp(*x) : at_most(exp(low_));
  };
  const auto lower = [&](const std::optional<Ball>& x) { return x ? below(*x) : rarely_low; };
  const Ball inner = radius(near);
  if (!within)
    return {probability((lower(near) + 1.0) / 2.0),
            probability(above(log(pair_.step - inner)) / 2.0)};
  const std::optional<Ball>& last = within->last;
  const Ball beyond = last ? above(*last) : rarely_high;
  const Ball far = last ? above(log(pair_.step + exp(*last))) : rarely_high;
  return {probability((lower(near) + lower(within->first) + beyond) / 2.0),
          probability((window(inner, radius(within->first)) + far) / 2.0)};
}

}  // namespace

LineTails spherical_line_tails(const SphericalPair& pair, const SphericalGeometry& geometry,
                               double level) {
  const PrecisionScope scope(line_bits);
  return SphericalLine(pair, geometry, level).tails();
}

}  // namespace modicum
