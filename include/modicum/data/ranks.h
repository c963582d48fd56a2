// Ranks within columns: a scaling that needs no public ranges. A row moves all others, a little.
#pragma once

#include <Eigen/Core>

#include "modicum/data/rows.h"

namespace modicum {

/// Sum over the rows of r r^T, where r has a coordinate for each column, in [-1, 1]:
/// (2 / (n - 1)) (rank - (n + 1)/2), mid-ranks for ties, 0 for one row alone [YunDudeja2025,
/// Algorithm 4]. Equal values have equal coordinates, and none depends on the order of the rows.
struct RankMoments {
  Eigen::MatrixXd matrix;
  double rows = 0.0;  ///< as confidential as the matrix
};

/// One pass; all values are kept in memory. Sums are of whole numbers and exact up to 200,000 rows;
/// beyond, to doubles. The rule's ranges clamp before values are ranked.
RankMoments accumulate_rank_moments(const Table& table, const RowRule& rule,
                                    const ReadOptions& options = {});

/// 3 p: the matrix moves by at most this in the Frobenius norm when a row is added or removed
/// (docs/derivations/principal-components.md). 1 <= p <= 2^50, whole.
double rank_moments_sensitivity(double dimension);

}  // namespace modicum
