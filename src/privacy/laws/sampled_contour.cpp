#include "privacy/laws/sampled_contour.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace modicum {
namespace {

using Complex = std::complex<double>;

// Elementary functions of extended precision are trusted to this, 32 units of the last place; those
// of doubles to 2^-50 in sums.
constexpr double long_unit = static_cast<double>(std::numeric_limits<long double>::epsilon());
constexpr double trusted = 32.0 * long_unit;
constexpr double most_nodes = 40000.0;
constexpr double rare = 0.02;      // samples whose M is next to 1
constexpr double ray_piece = 0.6;  // width of the pieces on a ray, times mu |a|^{1/2}
// Logarithms of bounds are added up in doubles, and known to 1e-6 (bound_slack) below this size.
constexpr double largest_logarithm = 1e8;

Ball ball_of(long double x) {
  const auto high = static_cast<double>(x);
  return Ball(high) + Ball(static_cast<double>(x - high));
}

// Not less than |log B| up to there.
double largest_log_base(const SampledShift& pair, double reach) {
  return pair.mu.high * (2.0 * reach + pair.mu.high) - std::log(pair.rate) - std::log1p(-pair.rate);
}

bool logarithms_are_small(const SampledShift& pair, const ContourTask& task,
                          const ContourEnds& ends) {
  const double reach = std::max(-ends.from, ends.to);
  return task.largest() * largest_log_base(pair, reach) + reach * reach < largest_logarithm;
}

// On one contour. On the pieces and outside of them |B^a e^{-drift a}| falls along the ray: to the
// right arg B >= k mu (v - place) - (pi/2) ratio and log |B| <= mu v - mu^2/2 + log q + ratio, with
// the ratio of the parts of B, and the difference grows with v; to the left |B| <= e^drift and
// arg B >= 0.
double log_bound_on(const BentContour& c, const SampledShift& pair, const ContourTask& task,
                    double rise, double drift) {
  const double mu = static_cast<double>(c.mu), k = c.bend.slope, q = c.q;
  if (!(k * rise > 1.0 + bound_slack && c.passes_below_branch_points())) return infinity;
  auto ends = choose_ends(c, task, 1e-12, first_ends(c, task));
  if (!ends) return infinity;
  const auto falls_right = [&](double v) {
    const double ratio = std::exp(-mu * (v - c.middle()));
    return rise * (k * mu * (v - c.bend.place) - 0.5 * std::numbers::pi * ratio) >
           mu * v - 0.5 * mu * mu + std::log(q) + ratio - drift + bound_slack;
  };
  const auto falls_left = [&](double v) {
    const double least = std::log1p(-q);
    return log_of_sum(least, std::log(q) + mu * v - 0.5 * mu * mu) <
           drift - 1e-12 * (std::abs(drift) - least);
  };
  for (int i = 0; i < 200 && !falls_right(ends->to); ++i) ends->to += 0.25 + 0.25 / mu;
  for (int i = 0; i < 200 && !falls_left(ends->from); ++i) ends->from -= 0.25 + 0.25 / mu;
  if (!falls_right(ends->to) || !falls_left(ends->from)) return infinity;
  const Complex from = task.corners.front();
  const double width = std::min({0.1, 0.1 / mu, ray_piece / (mu * std::sqrt(size_of(from)))});
  const double wanted = (ends->to - ends->from) / width;
  if (!(wanted < most_nodes) || !logarithms_are_small(pair, task, *ends)) return infinity;
  const auto count = static_cast<long>(std::ceil(wanted));
  const ContourPieces pieces(c, ends->from, width, count);
  if (!pieces.falls(rise, drift)) return infinity;
  const double less = task.tangent.at(from.real());
  const double end = ends->from + static_cast<double>(count) * width;
  const double sum = pieces.sum(from, less) + outside_of(c, ends->from, end, from, less);
  return sum < infinity ? std::log(sum) + bound_slack : infinity;
}

}  // namespace

void SampledContour::lay_nodes(const BentContour& contour, double from, double step, long count,
                               bool less_one) {
  nodes_.reserve(static_cast<std::size_t>(count));
  const long double log_step = std::log(static_cast<long double>(step)) - log_root_two_pi;
  for (long i = 0; i < count; ++i) {
    const auto s = contour_sample<long double>(
        contour, from + (static_cast<long double>(i) + 0.5L) * static_cast<long double>(step));
    const std::complex<long double> log_turned{0.5L * std::log(std::norm(s.turned)),
                                               std::atan2(s.turned.imag(), s.turned.real())};
    const auto weight = log_turned + log_step - 0.5L * times(s.t, s.t);
    const double size = 4.0 + static_cast<double>(std::norm(s.t) + size_of(weight));
    Node& node = nodes_.emplace_back();
    node = {weight, s.log_base, trusted * size, trusted * static_cast<double>(s.rounding)};
    if (!less_one) continue;
    node.weight = exponential(weight);
    node.beyond_base = -beyond_tangent(s.log_base);
    node.excess = s.log_base - node.beyond_base;
  }
}

double SampledContour::sum_of_sizes(Complex a) const {
  const double less = tangent_.at(a.real());
  double sum = 0.0;
  for (const Node& node : nodes_)
    sum += std::exp(static_cast<double>(node.log_weight.real()) +
                    times(a, Complex(node.log_base)).real() - less);
  return sum * (1.0 + bound_slack);
}

std::optional<SampledContour> SampledContour::make(const SampledShift& pair,
                                                   const ContourTask& task, double digits,
                                                   bool many) {
  if (!(pair.mu.radius <= pair.mu.high * long_unit)) return std::nullopt;
  // Further out M is not next to 1.
  const bool is_rare =
      many && !pair.reversed && pair.rate < rare && task.largest() * pair.rate < 2.0;
  if (is_rare) digits += std::log1p(2.0 * task.largest());
  const ContourBend bend = choose_bend(pair, task);
  const BentContour own = bent_contour(pair, bend, 0.0);
  auto ends = choose_ends(own, task, std::exp(-digits), first_ends(own, task));
  if (!ends) return std::nullopt;
  const NodeStrip strip = choose_strip(pair, bend, *ends, task, digits);
  if (!(strip.height > 0.0)) return std::nullopt;
  const BentContour above = bent_contour(pair, bend, strip.height);
  const BentContour below = bent_contour(pair, bend, -strip.height);
  for (const BentContour& side : {above, below})
    if (!(ends = choose_ends(side, task, 1.0, *ends))) return std::nullopt;
  // Nodes left out are compared with the integral from one step before them.
  const double from = ends->from - strip.step;
  const double wanted = (ends->to - from) / strip.step + 2.0;
  if (!(wanted < most_nodes) || !logarithms_are_small(pair, task, *ends)) return std::nullopt;
  const auto count = static_cast<long>(wanted);
  const double to = from + static_cast<double>(count) * strip.step;

  SampledContour result;
  result.tangent_ = task.tangent;
  result.rate_ = pair.rate;
  result.lay_nodes(own, from, strip.step, count, is_rare);
  // Pieces so short that the bend of a log B on them hardly counts.
  const double cuts = std::ceil(0.8 * pair.mu.high * strip.step * std::sqrt(task.largest()));
  const long pieces = count * static_cast<long>(cuts);
  result.cost_ = static_cast<double>(count + pieces / 4);
  const ContourPieces upper(above, from, strip.step / cuts, pieces);
  const ContourPieces lower(below, from, strip.step / cuts, pieces);
  const double fade = 1.0 / std::expm1(2.0 * std::numbers::pi * strip.height / strip.step);
  const auto error_of = [&](Complex a, double less) {
    const double sides = upper.sum(a, less) + lower.sum(a, less) +
                         outside_of(above, from, to, a, less) +
                         outside_of(below, from, to, a, less);
    const double cut = outside_of(own, from + strip.step, to - strip.step, a, less);
    return (cut + sides * fade) * (1.0 + bound_slack);
  };
  if (is_rare) {
    result.error_of_one_ = error_of(0.0, 0.0);
    result.error_of_base_ = error_of(1.0, 0.0);
  }
  for (const Complex a : task.corners) {
    const double error = error_of(a, task.tangent.at(a.real()));
    if (!(error < infinity)) return std::nullopt;
    result.error_ = std::max(result.error_, error);
    result.log_bounds_.push_back(std::log(result.sum_of_sizes(a) + error) + bound_slack);
  }
  return result;
}

// Phi and phi (B - 1) integrate to 1 and to 0: M is 1 and the integral of phi (B^a - 1 - a (B -
// 1)), whose rounding is relative to itself. B^a - 1 - a (B - 1) = (e^x - 1 - x) + a (log B - (B -
// 1)) with x = a log B; its slope in log B is a (e^x - B).
ComplexBall SampledContour::from_one(std::complex<long double> a) const {
  std::complex<long double> sum = 0.0L;
  double rounding = 0.0, sizes = 0.0;
  const auto size = static_cast<double>(size_of(a));
  for (const Node& node : nodes_) {
    const std::complex<long double> x = times(a, node.log_base);
    const std::complex<long double> weighted_excess = times(node.weight, node.excess);
    const auto weight = static_cast<double>(size_of(node.weight)),
               excess = static_cast<double>(size_of(weighted_excess));
    std::complex<long double> first = 0.0L, second = 0.0L;
    double moved = 0.0;  // weight |e^x - 1|
    if (std::norm(x) < 0.25L) {
      first = times(node.weight, beyond_tangent(x));
      second = times(node.weight, times(a, node.beyond_base));
      moved = weight * 1.3 * static_cast<double>(size_of(x));
    } else {
      const std::complex<long double> exponent = node.log_weight + x;
      if (exponent.real() > -100.0L) first = exponential(exponent);
      second = -node.weight - times(a, weighted_excess);
      const auto length = static_cast<double>(size_of(first));
      moved = length + weight;
      // Of the terms, which may cancel, and of the phase; what is left out is below e^-100.
      rounding += trusted * (length * (1.0 + static_cast<double>(size_of(exponent))) + weight +
                             size * excess) +
                  4e-44;
    }
    sum += first + second;
    const auto length = static_cast<double>(size_of(first) + size_of(second));
    sizes += length;
    rounding +=
        length * (trusted + node.weight_rounding) + size * node.base_rounding * (moved + excess);
  }
  rounding += sizes * long_unit * static_cast<double>(nodes_.size());
  const Ball error =
      (rounding + (1.0 + size) * error_of_one_ + size * error_of_base_) * (1.0 + bound_slack);
  const ComplexBall value =
      ComplexBall(ball_of(sum.real()) + 1.0, ball_of(sum.imag())).widened(error);
  const ComplexBall along(ball_of(a.real()) - Ball(tangent_.point), ball_of(a.imag()));
  const ComplexBall offset = along * Ball(tangent_.slope) + ComplexBall(Ball(tangent_.value));
  const Ball unsure = trusted * std::abs(tangent_.slope) * size;
  return (value * exp(-offset.widened(unsure))).widened(Ball(error_));
}

ComplexBall SampledContour::at(std::complex<long double> a) const {
  if (error_of_base_ < infinity && static_cast<double>(size_of(a)) * rate_ < 1.0)
    return from_one(a);
  constexpr long double turn = 2.0L * std::numbers::pi_v<long double>;
  constexpr double negligible = -60.0;
  const std::complex<long double> offset{
      tangent_.value + tangent_.slope * (a.real() - tangent_.point), tangent_.slope * a.imag()};
  const auto size = static_cast<double>(size_of(a));
  // Exponential, sine and cosine of doubles; sums of so many terms; the tangent.
  const double shared =
      0x1p-49 + trusted * (static_cast<double>(nodes_.size()) + std::abs(tangent_.value) +
                           std::abs(tangent_.slope) * (size + std::abs(tangent_.point)));
  long double real = 0.0L, imaginary = 0.0L;
  double rounding = 0.0;
  for (const Node& node : nodes_) {
    const std::complex<long double> exponent = node.log_weight + times(a, node.log_base) - offset;
    const auto high = static_cast<double>(exponent.real());
    if (high < negligible) {
      rounding += std::exp(negligible);
      continue;
    }
    const auto turns = static_cast<long>(exponent.imag() * (1.0L / turn));
    const auto angle =
        static_cast<double>(exponent.imag() - turn * static_cast<long double>(turns));
    const double low = static_cast<double>(exponent.real() - high);
    const double length = std::exp(high) * (1.0 + low);
    real += length * std::cos(angle);
    imaginary += length * std::sin(angle);
    rounding += length * (shared + node.weight_rounding + size * node.base_rounding);
  }
  const Ball error = rounding * (1.0 + bound_slack) + error_;
  return ComplexBall(ball_of(real), ball_of(imaginary)).widened(error);
}

double log_bound_on_ray(const SampledShift& pair, const RealTangent& tangent, Complex from,
                        double rise, double drift) {
  const ContourTask task{tangent, {from}};
  for (const BentContour& contour : steep_contours(pair, task, 1.0 / rise)) {
    const double bound = log_bound_on(contour, pair, task, rise, drift);
    if (bound < infinity) return bound;
  }
  return infinity;
}

// From somewhat left of the bulk to somewhat right of where the parts of B are alike.
double farthest_ray(const SampledShift& pair) {
  const double length = std::abs(bent_contour(pair, {}, 0.0).middle()) + 12.0;
  const double root = ray_piece * most_nodes / (pair.mu.high * length);
  return root * root;
}

}  // namespace modicum
