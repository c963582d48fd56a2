#include "privacy/spherical_rays/sheet_patch.h"

#include <algorithm>
#include <cmath>

#include "privacy/spherical/complex_expm1.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

// Next to a side where a coordinate vanishes the first of up to 24 nodes of Gauss's rule is off by
// 0.5/(1 + x) units of its distance, x > -0.9953.
constexpr double units_of_first_node = 108.0;

// Roundings of a place between corners, relative to it: s and t have three, the products and sums
// six more, each of what is added up.
double units_between(const std::array<SheetPoint, 4>& corners, double s, double t,
                     const SheetPoint& at) {
  const auto units = [&](Complex SheetPoint::*coordinate) {
    const double place = modulus(at.*coordinate);
    if (place == 0.0) return 0.0;
    std::array<double, 4> sizes{};
    for (std::size_t i = 0; i < 4; ++i) sizes[i] = modulus(corners[i].*coordinate);
    const double sum = sizes[0] + s * modulus(corners[1].*coordinate - corners[0].*coordinate) +
                       t * modulus(corners[2].*coordinate - corners[0].*coordinate) +
                       s * t * (sizes[0] + sizes[1] + sizes[2] + sizes[3]);
    const bool vanishes = std::min(sizes[1], sizes[2]) + sizes[0] == 0.0;
    return 12.0 * sum / place + (vanishes ? units_of_first_node : 0.0);
  };
  return std::max(units(&SheetPoint::mu), units(&SheetPoint::nu));
}

}  // namespace

SheetPatch SheetPatch::quadrilateral(PlanePart part, const std::array<Point, 4>& corners,
                                     double corner_units) {
  SheetPatch patch;
  patch.corner_units_ = corner_units;
  patch.part_ = part;
  patch.corners_ = corners;
  return patch;
}

SheetPatch SheetPatch::cone(PlanePart part, const Point& from, const Point& to, double slope,
                            double turned) {
  SheetPatch patch;
  patch.part_ = part;
  patch.is_cone_ = true;
  patch.corners_ = {from, to, from, to};
  patch.direction_ = {1.0, slope};
  patch.turned_ = turned;
  return patch;
}

bool SheetPatch::is_real() const {
  if (is_cone_) return false;
  return std::ranges::all_of(corners_, [](const Point& corner) {
    return corner.mu.imag() == 0.0 && corner.nu.imag() == 0.0;
  });
}

SheetPatch::Map SheetPatch::map_at(double s, double t) const {
  Map map;
  map.jacobian_s = map.jacobian_t = 0.0;
  map.ss = {0.0, 0.0};
  if (is_cone_) {
    const Complex grown = std::exp(direction_ * s);
    const Point side = corners_[1] - corners_[0];
    map.at = grown * (corners_[0] + t * side);
    map.s = direction_ * map.at, map.ss = direction_ * map.s;
    map.t = grown * side, map.st = direction_ * map.t;
    map.turned = 2.0 * direction_.imag() * s + turned_;
    map.place_units = units_of_first_node + 64.0 + 16.0 * std::abs(direction_ * s);
    if (part_ == PlanePart::whole) {
      map.jacobian = cross(map.s, map.t), map.jacobian_s = 2.0 * direction_;
    } else {
      map.jacobian = part_ == PlanePart::beyond ? map.s.mu : map.s.nu;
      map.jacobian_s = direction_;
    }
    return map;
  }
  map.at = between(corners_, s, t);
  map.st = twist(corners_);
  map.s = corners_[1] - corners_[0] + t * map.st;
  map.t = corners_[2] - corners_[0] + s * map.st;
  map.turned = 0.0, map.place_units = units_between(corners_, s, t, map.at) + corner_units_;
  if (part_ == PlanePart::whole) {
    map.jacobian = cross(map.s, map.t);
    map.jacobian_s = cross(map.s, map.st) / map.jacobian;
    map.jacobian_t = cross(map.st, map.t) / map.jacobian;
  } else {
    map.jacobian = part_ == PlanePart::beyond ? map.s.mu : map.s.nu;
  }
  return map;
}

SheetPatch::Reach SheetPatch::reach(const Map& at, double by_s, double by_t) const {
  if (is_cone_) {
    const double more = std::expm1(modulus(direction_) * by_s);
    const auto moved = [&](const Complex& place, const Complex& t) {
      return modulus(place) * more + (1.0 + more) * modulus(t) * by_t;
    };
    return {moved(at.at.mu, at.t.mu), moved(at.at.nu, at.t.nu)};
  }
  const auto moved = [&](const Complex& s, const Complex& t, const Complex& st) {
    return modulus(s) * by_s + modulus(t) * by_t + modulus(st) * by_s * by_t;
  };
  return {moved(at.s.mu, at.t.mu, at.st.mu), moved(at.s.nu, at.t.nu, at.st.nu)};
}

}  // namespace modicum
