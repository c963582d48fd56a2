// One bent path through a saddle point, with K at its nodes (docs/derivations/bent-path.md).
#pragma once

#include <complex>
#include <memory>
#include <vector>

#include "privacy/engines/loss_moment.h"
#include "privacy/engines/path_shape.h"

namespace modicum {

/// K beside a center: all parts of the loss, whose moment must outlive it.
class CompositeExpansion {
 public:
  CompositeExpansion(const DirectedLoss& loss, const LossMoment& moment, double center);
  double center() const { return center_; }
  const Jet& jet() const { return jet_; }
  struct Value {
    ExpansionValue beyond;  // K(c + d) - K(c) - d K'(c)
    // Its real part with each atomic part at Re d instead of d, and the modes of each law in phase:
    // atoms and modes let K fall and rise again, and this is what it falls below for good.
    double envelope;
    // How fast the phase of a mode turns that matters.
    double turning;
  };
  Value at(std::complex<double> d) const;
  /// Of the atomic parts, tilted to the center: how fast their phases turn.
  double atomic_deviation() const;
  /// At most how much of e^K at the center is of losses further than this from their means, which
  /// turn by more than half a period from node to node if these are pi / distance apart.
  double mass_beyond(double distance) const;

 private:
  struct Law {
    std::unique_ptr<LawExpansion> expansion;
    double count;
  };
  struct Atomic {
    const AtomicMoment* moment;
    Jet jet;
  };
  double center_;
  std::unique_ptr<Expansion> gaussian_;
  std::vector<Law> laws_;
  std::vector<Atomic> atomic_;
  Jet jet_;
};

/// The nodes z(u) = c + side * h (cosh u - 1) + i rise h sinh u, u = 0, step, 2 step, ... on the
/// side on which the integrand falls.
class BentPath {
 public:
  struct Estimate {
    Ball value;
    double relative_error;
  };

  /// As fine as this shift needs it; `scale` is h. Empty if the integrand does not fall.
  static std::unique_ptr<BentPath> through(CompositeExpansion expansion, double shift,
                                           double scale);
  /// To the right, on the path of this shape, which starts at the center of the expansion; empty if
  /// the integrand does not fall, or is not known there.
  static std::unique_ptr<BentPath> leaning(CompositeExpansion expansion, double shift,
                                           const PathShape& shape);
  /// The shift it was made for: close ones are served best.
  double home() const { return home_; }
  Estimate at(double shift, Kernel kernel) const;
  /// What it claims at home for the profile, and what will do as well.
  double home_error() const { return home_error_; }

 private:
  using Complex = std::complex<double>;
  struct Node {
    Complex d;
    Complex zero, minus_one, both;  // z'/z, z'/(z + 1) and z'/(z (z + 1)): no difference of two
    double distance, speed;         // |d|, |z'|
    Complex beyond;                 // K(c + d) less its tangent
    double error, envelope, turning;
    int level;  // at which halving it came
  };
  // Of Im(integrand * z'): all nodes, those of twice and of four times the step.
  struct Sums {
    double all = 0.0, half = 0.0, quarter = 0.0;
    double error = 0.0;   // rounding, and what lies beyond the end
    double length = 0.0;  // of all terms
  };
  struct Residues;
  struct Fall;

  BentPath(CompositeExpansion expansion, double shift, double scale);
  BentPath(CompositeExpansion expansion, double shift, const PathShape& shape);
  static Residues residues_of(Kernel kernel, double c);
  Node node_at(double u, double side, int level) const;
  // log |integrand * z'|, with `beyond` as the real part of K.
  double log_size(const Node& node, double beyond, double shift) const;
  bool resolves(const Node& node, double step) const;
  bool choose_side(double shift);
  void end_after(std::size_t nodes);
  bool lean(double shift);
  void refine(double shift);
  void halve();
  Sums sum(double shift, const Residues& residues) const;
  double claimed(const Sums& sums) const;
  double change_of(const Sums& sums) const;
  bool fine_enough(double shift) const;

  CompositeExpansion expansion_;
  double home_, scale_, rise_, step_, coarsest_, side_ = 0.0, end_ = 0.0;
  double home_error_ = infinity;
  int level_ = 0;
  bool leans_ = false;
  std::vector<Node> nodes_;
};

}  // namespace modicum
