// One panel of the integral over x = log radius: an enclosure by Taylor's formula, or by monotony.
#pragma once

#include <optional>

#include "numerics/taylor.h"
#include "privacy/spherical/spherical_estimate.h"

namespace modicum {

/// The integral of exp(-log_scale) density(x) P[W > w(x)], or of its complement.
class SphericalPanels {
 public:
  SphericalPanels(const SphericalPair& pair, const SphericalGeometry& geometry, double loss,
                  Side side, double log_scale);

  /// Over [middle - half_width, middle + half_width]; middle is exact.
  Bounded integral(const Ball& middle, double half_width) const;
  /// A bound on the density's mass below a point left of the mode, or above one right of it.
  Ball mass_beyond(double x) const;

 private:
  // Whether some r2 > 0 has the loss.
  enum class Reach { every, none, unknown };
  // y = p log(r2/r1) at the loss, and growth (e^y - 1).
  struct Shift {
    Ball y, excess;
    Reach reach;
  };
  // What the series start from, at one x or at every x of a panel.
  struct Point {
    Ball x, radius;  // r1 = e^x
    Ball growth;     // k e^{px}
    Ball excess;     // growth (e^y - 1), y the shift: what is left of the loss beside c y/p
    Ball shift;      // y
    Ball gain;       // (r2/r1)^2 - 1, or (r2/step)^2 - 1 if inner
    Ball cosine;
    bool inner = false;  // r1 below the step
    bool smooth = true;  // the shift is finite everywhere
  };
  struct Tail {
    Ball value, hazard;  // P[W > w] and minus the derivative of its logarithm
  };
  // Around the middle of a panel, and with coefficients for every expansion point in it.
  struct Expansion {
    Taylor middle, everywhere;
  };
  // Of the cosine w, or of -w for the lower tail: w', 1 - w^2, and 1 + w and 1 - w at t = 0.
  struct Cosine {
    Taylor slope, square;
    Ball one_more, one_less;
  };
  struct Cosines {
    Cosine middle, everywhere;
  };
  // What 1 - w and 1 + w are products of.
  struct Edge {
    Taylor lag_slope;            // derivative of r1 + step - r2
    Taylor sum;                  // r1 + r2
    Taylor scale;                // 1 / (2 step r1)
    Bounded lag, lead, overlap;  // r1 + step - r2, r2 + step - r1, r1 + r2 - step at t = 0
  };
  Ball density_at(const Ball& x) const;
  Ball verified_shift(const Ball& x, const Ball& growth) const;
  Shift shift_at(const Ball& x) const;
  Ball gain_at(const Ball& x, const Shift& shift, bool inner) const;
  void finish(Point& point, const Ball& gain) const;
  Point point_at(const Ball& x) const;
  Point points_within(const Ball& middle, double half_width, bool inner) const;
  Taylor log_ratio_series(const Point& point, double half_width) const;
  Ball extreme_loss(const Ball& x, double sign) const;
  /// The tail of the cosine, where it is 0 or 1 on all of [low, high].
  std::optional<double> constant_tail(const Ball& low, const Ball& high) const;
  Ball tail_at(double w) const;
  Tail tail_around(const Cosine& cosine) const;
  Taylor cosine_series(const Point& point, double half_width) const;
  Taylor density_series(const Point& point, double half_width, const Bounded& first) const;
  Expansion density_expansion(const Point& point, const Point& range, double half_width) const;
  void orient(Cosines& cosines) const;
  Cosines plain_cosines(const Point& point, const Point& range, double half_width) const;
  Cosines edge_cosines(const Point& point, const Point& range, double half_width) const;
  Edge edge_series(const Point& point, double half_width) const;
  Cosine edge_cosine(const Edge& edge) const;
  Expansion tail_expansion(const Cosines& cosines, const Ball& hazard) const;

  const SphericalGeometry& geometry_;
  double dimension_, p_, loss_, sign_;
  // Of the pair, rounded to the working precision.
  Ball shape_, slope_, step_, log_step_, half_, log_angle_scale_, log_peak_;
  Bounded inverse_step_, half_step_, shift_power_, bounded_slope_;
};

}  // namespace modicum
