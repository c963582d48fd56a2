// The double integral over log radius and angle that gives E_X[exp(zL)], cut into cells on which
// Gauss's rule is proved: docs/derivations/spherical.md.
#pragma once

#include <cmath>
#include <complex>
#include <functional>

#include "privacy/spherical/spherical_pair.h"

namespace modicum {

/// |exp(zL)| times the density of x = log radius and of an angle, for z = center + iy. Without a
/// turn the angle is v with w = sin v, and |y| <= height. With a turn it is t with w = tanh t,
/// which runs along Im t = turn: there |exp(zL)| falls as y > 0 grows, and y is the height.
struct SphericalIntegrand {
  double center = 0.0, height = 0.0, turn = 0.0;
};

/// One node of a rule: its loss, its weight with |exp(zL)| relative to the scale of the integral,
/// and by how much rounding may have changed that, relatively, phase included.
struct CellNode {
  double loss, weight, rounding;
};

/// Gauss's rule in every cell; cells are halved until the proven error of each is small.
class SphericalCells {
 public:
  /// center >= 0 and below the end of the moments; turn <= pi/4 and <= pi/p, and 0 in one
  /// dimension.
  SphericalCells(const SphericalGeometry& geometry, const SphericalIntegrand& integrand);
  /// Calls `add` with every node and returns a bound of what they leave out of the integral,
  /// relative to exp(log_scale()): infinite if too many cells would be needed. `tolerance` is that
  /// of a cell, which has `points` nodes a side, without a turn at most.
  double visit(double tolerance, int points, const std::function<void(const CellNode&)>& add) const;
  /// About the logarithm of the integral.
  double log_scale() const { return log_scale_; }

 private:
  using Complex = std::complex<double>;
  static constexpr double right_angle = 1.5707963267948966;
  static double square(double x) { return x * x; }
  // A logarithm of a bound with a margin for its own rounding.
  static double raised(double log_bound) { return log_bound + 1e-6 * (1.0 + std::abs(log_bound)); }

  struct Cell {
    double x, angle, half_x, half_angle;
  };
  // What depends on the radius or on the angle alone. Rounding is in units of the last place.
  struct Radius {
    double log_weight, rounding, size, growth, sigma;
  };
  template <class Number>
  struct Cosine {
    Number w, one_more;
    double log_weight, rounding, moved, slope = 0.0;  // slope: |cos v|
  };
  template <class Number>
  struct Loss {
    Number value, change;  // change is (r2/r1)^p - 1
    double rounding;
  };
  Radius radius_at(double x, double half) const;
  template <class Number>
  Cosine<Number> cosine_at(double angle, double half) const;
  template <class Number>
  Loss<Number> loss_at(const Radius& radius, const Cosine<Number>& cosine) const;
  // The middle of a cell.
  template <class Number>
  struct Middle {
    Radius radius;
    Cosine<Number> cosine;
    Loss<Number> loss;
    double size_q;
  };
  template <class Number>
  Middle<Number> middle_of(const Cell& cell) const;
  // Nodes a side, and the error; infinite where none will do.
  struct Rule {
    double along = infinity, across = infinity, log_error = infinity;
    bool works() const { return log_error < infinity; }
  };
  struct Bends {
    double x, v, xx, xv, vv;
  };
  template <class Number>
  double change_within(const Cell& cell, const Middle<Number>& at, double reach, double turn) const;
  double log_turned_bound(const Cell& cell) const;
  double log_real_bound(const Cell& cell) const;
  Bends bends_at(const Middle<double>& at) const;
  double rest_within(const Cell& cell, const Middle<double>& at, double reach, double turn) const;
  double log_bound_along(const Cell& cell, const Middle<double>& at, const Bends& bends,
                         double spread) const;
  double log_bound_across(const Cell& cell, const Middle<double>& at, const Bends& bends,
                          double spread) const;
  Rule rule_for(const Cell& cell, double log_enough, int points) const;
  Rule turned_rule(const Cell& cell, double log_enough, int points) const;
  template <class Number>
  void add_nodes(const Cell& cell, const Rule& rule,
                 const std::function<void(const CellNode&)>& add) const;
  double log_angle_density(double angle) const;
  double log_angle_ceiling(double angle, double reach) const;
  double exponent_of(double loss) const { return integrand_.center * loss; }
  double exponent_of(const std::complex<double>& loss) const {
    return integrand_.center * loss.real() - integrand_.height * loss.imag();
  }
  double largest_loss_at(double x) const;
  double mass_left_of(double x) const;
  double mass_right_of(double x) const;
  double log_mass_beyond_angle(double angle) const;
  double log_largest_moment() const;
  void choose_box(double log_tolerance);
  void choose_scale();
  bool halves_radius(const Cell& cell, const Rule& rule) const;

  const SphericalGeometry& geometry_;
  SphericalIntegrand integrand_;
  double size_;         // of z, or of what multiplies real and imaginary parts of L
  bool flat_, turned_;  // flat: in one dimension w is 1 or -1
  double low_ = 0.0, high_ = 0.0, end_ = 0.0, log_scale_ = 0.0, outside_ = 0.0;
};

// Of sin v, and of tanh t along a turned line.
template <>
SphericalCells::Cosine<double> SphericalCells::cosine_at(double v, double half) const;
template <>
SphericalCells::Cosine<std::complex<double>> SphericalCells::cosine_at(double t, double half) const;

}  // namespace modicum
