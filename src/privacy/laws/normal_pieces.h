// Moments of a loss that is a piecewise linear function of a normal variable, in double arithmetic
// with a bound on their error (docs/derivations/objective-perturbation.md).
#pragma once

#include <vector>

#include "numerics/ball.h"
#include "numerics/disc.h"
#include "privacy/laws/loss_law.h"

namespace modicum {

/// U = loss + slope (t - from) from here on, up to the next piece, where it has the loss of that.
struct NormalPiece {
  Ball from, loss, slope;
};

/// The last piece has no end; below the first one all mass is in the atom at the first loss.
struct NormalPieces {
  std::vector<NormalPiece> pieces;
  Ball atom;
  Ball weight = 1.0;  ///< times the normal density
};

/// E[exp(z (U - least))] about a center c >= 0, least the first loss.
class QuickMoment {
 public:
  /// The value at the center, roughly, tells the scale.
  QuickMoment(const NormalPieces& law, const Ball& center, const Ball& log_value);
  /// An exact number.
  const Ball& log_scale() const { return log_scale_; }
  /// At c + d, divided by the scale.
  Disc at(const Disc& d) const;
  /// At least log |that| within a distance of d, for one piece and Re z >= 0; infinite where
  /// nothing is known.
  double log_most(std::complex<double> d, double distance) const;

 private:
  struct Exponent {  // constant + linear d + square d^2
    Disc constant, linear, square;
    Disc at(const Disc& d) const { return exp(constant + d * linear + d * d * square); }
  };
  // The exponents of the corner e^{z loss} phi(from) and of all of the piece, and v = from - z
  // slope where it begins and where it ends.
  struct Piece {
    Exponent corner, growth;
    Disc from, until, slope;
    bool ends;
  };
  double tangent_bound(std::complex<double> d, double distance) const;

  Ball log_scale_;
  Disc atom_, weight_;
  std::vector<Piece> pieces_;
};

/// For LossLaw::quick_moment_line: E[exp(zU)] from E[exp(c (U - least))].
MomentLine quick_line(const NormalPieces& law, const Ball& center, const Ball& value_above);

}  // namespace modicum
