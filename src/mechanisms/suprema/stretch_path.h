// One path of integration for the pairs of a whole stretch of parameters, and for many epsilons
// (docs/derivations/moving-spectra.md).
#pragma once

#include <array>
#include <complex>
#include <optional>
#include <vector>

#include "mechanisms/suprema/moving_moment.h"
#include "numerics/contour.h"
#include "privacy/gaussian/gaussian_moment.h"

namespace modicum {

/// Below this deltas are not told from 0.
inline constexpr double least_delta_told = 1e-300;

/// e^K(c) bounds delta at a shift, from at least K(c) [Chernoff].
double chernoff_bound(double most, double c, double shift);

/// What one path says about a stretch at a shift.
struct StretchBound {
  double upper, lower;  ///< of the largest delta of the stretch
  bool by_distance;  ///< most of what is between them comes from the path's being made for another
};

/// The integral of contour-integral.md along one path, for all parameters of a stretch and for many
/// shifts: nodes of Gauss's rule on the sides of a polygon, each with the integrand and its powers
/// in the parameter.
class StretchPath {
 public:
  /// Made for one shift, its home. Empty where there is none, or none that serves all parameters.
  static std::optional<StretchPath> make(const MovingMoment& moment, double shift, double slack);
  /// Whether the powers of the parameter are too many for any use of nodes.
  bool is_too_wide() const {
    return too_wide_ || !(moment_.series(center()).error_of_exponential() < 0.02);
  }
  /// False where nothing finite comes out, of a stretch that may turn out to be too wide.
  bool add_nodes();
  double center() const { return path_.center; }
  /// Needs nodes.
  StretchBound at(double shift) const;

 private:
  using Complex = std::complex<double>;
  static constexpr std::size_t orders = ParameterSeries::orders;

  struct Node {
    Complex place, value;
    ParameterSeries::Coefficients powers;
    double wrong;  // relative to the size of the value
  };
  // An error exp(log_error) at home that grows with a shift as e^{-shift z} does within `reach`.
  struct Strip {
    double log_error, middle, reach;
  };
  struct Side {
    Strip strip;
    double growth;
  };

  StretchPath(const MovingMoment& moment, double shift, int points)
      : moment_(moment), home_(shift), points_(points) {}

  void shorten(const GaussianMoment& moment);
  Disc at_place(Complex d) const;
  Disc exponent(Complex d) const;
  bool add_segment(Complex from, Complex to, int depth);
  bool add_node(Complex d, Complex weight);
  std::optional<Side> error_beside(Complex middle, double half) const;
  bool add_ray(Complex d);

  const MovingMoment& moment_;
  double home_;
  int points_;           // of the rule, on each side of the polygon
  double wanted_ = 0.0;  // log of the error that a side may have
  ContourPath path_{};
  Disc base_;              // K(c) of the middle
  bool too_wide_ = false;  // at a node
  std::vector<Node> nodes_;
  std::vector<Strip> strips_;
};

}  // namespace modicum
