// The profile of subsampled Gaussian losses, with other parts beside them, proved: a path that
// leans to the right from its saddle point, with the integrand at the nodes of Gauss's rule
// (docs/derivations/proved-path.md).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "modicum/privacy/accuracy.h"
#include "privacy/engines/kept_lines.h"
#include "privacy/quantity_value.h"

namespace modicum {

/// The upper half of the path is a = start + r (1 + i rise), r >= 0, where a = z + 1, or a = -z for
/// a reversed loss.
class ProvedPath {
 public:
  /// Empty where the integrand does not fall, or that is not proved, or not in the time allowed:
  /// with `certified` about a second, else a tenth of one.
  static std::optional<ProvedPath> through(const DirectedLoss& loss, double shift,
                                           Accuracy accuracy);
  double home() const { return home_; }
  double width() const { return width_; }
  std::size_t size() const { return nodes_.size(); }
  Ball at(double shift) const { return shift == home_ ? at_home_ : integral(shift); }

 private:
  friend class PathWalk;
  struct Node {
    long double along;           // r, but for 2^-60 of itself
    std::complex<double> value;  // weight * integrand, less the factors that integral() puts back
    double error;                // of the value
  };
  // What the nodes leave out of the integral: log of a bound at home, and where Re a - start lies.
  struct LeftOut {
    double log_size, low, high;
  };
  Ball integral(double shift) const;

  bool reversed_ = false;
  double home_ = 0.0, width_ = infinity;
  double start_ = 0.0, center_ = 0.0, rise_ = 2.0;  // center: z at the start
  double least_sigma_ = infinity;                   // the ray is proved from this shift (of a) on
  Ball log_scale_, slope_;                          // of the tangents taken out
  std::vector<Node> nodes_;
  std::vector<LeftOut> left_out_;
  Ball at_home_;
};

/// Those of one loss: each is made where the last ones do not reach. For laws that are sampled
/// shifts, all in one direction, and Gaussian shifts, two-point and Laplace parts beside them.
class ProvedPaths {
 public:
  explicit ProvedPaths(const DirectedLoss& loss);
  const DirectedLoss& loss() const { return paths_.loss(); }
  /// Also where there is no path, but delta is proved to be below 1e-100.
  std::optional<QuantityValue> at(double shift, Accuracy accuracy);

 private:
  KeptLines<ProvedPath> paths_;
  bool provable_;
  std::vector<double> in_vain_;  // shifts for which a cheap proof was sought in vain
};

}  // namespace modicum
