#include "privacy/spherical/spherical_pair.h"

#include <arb_hypgeom.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"

namespace modicum {
namespace {

constexpr double widest_window = 0.2;  // relative to the step

Ball log_gamma(const Ball& x) {
  Ball result;
  arb_lgamma(result.raw(), x.raw(), PrecisionScope::bits());
  return result;
}

// A monotone f that changes sign between the ends; else none is appended.
void append_root(std::vector<double>& roots, const std::function<double(double)>& f, double low,
                 double high) {
  if (!(low < high)) return;
  const bool rising = f(high) > 0.0;
  if (rising == (f(low) > 0.0)) return;
  for (int i = 0; i < 200; ++i) {
    const double middle = low + (high - low) / 2.0;
    if (middle <= low || middle >= high) break;
    (rising == (f(middle) > 0.0) ? high : low) = middle;
  }
  roots.push_back(high);
}

}  // namespace

SphericalPair::SphericalPair(double dimension_, double alpha_, const Precise& beta_, double p_,
                             double sensitivity_)
    : dimension(require_count("dimension", dimension_)),
      alpha(require_finite("alpha", alpha_)),
      beta(require_precise("beta", beta_)),
      p(require_positive("p", p_)),
      sensitivity(require_positive("sensitivity", sensitivity_)) {
  require_positive("beta", beta.high);
  if (!(alpha > -1.0)) throw InvalidParameter("alpha", alpha, "must exceed -1");
  if (!(alpha <= dimension - 1.0))
    throw InvalidParameter("alpha", alpha, "must not exceed dimension - 1");
  const PrecisionScope scope(192);
  shape = (Ball(alpha) + 1.0) / p;
  deficit = Ball(dimension) - 1.0 - alpha;
  step = Ball(sensitivity) * exp(log(to_ball(beta) / shape) / p);
  // Engines know it in doubles.
  if (arb_rel_accuracy_bits(step.raw()) < 60)
    throw InvalidParameter("beta", beta.high, "must be known to 18 digits");
  log_density = log(Ball(p)) + shape * log(shape) - shape - log_gamma(shape);
  const Ball half = Ball(dimension) / 2.0;
  if (dimension > 1.0)
    log_angle_scale = log(Ball::pi()) / 2.0 + log_gamma(half - 0.5) - log_gamma(half);
  largest_loss = to_ball(beta) * (p == 1.0 ? Ball(sensitivity) : exp(log(Ball(sensitivity)) * p));
}

double expm1_minus(double y) {
  if (std::abs(y) > 0.5) return std::expm1(y) - y;
  double sum = 1.0;
  for (int n = 16; n >= 3; --n) sum = 1.0 + sum * y / n;
  return sum * y * y / 2.0;
}

SphericalGeometry::SphericalGeometry(const SphericalPair& pair)
    : dimension(pair.dimension),
      p(pair.p),
      shape(pair.shape.middle()),
      deficit(pair.deficit.middle()),
      step(pair.step.middle()),
      log_density(pair.log_density.middle()),
      log_angle_scale(pair.log_angle_scale.middle()) {}

// Newton's and Halley's method for an increasing convex function. Each term alone bounds the root
// from the side away from zero. The growth k e^{px} may underflow while its product with e^y does
// not.
ShiftEstimate SphericalGeometry::solve_shift(double x, double loss) const {
  const double slope = deficit / p, log_growth = std::log(shape) + p * x;
  const double growth = std::exp(log_growth);
  if (loss == 0.0) return {0.0, 0.0};
  const double without_slope = loss > 1e15 * growth ? std::log(loss) - log_growth
                               : loss > -growth     ? std::log1p(loss / growth)
                                                    : -infinity;
  const auto excess_at = [&](double y) {
    return y > 1.0 ? std::exp(log_growth + y) - growth : growth * std::expm1(y);
  };
  double y = without_slope;
  if (slope > 0.0) {
    const double without_growth = loss / slope;
    y = loss > 0.0 ? std::min(y, without_growth) : std::max(y, without_growth);
    for (int i = 0; i < 100; ++i) {
      const double excess = excess_at(y), steep = slope + (growth + excess);
      const double newton = (slope * y + excess - loss) / steep;
      // Halley's correction for the curvature.
      const double bend = newton * (growth + excess) / (2.0 * steep);
      const double change = std::abs(bend) < 0.5 ? newton / (1.0 - bend) : newton;
      const double next = loss > 0.0 ? y - change : std::min(y - change, 0.0);
      const bool settled = std::abs(change) <= 1e-6 * std::abs(y) || next == y;
      y = next;
      if (settled) break;
    }
  }
  const double excess = excess_at(y), terms = slope * std::abs(y) + std::abs(loss) +
                                              std::abs(excess) * (2.0 + std::abs(log_growth));
  return {y, std::abs(y) + terms / (slope + (growth + excess))};
}

// w = (r2^2 - r1^2 - s^2)/(2 s r1), the difference of the squares without cancellation.
Cosine SphericalGeometry::cosine(double x, double loss) const {
  const ShiftEstimate shift = solve_shift(x, loss);
  const double power = 2.0 * shift.y / p;
  if (power == -infinity) return {-infinity, -infinity, 0.0};
  const double lost = step * std::exp(-x) / 2.0;
  if (lost > 1e200) {
    const double w = 2.0 * x + power > 2.0 * std::log(step) ? infinity : -infinity;
    return {w, w, 0.0};
  }
  const double whole = std::exp(x + power);
  const double gained =
      (power > 1.0 ? whole - std::exp(x) : std::exp(x) * std::expm1(power)) / (2.0 * step);
  const double noise = 2.0 * std::abs(gained) + 2.0 * lost + whole / step * shift.noise / p;
  return {gained - lost, 1.0 + (gained - lost), noise};
}

// 1 + w = (r2 - |r1 - s|)(r2 + |r1 - s|)/(2 s r1), in units of s.
Cosine SphericalGeometry::cosine_near_pole(double offset, double loss) const {
  const ShiftEstimate shift = solve_shift(std::log(step) + offset, loss);
  const double far = std::exp(offset + shift.y / p), gap = std::abs(std::expm1(offset));
  const double one_more = (far - gap) * (far + gap) / (2.0 * std::exp(offset));
  return {one_more - 1.0, one_more, far * far * (2.0 + shift.noise / p) + 2.0 * gap * gap};
}

double SphericalGeometry::log_density_at(double x) const {
  return log_density - shape * expm1_minus(p * x);
}

double SphericalGeometry::log_density_slope(double x) const {
  return -shape * p * std::expm1(p * x);
}

// k (e^y - 1 - y) = drop: convex in y, so that Newton's method from outside is monotone.
double SphericalGeometry::where_density_drops(double drop, double side) const {
  const double height = drop / shape;
  double y = side > 0.0 ? std::min(std::sqrt(2.0 * height), 2.0 + 2.0 * std::log1p(height))
                        : -height - std::sqrt(2.0 * height);
  for (int i = 0; i < 60; ++i) {
    const double change = (expm1_minus(y) - height) / std::expm1(y);
    y -= change;
    if (std::abs(change) <= 1e-6 * std::abs(y)) break;
  }
  return y / p;
}

// log(r2/r1) where r2 = |r1 + sign * step|; no overflow however small r1 is.
double SphericalGeometry::log_ratio(double x, double sign) const {
  const double ratio = step * std::exp(-x);
  if (ratio > 1.0) return std::log(step) - x + std::log1p(sign / ratio);
  return std::log1p(sign * ratio);
}

// e^{px} (e^{qu} - 1), where the factors may overflow and underflow
double SphericalGeometry::grown(double x, double q, double u) const {
  if (std::abs(q * u) > 1.0) return std::exp(p * x + q * u) - std::exp(p * x);
  return std::exp(p * x) * std::expm1(q * u);
}

double SphericalGeometry::loss_at(double x, double u) const {
  return (deficit == 0.0 ? 0.0 : deficit * u) + shape * grown(x, p, u);
}

double SphericalGeometry::extreme_loss(double x, double sign) const {
  return loss_at(x, log_ratio(x, sign));
}

// The largest loss at a radius falls, then rises; the least one falls up to r1 = s, then rises,
// then falls. The turning points are roots of the derivatives, which change sign once:
//   k p r (r + s) ((r+s)^{p-1} - r^{p-1}) = c s,   and the same with r = r1 - s for the least loss.
double SphericalGeometry::turning_point() const {
  const double center = std::log(step);
  std::vector<double> turns;
  append_root(
      turns,
      [&](double x) {
        const double far = std::exp(x) / step + 1.0;
        return shape * p * grown(x, p - 1.0, log_ratio(x, 1.0)) * far - deficit;
      },
      std::min(center, 0.0) - 800.0, std::max(center, 0.0) + 100.0);
  return turns.empty() ? infinity : turns.front();
}

std::vector<double> SphericalGeometry::crossings(double low, double high, double loss) const {
  const double center = std::log(step), turning = turning_point();
  std::vector<double> roots;
  const auto least = [&](double x) { return extreme_loss(x, -1.0) - loss; };
  const auto largest = [&](double x) { return extreme_loss(x, 1.0) - loss; };
  append_root(roots, least, low, std::min(center, high));
  if (loss >= 0.0) {
    const double turn = std::clamp(turning, low, high);
    append_root(roots, largest, low, turn);
    append_root(roots, largest, turn, high);
  } else if (center < high) {
    const double start = std::max(low, center);
    const double turn = std::clamp(std::log(std::exp(turning) + step), start, high);
    append_root(roots, least, start, turn);
    append_root(roots, least, turn, high);
  }
  std::sort(roots.begin(), roots.end());
  return roots;
}

double SphericalGeometry::crossing_error(double x, double loss) const {
  const double apart = 1e-6 * std::max(1.0, std::abs(x));
  double error = 0.0;
  for (const double sign : {-1.0, 1.0}) {
    if (std::abs(extreme_loss(x, sign) - loss) > 1e-6 * std::abs(loss)) continue;
    const double slope =
        (extreme_loss(x + apart, sign) - extreme_loss(x - apart, sign)) / (2.0 * apart);
    const double u = log_ratio(x, sign);
    const double size = std::abs(loss) + deficit * std::abs(u) +
                        shape * std::abs(grown(x, p, u)) * (2.0 + p * (std::abs(u) + std::abs(x)));
    error = std::max(error, size / std::abs(slope));
  }
  return ulp * (2.0 * error + 2.0 * std::abs(x));
}

std::optional<PoleWindow> SphericalGeometry::pole_window(double loss) const {
  if (!(loss < 0.0)) return std::nullopt;
  const double center = std::log(step);
  // In the logarithm of the distance |r1 - s| / s, which may be tiny.
  const auto window_edge = [&](double side, double widest) {
    std::vector<double> roots;
    append_root(
        roots,
        [&](double log_gap) {
          const double gap = std::exp(log_gap), offset = std::log1p(side * gap);
          const double shift = log_gap - offset;
          return loss_at(center + offset, shift) - loss;
        },
        -700.0, widest);
    return roots;
  };
  const double widest = std::log(widest_window);
  const std::vector<double> inside = window_edge(-1.0, widest),
                            outside = window_edge(1.0, std::min(widest, turning_point() - center));
  if (inside.empty() || outside.empty()) return std::nullopt;
  return PoleWindow{std::log1p(-std::exp(inside.front())), std::log1p(std::exp(outside.front()))};
}

}  // namespace modicum
