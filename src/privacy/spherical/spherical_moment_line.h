// E_X[exp(zL)] of spherical noise along a line Re z = center, proved:
// docs/derivations/spherical.md.
#pragma once

#include <array>
#include <complex>
#include <vector>

#include "privacy/spherical/spherical_cells.h"

namespace modicum {

/// For z = center + iy, |y| <= height: what a rule of many nodes gives, gathered in cells of the
/// loss by their moments.
class SphericalMomentLine {
 public:
  /// center >= 0 and below the end of the moments. The geometry need not outlive this.
  SphericalMomentLine(const SphericalGeometry& geometry, double center, double height);
  double center() const { return center_; }
  double height() const { return height_; }
  /// Indeterminate if no rule was found, and beyond the height.
  ComplexBall at(const Ball& y) const;
  /// At y = 0.
  Ball value() const;
  /// At least |E_X[exp(zL)]| / exp(log_scale) for all y from `from` to the height.
  double largest_from(double from) const;
  double log_scale() const { return log_scale_; }
  /// Variance of the loss under the tilted law, about.
  double variance() const { return variance_; }

 private:
  static constexpr int terms = 18;
  struct LossCell {
    double middle;
    std::array<double, terms> moments;  // of (loss - middle)^n / n!
  };
  std::complex<double> sum_at(double y) const;
  double error_at(double y) const;

  double center_, height_, log_scale_ = 0.0, error_ = infinity, total_ = 0.0, mean_ = 0.0,
                           variance_ = 0.0, reach_ = 0.0;
  std::vector<LossCell> cells_;
};

/// At least log |E_X[exp((center + iy) L)]| for all |y| >= height > 0, proved. In two dimensions
/// and more.
double spherical_log_moment_beyond(const SphericalGeometry& geometry, double center, double height);
/// About the same, quickly.
double spherical_decay_estimate(const SphericalGeometry& geometry, double center, double height);

}  // namespace modicum
