// E_X[exp(zL)] of spherical noise along a line Re z = center, proved:
// docs/derivations/spherical.md.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <vector>

#include "privacy/spherical/spherical_cells.h"

namespace modicum {

/// For z = center + iy, |y| <= height: what a rule of many nodes gives, gathered in cells of the
/// loss by their moments.
class SphericalMomentStretch {
 public:
  /// center >= 0 and below the end of the moments; the tolerance is that of a cell of the rule. The
  /// geometry need not outlive this.
  SphericalMomentStretch(const SphericalGeometry& geometry, double center, double height,
                         double tolerance);
  double height() const { return height_; }
  /// Whether a rule was found.
  bool works() const { return error_ < infinity; }
  /// The sum of the rule, relative to exp(log_scale()), and how far it may be off; |y| <= height.
  std::complex<double> sum_at(double y) const;
  double error_at(double y) const;
  /// At y = 0, in the same way.
  double total() const { return total_; }
  double error() const { return error_; }
  double log_scale() const { return log_scale_; }
  double variance() const { return variance_; }
  /// At least the derivative of the sum in y.
  double slope() const { return (reach_ + 4.0 / std::max(height_, 1e-300)) * total_ * 2.0; }

 private:
  static constexpr int terms = 18;
  using Moments = std::array<double, terms>;  // of (loss - middle)^n / n!

  double height_, width_, log_scale_ = 0.0, error_ = infinity, total_ = 0.0, variance_ = 0.0,
                          reach_ = 0.0;
  double first_middle_ = 0.0;
  std::vector<Moments> cells_;  // `width` apart
};

/// How much a line may be off: less where many copies are small.
struct LineUse {
  double count = 0.0;  // of copies; 0: as sharp everywhere
  double unit = 0.0;   // about one over the deviation of the loss
};

/// The same by several stretches, the higher ones less sharp where that is enough.
class SphericalMomentLine {
 public:
  SphericalMomentLine(const SphericalGeometry& geometry, double center, double height,
                      const LineUse& use = {});
  double center() const { return center_; }
  double height() const { return stretches_.back().height(); }
  /// Indeterminate if no rule was found, and beyond the height.
  ComplexBall at(const Ball& y) const;
  /// At y = 0.
  Ball value() const;
  /// At least |E_X[exp(zL)]| / exp(log_scale) for all y from `from` to the height.
  double largest_from(double from) const;
  double log_scale() const { return stretches_.front().log_scale(); }
  /// Variance of the loss under the tilted law, about.
  double variance() const { return stretches_.front().variance(); }

 private:
  const SphericalMomentStretch& stretch_for(double y) const;
  double center_;
  std::vector<SphericalMomentStretch> stretches_;  // upwards
};

/// At least log |E_X[exp((center + iy) L)]| for all |y| >= height > 0, proved. In two dimensions
/// and more.
double spherical_log_moment_beyond(const SphericalGeometry& geometry, double center, double height);
/// About the same, quickly.
double spherical_decay_estimate(const SphericalGeometry& geometry, double center, double height);

}  // namespace modicum
