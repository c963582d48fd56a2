#include "privacy/spherical/sheet_rule.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "numerics/gauss_legendre.h"

namespace modicum {
namespace sheet_rules {
namespace {

constexpr std::size_t most_cells = 6000, most_nodes = 200000;
constexpr double most_points = 24.0, fewest_points = 3.0;
// Half axes of the ellipses on which the integrand is bounded, in half cells.
constexpr std::array<double, 4> spreads{1.3, 1.8, 2.8, 5.0};

double axes_of(double spread) { return spread + std::sqrt(spread * spread - 1.0); }

// Relative to the length: polynomials of degree 2n - 1 come within 2 rho^{1-2n}/(rho - 1).
double log_gauss_error(double rho, double points) {
  return std::log(4.0 / (rho - 1.0)) + (1.0 - 2.0 * points) * std::log(rho);
}

double raised(double log_bound) { return log_bound + 1e-6 * (1.0 + std::abs(log_bound)); }

}  // namespace
}  // namespace sheet_rules

SheetRule::SheetRule(const SphericalSheet& sheet, std::vector<Complex> orders,
                     std::vector<double> log_tolerances)
    : sheet_(sheet), orders_(std::move(orders)), log_tolerances_(std::move(log_tolerances)) {
  const SphericalSheet::Reach reach = sheet.reach_for(orders_, log_tolerances_);
  for (const Complex& order : orders_) {
    errors_.push_back(sheet.outside(reach, order));
    works_ = works_ && order.real() >= 0.0 && errors_.back() < infinity;
  }
  for (const SphericalSheet::Band& band : sheet.bands(reach))
    for (const SphericalSheet::Piece& piece : band.pieces)
      if (works_) cut(band, piece);
  for (double& error : errors_) {
    error *= 1.0 + 1e-6;
    works_ = works_ && error < infinity;
  }
  gather();
}

SheetRule::Middle SheetRule::middle_of(const Cell& cell) const {
  const SphericalGeometry& geometry = sheet_.geometry();
  const Complex x = cell.piece->start + cell.piece->direction * cell.t;
  Middle at{sheet_.place_at(x, cell.angle, 0.0, 0.0), {}, {}, {}, std::abs(cell.piece->direction)};
  at.slopes = sheet_.slopes_at(at.place);
  const Complex density = geometry.p * (geometry.shape - at.place.near);
  for (const Complex& order : orders_) {
    at.by_t.push_back((density + order * at.slopes.x) * cell.piece->direction);
    at.by_v.push_back(order * at.slopes.v);
  }
  return at;
}

// By how much the loss leaves its Taylor polynomial of degree two: D (m^-3 + m^-4 + ...) if it
// changes by at most D within m times as much [Cauchy].
double SheetRule::rest_within(const Middle& at, double reach, double turn) const {
  double least = infinity;
  for (const double wider : {2.0, 4.0, 12.0}) {
    const double change = sheet_.change_within(at.place, wider * reach, wider * turn);
    if (!(change < infinity)) break;
    least = std::min(least, change / (wider * wider * (wider - 1.0)));
  }
  return least;
}

// Of the integrand where t lies in an ellipse around the cell and v in the cell; without an ellipse
// if spread is 1.
bool SheetRule::bounds_along(const Cell& cell, const Middle& at, double spread,
                             std::vector<double>& logs) const {
  const double a = spread * cell.half_t, b = std::sqrt(spread * spread - 1.0) * cell.half_t,
               reach = a * at.stretch, turn = cell.half_angle;
  if (!(sheet_.geometry().p * reach < 300.0)) return false;
  const double rest = rest_within(at, reach, turn);
  if (!(rest < infinity)) return false;
  const double curved =
      0.5 * std::abs(at.slopes.xx) * reach * reach + std::abs(at.slopes.xv) * reach * turn + rest;
  const double angle = sheet_.log_angle_ceiling(cell.angle, 0.0),
               nearest = sheet_.log_angle_ceiling(std::max(std::abs(cell.angle) - turn, 0.0), 0.0);
  const double grown =
      std::abs(at.place.near) * expm1_minus(sheet_.geometry().p * reach) + nearest - angle;
  for (std::size_t i = 0; i < orders_.size(); ++i)
    logs[i] =
        sheet_rules::raised((at.place.log_weight + orders_[i] * at.place.loss).real() +
                            std::abs(at.by_t[i].real()) * a + std::abs(at.by_t[i].imag()) * b +
                            std::abs(at.by_v[i].real()) * turn +
                            0.5 * std::abs((orders_[i] * at.slopes.vv).real()) * turn * turn +
                            std::abs(orders_[i]) * curved + grown);
  return true;
}

// And where v lies in an ellipse and t in the cell.
bool SheetRule::bounds_across(const Cell& cell, const Middle& at, double spread,
                              std::vector<double>& logs) const {
  const double a = spread * cell.half_angle, b = std::sqrt(spread * spread - 1.0) * cell.half_angle,
               reach = cell.half_t * at.stretch;
  const double rest = rest_within(at, reach, a);
  if (!(rest < infinity)) return false;
  const double curved =
      0.5 * std::abs(at.slopes.vv) * a * a + std::abs(at.slopes.xv) * reach * a + rest;
  const Complex square = cell.piece->direction * cell.piece->direction;
  const double grown = std::abs(at.place.near) * expm1_minus(sheet_.geometry().p * reach) +
                       sheet_.log_angle_ceiling(cell.angle, a) -
                       sheet_.log_angle_ceiling(cell.angle, 0.0);
  for (std::size_t i = 0; i < orders_.size(); ++i)
    logs[i] = sheet_rules::raised(
        (at.place.log_weight + orders_[i] * at.place.loss).real() +
        std::abs(at.by_t[i].real()) * cell.half_t + std::abs(at.by_v[i].real()) * a +
        std::abs(at.by_v[i].imag()) * b +
        0.5 * std::abs((orders_[i] * at.slopes.xx * square).real()) * cell.half_t * cell.half_t +
        std::abs(orders_[i]) * curved + grown);
  return true;
}

// The fewest points for an error of at most `log_enough` at every order, relative to the length.
template <class Bounds>
double SheetRule::points_for(const Bounds& bounds, const std::vector<double>& log_enough,
                             std::vector<double>& log_errors) const {
  double fewest = infinity;
  std::vector<double> logs(orders_.size());
  for (const double spread : sheet_rules::spreads) {
    if (!bounds(spread, logs)) break;  // on larger ones too
    const double rho = sheet_rules::axes_of(spread);
    double points = sheet_rules::fewest_points;
    for (std::size_t i = 0; i < logs.size(); ++i) {
      const double excess = logs[i] + sheet_rules::log_gauss_error(rho, 0.0) - log_enough[i];
      points = std::max(points, std::ceil(0.5 * excess / std::log(rho)));
      if (!(excess < infinity)) points = infinity;  // NaN too
    }
    if (!(points < fewest)) continue;
    fewest = points;
    for (std::size_t i = 0; i < logs.size(); ++i)
      log_errors[i] = logs[i] + sheet_rules::log_gauss_error(rho, points);
  }
  return fewest;
}

// Bounded at every order; then that is its error.
bool SheetRule::weighs_nothing(const Cell& cell, const Middle& at, double log_area) {
  std::vector<double> logs(orders_.size(), infinity);
  bounds_along(cell, at, 1.0, logs);
  const SphericalSheet::Piece& piece = *cell.piece;
  if (piece.direction.imag() == 0.0 && piece.start.imag() == 0.0)
    for (std::size_t i = 0; i < logs.size(); ++i)
      logs[i] =
          std::min(logs[i], sheet_.log_real_bound(piece.start.real() + cell.t, cell.half_t,
                                                  cell.angle, cell.half_angle, orders_[i].real()));
  for (std::size_t i = 0; i < logs.size(); ++i)
    if (!(logs[i] + log_area <= log_tolerances_[i])) return false;
  for (std::size_t i = 0; i < logs.size(); ++i)
    errors_[i] += std::exp(logs[i] + log_area) * (1.0 + 1e-9);
  return true;
}

// One direction after the other: an error along for every angle, and one across for every node of
// the rule along, whose weights are positive. |F| is the root of F(t) and the conjugate of F at the
// conjugate of t: it has the same bounds, and the same errors.
SheetRule::Rule SheetRule::rule_for(const Cell& cell, const Middle& at, double log_area) const {
  const bool flat = sheet_.flat();
  std::vector<double> each(log_tolerances_);
  for (double& log_enough : each) log_enough -= log_area + (flat ? 0.0 : M_LN2);
  std::vector<double> along(orders_.size(), infinity), across(orders_.size(), -infinity);
  Rule rule;
  rule.along =
      points_for([&](double spread,
                     std::vector<double>& logs) { return bounds_along(cell, at, spread, logs); },
                 each, along);
  rule.across = flat ? 1.0
                     : points_for(
                           [&](double spread, std::vector<double>& logs) {
                             return bounds_across(cell, at, spread, logs);
                           },
                           each, across);
  for (std::size_t i = 0; i < orders_.size(); ++i)
    rule.log_errors.push_back(log_area + std::max(along[i], across[i]) + (flat ? 0.0 : M_LN2));
  return rule;
}

// The side that needs more nodes; where none will do, whichever makes the change of the loss
// smaller, the longer one where neither does.
bool SheetRule::halves_along(const Cell& cell, const Middle& at, const Rule& rule) const {
  if (sheet_.flat()) return true;
  if (rule.along != rule.across) return rule.along > rule.across;
  const double reach = 3.0 * cell.half_t * at.stretch, turn = 3.0 * cell.half_angle;
  const double by_radius = sheet_.change_within(at.place, 0.5 * reach, turn),
               by_angle = sheet_.change_within(at.place, reach, 0.5 * turn);
  if (by_radius == by_angle) return cell.half_t * at.stretch >= cell.half_angle;
  return by_radius < by_angle;
}

void SheetRule::add_nodes(const Cell& cell, int along, int across) {
  const GaussRule& radii = gauss_legendre(along);
  const Complex log_direction = std::log(cell.piece->direction);
  for (std::size_t i = 0; i < radii.points.size(); ++i) {
    const Complex x =
        cell.piece->start + cell.piece->direction * (cell.t + cell.half_t * radii.points[i]);
    const double half_x = std::abs(cell.piece->direction) * (std::abs(cell.t) + cell.half_t);
    const auto add = [&](double angle, double weight) {
      const SphericalSheet::Place at = sheet_.place_at(x, angle, half_x, cell.half_angle);
      nodes_.push_back({at.loss, at.log_weight + log_direction + std::log(weight),
                        at.rounding + 16.0 + 4.0 * std::abs(std::log(weight)), at.loss_rounding});
    };
    const double weight = radii.weights[i] * cell.half_t;
    if (sheet_.flat()) {
      add(cell.angle, weight);
      continue;
    }
    const GaussRule& angles = gauss_legendre(across);
    for (std::size_t j = 0; j < angles.points.size(); ++j)
      add(cell.angle + cell.half_angle * angles.points[j],
          weight * angles.weights[j] * cell.half_angle);
  }
}

void SheetRule::cut(const SphericalSheet::Band& band, const SphericalSheet::Piece& piece) {
  std::vector<Cell> todo{{&piece, 0.5 * (piece.from + piece.to), 0.5 * (piece.to - piece.from),
                          0.5 * (band.from + band.to), 0.5 * (band.to - band.from)}};
  while (!todo.empty()) {
    if (++cells_ > sheet_rules::most_cells || nodes_.size() > sheet_rules::most_nodes) {
      works_ = false;
      return;
    }
    const Cell cell = todo.back();
    todo.pop_back();
    const Middle at = middle_of(cell);
    const double log_area =
        std::log(2.0 * cell.half_t * at.stretch * (sheet_.flat() ? 1.0 : 2.0 * cell.half_angle));
    if (weighs_nothing(cell, at, log_area)) continue;
    const Rule rule = rule_for(cell, at, log_area);
    if (std::max(rule.along, rule.across) <= sheet_rules::most_points) {
      for (std::size_t i = 0; i < orders_.size(); ++i)
        errors_[i] += std::exp(rule.log_errors[i]) * (1.0 + 1e-9);
      add_nodes(cell, static_cast<int>(rule.along), static_cast<int>(rule.across));
      continue;
    }
    Cell first = cell, second = cell;
    if (halves_along(cell, at, rule)) {
      first.half_t = second.half_t = 0.5 * cell.half_t;
      first.t -= first.half_t;
      second.t += second.half_t;
    } else {
      first.half_angle = second.half_angle = 0.5 * cell.half_angle;
      first.angle -= first.half_angle;
      second.angle += second.half_angle;
    }
    todo.push_back(first);
    todo.push_back(second);
  }
}

}  // namespace modicum
