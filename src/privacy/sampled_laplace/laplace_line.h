// The moment of a sampled Laplace loss along a vertical line, in long doubles, with a
// proof
// (docs/derivations/subsampled.md).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "numerics/ball.h"
#include "privacy/laws/loss_law.h"

namespace modicum {

/// E_Y[e^{a (L - low)}], low the least loss: two atoms, and the integral over 0 < x < range of
/// e^{-x}/2 (1 + (e^{2x} - 1)/k)^a with k = 1 + (1 - q) e^range/q.
class LaplaceLine {
 public:
  struct Law {
    Ball range, low, width;           // from the least to the largest loss
    Ball lower_excess, upper_excess;  // k - 1, and (1 - q) e^-range/q
    explicit Law(const SampledLaplace& noise);
  };

  /// For a = center + iy with |y| <= height; none where that takes too many nodes.
  static std::optional<LaplaceLine> make(const Law& law, double center, double height);
  /// Divided by e^log_scale(), and a bound on what is wrong with it.
  struct Value {
    std::complex<long double> value;
    double error;
  };
  Value at(long double y) const;
  double log_scale() const { return log_scale_; }
  /// log of the moment at the center, at least.
  double log_most() const;
  /// Of L under the law tilted to the center, about.
  double variance() const;

 private:
  struct Node {
    long double loss, weight;
  };
  double center_ = 0.0, width_ = 0.0;
  double loss_error_ = 0.0;                  // of a loss, relatively
  double log_scale_ = 0.0, left_out_ = 0.0;  // the latter with the same factor taken out
  std::vector<Node> nodes_;
};

}  // namespace modicum
