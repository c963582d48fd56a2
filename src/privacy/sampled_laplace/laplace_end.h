// One of the two parts that the moment of a sampled Laplace loss has above the real axis
// (docs/derivations/subsampled.md).
#pragma once

#include <optional>
#include <vector>

#include "numerics/disc.h"

namespace modicum {

/// The factor of an atom's e^{a loss} that stands for the atom and for the end of the density next
/// to it, where Im a > 0: with k > 1 the steepness of that end,
///
///     1 +- (k/2) i Integral over t > 0 of e^{i(a+1)t} (1 + k (e^{it} - 1))^{-3/2} dt,
///
/// + at the lower end and - at the upper one.
class LaplaceEnd {
 public:
  using Complex = std::complex<double>;
  enum class Which { lower, upper };
  /// `excess` is k - 1.
  LaplaceEnd(Which which, const Ball& excess);
  double steepness() const { return steepness_; }

  /// Gauss's rule on some panels, with what it may be wrong by.
  class Rule {
   public:
    Disc at(Complex a) const;

   private:
    friend class LaplaceEnd;
    struct Node {
      double place, panel_end;
      Complex weight;
      double rest = 0.0;  // all weights from here on
    };
    std::vector<Node> nodes_;
    double left_out_ = 0.0;
  };
  /// For all a with Im a >= height and |a + 1| <= size; none where they are too close to the real
  /// axis.
  std::optional<Rule> rule(double height, double size) const;

  /// At least the size of the factor, and of its derivative, for all a with Im a >= height.
  double most(double height) const;
  double most_slope(double height) const;

  /// A height from which there is a rule.
  double least_height() const;

 private:
  double size_squared(double place) const;

  double sign_, steepness_, excess_;
};

}  // namespace modicum
