#include "privacy/spherical_rays/tilted_plane.h"

#include <algorithm>
#include <cmath>

#include "numerics/ball.h"

namespace modicum {
namespace {

constexpr double tip = -30.0, close = -2.5, step_close = 0.08, step_far = 0.5;  // of log |place|
constexpr double log_little = -8.0;
constexpr int across = 10, beyond_along = 72, beyond_across = 20;

}  // namespace

TiltedPlane::TiltedPlane(const SphericalGeometry& geometry) : plane_(geometry) {
  add_corner();
  in_corner_ = nodes_.size();
  add_beyond(EllipticPlane::right_angle + 1.0);
}

double TiltedPlane::end() const {
  const SphericalGeometry& geometry = plane_.geometry();
  return plane_.pole() ? geometry.shape * geometry.p / geometry.deficit : infinity;
}

void TiltedPlane::add(PlanePart part, double mu, double nu, double log_area) {
  const auto at = plane_.place_at(mu, nu);
  const auto [sinh_power, sin_power] = plane_.powers(part);
  double log_weight = plane_.log_weight(at).real() + log_area;
  if (sinh_power > 0.0) log_weight += sinh_power * std::log(at.sinh.real());
  if (sin_power > 0.0) log_weight += sin_power * std::log(at.sin.real());
  if (std::isfinite(log_weight)) nodes_.push_back({at.loss.real(), log_weight});
}

// Places exp(tau) times those of the two sides of a square, tau <= 0.
void TiltedPlane::add_corner() {
  const auto add_shell = [&](double tau, double width) {
    const double size = EllipticPlane::right_angle * std::exp(tau);
    if (plane_.flat()) {
      add(PlanePart::beyond, size, 0.0, std::log(size * width));
      add(PlanePart::between, 0.0, size, std::log(size * width));
      return;
    }
    for (int i = 0; i < across; ++i) {
      const double part = (i + 0.5) / across, log_area = std::log(size * size * width / across);
      add(PlanePart::whole, size, part * size, log_area);
      add(PlanePart::whole, part * size, size, log_area);
    }
  };
  const double last = plane_.pole() ? tip : -12.0;
  for (double tau = 0.0; tau > close; tau -= step_close)
    add_shell(tau - 0.5 * step_close, step_close);
  std::size_t before = nodes_.size();
  for (double tau = close; tau > last; tau -= step_far) {
    before = nodes_.size();
    add_shell(tau - 0.5 * step_far, step_far);
  }
  if (plane_.pole())
    tip_.assign(nodes_.begin() + static_cast<std::ptrdiff_t>(before), nodes_.end());
}

void TiltedPlane::add_beyond(double last) {
  last_ = last;
  nodes_.resize(in_corner_);
  const double by_mu = (last - EllipticPlane::right_angle) / beyond_along;
  for (int i = 0; i < beyond_along; ++i) {
    const double mu = EllipticPlane::right_angle + (i + 0.5) * by_mu;
    if (plane_.flat()) {
      add(PlanePart::beyond, mu, 0.0, std::log(by_mu));
      continue;
    }
    for (int j = 0; j < beyond_across; ++j)
      add(PlanePart::whole, mu, (j + 0.5) * EllipticPlane::right_angle / beyond_across,
          std::log(by_mu * EllipticPlane::right_angle / beyond_across));
  }
}

TiltedPlane::Estimate TiltedPlane::at(double order) {
  const SphericalGeometry& geometry = plane_.geometry();
  if (!(order < end())) return {infinity, infinity, infinity};
  // Beyond the last place only little, relative to the first estimate.
  for (double last = last_; last < 60.0; last += 0.2) {
    if (!(plane_.log_mass_beyond(last, order) < log_little)) continue;
    if (last > last_) add_beyond(last);
    break;
  }
  double largest = -infinity;
  const auto exponents = [&](const Node& node) {
    return std::pair{node.log_weight + order * node.loss,
                     node.log_weight - (1.0 + order) * node.loss};
  };
  for (const Node& node : nodes_) {
    const auto [near, far] = exponents(node);
    largest = std::max({largest, near, far});
  }
  if (!(largest < infinity)) return {infinity, infinity, infinity};
  double mass = 0.0, first = 0.0, second = 0.0;
  const auto count = [&](double weight, double loss) {
    mass += weight, first += weight * loss, second += weight * loss * loss;
  };
  for (const Node& node : nodes_) {
    const auto [near, far] = exponents(node);
    count(std::exp(near - largest), node.loss);
    count(std::exp(far - largest), -node.loss);
  }
  // The tip is a geometric series.
  const double rate = 2.0 * (geometry.shape * geometry.p - geometry.deficit * order);
  for (const Node& node : tip_) {
    const double share = std::exp(-rate * step_far) / -std::expm1(-rate * step_far);
    count(std::exp(node.log_weight + order * node.loss - largest) * share,
          node.loss + 2.0 * geometry.deficit / rate);
  }
  const double mean = first / mass;
  return {largest + std::log(mass), mean, second / mass - mean * mean};
}

}  // namespace modicum
