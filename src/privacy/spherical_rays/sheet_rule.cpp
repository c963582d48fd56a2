#include "privacy/spherical_rays/sheet_rule.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/gauss_legendre.h"

namespace modicum {
namespace {

using Complex = std::complex<double>;

constexpr std::size_t most_sheet_cells = 20000, most_sheet_nodes = 400000;
constexpr double most_sheet_points = 24.0, fewest_sheet_points = 2.0;
constexpr double farthest_place = 60.0;
constexpr int cells_of_tip = 8;

double larger_order(const Complex& z) { return std::max(z.real(), -1.0 - z.real()); }

// Where |mu|^2 + |nu|^2 <= square <= 1/2 on a cone the logarithm of the integrand but for its main
// part, 2 (k p - c z) tau, changes with tau by no more: |d log gap - 2| <= 0.2 square, |d log sum|
// <= 0.64 square, |mu coth mu - 1| + |nu cot nu - 1| <= 0.36 square.
double slack_near_tip(const EllipticPlane& plane, double square, double order) {
  const SphericalGeometry& geometry = plane.geometry();
  const double p = geometry.p, c = geometry.deficit, k = geometry.shape,
               dimension = geometry.dimension;
  const double near = k * std::pow(0.27 * geometry.step * square, p),
               far = k * std::pow(geometry.step * (1.0 + 0.28 * square), p);
  const double of_loss = square * (0.84 * c + 0.64 * p * far) + 2.1 * p * near;
  const double power = plane.flat() ? 1.0 : dimension - 2.0;
  const double of_weight =
      2.1 * p * near + square * (0.2 * (k * p + dimension) + 0.84 + 0.36 * power);
  return (order * of_loss + of_weight) * (1.0 + 1e-9);
}

}  // namespace

SheetRule::SheetRule(const EllipticSheet& sheet, const std::vector<Complex>& orders,
                     const std::vector<double>& log_tolerances, double rate)
    : sheet_(sheet), orders_(orders), sum_(rate) {
  double largest = 0.0;
  works_ = sheet.works();
  for (const Complex& z : orders) {
    works_ = works_ && std::abs(z) < 1e15;  // not NaN either
    orders_.push_back(SheetSum::mirrored(z));
    largest = std::max({largest, std::abs(z), std::abs(z + 1.0)});
  }
  for (int half = 0; half < 2; ++half)
    for (std::size_t i = 0; i < orders.size(); ++i) {
      log_tolerances_.push_back(log_tolerances[i] - M_LN2);
      log_scales_.push_back(rate * orders[i].real());
    }
  errors_.assign(orders_.size(), 0.0);
  if (!works_) return;

  beyond_ = sheet.patches_beyond(last_place());
  const double tip = sheet.cones().empty() ? 0.0 : tip_of_cones();
  for (const std::vector<SheetPatch>* patches :
       std::array<const std::vector<SheetPatch>*, 3>{&beyond_, &sheet.patches(), &sheet.cones()})
    for (const SheetPatch& patch : *patches) cut(patch, tip);
  for (std::size_t i = 0; i < orders.size(); ++i) {
    errors_[i] = (errors_[i] + errors_[i + orders.size()]) * (1.0 + 1e-6);
    works_ = works_ && errors_[i] < infinity;
  }
  errors_.resize(orders.size());
  if (works_) sum_.gather(largest);
}

void SheetRule::leave_out(const std::vector<double>& logs) {
  for (std::size_t i = 0; i < logs.size(); ++i)
    errors_[i] += std::exp(logs[i] - log_scales_[i]) * (1.0 + 1e-9);
}

// Where what is beyond may be left out.
double SheetRule::last_place() {
  const std::size_t count = orders_.size() / 2;
  std::vector<double> logs(count);
  for (double mu = sheet_.last(); mu < farthest_place; mu += 0.1) {
    bool all = true;
    for (std::size_t i = 0; all && i < count; ++i) {
      logs[i] = sheet_.plane().log_mass_beyond(mu, larger_order(orders_[i]));
      all = logs[i] <= log_tolerances_[i];
    }
    if (!all) continue;
    leave_out(logs);
    return mu;
  }
  works_ = false;
  return sheet_.last();
}

// The integrand falls towards the tip, by its main part at the rate 2 (k p - c Re z + 3 c Im z).
double SheetRule::tip_of_cones() {
  const SphericalGeometry& geometry = sheet_.plane().geometry();
  const std::vector<SheetPatch>& cones = sheet_.cones();
  double corner = 0.0;
  for (const SheetPatch& cone : cones)
    for (const auto& point : cone.corners())
      corner = std::max(corner, std::norm(point.mu) + std::norm(point.nu));
  const bool flat = sheet_.plane().flat();
  const double half_t = flat ? 0.0 : 0.5 / cells_of_tip,
               log_width = flat ? 0.0 : std::log(2.0 * half_t);
  std::vector<double> logs(orders_.size());
  for (double s = -0.5; s > -345.0; s *= 1.1) {
    const double square = corner * std::exp(2.0 * s) * (1.0 + 1e-9);
    std::vector<double> sizes(orders_.size(), 0.0);
    bool all = square <= 0.5;
    for (std::size_t n = 0; all && n < cones.size(); ++n)
      for (int i = 0; all && i < (flat ? 1 : cells_of_tip); ++i) {
        const SheetCell cell(sheet_.plane(), {&cones[n], s, 0.0, (2 * i + 1) * half_t, half_t},
                             orders_);
        all = cell.bounds_along(1.0, logs);
        for (std::size_t j = 0; j < logs.size(); ++j)
          sizes[j] += std::exp(logs[j] + log_width - log_scales_[j]);
      }
    for (std::size_t j = 0; all && j < orders_.size(); ++j) {
      const Complex& z = orders_[j];
      const double main =
          2.0 * (geometry.shape * geometry.p + geometry.deficit * (3.0 * z.imag() - z.real()));
      const double slack = std::sqrt(10.0) * slack_near_tip(sheet_.plane(), square, std::abs(z));
      const double rate = main * (1.0 - 1e-9) - slack;
      sizes[j] /= rate;
      all = rate > 0.25 * main && sizes[j] <= std::exp(log_tolerances_[j] - log_scales_[j]);
    }
    if (!all) continue;
    for (std::size_t j = 0; j < orders_.size(); ++j) errors_[j] += sizes[j] * (1.0 + 1e-6);
    return s;
  }
  works_ = false;
  return -1.0;
}

// The fewest points for an error of at most `log_enough` at every order, relative to the length.
template <class Bounds>
double SheetRule::points_for(const Bounds& bounds, const std::vector<double>& log_enough,
                             std::vector<double>& log_errors) const {
  double fewest = infinity;
  std::vector<double> logs(orders_.size());
  for (const double spread : gauss_spreads) {
    if (!bounds(spread, logs)) break;  // on larger ones too
    const double rho = sum_of_axes(spread);
    double points = fewest_sheet_points;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const double excess = logs[i] + log_gauss_error(rho, 0.0) - log_enough[i];
      points = std::max(points, std::ceil(0.5 * excess / std::log(rho)));
      if (!(excess < infinity)) points = infinity;  // NaN too
    }
    if (!(points < fewest)) continue;
    fewest = points;
    for (std::size_t i = 0; i < logs.size(); ++i)
      log_errors[i] = logs[i] + log_gauss_error(rho, points);
  }
  return fewest;
}

// Bounded at every order; then that is its error.
bool SheetRule::weighs_nothing(const SheetCell& cell, double log_area) {
  std::vector<double> logs(orders_.size(), infinity);
  if (cell.bounds_along(1.0, logs))
    for (double& log : logs) log += log_area;
  if (cell.is_at_center()) {
    const SheetPatch::Point corner = cell.farthest();
    for (std::size_t i = 0; i < logs.size(); ++i)
      logs[i] =
          std::min(logs[i], sheet_.plane().log_mass_at_center(corner.mu.real(), corner.nu.real(),
                                                              larger_order(orders_[i])));
  }
  for (std::size_t i = 0; i < logs.size(); ++i)
    if (!(logs[i] <= log_tolerances_[i])) return false;
  leave_out(logs);
  return true;
}

// One direction after the other: an error along for every t, and one across for every node of the
// rule along, whose weights are positive. |F| is the root of F(s) and the conjugate of F at the
// conjugate of s: it has the same bounds, and the same errors.
SheetRule::Points SheetRule::points_of(const SheetCell& cell, double log_area) const {
  std::vector<double> each(log_tolerances_);
  for (double& log_enough : each) log_enough -= log_area + (flat() ? 0.0 : M_LN2);
  std::vector<double> along(orders_.size(), infinity), across(orders_.size(), -infinity);
  Points points;
  points.along = points_for(
      [&](double spread, std::vector<double>& logs) { return cell.bounds_along(spread, logs); },
      each, along);
  points.across = flat() ? 1.0
                         : points_for(
                               [&](double spread, std::vector<double>& logs) {
                                 return cell.bounds_across(spread, logs);
                               },
                               each, across);
  for (std::size_t i = 0; i < orders_.size(); ++i)
    points.log_errors.push_back(flat() ? log_area + along[i]
                                       : log_area + std::max(along[i], across[i]) +
                                             std::log1p(std::exp(-std::abs(along[i] - across[i]))) +
                                             1e-9);
  return points;
}

void SheetRule::add_nodes(const SheetCell::Range& range, int along, int across) {
  const GaussRule& first = gauss_legendre(along);
  for (std::size_t i = 0; i < first.points.size(); ++i) {
    const double s = range.s + range.half_s * first.points[i],
                 weight = first.weights[i] * range.half_s;
    if (flat()) {
      sum_.add(sheet_node(sheet_.plane(), *range.patch, s, 0.0, weight));
      continue;
    }
    const GaussRule& second = gauss_legendre(across);
    for (std::size_t j = 0; j < second.points.size(); ++j)
      sum_.add(sheet_node(sheet_.plane(), *range.patch, s,
                          range.t + range.half_t * second.points[j],
                          weight * second.weights[j] * range.half_t));
  }
  nodes_ += first.points.size() * static_cast<std::size_t>(across);
}

void SheetRule::cut(const SheetPatch& patch, double tip) {
  const double from = patch.is_cone() ? tip : 0.0, to = patch.is_cone() ? 0.0 : 1.0;
  const double half_t = flat() ? 0.0 : 0.5;
  std::vector<SheetCell::Range> todo{
      {&patch, 0.5 * (from + to), 0.5 * (to - from), half_t, half_t}};
  while (!todo.empty() && works_) {
    if (++cells_ > most_sheet_cells || nodes_ > most_sheet_nodes) {
      works_ = false;
      return;
    }
    const SheetCell::Range range = todo.back();
    todo.pop_back();
    const SheetCell cell(sheet_.plane(), range, orders_);
    const double log_area =
        std::log(2.0 * range.half_s * (flat() ? 1.0 : 2.0 * range.half_t)) + 1e-12;
    if (weighs_nothing(cell, log_area)) continue;
    const Points points = points_of(cell, log_area);
    if (std::max(points.along, points.across) <= most_sheet_points) {
      leave_out(points.log_errors);
      add_nodes(range, static_cast<int>(points.along), static_cast<int>(points.across));
      continue;
    }
    SheetCell::Range first = range, second = range;
    if (flat() ||
        (points.along != points.across ? points.along > points.across : cell.longer_along())) {
      first.half_s = second.half_s = 0.5 * range.half_s;
      first.s -= first.half_s;
      second.s += second.half_s;
    } else {
      first.half_t = second.half_t = 0.5 * range.half_t;
      first.t -= first.half_t;
      second.t += second.half_t;
    }
    todo.push_back(first);
    todo.push_back(second);
  }
}

}  // namespace modicum
