#include "privacy/spherical/spherical_enclosure.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "privacy/spherical/spherical_panel.h"

namespace modicum {
namespace {

constexpr double relative_target = 5e-14;
constexpr std::size_t most_panels = 1200;
constexpr double log_negligible = -690.0;  // near the end of the range of doubles
constexpr double narrowest = 1e-17;        // half-width of a panel: the cosine is a double
constexpr double widest_graded = 0.125;
constexpr long working_bits = 128;
constexpr long exact_bits = 192;  // places are sums of a double and fewer than 100 halvings

struct Panel {
  Ball middle;  // exact
  double half_width;
  Bounded integral;
  bool operator<(const Panel& other) const { return weight() < other.weight(); }
  // NaN means that nothing is known: first in the queue.
  double weight() const { return integral.radius >= 0.0 ? integral.radius : HUGE_VAL; }
};

class Mesh {
 public:
  /// An uncertainty of `floor` is good enough, however small the sum.
  Mesh(const SphericalPanels& panels, double floor) : integrals_(panels), floor_(floor) {}

  void add(const Ball& middle, double half_width) {
    panels_.push_back({middle, half_width, integrals_.integral(middle, half_width)});
    std::push_heap(panels_.begin(), panels_.end());
  }

  // The panel of largest uncertainty is split until the whole is certain enough.
  void refine() {
    for (std::size_t next_check = 0;
         panels_.size() < most_panels && panels_.front().half_width > narrowest;) {
      if (panels_.size() >= next_check) {
        if (good_enough()) return;
        next_check = panels_.size() + panels_.size() / 32;
      }
      std::pop_heap(panels_.begin(), panels_.end());
      const Panel worst = std::move(panels_.back());
      panels_.pop_back();
      split(worst);
    }
  }

  Ball sum() const {
    Ball middle, radius;
    for (const Panel& panel : panels_) {
      middle += panel.integral.middle;
      radius += panel.weight();
    }
    return middle.widened(radius);
  }

 private:
  // Taylor's remainder falls with the power order + 1 of the width. Into a power of two of parts,
  // so that their middles and widths are exact.
  void split(const Panel& panel) {
    const double excess = panel.weight() / (0.01 * relative_target);
    const double wanted = std::pow(std::min(excess, 1e18), 1.0 / (Taylor::order + 1));
    const int parts = wanted > 2.5 ? 4 : 2;
    for (int i = 0; i < parts; ++i) {
      const PrecisionScope exact(exact_bits);
      const Ball middle = panel.middle + Ball((2.0 * i + 1.0 - parts) / parts) * panel.half_width;
      const PrecisionScope scope(working_bits);
      add(middle, panel.half_width / parts);
    }
  }

  bool good_enough() const {
    if (!(panels_.front().weight() <= std::max(relative_target, floor_))) return false;
    double value = 0.0, radius = 0.0;
    for (const Panel& panel : panels_)
      value += panel.integral.middle, radius += panel.integral.radius;
    return radius <= std::max(relative_target * value, floor_);
  }

  const SphericalPanels& integrals_;
  double floor_;
  std::vector<Panel> panels_;
};

// Next to a place where w reaches -1 or 1 the tail is smooth only on the scale of the distance d
// from it, and contributes about d^{(T+1)/2}.
void append_graded(std::vector<double>& places, const SphericalGeometry& geometry, double crossing,
                   double loss) {
  const double levels = std::ceil(106.0 / (geometry.dimension + 1.0));
  const double guard = std::ldexp(widest_graded, -static_cast<int>(levels));
  for (const double side : {-1.0, 1.0}) {
    places.push_back(crossing + side * guard);
    const double probe = geometry.cosine(crossing + side * widest_graded / 64.0, loss).value;
    if (std::abs(probe) >= 1.0) continue;
    for (double distance = 2.0 * guard; distance < widest_graded; distance *= 2.0)
      places.push_back(crossing + side * distance);
  }
}

// The first places: multiples of a power of two, so that middles and half-widths are exact.
std::vector<double> first_places(const SphericalGeometry& geometry, double loss, double drop,
                                 const std::vector<QuadraturePanel>& panels) {
  const double low = geometry.where_density_drops(drop, -1.0);
  const double high = geometry.where_density_drops(drop, 1.0);
  std::vector<double> places{low, high};
  for (const QuadraturePanel& panel : panels)
    places.insert(places.end(), {panel.low, (panel.low + panel.high) / 2.0, panel.high});
  const std::vector<double> crossings = geometry.crossings(low, high, loss);
  for (const double crossing : crossings) {
    std::erase_if(places, [&](double x) { return std::abs(x - crossing) < widest_graded / 2.0; });
    append_graded(places, geometry, crossing, loss);
  }
  const double spacing = std::ldexp(1.0, std::ilogb(std::max(-low, high)) - 49);
  for (double& x : places) x = std::nearbyint(std::clamp(x, low, high) / spacing) * spacing;
  std::erase_if(places, [](double x) { return !std::isfinite(x); });
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

}  // namespace

Ball enclose_spherical_tail(const SphericalPair& pair, const SphericalGeometry& geometry,
                            double loss, Side side, const ScaledEstimate& estimate) {
  const PrecisionScope scope(working_bits);
  const double log_scale = estimate.value > 0.0 ? std::max(estimate.log(), -800.0) : -800.0;
  const SphericalPanels panels(pair, geometry, loss, side, log_scale);
  const double drop = std::max(1.0, 42.0 + geometry.log_density - log_scale);
  const std::vector<double> places = first_places(geometry, loss, drop, estimate.panels);
  // Beyond its ends the density is bounded on either side of its mode only.
  if (!(places.front() < 0.0 && places.back() > 0.0)) return Ball::between(0.0, 1.0);
  Mesh mesh(panels, std::exp(log_negligible - log_scale));
  for (std::size_t i = 1; i < places.size(); ++i)
    mesh.add((places[i - 1] + places[i]) / 2.0, (places[i] - places[i - 1]) / 2.0);
  mesh.refine();
  // The tail lies between 0 and 1 beyond the ends too.
  const Ball beyond = panels.mass_beyond(places.front()) + panels.mass_beyond(places.back());
  const Ball result = exp(Ball(log_scale)) * mesh.sum().widened(beyond);
  if (!result.finite()) return Ball::between(0.0, 1.0);
  return result.surely_positive() ? result : Ball::between(0.0, std::min(1.0, result.upper()));
}

}  // namespace modicum
