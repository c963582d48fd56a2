// The rounds of a look: sums, second moments and norms of mapped rows, each with its noise.
#pragma once

#include "modicum/randomness/random_source.h"
#include "release/look/look_budget.h"
#include "release/look/mapped_rows.h"

namespace modicum {

/// A released sum of mapped rows, each clipped to `bound`.
struct NoisySum {
  Eigen::VectorXd values;
  double deviation;
};
NoisySum look_at_sum(const MappedRows& rows, const AffineMap& map, double bound, LookRounds& rounds,
                     int hundredths, RandomSource& source);

/// Released second moments of mapped rows, each clipped to `bound`.
struct NoisyMoments {
  Eigen::MatrixXd values;
  double deviation;  ///< off the diagonal; sqrt 2 times as much on it
};
NoisyMoments look_at_moments(const MappedRows& rows, const AffineMap& map, double bound,
                             LookRounds& rounds, int hundredths, RandomSource& source);

/// Released counts of the norms of mapped rows, by edges that fall by the same factor.
struct NoisyNorms {
  std::vector<double> edges;
  std::vector<double> above;  ///< about how many rows are longer than each edge; never falls
  double deviation;           ///< of each count
  std::vector<double> counts =
      {};  ///< between edge i + 1 and edge i; the last of all that are left

  /// The least edge with no more than this many rows above it.
  double radius_with(double rows_above) const;
};
/// `top`, and `count` - 1 edges below it.
NoisyNorms look_at_norms(const MappedRows& rows, const AffineMap& map, double top, double factor,
                         int count, LookRounds& rounds, int hundredths, RandomSource& source);

}  // namespace modicum
