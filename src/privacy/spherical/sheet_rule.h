// Gauss's rule in cells of a sheet, proved for all orders in a polygon:
// docs/derivations/spherical.md#a-few-copies-along-a-ray.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "privacy/spherical/spherical_sheet.h"

namespace modicum {

/// One rule for the moments at all orders z in the convex hull of some: |exp(zL)| is the
/// exponential of a convex function of z, and so are the bounds of cells and the error.
class SheetRule {
 public:
  using Complex = std::complex<double>;

  /// Works for orders with a real part that is not negative alone; the tolerances are those of a
  /// cell there.
  SheetRule(const SphericalSheet& sheet, std::vector<Complex> orders,
            std::vector<double> log_tolerances);
  bool works() const { return works_; }
  std::size_t size() const { return nodes_.size() + groups_.size(); }
  /// What is left out at each of these orders, beside rounding: of the moment, and of the integral
  /// of |f g exp(zL)| by `size_at`.
  const std::vector<double>& errors() const { return errors_; }
  struct Sum {
    Complex value;
    double rounding;
  };
  /// Terms that may be left out add up to `negligible`, and are counted.
  Sum sum_at(const Complex& z, double negligible) const;
  /// At least the sum of the sizes of all terms, by `negligible` more at most.
  double size_at(const Complex& z, double negligible) const;

 private:
  struct Cell {
    const SphericalSheet::Piece* piece;
    double t, half_t, angle, half_angle;
  };
  struct Node {
    Complex loss, log_weight;
    double rounding, loss_rounding;
  };
  // Nodes with losses close to `middle`: sums of weight (loss - middle)^n / n!, relative to
  // `scale`.
  static constexpr int terms = 16;
  struct Group {
    Complex middle;
    double log_scale, size, rounding, loss_rounding;
    std::array<Complex, terms> moments;
  };
  struct Rule {
    double along = infinity, across = infinity;
    std::vector<double> log_errors;
  };
  struct Middle {
    SphericalSheet::Place place;
    SphericalSheet::Slopes slopes;
    std::vector<Complex> by_t, by_v;  // slopes of the exponent at each order
    double stretch;                   // of x by t
  };
  Middle middle_of(const Cell& cell) const;
  double rest_within(const Middle& at, double reach, double turn) const;
  bool bounds_along(const Cell& cell, const Middle& at, double spread,
                    std::vector<double>& logs) const;
  bool bounds_across(const Cell& cell, const Middle& at, double spread,
                     std::vector<double>& logs) const;
  template <class Bounds>
  double points_for(const Bounds& bounds, const std::vector<double>& log_enough,
                    std::vector<double>& log_errors) const;
  bool weighs_nothing(const Cell& cell, const Middle& at, double log_area);
  Rule rule_for(const Cell& cell, const Middle& at, double log_area) const;
  bool halves_along(const Cell& cell, const Middle& at, const Rule& rule) const;
  void add_nodes(const Cell& cell, int along, int across);
  void gather();
  void cut(const SphericalSheet::Band& band, const SphericalSheet::Piece& piece);

  const SphericalSheet& sheet_;
  std::vector<Complex> orders_;
  std::vector<double> log_tolerances_, errors_;
  std::vector<Node> nodes_;
  std::vector<Group> groups_;
  std::size_t cells_ = 0;
  bool works_ = true;
};

}  // namespace modicum
