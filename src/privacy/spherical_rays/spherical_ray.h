// The profile of a few copies of spherical noise: on a ray that leans to the right of the saddle
// point, with a proof (docs/derivations/spherical.md#a-few-copies-along-a-ray).
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "numerics/ball.h"
#include "privacy/spherical/spherical_pair.h"

namespace modicum {

class SphericalRay {
 public:
  /// Nodes that serve this shift and close ones; empty where none are found.
  static std::optional<SphericalRay> make(const SphericalPair& pair, double count, double shift);
  /// About the shift at which the profile is delta, and how fast its logarithm falls there.
  struct Guess {
    double shift, slope;
  };
  static std::optional<Guess> guess(const SphericalPair& pair, double count, double delta);
  Ball at(double shift) const;
  double home() const { return home_; }
  /// Of the value at home, relatively.
  double width() const { return width_; }
  std::size_t size() const { return nodes_.size(); }

  struct Node {
    ComplexBall place, value;  ///< with weight and kernel, but for the shift
  };
  /// The logarithm of a bound, but for the shift, at some orders in whose hull it holds.
  struct LeftOut {
    std::array<double, 4> logs, reals;
    double log_at(double shift) const;
  };

 private:
  explicit SphericalRay(double shift) : home_(shift) {}

  double home_, width_ = infinity;
  std::vector<Node> nodes_;
  std::vector<LeftOut> left_out_;
};

}  // namespace modicum
