#include "privacy/spherical_rays/rising_patch.h"

#include <algorithm>
#include <cmath>

#include "numerics/ball.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;
using Point = SheetPoint;

constexpr int most_halvings = 26;
constexpr double rounding_of_terms = 1e-12;  // of derivatives, relative to what they are sums of

// The least of what may be left of a Taylor polynomial, by how much the loss changes on discs m
// times as far as the places go: up to where a radius vanishes, or to where things grow.
template <class Left>
double least_left(const EllipticPlane& plane, const EllipticPlane::Place& place,
                  const Point& middle, double reach, const Left& left) {
  const double away = std::abs(middle.mu + Complex(0.0, 1.0) * middle.nu);
  double least = infinity;
  for (const double share : {0.08, 0.14, 0.2, 0.27, 0.36}) {
    const double disc = share * std::min(away, 2.5 / std::max(1.0, 0.5 * plane.geometry().p));
    if (!(disc > 1.5 * reach)) continue;
    const double change = plane.change_within(place, disc, disc).loss;
    if (!(change < infinity)) break;
    least = std::min(least, left(change, disc / reach));
  }
  return least;
}

// Of a gradient in units of the reach after its first derivatives: D (3 m^-3 + 4 m^-4 + ...), since
// a polynomial of degree n on a disc has a derivative of at most n times its size [Bernstein].
double left_of_gradient(double change, double m) {
  const double x = 1.0 / m;
  return change * x * x * x * (3.0 - 2.0 * x) / ((1.0 - x) * (1.0 - x));
}

// A patch with a corner where the loss is stationary. With the other corners at A, B and A + B + E
// from it, a point rho (a A + b B + rho ab E), max(a, b) = 1, has Im L at least rho^2 times Im of
// the quadratic form there, less rho^3 D m^-3/(1 - 1/m).
bool rises_from_stationary(const EllipticPlane& plane, const std::array<Point, 4>& corners,
                           std::size_t stationary) {
  const Point center = corners[stationary];  // not moved
  const Point a = corners[stationary ^ 1U] - center, b = corners[stationary ^ 2U] - center,
              e = corners[stationary ^ 3U] - center - a - b;
  double by_mu = std::abs(a.mu) + std::abs(b.mu) + std::abs(e.mu),
         by_nu = std::abs(a.nu) + std::abs(b.nu) + std::abs(e.nu);
  const EllipticPlane::Place at = plane.place_at(center.mu, center.nu);
  const EllipticPlane::Jets jets = plane.jets_at(at);
  const PlaneJet& loss = jets.loss;
  const double rounding = rounding_of_terms * jets.bend_terms * (by_mu + by_nu) * (by_mu + by_nu);
  const double rest =
      least_left(plane, at, center, std::max(by_mu, by_nu),
                 [](double change, double m) { return change / (m * m * (m - 1.0)); });
  if (!(rest < infinity)) return false;
  const auto form = [&](const Point& q) {
    return 0.5 * (loss.xx * q.mu * q.mu + loss.yy * q.nu * q.nu) + loss.xy * q.mu * q.nu;
  };
  // Of a and b one is 1, the other and rho in cells.
  constexpr int along = 16, across = 8;
  for (const bool first : {true, false}) {
    if (!first && size_of(b) == 0.0) continue;  // in one dimension
    for (int i = 0; i < along; ++i)
      for (int j = 0; j < across; ++j) {
        const double other = (i + 0.5) / along, rho = (j + 0.5) / across;
        const Point q = (first ? Complex(1.0) : Complex(other)) * a +
                        (first ? Complex(other) : Complex(1.0)) * b + (rho * other) * e;
        const Point& moving = first ? b : a;
        const double d_mu = (std::abs(moving.mu) + rho * std::abs(e.mu)) * 0.5 / along +
                            std::abs(e.mu) * (other + 0.5 / along) * 0.5 / across,
                     d_nu = (std::abs(moving.nu) + rho * std::abs(e.nu)) * 0.5 / along +
                            std::abs(e.nu) * (other + 0.5 / along) * 0.5 / across;
        const double changed =
            std::abs(loss.xx * q.mu + loss.xy * q.nu) * d_mu +
            std::abs(loss.xy * q.mu + loss.yy * q.nu) * d_nu +
            0.5 * (std::abs(loss.xx) * d_mu * d_mu + std::abs(loss.yy) * d_nu * d_nu) +
            std::abs(loss.xy) * d_mu * d_nu;
        if (!(form(q).imag() - changed > rest * (j + 1.0) / across + rounding)) return false;
      }
  }
  // And no radius vanishes on the way: all of it is within so much.
  return EllipticPlane::keeps_branch(at, plane.change_within(at, by_mu, by_nu));
}

}  // namespace

bool RisingPatch::rises() const { return rises({0.0, 1.0, 0.0, 1.0, 0.0, 1.0}, most_halvings); }

// On the patch itself, all of the way: by the Taylor polynomial of degree two at its middle.
bool RisingPatch::is_above(const Part& part) const {
  if (part.way0 > 0.0 || part.way1 < 1.0) return false;
  const double s = 0.5 * (part.s0 + part.s1), t = 0.5 * (part.t0 + part.t1), h_s = part.s1 - s,
               h_t = part.t1 - t;
  const Point middle = at(s, t, 1.0);
  double reach = 1e-12;
  for (const double side_s : {part.s0, part.s1})
    for (const double side_t : {part.t0, part.t1}) {
      const Point away = at(side_s, side_t, 1.0) - middle;
      reach = std::max({reach, std::abs(away.mu), std::abs(away.nu)});
    }
  const EllipticPlane::Place place = plane_.place_at(middle.mu, middle.nu);
  const double rest = least_left(plane_, place, middle, reach, [](double change, double m) {
    return change / (m * m * (m - 1.0));
  });
  if (!(rest < place.loss.imag())) return false;
  const EllipticPlane::Jets jets = plane_.jets_at(place);
  const PlaneJet& loss = jets.loss;
  const Point p_s = h_s * (at(1.0, t, 1.0) - at(0.0, t, 1.0)),
              p_t = h_t * (at(s, 1.0, 1.0) - at(s, 0.0, 1.0)), p_st = (h_s * h_t) * twist(corners_);
  const auto along = [&](const Point& by) { return loss.x * by.mu + loss.y * by.nu; };
  const auto curved = [&](const Point& a, const Point& b) {
    return loss.xx * a.mu * b.mu + loss.xy * (a.mu * b.nu + a.nu * b.mu) + loss.yy * a.nu * b.nu;
  };
  // With p_st in the second derivatives, too.
  const double twisted = size_of(p_st) *
                         (std::abs(loss.xx) + std::abs(loss.xy) + std::abs(loss.yy)) *
                         (size_of(p_s) + size_of(p_t) + size_of(p_st));
  const double changed =
      std::abs(along(p_s).imag()) + std::abs(along(p_t).imag()) + std::abs(along(p_st).imag()) +
      0.5 * (std::abs(curved(p_s, p_s).imag()) + std::abs(curved(p_t, p_t).imag())) +
      std::abs(curved(p_s, p_t).imag()) + twisted + rest;
  const double away = size_of(p_s) + size_of(p_t) + size_of(p_st);
  const double rounding = 0x1p-51 * place.loss_rounding +
                          rounding_of_terms * away * (jets.slope_terms + jets.bend_terms * away);
  return place.loss.imag() - changed * (1.0 + 1e-9) > rounding && keeps_radii(part);
}

// On the whole way: in steps.
bool RisingPatch::keeps_radii(const Part& part) const {
  const double s = 0.5 * (part.s0 + part.s1), t = 0.5 * (part.t0 + part.t1);
  const auto keeps = [&](double way0, double way1) {
    const Point middle = at(s, t, 0.5 * (way0 + way1));
    double by_mu = 0.0, by_nu = 0.0;
    for (const double side_s : {part.s0, part.s1})
      for (const double side_t : {part.t0, part.t1})
        for (const double way : {way0, way1}) {
          const Point away = at(side_s, side_t, way) - middle;
          by_mu = std::max(by_mu, std::abs(away.mu)), by_nu = std::max(by_nu, std::abs(away.nu));
        }
    const EllipticPlane::Place place = plane_.place_at(middle.mu, middle.nu);
    return EllipticPlane::keeps_branch(place, plane_.change_within(place, by_mu, by_nu));
  };
  for (const int steps : {1, 2, 4, 8}) {
    bool all = true;
    for (int i = 0; all && i < steps; ++i)
      all = keeps(static_cast<double>(i) / steps, (i + 1.0) / steps);
    if (all) return true;
  }
  return false;
}

// Where s, t and the share of the way change by h_s, h_t, h_w, a place moves by P_s h_s + P_t h_t +
// P_w h_w and products of these, and Im of grad L D by Im of L'' D with that. On a part D is a mean
// of what its own corners move by.
bool RisingPatch::rises_on_the_way(const Part& part) const {
  const double s = 0.5 * (part.s0 + part.s1), t = 0.5 * (part.t0 + part.t1),
               way = 0.5 * (part.way0 + part.way1);
  const double h_s = part.s1 - s, h_t = part.t1 - t, h_w = part.way1 - way;
  const Point middle = at(s, t, way);
  const Point p_s = h_s * (at(1.0, t, way) - at(0.0, t, way)),
              p_t = h_t * (at(s, 1.0, way) - at(s, 0.0, way)),
              p_w = h_w * (at(s, t, 1.0) - at(s, t, 0.0));
  // Places are linear in each: their farthest ones are corners.
  double by_mu = 1e-12, by_nu = 1e-12, more_mu = 0.0, more_nu = 0.0;
  for (const double side_s : {-1.0, 1.0})
    for (const double side_t : {-1.0, 1.0})
      for (const double side_w : {-1.0, 1.0}) {
        const Point away = at(s + side_s * h_s, t + side_t * h_t, way + side_w * h_w) - middle;
        const Point more = away - side_s * p_s - side_t * p_t - side_w * p_w;
        by_mu = std::max(by_mu, std::abs(away.mu)), by_nu = std::max(by_nu, std::abs(away.nu));
        more_mu = std::max(more_mu, std::abs(more.mu));
        more_nu = std::max(more_nu, std::abs(more.nu));
      }
  const EllipticPlane::Place place = plane_.place_at(middle.mu, middle.nu);
  if (!EllipticPlane::keeps_branch(place, plane_.change_within(place, by_mu, by_nu))) return false;
  const EllipticPlane::Jets jets = plane_.jets_at(place);
  const PlaneJet& loss = jets.loss;
  const double reach = std::max(by_mu, by_nu);
  const double rest = least_left(plane_, place, middle, reach, left_of_gradient);
  if (!(rest < infinity)) return false;
  for (const double side_s : {part.s0, part.s1})
    for (const double side_t : {part.t0, part.t1}) {
      const Point moved = at(side_s, side_t, 1.0) - at(side_s, side_t, 0.0);
      if (moved.mu == 0.0 && moved.nu == 0.0) continue;
      const Complex by_x = loss.xx * moved.mu + loss.xy * moved.nu,
                    by_y = loss.xy * moved.mu + loss.yy * moved.nu;
      const auto turned = [&](const Point& by) {
        return std::abs((by_x * by.mu + by_y * by.nu).imag());
      };
      const double gain = (loss.x * moved.mu + loss.y * moved.nu).imag();
      const double changed = turned(p_s) + turned(p_t) + turned(p_w) + std::abs(by_x) * more_mu +
                             std::abs(by_y) * more_nu +
                             (std::abs(moved.mu) + std::abs(moved.nu)) / reach * rest;
      const double terms = size_of(moved) * (jets.slope_terms + 4.0 * reach * jets.bend_terms);
      if (!(gain - changed * (1.0 + 1e-9) > rounding_of_terms * terms)) return false;
    }
  return true;
}

// A corner that is hardly moved beside the others.
bool RisingPatch::touches_real(const Part& part) const {
  double least = infinity, most = 0.0;
  for (const double s : {part.s0, part.s1})
    for (const double t : {part.t0, part.t1}) {
      const double moved = size_of(at(s, t, 1.0) - at(s, t, 0.0));
      least = std::min(least, moved), most = std::max(most, moved);
    }
  return least < 0.3 * most;
}

// Across the longest side.
std::array<RisingPatch::Part, 2> RisingPatch::halves(const Part& part, bool whole_way) const {
  const double s = 0.5 * (part.s0 + part.s1), t = 0.5 * (part.t0 + part.t1),
               way = 0.5 * (part.way0 + part.way1);
  const double by_s = size_of(at(part.s1, t, way) - at(part.s0, t, way)),
               by_t = size_of(at(s, part.t1, way) - at(s, part.t0, way)),
               by_way = size_of(at(s, t, part.way1) - at(s, t, part.way0));
  std::array<Part, 2> both{part, part};
  if (by_way >= std::max(by_s, by_t) && !is_stationary(part) && !whole_way)
    both[0].way1 = both[1].way0 = way;
  else if (by_s >= by_t) both[0].s1 = both[1].s0 = s;
  else both[0].t1 = both[1].t0 = t;
  return both;
}

bool RisingPatch::is_stationary(const Part& part) const {
  return stationary_ < 4 && (stationary_ % 2 == 0 ? part.s0 == 0.0 : part.s1 == 1.0) &&
         (stationary_ < 2 ? part.t0 == 0.0 : part.t1 == 1.0);
}

bool RisingPatch::rises(const Part& part, int halvings) const {
  const auto corners = [&] {
    return std::array<Point, 4>{at(part.s0, part.t0, 1.0), at(part.s1, part.t0, 1.0),
                                at(part.s0, part.t1, 1.0), at(part.s1, part.t1, 1.0)};
  };
  if (is_stationary(part) ? rises_from_stationary(plane_, corners(), stationary_)
                          : is_above(part) || rises_on_the_way(part))
    return true;
  if (halvings == 0) return false;
  const bool whole_way =
      part.way0 == 0.0 && part.way1 == 1.0 && !touches_real(part) && halvings > most_halvings - 8;
  const auto [first, second] = halves(part, whole_way);
  return rises(first, halvings - 1) && rises(second, halvings - 1);
}

}  // namespace modicum
