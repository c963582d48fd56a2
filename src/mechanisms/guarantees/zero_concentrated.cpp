#include "modicum/mechanisms/zero_concentrated.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "mechanisms/suprema/supremum.h"
#include "modicum/numerics/bracketing.h"
#include "modicum/numerics/errors.h"
#include "numerics/ball.h"

namespace modicum {
namespace {

double sum_upwards(double a, double b) { return b == 0.0 ? a : std::nextafter(a + b, HUGE_VAL); }
double product_upwards(double a, double b) {
  return a == 0.0 ? a : std::nextafter(a * b, HUGE_VAL);
}

// A corner of a bound on K, z = order - 1.
struct MomentCorner {
  double z, bound;
};

// The corners of one curve, from K(0) = 0 on.
std::vector<MomentCorner> corners_of(const RenyiCurve& curve) {
  if (curve.orders.empty() || curve.orders.size() != curve.divergences.size())
    throw InvalidParameter("divergences", static_cast<double>(curve.divergences.size()),
                           "must be as many as the orders, and at least one");
  std::vector<MomentCorner> corners{{0.0, 0.0}};
  for (std::size_t i = 0; i < curve.orders.size(); ++i) {
    const double order = curve.orders[i];
    if (!(order > 1.0 && order <= 1e9))
      throw InvalidParameter("order", order, "must be above 1 and at most 1e9");
    require_non_negative("divergence", curve.divergences[i]);
    const double z = order - 1.0;  // exactly
    corners.push_back({z, product_upwards(product_upwards(z, curve.divergences[i]), curve.count)});
  }
  std::ranges::sort(corners, {}, &MomentCorner::z);
  for (std::size_t i = 1; i < corners.size(); ++i)
    if (corners[i].z == corners[i - 1].z)
      throw InvalidParameter("order", 1.0 + corners[i].z, "must be given once");
  return corners;
}

// The chord at z, which lies between two corners.
template <class Number>
Number chord_at(const std::vector<MomentCorner>& corners, double z) {
  const auto next = std::ranges::lower_bound(corners, z, {}, &MomentCorner::z);
  if (next == corners.begin()) return next->bound;
  const Number from = (next - 1)->z, low = (next - 1)->bound, to = next->z, high = next->bound;
  return low + (high - low) * (Number(z) - from) / (to - from);
}

// All curves in one, up to the largest order that each of them has. K is convex, so a chord between
// any two corners bounds it, and the lower hull of the corners does.
std::vector<MomentCorner> sum_of_curves(const std::vector<RenyiCurve>& curves) {
  if (curves.empty()) return {};
  std::vector<std::vector<MomentCorner>> all;
  double last = HUGE_VAL;
  std::set<double> places;
  for (const RenyiCurve& curve : curves) {
    all.push_back(corners_of(curve));
    last = std::min(last, all.back().back().z);
    for (const MomentCorner& corner : all.back()) places.insert(corner.z);
  }
  const PrecisionScope scope(128);
  std::vector<MomentCorner> hull;
  for (const double place : places) {
    if (place > last) break;
    Ball sum;
    for (const auto& corners : all) sum += chord_at<Ball>(corners, place);
    const MomentCorner next{place, place == 0.0 ? 0.0 : sum.upper()};
    const auto slope = [](const MomentCorner& a, const MomentCorner& b) {
      return (b.bound - a.bound) / (b.z - a.z);
    };
    while (hull.size() >= 2 &&
           !(slope(hull.back(), next) > slope(hull[hull.size() - 2], hull.back())))
      hull.pop_back();
    hull.push_back(next);
  }
  return hull;
}

struct MomentBounds {
  double rho, xi;
  std::vector<MomentCorner> curve;

  double largest() const { return curve.empty() ? std::exp(20.0) : curve.back().z; }

  // The least over z > 0 of e^{K(z) - z epsilon} z^z / (1+z)^{1+z}: Chernoff's bound with the
  // moments that are allowed. Every z proves it.
  double at(double epsilon) const {
    const double high = std::log(largest());
    const auto exponent = [&](double log_z) {
      const double z = std::min(std::exp(log_z), largest());
      return log_moment<double>(z) - z * epsilon + z * std::log(z) - (1.0 + z) * std::log1p(z);
    };
    const Bracket place = narrow_to_minimum(exponent, {std::min(-20.0, high - 1.0), high}, 1e-7);
    const double found = std::min(std::exp(0.5 * (place.low + place.high)), largest());
    double best = std::min(bound_with(found, epsilon), bound_with(largest(), epsilon));
    // The minimum is at a corner as a rule.
    const auto next = std::ranges::lower_bound(curve, found, {}, &MomentCorner::z);
    for (auto corner = next - std::min<long>(1, next - curve.begin());
         corner != curve.end() && corner <= next; ++corner)
      if (corner->z > 0.0) best = std::min(best, bound_with(corner->z, epsilon));
    return best;
  }

 private:
  template <class Number>
  Number log_moment(double z) const {
    Number sum = Number(rho) * z * (Number(z) + 1.0) + Number(xi) * z;
    if (!curve.empty()) sum += chord_at<Number>(curve, z);
    return sum;
  }
  double bound_with(double place, double epsilon) const {
    const PrecisionScope scope(128);
    const Ball z = place;
    const Ball bound =
        exp(log_moment<Ball>(place) - z * Ball(epsilon) + z * log(z) - (z + 1.0) * log1p(z));
    return bound.finite() ? std::min(1.0, bound.upper()) : 1.0;
  }
};

}  // namespace

void RenyiBounds::add(const RenyiBounds& other) {
  rho = sum_upwards(rho, other.rho);
  xi = sum_upwards(xi, other.xi);
  curves.insert(curves.end(), other.curves.begin(), other.curves.end());
}

RenyiBounds RenyiBounds::repeated(double count) const {
  if (require_count("count", count) == 1.0) return *this;
  RenyiBounds result{product_upwards(rho, count), product_upwards(xi, count), curves};
  for (RenyiCurve& each : result.curves)
    each.count = require_count("total count", each.count * count);
  return result;
}

// K(z) / z, z = order - 1.
double divergence_bound(const RenyiBounds& bounds, double order) {
  require_non_negative("rho", bounds.rho);
  require_non_negative("xi", bounds.xi);
  if (!(order > 1.0 && order <= 1e9))
    throw InvalidParameter("order", order, "must be above 1 and at most 1e9");
  const PrecisionScope scope(128);
  const double z = order - 1.0;  // exactly
  Ball sum = Ball(bounds.xi) + Ball(bounds.rho) * Ball(order);
  for (const RenyiCurve& curve : bounds.curves) {
    const std::vector<MomentCorner> corners = corners_of(curve);
    if (!(z <= corners.back().z)) return HUGE_VAL;
    sum += chord_at<Ball>(corners, z) / Ball(z);
  }
  return sum.finite() ? sum.upper() : HUGE_VAL;
}

PrivacyLoss renyi_guarantee(const RenyiBounds& guarantee) {
  require_non_negative("rho", guarantee.rho);
  require_non_negative("xi", guarantee.xi);
  const auto bounds = std::make_shared<const MomentBounds>(
      MomentBounds{guarantee.rho, guarantee.xi, sum_of_curves(guarantee.curves)});
  if (guarantee.rho == 0.0 && guarantee.xi == 0.0 && guarantee.curves.empty()) return {};
  SupremumFamily family{"Renyi", {guarantee.rho, guarantee.xi}, nullptr, nullptr};
  for (const MomentCorner& corner : bounds->curve)
    family.key.insert(family.key.end(), {corner.z, corner.bound});
  family.search = [bounds](double epsilon) { return bounds->at(epsilon); };
  family.bound = [bounds](double epsilon, double) { return bounds->at(epsilon); };
  return loss_of_supremum(std::move(family), 2000, 0.0, 0.0);
}

PrivacyLoss zero_concentrated(double rho) { return renyi_guarantee({rho}); }

}  // namespace modicum
