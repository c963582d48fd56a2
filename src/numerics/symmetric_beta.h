// Upper tail of the symmetric beta law on [-1, 1], the law of one coordinate of a uniform point of
// the unit sphere in R^T: density (1 - w^2)^{a-1} / B(1/2, a), a = (T-1)/2, T >= 2.
//
//   P[W > w] = (1 - w^2)^a mills(w) / B(1/2, a),   mills(w) = Integral over y > 0 of
//                                                              (cosh y + w sinh y)^{1-T}.
#pragma once

#include <vector>

#include "numerics/ball.h"

namespace modicum {

/// In doubles, to about 1e-14 relative.
class SymmetricBetaTail {
 public:
  /// `log_scale` = log B(1/2, a).
  SymmetricBetaTail(double dimension, double log_scale);
  /// log P[W > w]; 0 below -1, minus infinity above 1.
  double log_upper(double w) const { return log_upper(w, 1.0 - w); }
  /// The same, with 1 - w given to more digits than w has.
  double log_upper(double w, double one_less) const;

 private:
  struct Term {
    double numerator, constant, slope;
  };
  double log_smaller(double w, double one_less) const;
  double center_sum(double square) const;
  double continued_fraction(double w, double one_less) const;

  double half_, log_scale_;
  std::vector<Term> terms_;
};

/// Encloses mills(w) for a ball w within [0, 1).
Ball symmetric_beta_mills(double dimension, const Ball& w);

}  // namespace modicum
