// Scores: where the rows of a table lie along components. Every row shows in them, so they are for
// the holder of the data only.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "modicum/data/rows.h"
#include "modicum/mechanisms/exponential_components.h"

namespace modicum {

struct RowScores {
  Eigen::MatrixXd values;           ///< a row for each of the table, a column for each component
  std::vector<std::string> labels;  ///< as many, in the same order; none if none were asked for
  double squared_lengths = 0.0;     ///< of all the rows, added up
};

/// Rows as a release of components sees them: scaled by the rule, clipped to `row_norm_bound`, then
/// scaled to norm at most sqrt p; or by their ranks within each column, where the bound does not
/// matter. The mean of the squares along an eigenvector of the normalized covariance is its
/// eigenvalue.
struct ScoredRows {
  RowScaling scaling = RowScaling::separate;
  double row_norm_bound = 1.0;
  std::optional<std::string> label;  ///< a column that is read as text
};

/// `components`: a row for each coordinate of the rule. One pass; rows are kept in memory only
/// where they are ranked. A label may be any text; in an NPY file a row whose label is not finite
/// is dropped. Throws InvalidParameter, UnreadableFile.
RowScores score_rows(const Table& table, const RowRule& rule, const ScoredRows& rows,
                     const Eigen::MatrixXd& components, const ReadOptions& options = {});

/// The top eigenvectors, the largest eigenvalue first. The entry of largest size is positive.
Eigen::MatrixXd top_components(const Eigen::MatrixXd& moments, Eigen::Index count);

/// V Q, Q the orthogonal matrix for which |V Q - goal| is least in the Frobenius norm: the same
/// span, turned (the orthogonal Procrustes problem [Schonemann1966]). Where several do, one of
/// them.
Eigen::MatrixXd turned_towards(const Eigen::MatrixXd& components, const Eigen::MatrixXd& goal);

}  // namespace modicum
