// M(a) = Integral of phi(t) B(t)^a dt, B(t) = 1 - q + q e^{mu t - mu^2/2}, at complex a and with a
// proof: the trapezium rule along a contour on which it hardly cancels
// (docs/derivations/proved-path.md).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "numerics/ball.h"
#include "privacy/laws/contour_choice.h"

namespace modicum {

class SampledContour {
 public:
  /// For exponents in the convex hull of the corners, to about exp(-digits) of e^T. Empty where
  /// that would take too many nodes. Where `many` copies of rare samples are asked for, the error
  /// is relative to M - 1, which takes longer.
  static std::optional<SampledContour> make(const SampledShift& pair, const ContourTask& task,
                                            double digits, bool many = false);

  /// About what it cost to make, in nodes.
  double cost() const { return cost_; }
  /// At each corner a number not below log of a function that is at least |M e^{-T}|, and whose
  /// logarithm is convex in a.
  const std::vector<double>& log_bounds() const { return log_bounds_; }
  /// M(a) e^{-T(a)}; a may be off by 2^-60 of itself.
  ComplexBall at(std::complex<long double> a) const;

 private:
  struct Node {
    std::complex<long double> log_weight, log_base;
    double weight_rounding, base_rounding;
    // For M - 1: e^log_weight, B - 1, log B - (B - 1).
    std::complex<long double> weight{}, excess{}, beyond_base{};
  };
  void lay_nodes(const BentContour& contour, double from, double step, long count, bool less_one);
  double sum_of_sizes(std::complex<double> a) const;
  ComplexBall from_one(std::complex<long double> a) const;

  RealTangent tangent_{};
  std::vector<Node> nodes_;
  std::vector<double> log_bounds_;
  double cost_ = 0.0;
  double error_ = 0.0;  // of the rule and of the nodes left out, anywhere in the hull
  double error_of_one_ = infinity, error_of_base_ = infinity;  // the same, of phi and of phi B
  double rate_ = 1.0;
};

/// log of a number U with |M(a) e^{-T(a)}| e^{(T' - drift) Re(a - from)} <= U for all a = from +
/// r (1 + i rise), r >= 0, and all between that ray and the vertical one; infinity if no contour
/// proves one. Im from > 0.
double log_bound_on_ray(const SampledShift& pair, const RealTangent& tangent,
                        std::complex<double> from, double rise, double drift);

/// About the largest |from| for which there is one: beyond, its contour has too many pieces.
double farthest_ray(const SampledShift& pair);

}  // namespace modicum
