// A rule for expectations of the loss: panels of Gauss's rule in x = log radius, the trapezoidal
// rule in t, w = tanh t. Where the radius is the step, the loss is not smooth at w = -1: panels
// become shorter towards it by halves (docs/derivations/spherical.md).
#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/gauss_legendre.h"
#include "privacy/spherical/spherical_estimate.h"

namespace modicum {
namespace {

constexpr double most_rule_nodes = 1.2e6;
constexpr double rule_drop = 45.0;  // exp(-45) of the largest weight does not count

double log_cosh_of(double t) {
  const double size = std::abs(t);
  return size < 1.0 ? std::log1p(2.0 * std::pow(std::sinh(size / 2.0), 2.0))
                    : size + std::log1p(std::exp(-2.0 * size)) - M_LN2;
}

// Only what weighs something with a factor exp(c L), c from 0 to the order.
void drop_negligible(WeightedLosses& rule, double order) {
  const std::array<double, 5> tilts{0.0, 0.25 * order, 0.5 * order, 0.75 * order, order};
  std::array<double, 5> largest{};
  largest.fill(-infinity);
  for (std::size_t i = 0; i < rule.losses.size(); ++i)
    for (std::size_t j = 0; j < tilts.size(); ++j)
      largest[j] = std::max(largest[j], rule.log_weights[i] + tilts[j] * rule.losses[i]);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rule.losses.size(); ++i) {
    bool counts = false;
    for (std::size_t j = 0; j < tilts.size() && !counts; ++j)
      counts = rule.log_weights[i] + tilts[j] * rule.losses[i] > largest[j] - rule_drop;
    if (!counts) continue;
    rule.losses[kept] = rule.losses[i];
    rule.log_weights[kept++] = rule.log_weights[i];
  }
  rule.losses.resize(kept);
  rule.log_weights.resize(kept);
}

void normalize_rule(WeightedLosses& rule) {
  long double sum = 0.0L;
  for (const double weight : rule.log_weights) sum += std::exp(static_cast<long double>(weight));
  const auto shift = static_cast<double>(std::log(sum));
  for (double& weight : rule.log_weights) weight -= shift;
}

}  // namespace

std::vector<double> SphericalEstimate::rule_panels(double order) const {
  const std::vector<double> range = moment_range(order);
  const double low = std::min(range.front(), geometry_.where_density_drops(rule_drop, -1.0));
  const double high = std::max(range.back(), geometry_.where_density_drops(rule_drop, 1.0));
  const double unit = 1.0 / (geometry_.p * std::sqrt(geometry_.shape + 1.0));
  const double pole = std::log(geometry_.step);
  std::vector<double> places{low, high};
  const auto add = [&](double place) {
    if (place > low && place < high) places.push_back(place);
  };
  for (double x = 0.0; x < high && places.size() < 400;
       x += 1.5 * unit * std::exp(-geometry_.p * x / 2.0))
    add(x);
  for (double distance = 1.5 * unit; - distance > low; distance = 1.4 * distance + unit)
    add(-distance);
  add(pole);
  const int halvings = static_cast<int>(44.0 / geometry_.dimension) + 2;
  double distance = std::min(1.0, 2.0 * unit);
  for (int i = 0; i < halvings; ++i, distance /= 2.0) {
    add(pole - distance);
    add(pole + distance);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

WeightedLosses SphericalEstimate::rule(double order, double height, int level) const {
  const double power = geometry_.dimension - 1.0;
  const std::vector<double> places = rule_panels(order);
  const GaussRule& gauss = gauss_legendre(8 + 4 * level);
  const double step = (power < 5.0 ? 0.17 : 0.6 / std::sqrt(power)) * std::pow(0.7, level);
  WeightedLosses rule;
  std::size_t radii = 0;
  for (std::size_t i = 0; i + 1 < places.size(); ++i) {
    // The phase may turn by a few radians in a panel.
    const double turn =
        height * std::abs(loss_at(places[i + 1], 400.0) - loss_at(places[i], 400.0));
    const double parts = 1.0 + std::floor(std::min(turn, 1e3) / 4.0);
    const double half = (places[i + 1] - places[i]) / (2.0 * parts);
    for (double part = 0.0; part < parts; ++part)
      for (std::size_t j = 0; j < gauss.points.size(); ++j) {
        const double x = places[i] + half * (2.0 * part + 1.0 + gauss.points[j]);
        const double at_x = geometry_.log_density_at(x) + std::log(half * gauss.weights[j]);
        const auto add = [&](double t, double log_weight) {
          const double loss = loss_at(x, t);
          if (!std::isfinite(loss)) return;
          rule.losses.push_back(loss);
          rule.log_weights.push_back(at_x + log_weight);
        };
        if (power == 0.0) {
          add(400.0, -M_LN2);
          add(-400.0, -M_LN2);
          continue;
        }
        const double tilt = order * std::abs(loss_at(x, 400.0) - loss_at(x, -30.0));
        const double end = M_LN2 + (rule_drop + std::min(tilt, 200.0)) / power;
        const double constant = std::log(step) - geometry_.log_angle_scale;
        // In few dimensions the density reaches far out: t = sinh v goes there in fewer steps.
        const bool far = power < 5.0;
        const double last = far ? std::asinh(end) : end;
        // Another grid at every radius, so that the losses do not fall on a few places.
        const double offset = std::fmod(static_cast<double>(++radii) * 0.6180339887498949, 1.0);
        for (double v = -last - step * offset; v <= last; v += step) {
          const double t = far ? std::sinh(v) : v;
          add(t, constant - power * log_cosh_of(t) + (far ? log_cosh_of(v) : 0.0));
        }
        if (static_cast<double>(rule.losses.size()) > most_rule_nodes) return {};
      }
  }
  drop_negligible(rule, order);
  normalize_rule(rule);
  return rule;
}

}  // namespace modicum
