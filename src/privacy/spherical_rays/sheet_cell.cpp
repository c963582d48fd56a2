#include "privacy/spherical_rays/sheet_cell.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/ball.h"
#include "privacy/spherical/complex_expm1.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;
using Point = SheetPatch::Point;

// The least relative change at which the logarithm of a power is still expanded.
constexpr double most_change = 0.9;

// How far a coordinate, bilinear in s and t, may vanish but on the side of the patch that it has on
// an axis: on that side F and its conjugate have the same zeros, elsewhere none may be near.
bool vanishes_on_its_side(const std::array<Complex, 4>& corners, double s, double reach_s, double t,
                          double reach_t) {
  const auto away = [](const Complex& one, const Complex& other, double at, double reach) {
    return std::abs(one + at * (other - one)) > std::abs(other - one) * reach;
  };
  if (corners[0] == 0.0 && corners[2] == 0.0) return away(corners[1], corners[3], t, reach_t);
  if (corners[0] == 0.0 && corners[1] == 0.0) return away(corners[2], corners[3], s, reach_s);
  return false;
}

}  // namespace

// The logarithm of the density with the Jacobian: its derivatives, what it leaves them by, and a
// bound of factors which are not expanded.
struct SheetCell::Weight {
  Gradient slopes;
  double at_middle, rest, rest_of_loss;
};

SheetCell::SheetCell(const EllipticPlane& plane, const Range& range,
                     const std::vector<Complex>& orders)
    : plane_(plane),
      range_(range),
      orders_(orders),
      map_(range.patch->map_at(range.s, range.t)),
      place_(plane.place_at(map_.at.mu, map_.at.nu, 0.0, map_.turned)),
      jets_(plane.jets_at(place_)),
      powers_(plane.powers(range.patch->part())),
      loss_(along_map(jets_.loss)) {}

SheetCell::Gradient SheetCell::along_map(const PlaneJet& jet) const {
  const Point &s = map_.s, &t = map_.t;
  const auto both = [&](const Point& a, const Point& b) {
    return jet.xx * a.mu * b.mu + jet.xy * (a.mu * b.nu + a.nu * b.mu) + jet.yy * a.nu * b.nu;
  };
  const auto along = [&](const Point& a) { return jet.x * a.mu + jet.y * a.nu; };
  return {along(s), along(t), both(s, s) + along(map_.ss), both(s, t) + along(map_.st), both(t, t)};
}

SheetCell::Moved SheetCell::moved(double by_s, double by_t) const {
  const auto reach = range_.patch->reach(map_, by_s, by_t);
  const auto change = plane_.change_within(place_, reach.mu, reach.nu);
  Moved moved{change.loss, change.log_weight, change.sinh / modulus(place_.sinh),
              change.sin / modulus(place_.sin), false};
  if (Moved other; range_.patch->is_cone() && moved_on_cone(by_s, by_t, other)) {
    other.loss = std::min(other.loss, moved.loss);
    other.log_weight = std::min(other.log_weight, moved.log_weight);
    moved = other;
  }
  return moved;
}

// mu and nu are exp(tau) (m, n), m and n linear in t. With A = |mu|^2 + |nu|^2 at most 0.6, log gap
// is 2 tau + log((m^2 + n^2)/2) but for log(1 + d), |d| <= A/11 A/|mu^2 + nu^2|, the sum of the
// radii is 2 but for 0.53 A, and sinh mu is mu but for a share 0.18 A.
bool SheetCell::moved_on_cone(double by_s, double by_t, Moved& moved) const {
  const SphericalGeometry& geometry = plane_.geometry();
  const auto& corners = range_.patch->corners();
  const Complex m_t = corners[1].mu - corners[0].mu, n_t = corners[1].nu - corners[0].nu,
                m = corners[0].mu + range_.t * m_t, n = corners[0].nu + range_.t * n_t;
  const double by_tau = std::abs(range_.patch->direction()) * by_s;
  const double size = std::abs(m * m + n * n);
  const double d_size =
      (2.0 * std::abs(m * m_t + n * n_t) + std::abs(m_t * m_t + n_t * n_t) * by_t) * by_t / size;
  if (!(d_size < most_change && by_tau < 20.0)) return false;
  const auto squared = [](double x) { return x * x; };
  const double most =
      squared(std::abs(m) + std::abs(m_t) * by_t) + squared(std::abs(n) + std::abs(n_t) * by_t);
  const double area = most * std::exp(2.0 * (range_.s + by_tau)) * (1.0 + 1e-9);
  const double d = area / 11.0 * most / (size * (1.0 - d_size));
  if (!(area <= 0.6 && d < 0.5)) return false;
  const double p = geometry.p, d_gap = -std::log1p(-d_size) - 2.0 * std::log1p(-d),
               d_sum = -std::log1p(-1.06 * area / modulus(place_.sum)),
               by_near = modulus(place_.near) * std::expm1(p * (2.0 * by_tau + d_gap));
  moved.loss =
      geometry.deficit * (d_gap + d_sum) + by_near + modulus(place_.far) * std::expm1(p * d_sum);
  moved.log_weight = by_near + (geometry.shape * p + geometry.dimension) * d_gap + d_gap + d_sum;
  const double ratio = 0.36 * area / (1.0 - 0.18 * area);
  const auto relative = [&](const Complex& one, const Complex& side) {
    return (1.0 + std::abs(side) * by_t / std::abs(one)) * (1.0 + ratio) - 1.0;
  };
  moved.sinh = relative(m, m_t), moved.sin = relative(n, n_t);
  moved.without_tau = true;
  return true;
}

// With a function that changes by at most D where s and t move m times as far, D/(m^2 (m - 1)) is
// left of it after degree two [Cauchy].
bool SheetCell::weight_within(double reach_s, double reach_t, Weight& weight) const {
  const SheetPatch& patch = *range_.patch;
  constexpr std::array<double, 3> widths{2.0, 4.0, 12.0};
  std::array<Moved, widths.size()> changes;
  for (std::size_t i = 0; i < widths.size(); ++i)
    changes[i] = moved(widths[i] * reach_s, widths[i] * reach_t);
  if (!(changes[0].loss < infinity && changes[0].log_weight < infinity)) return false;
  const Moved within = moved(reach_s, reach_t);

  PlaneJet jet = jets_.log_weight;
  weight.at_middle = jet.value.real() + std::log(modulus(map_.jacobian));
  std::array<double, widths.size()> powers_change{};
  double not_expanded = 0.0;
  const auto add = [&](double power, const Complex& base, double Moved::*relative,
                       const Complex& slope, const Complex& curvature, Complex PlaneJet::*first,
                       Complex PlaneJet::*second, Complex Point::*coordinate) {
    if (power == 0.0) return true;
    if (changes[0].*relative < most_change) {
      jet.*first += power * slope, jet.*second += power * curvature;
      for (std::size_t i = 0; i < widths.size(); ++i) {
        const double change = changes[i].*relative * (1.0 + 1e-9);
        powers_change[i] += change < 0.99 ? -power * std::log1p(-change) : infinity;
      }
      weight.at_middle += power * std::log(std::abs(base));
      return true;
    }
    weight.at_middle += power * std::log(std::abs(base) * (1.0 + within.*relative));
    if (patch.is_cone()) {  // its zeros are real
      not_expanded += power;
      return within.without_tau;
    }
    const auto reach = patch.reach(map_, reach_s, reach_t);
    if (!(modulus(map_.at.*coordinate) + std::max(reach.mu, reach.nu) < 3.0)) return false;
    std::array<Complex, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) corners[i] = patch.corners()[i].*coordinate;
    return vanishes_on_its_side(corners, range_.s, reach_s, range_.t, reach_t);
  };
  const Complex coth = place_.cosh / place_.sinh, cot = place_.cos / place_.sin;
  if (!add(powers_.sinh, place_.sinh, &Moved::sinh, coth, 1.0 - coth * coth, &PlaneJet::x,
           &PlaneJet::xx, &Point::mu) ||
      !add(powers_.sin, place_.sin, &Moved::sin, cot, -1.0 - cot * cot, &PlaneJet::y, &PlaneJet::yy,
           &Point::nu))
    return false;

  weight.rest = weight.rest_of_loss = infinity;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const double wider = widths[i], share = 1.0 / (wider * wider * (wider - 1.0));
    weight.rest_of_loss = std::min(weight.rest_of_loss, share * changes[i].loss);
    const double change = share * (changes[i].log_weight + powers_change[i]);
    weight.rest = std::min(weight.rest, change);
  }
  weight.slopes = along_map(jet);
  if (patch.is_cone()) {
    weight.slopes.s += map_.jacobian_s + not_expanded * patch.direction();  // exponentials
  } else {
    const double relative = modulus(map_.jacobian_s) * reach_s + modulus(map_.jacobian_t) * reach_t;
    if (!(relative < most_change)) return false;  // it may vanish
    weight.at_middle += std::log1p(relative);
  }
  return true;
}

// s with real part within reach_s and imaginary one within turn_s, and t.
bool SheetCell::bounds(double reach_s, double reach_t, double turn_s, double turn_t,
                       std::vector<double>& logs) const {
  Weight weight;
  if (!weight_within(reach_s, reach_t, weight)) return false;
  const Gradient& slopes = weight.slopes;
  const auto squared = [](const Complex& curvature, double reach, double turn) {
    // An ellipse's square is around its foci: only without one it is real.
    return 0.5 * (turn > 0.0 ? modulus(curvature) : std::abs(curvature.real())) * reach * reach;
  };
  for (std::size_t i = 0; i < orders_.size(); ++i) {
    const Complex& z = orders_[i];
    const Complex s = slopes.s + z * loss_.s, t = slopes.t + z * loss_.t;
    const double log_bound = weight.at_middle + (z * place_.loss).real() +
                             std::abs(s.real()) * reach_s + std::abs(s.imag()) * turn_s +
                             std::abs(t.real()) * reach_t + std::abs(t.imag()) * turn_t +
                             squared(slopes.ss + z * loss_.ss, reach_s, turn_s) +
                             squared(slopes.tt + z * loss_.tt, reach_t, turn_t) +
                             modulus(slopes.st + z * loss_.st) * reach_s * reach_t + weight.rest +
                             modulus(z) * weight.rest_of_loss;
    logs[i] = raised(log_bound);
  }
  return true;
}

bool SheetCell::bounds_along(double spread, std::vector<double>& logs) const {
  return bounds(spread * range_.half_s, range_.half_t,
                std::sqrt(spread * spread - 1.0) * range_.half_s, 0.0, logs);
}

bool SheetCell::bounds_across(double spread, std::vector<double>& logs) const {
  return bounds(range_.half_s, spread * range_.half_t, 0.0,
                std::sqrt(spread * spread - 1.0) * range_.half_t, logs);
}

// By what each alone changes the loss.
bool SheetCell::longer_along() const {
  const double along = moved(2.0 * range_.half_s, 0.0).loss,
               across = moved(0.0, 2.0 * range_.half_t).loss;
  if (along != across) return along > across;
  const auto size = [](const Point& point) { return std::abs(point.mu) + std::abs(point.nu); };
  return size(map_.s) * range_.half_s >= size(map_.t) * range_.half_t;
}

bool SheetCell::is_at_center() const {
  const Point& corner = range_.patch->corners()[0];
  return !range_.patch->is_cone() && range_.patch->is_real() && corner.mu == 0.0 &&
         corner.nu == 0.0 && range_.s == range_.half_s &&
         (plane_.flat() || range_.t == range_.half_t);
}

SheetPatch::Point SheetCell::farthest() const {
  return range_.patch->map_at(range_.s + range_.half_s, range_.t + range_.half_t).at;
}

}  // namespace modicum
