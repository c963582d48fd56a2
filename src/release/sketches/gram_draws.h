// What is drawn from the second moments of a table.
#pragma once

#include <Eigen/Core>

#include "modicum/data/gram.h"
#include "modicum/randomness/random_source.h"

namespace modicum {

/// The Gram matrix with a ridge, in doubles.
Eigen::MatrixXd with_ridge(const IntegerGram& gram, double ridge);

/// F with F F^T = C: Cholesky's, or where rounding makes that fail, by eigenvalues, none of which
/// is taken to be below `ridge`. F G has the law N(0, C) for either.
Eigen::MatrixXd square_root(const Eigen::MatrixXd& matrix, double ridge);

/// Throws Error. That it does depends on the rows: certificates of methods that may have nothing to
/// solve say so.
[[noreturn]] void refuse_singular();

/// Cholesky's lower triangle. Refuses where there is none.
Eigen::MatrixXd lower_triangle(const Eigen::MatrixXd& matrix);

/// `columns` independent draws from N(0, F F^T), a column each.
Eigen::MatrixXd draw_columns(const Eigen::MatrixXd& root, Eigen::Index columns,
                             RandomSource& source);

/// T such that T T^T has the law of M M^T, M of draw_columns; the cost does not depend on the
/// columns where there are at least as many as rows. Lower triangular then, if the root is.
Eigen::MatrixXd draw_moment_root(const Eigen::MatrixXd& root, double columns, RandomSource& source);

/// The noise grid for Gram entries: grid_below(deviation), but none finer than the entries
/// themselves are, nor so coarse that a remainder would not be exact.
double moment_grid(double deviation, double row_norm_bound);

/// Each entry of the Gram matrix with exact Gaussian noise, rounded to `grid`. Symmetric.
Eigen::MatrixXd noisy_moments(const IntegerGram& gram, double off_diagonal, double diagonal,
                              double grid, RandomSource& source);

/// A lower bound on the least eigenvalue: the solver's error is bounded by the norm of the matrix,
/// and taken off.
double least_eigenvalue_bound(const Eigen::MatrixXd& matrix);

/// Each entry to the nearest multiple.
Eigen::MatrixXd rounded(const Eigen::MatrixXd& values, double grid);

}  // namespace modicum
