// The profile of a few copies of l2 noise, whose moment is made of Bessel functions: on two rays
// that lean away from each other, with a proof (docs/derivations/spherical.md).
#pragma once

#include <complex>
#include <optional>
#include <vector>

#include "numerics/ball.h"
#include "privacy/laws/loss_law.h"

namespace modicum {

/// With w = range (z + 1/2) the moment is even in w and, above the real axis, the sum of a part
/// that grows like e^w and one that falls like e^-w: the terms of a power of it fall along a ray to
/// the right, or along one to the left.
class L2Path {
 public:
  /// Nodes that serve this shift and close ones; empty where none are found.
  static std::optional<L2Path> make(const L2Noise& noise, double count, double shift);
  Ball at(double shift) const;
  double home() const { return home_; }
  /// Of the value at home, relatively.
  double width() const { return width_; }
  std::size_t size() const { return nodes_.size(); }

 private:
  using Complex = std::complex<double>;
  // Upwards from the real axis with all terms; then those on the right or on the left.
  enum class Side { start, right, left };
  struct Node {
    Side side;
    ComplexBall place, weight;  // with the kernel
    // The moment itself, at the start; the growing and the falling part without e^w and e^-w.
    ComplexBall growing, falling;
  };
  // The logarithm of a bound, but for what depends on the shift, and where the places lie.
  struct LeftOut {
    Side side;
    double log_size, least_real, largest_real;
    double log_at_least = 0.0, log_at_largest = 0.0;  // at the start: of the moment there
  };

  L2Path(const L2Noise& noise, double count, double shift);
  bool lay();
  void find_start();
  bool walk(Side side, Complex start, Complex direction, double length);
  std::optional<LeftOut> left_out_around(Side side, Complex middle, double half) const;
  LeftOut left_out_beyond(Side side, Complex end) const;
  void split(Node& node) const;
  void add_nodes(Side side, Complex start, Complex direction, double from, double to);
  ComplexBall moment(const ComplexBall& w) const;
  Ball moment(const Ball& w) const;
  double log_part(double distance, double sine) const;
  double log_shifted(const LeftOut& place, double shift) const;
  double log_error(const LeftOut& place, double shift) const;
  /// How many terms are on the left: those that grow with w, or stay. Not a number if that is not
  /// certain.
  double terms_on_the_left(const Ball& slope) const;
  ComplexBall terms(const Node& node, const Ball& slope) const;

  double count_, order_;
  Ball half_range_, first_, second_;  // what I_n and I_{n+1}/w are multiplied by, times w^-n
  double home_, width_ = infinity, start_ = 0.0, rise_ = 0.0, log_tolerated_ = 0.0;
  std::vector<double> log_binomials_;
  std::vector<Node> nodes_;
  std::vector<LeftOut> left_out_;
};

}  // namespace modicum
