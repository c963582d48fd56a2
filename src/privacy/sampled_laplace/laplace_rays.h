// The profile of some copies of a sampled Laplace loss: up a line and on along two rays that lean
// away from each other, with a proof (docs/derivations/subsampled.md).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "privacy/sampled_laplace/laplace_end.h"
#include "privacy/sampled_laplace/laplace_line.h"
#include "privacy/sampled_laplace/ray_terms.h"

namespace modicum {

/// With a = z + 1, or a = -z for the reversed loss, the profile is the integral of
/// M(a)^count e^{-sigma a}/(a (a - 1)), sigma = shift or -shift, right of 1 or left of 0.
class LaplaceRays {
 public:
  /// Nodes that serve this shift and close ones; empty where none are found.
  static std::optional<LaplaceRays> make(const SampledLaplace& noise, double count, double shift);
  Ball at(double shift) const;
  double home() const { return home_; }
  /// Of the value at home, relatively.
  double width() const { return width_; }
  std::size_t size() const { return line_nodes_.size() + ray_nodes_.size(); }

 private:
  using Complex = std::complex<double>;
  using FineComplex = std::complex<long double>;
  struct LineNode {
    long double height;
    FineComplex weight, power;  // of the moment, divided by that at the start
    double error, slope;        // of the power; a bound on its derivative
  };
  struct RayNode {
    RaySide side;
    Complex weight;
    RayPlace place;
  };
  // The logarithm of a bound, but for what depends on the shift, and where Re a lies.
  struct LeftOut {
    RaySide side;
    double log_size, least_real, largest_real;
    double log_lower = 0.0, log_upper = 0.0;          // on a ray: of the factors of both ends
    double log_at_least = 0.0, log_at_largest = 0.0;  // on the line: of the power
  };
  // What of the two ends is known around a place.
  struct EndRules {
    LaplaceEnd::Rule lower, upper;
  };

  LaplaceRays(const SampledLaplace& noise, double count, double shift);
  bool lay();
  bool find_start(const RayShift& shift);
  bool find_rise();
  bool walk_line(const RayShift& shift);
  bool walk_ray(RaySide side, const RayShift& shift);
  // At least log of what both ends add up to, from that height on.
  double log_ends(double height, double real) const;
  double log_kernel_around(Complex middle, double radius) const;
  std::optional<LeftOut> left_out_on_line(double middle, double half, const RayShift& shift) const;
  LeftOut left_out_beyond(RaySide side, Complex end) const;
  std::optional<EndRules> rules_around(Complex middle, double radius) const;
  void add_to_line(double from, double to);
  void add_to_ray(RaySide side, FineComplex middle, long double half, const EndRules& rules);
  double log_error(const LeftOut& place, const RayShift& shift) const;
  std::optional<RayShift> shifted(double shift) const;

  LaplaceLine::Law law_;
  bool reversed_;
  LaplaceEnd lower_, upper_;
  RayTerms terms_;
  double home_, width_ = infinity;
  double start_ = 0.0, rise_ = 0.0, log_tolerated_ = 0.0;
  double log_lower_mass_, log_upper_mass_, loss_width_;
  std::optional<LaplaceLine> line_;
  std::vector<LineNode> line_nodes_;
  std::vector<RayNode> ray_nodes_;
  std::vector<LeftOut> left_out_;
};

}  // namespace modicum
