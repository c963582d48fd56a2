#include "privacy/spherical/spherical_copies.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "privacy/spherical/spherical_estimate.h"

namespace modicum {
namespace {

constexpr double weightless_node = 1e-8;
constexpr int most_quick_nodes = 1500, nodes_in_a_row = 4;
constexpr double largest_order = 1e6;
constexpr double tolerated_rest = 0.05;  // of the sum, after the last node

// n K(c) - s c + c log c - (1 + c) log(1 + c).
double log_chernoff(double log_moment, double count, double shift, double c) {
  return count * log_moment - shift * c + c * std::log(c) - (1.0 + c) * std::log1p(c);
}

// Losses with weights exp(log_weight + order L), relative to their sum.
struct QuickTilt {
  std::vector<double> losses, weights;
  double log_moment = 0.0, mean = 0.0, variance = 0.0;

  QuickTilt(const WeightedLosses& rule, double order) {
    double largest = -infinity, sum = 0.0;
    for (std::size_t i = 0; i < rule.losses.size(); ++i)
      largest = std::max(largest, rule.log_weights[i] + order * rule.losses[i]);
    for (std::size_t i = 0; i < rule.losses.size(); ++i) {
      const double exponent = rule.log_weights[i] + order * rule.losses[i] - largest;
      if (!(exponent > -32.0)) continue;
      losses.push_back(rule.losses[i]);
      weights.push_back(std::exp(exponent));
      sum += weights.back();
    }
    for (double& weight : weights) weight /= sum;
    for (std::size_t i = 0; i < losses.size(); ++i) mean += weights[i] * losses[i];
    for (std::size_t i = 0; i < losses.size(); ++i)
      variance += weights[i] * (losses[i] - mean) * (losses[i] - mean);
    log_moment = largest + std::log(sum);
  }
};

// Newton's method for the least n K(c) - s c - log c - log(c + 1), in log c; none beyond the order
// of the rule, unless all moments are `bounded` by it.
std::optional<double> quick_saddle(const WeightedLosses& rule, double order, double count,
                                   double shift, double guess, bool bounded) {
  double c = std::min(guess, bounded ? 0.5 * order : 0.9 * order);
  for (int i = 0; i < 30; ++i) {
    const QuickTilt tilted(rule, c);
    const double slope = c * (count * tilted.mean - shift - 1.0 / c - 1.0 / (c + 1.0));
    const double bend =
        c * c * (count * tilted.variance + 1.0 / (c * c)) + std::min(slope, 0.0) + 0.5;
    const double step = std::clamp(-slope / std::max(bend, 0.5), -1.0, 1.0);
    const double next = c * std::exp(step);
    if (!(next < order) && !bounded) return std::nullopt;
    // Moments end at the pole: never further than half of the way there.
    c = bounded ? std::min(next, 0.5 * (c + order)) : next;
    if (std::abs(step) < 0.01) return c;
  }
  return std::nullopt;
}

}  // namespace

std::optional<QuickProfile> quick_spherical_profile(const SphericalPair& pair, double count,
                                                    double shift, double guess, double negligible) {
  const SphericalEstimate estimate(pair);
  const SphericalGeometry& geometry = estimate.geometry();
  const double end = geometry.deficit > 0.0
                         ? (geometry.dimension - geometry.deficit) / geometry.deficit
                         : infinity;
  std::optional<double> saddle;
  std::optional<QuickProfile> bound;
  WeightedLosses rule;
  for (double order = std::min(1.5 * guess, 0.1 * largest_order); !saddle && order < largest_order;
       order *= 4.0) {
    const bool bounded = order >= 0.8 * end;
    const double within = bounded ? 0.98 * end : order;
    rule = estimate.rule(within, 0.0, 0);
    if (rule.losses.empty()) return bound;
    saddle = quick_saddle(rule, within, count, shift, guess, bounded);
    const double log_moment = QuickTilt(rule, within).log_moment;
    const double log_bound = log_chernoff(log_moment, count, shift, within);
    if (!bound || log_bound < bound->log_delta) bound = QuickProfile{log_bound, within, true};
    if (bounded || log_bound < negligible) break;
  }
  if (!saddle) return bound;
  const double c = *saddle;
  const QuickTilt tilted(rule, c);
  const double base = count * tilted.log_moment - shift * c - std::log(c * (c + 1.0));
  // The rule adds about exp(-2 pi c / step), which is to be little beside the profile.
  const double step = 2.0 * std::numbers::pi * c / (16.0 + std::max(0.0, -base));
  // Phases about the mean, one turn more at each node.
  const std::size_t size = tilted.losses.size();
  std::vector<std::complex<double>> terms(size), turns(size);
  for (std::size_t i = 0; i < size; ++i) {
    terms[i] = tilted.weights[i];
    turns[i] = std::polar(1.0, step * (tilted.losses[i] - tilted.mean));
  }
  double sum = 0.5;
  double last = 1.0;
  for (int k = 1, small = 0; small < nodes_in_a_row; ++k) {
    if (k > most_quick_nodes) {
      if (last * most_quick_nodes < tolerated_rest * sum) break;
      return QuickProfile{log_chernoff(tilted.log_moment, count, shift, c), c, true};
    }
    double real = 0.0, imaginary = 0.0;
    for (std::size_t i = 0; i < size; ++i) {
      const double a = terms[i].real(), b = terms[i].imag();
      const double u = turns[i].real(), v = turns[i].imag();
      terms[i] = {a * u - b * v, a * v + b * u};
      real += terms[i].real();
      imaginary += terms[i].imag();
    }
    const double y = k * step;
    const std::complex<double> z(c, y), moment(real, imaginary);
    const std::complex<double> value =
        std::exp(count * std::log(moment) +
                 std::complex<double>(0.0, y * (count * tilted.mean - shift))) *
        (c * (c + 1.0)) / (z * (z + 1.0));
    sum += value.real();
    last = std::abs(value);
    small = last < weightless_node ? small + 1 : 0;
  }
  const double log_delta = base + std::log(sum * step / std::numbers::pi);
  if (!std::isfinite(log_delta)) return std::nullopt;
  return QuickProfile{log_delta, c, false};
}

}  // namespace modicum
