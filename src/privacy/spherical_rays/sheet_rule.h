// Gauss's rule in cells of a sheet, proved for all orders in a polygon:
// docs/derivations/spherical.md#the-moved-plane.
#pragma once

#include <complex>
#include <vector>

#include "privacy/spherical_rays/sheet_cell.h"
#include "privacy/spherical_rays/sheet_sum.h"

namespace modicum {

/// One rule for the moments at all orders z in the convex hull of some: |exp(zL)| is the
/// exponential of a convex function of z, and so are the bounds of cells and the error.
class SheetRule {
 public:
  using Complex = std::complex<double>;

  /// The tolerances are those of a cell there. Moments, sizes and errors are relative to exp(rate
  /// Re z). The sheet must outlive this.
  SheetRule(const EllipticSheet& sheet, const std::vector<Complex>& orders,
            const std::vector<double>& log_tolerances, double rate = 0.0);
  bool works() const { return works_; }
  std::size_t size() const { return sum_.size(); }
  /// What is left out at each of these orders, beside rounding: of the moment, and of the integral
  /// of |f exp(zL)| by `size_at`.
  const std::vector<double>& errors() const { return errors_; }
  SheetSum::Value sum_at(const Complex& z, double negligible) const {
    return sum_.at(z, negligible);
  }
  double size_at(const Complex& z, double negligible) const { return sum_.size_at(z, negligible); }

 private:
  struct Points {
    double along = infinity, across = infinity;
    std::vector<double> log_errors;
  };
  template <class Bounds>
  double points_for(const Bounds& bounds, const std::vector<double>& log_enough,
                    std::vector<double>& log_errors) const;
  bool weighs_nothing(const SheetCell& cell, double log_area);
  Points points_of(const SheetCell& cell, double log_area) const;
  void add_nodes(const SheetCell::Range& range, int along, int across);
  /// Counts what is left out at each order.
  void leave_out(const std::vector<double>& logs);
  double last_place();
  double tip_of_cones();
  void cut(const SheetPatch& patch, double tip);
  bool flat() const { return sheet_.plane().flat(); }

  const EllipticSheet& sheet_;
  std::vector<Complex> orders_;  // and those of the half of Y
  std::vector<double> log_tolerances_, log_scales_, errors_;
  std::vector<SheetPatch> beyond_;
  SheetSum sum_;
  std::size_t cells_ = 0, nodes_ = 0;
  bool works_ = true;
};

}  // namespace modicum
