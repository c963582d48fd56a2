// Slopes where rows are too few for second moments: gradient descent with noise on every step,
// which needs noise in as many numbers as there are features, not in their square.
// docs/derivations/look.md.
#pragma once

#include "release/look/look_rounds.h"

namespace modicum {

/// What it takes of a budget, in hundredths.
inline constexpr int descent_share = 75;

/// How long the gradient of a row may be: as long as the noise that it needs allows for so many
/// rows; 0 where that is too little for slopes to be of use.
double descent_clip(double mu, double features, double rows);

struct DescentSlopes {
  Eigen::VectorXd center;  ///< of features, found again, and of the target, as it was
  Eigen::VectorXd slopes;  ///< in coordinates
  double spread;           ///< about how far targets are from their center
};

/// About a center of features and target, which comes last: in public both are at most so far from
/// the origin. `constant` is a feature beside others of length about 1, or 0 for none: the target
/// need not be centered well. `count`, of rows, and the center were released.
DescentSlopes descend(const MappedRows& rows, Eigen::VectorXd center, double feature_bound,
                      double target_bound, double constant, double count, double clip,
                      LookRounds& rounds, RandomSource& source);

}  // namespace modicum
