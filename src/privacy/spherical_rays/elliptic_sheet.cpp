#include "privacy/spherical_rays/elliptic_sheet.h"

#include <algorithm>
#include <cmath>

#include "numerics/ball.h"
#include "privacy/spherical_rays/rising_patch.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;
using Point = SheetPatch::Point;

constexpr double right_angle = EllipticPlane::right_angle;
constexpr double longest_side = 0.35, growth_of_sides = 2.5;
constexpr double farthest = 0.3;            // a vertex is moved so far along a coordinate at most
constexpr double flattest = 0.006;          // least curvature along one, of all
constexpr double high_order = 500.0;        // times the loss at the center of X
constexpr double units_of_turning = 256.0;  // of the place that is stationary, at most
constexpr double cone_turn = 0.28;          // of the side of a cone
constexpr double cone_slope = 3.0;
constexpr double widest_corner = 0.35;  // of the cones, or of the first real patch
// Without a pole the first patch is real; of some copies it weighs some exp(-26).
constexpr double log_real = 4.0, log_real_copies = 26.0, widest_real = 0.15;
constexpr double least_corner = 1e-5;
constexpr double log_unmoved = -45.0;  // places beyond which the sheet is real weigh so little
constexpr std::size_t most_patches = 1200;
constexpr int most_rounds = 4;

// From `first` to `last` in sides that grow up to the longest one.
std::vector<double> graded(double first, double last, double longest) {
  std::vector<double> lines{first};
  while (lines.back() < last) {
    const double here = lines.back();
    lines.push_back(std::min(here * growth_of_sides, here + longest));
  }
  // The last two share what is left.
  lines.back() = last;
  if (lines.size() > 2) {
    double& before = lines[lines.size() - 2];
    if (last - before < 0.5 * longest) before = 0.5 * (lines[lines.size() - 3] + last);
  }
  return lines;
}

}  // namespace

EllipticSheet::EllipticSheet(const SphericalGeometry& geometry, double order, double count)
    : plane_(geometry), turning_(plane_.turning_place()) {
  // Where the order is high, the real part of the loss is to fall, too.
  if (order * geometry.shape * std::pow(geometry.step, geometry.p) > high_order) flatter_ = 1.5;
  choose_lines(order, count);
  for (int round = 0; round < most_rounds && !works_; ++round) {
    place_vertices();
    const std::size_t before = mus_.size() * nus_.size();
    works_ = add_patches();
    if (mus_.size() * nus_.size() == before || before > most_patches) break;
  }
  works_ = works_ && cones_hold();
}

// The corner of a pole is where the pole decides, with its gradient of 2c/|place|.
void EllipticSheet::choose_lines(double order, double count) {
  const SphericalGeometry& geometry = plane_.geometry();
  const double p = geometry.p, longest = longest_side / std::max(1.0, 0.25 * p);
  corner_ = plane_.pole()
                ? widest_corner
                : std::min(widest_real, std::exp(-0.5 * (log_real + log_real_copies / count) /
                                                 geometry.dimension));
  if (plane_.pole()) {
    const auto decides = [&](double size) {
      const auto at = plane_.place_at(size, 0.0), inner = plane_.place_at(0.0, size);
      const double others =
          p * (std::abs(at.near) + std::abs(inner.near)) +
          (geometry.deficit + p * (std::abs(at.far) + std::abs(inner.far))) * size * size;
      return 4.0 * others < 2.0 * geometry.deficit;
    };
    while (corner_ > least_corner && !decides(corner_)) corner_ *= 0.7;
  }
  double last = std::max(1.0, 2.0 * corner_);
  while (last < 60.0 && !(plane_.log_mass_beyond(last, order) <= log_unmoved)) last += 0.1;
  // The strip where the sheet comes back has no place where the loss is stationary.
  if (turning_ > last - longest && turning_ < last + 2.0 * longest) last = turning_ + longest;
  mus_ = graded(corner_, last, longest);
  mus_.push_back(last + longest);  // here the sheet comes back to the real plane
  if (turning_ < last) {
    const auto nearest =
        std::ranges::min_element(mus_, {}, [&](double line) { return std::abs(line - turning_); });
    if (nearest != mus_.begin() && nearest + 2 < mus_.end()) *nearest = turning_;
    else mus_.insert(std::ranges::upper_bound(mus_, turning_), turning_);
  }
  mus_.insert(mus_.begin(), 0.0);
  nus_ = graded(corner_, right_angle, longest);
  nus_.insert(nus_.begin(), 0.0);
}

// Up the slope of the loss, along both coordinates for themselves: for p close to 1 it hardly
// changes with mu. Less near places where the slope vanishes, by the curvature.
EllipticSheet::Point EllipticSheet::vertex(double mu, double nu) const {
  const Point real{mu, nu};
  if (mu >= mus_.back() || (mu == turning_ && nu == 0.0)) return real;
  if (mu <= corner_ && nu <= corner_)
    return plane_.pole() ? std::polar(1.0, -cone_turn) * real : real;
  const auto jets = plane_.jets_at(plane_.place_at(mu, nu)).loss;
  const double x = mu > 0.0 ? jets.x.real() : 0.0, y = nu > 0.0 ? jets.y.real() : 0.0;
  const SphericalGeometry& geometry = plane_.geometry();
  const double most = farthest * std::min(1.0, std::hypot(mu, nu)) /
                      std::max({1.0, 0.4 * geometry.p, std::sqrt(geometry.dimension) / 3.0});
  const double all = std::sqrt(std::norm(jets.xx) + 2.0 * std::norm(jets.xy) + std::norm(jets.yy));
  const auto moved = [&](double slope, const Complex& bend) {
    const double curvature =
        std::max(std::hypot(std::abs(bend), std::abs(jets.xy)), flattest * all);
    const double scale = most / std::hypot(slope, flatter_ * curvature * most);
    return scale < infinity ? scale * slope : 0.0;
  };
  const double by_mu = moved(x, jets.xx), by_nu = moved(y, jets.yy);
  // Between X and Y both halves meet: mu is real there.
  return {Complex(mu, nu < right_angle ? by_mu : 0.0), Complex(nu, by_nu)};
}

void EllipticSheet::place_vertices() {
  vertices_.clear();
  for (const double mu : mus_)
    for (const double nu : nus_) vertices_.push_back(vertex(mu, nu));
}

bool EllipticSheet::add_patches() {
  patches_.clear(), cones_.clear();
  const std::size_t across = nus_.size();
  const auto corner = [&](std::size_t i, std::size_t j) { return vertices_[i * across + j]; };
  std::vector<double> new_mus, new_nus;
  const bool flat = plane_.flat();
  for (std::size_t i = 0; i + 1 < mus_.size(); ++i)
    for (std::size_t j = 0; j + 1 < across; ++j) {
      if (flat && i > 0 && j > 0) continue;
      const std::array<Point, 4> corners{corner(i, j), corner(i + 1, j), corner(i, j + 1),
                                         corner(i + 1, j + 1)};
      if (i == 0 && j == 0 && plane_.pole()) {
        const double turned = -2.0 * cone_turn;
        if (flat) {
          cones_ = {
              SheetPatch::cone(PlanePart::beyond, corners[1], corners[1], cone_slope, turned),
              SheetPatch::cone(PlanePart::between, corners[2], corners[2], cone_slope, turned)};
        } else {
          cones_ = {SheetPatch::cone(PlanePart::whole, corners[1], corners[3], cone_slope, turned),
                    SheetPatch::cone(PlanePart::whole, corners[3], corners[2], cone_slope, turned)};
        }
        continue;
      }
      std::vector<std::pair<PlanePart, std::array<Point, 4>>> found;
      if (!flat) found.emplace_back(PlanePart::whole, corners);
      if (flat && j == 0)
        found.emplace_back(PlanePart::beyond,
                           std::array{corners[0], corners[1], corners[0], corners[1]});
      if (flat && i == 0)
        found.emplace_back(PlanePart::between,
                           std::array{corners[0], corners[2], corners[0], corners[2]});
      for (const auto& [part, sides] : found) {
        std::size_t stationary = 4;
        for (std::size_t n = 0; n < 4; ++n)
          if (sides[n].mu == turning_ && sides[n].nu == 0.0) stationary = n;
        patches_.push_back(
            SheetPatch::quadrilateral(part, sides, stationary < 4 ? units_of_turning : 0.0));
        const bool rises =
            patches_.back().is_real() || RisingPatch(plane_, sides, stationary).rises();
        if (rises) continue;
        // The corner stays whole.
        if (i > 0) new_mus.push_back(0.5 * (mus_[i] + mus_[i + 1]));
        if (j > 0) new_nus.push_back(0.5 * (nus_[j] + nus_[j + 1]));
      }
    }
  for (auto [lines, more] : {std::pair{&mus_, &new_mus}, std::pair{&nus_, &new_nus}}) {
    lines->insert(lines->end(), more->begin(), more->end());
    std::ranges::sort(*lines);
    lines->erase(std::unique(lines->begin(), lines->end()), lines->end());
  }
  return new_mus.empty() && new_nus.empty();
}

// Along the cones gap = (mu^2 + nu^2)/2 (1 + d), |d| <= |mu^2 + nu^2|/11, since both have the same
// phase there: arg gap is -2 turn - 2 slope |s| but for asin |d|. |r2/step - 1| <= |mu^2 + nu^2|
// (1 + |d|)/4 bounds log r2 and r2^p. All of this falls with |s|: it is enough to look at the side.
bool EllipticSheet::cones_hold() const {
  if (cones_.empty()) return true;
  const SphericalGeometry& geometry = plane_.geometry();
  const double p = geometry.p, c = geometry.deficit, k = geometry.shape, s = geometry.step;
  const double square = (plane_.flat() ? 1.0 : 2.0) * corner_ * corner_;  // |mu^2 + nu^2| at most
  const double d = square / 11.0;
  // |cosh mu + cos nu - 2| <= (|mu|^2 + |nu|^2)/2 (1 + ...), r1 <= step/4 square (1 + d).
  const double far = 0.25 * square * (1.0 + d), near = 0.25 * s * square * (1.0 + d);
  const double turned = c * (2.0 * cone_turn - std::asin(std::min(1.0, d)));
  const double others =
      c * -std::log1p(-std::min(0.9, far)) +
      k * (std::pow(s, p) * std::expm1(-p * std::log1p(-std::min(0.9, far))) + std::pow(near, p));
  return square < 0.5 && turned > others * (1.0 + 1e-9);
}

std::vector<SheetPatch> EllipticSheet::patches_beyond(double mu) const {
  std::vector<SheetPatch> beyond;
  const double longest = 2.0 * longest_side;
  for (double from = last(); from < mu; from += longest) {
    const double to = from + longest;
    const auto corners = [&](double nu0, double nu1) {
      return std::array<Point, 4>{Point{from, nu0}, {to, nu0}, {from, nu1}, {to, nu1}};
    };
    beyond.push_back(plane_.flat()
                         ? SheetPatch::quadrilateral(PlanePart::beyond, corners(0.0, 0.0))
                         : SheetPatch::quadrilateral(PlanePart::whole, corners(0.0, right_angle)));
  }
  return beyond;
}

}  // namespace modicum
