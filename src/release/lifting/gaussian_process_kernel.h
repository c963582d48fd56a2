// Kernels of Gaussian processes as matrices.
#pragma once

#include "modicum/release/gaussian_process_release.h"

namespace modicum {

const char* name_of(PriorKernel kernel);  ///< as in the command: "rbf"

/// k(a_i, b_j). Rows of finite numbers, however far apart, give finite entries.
Eigen::MatrixXd kernel_matrix(PriorKernel kernel, double length_scale, double amplitude,
                              const RowBlock& a, const RowBlock& b);
/// k(a_i, a_j), symmetric to the last bit.
Eigen::MatrixXd kernel_matrix(PriorKernel kernel, double length_scale, double amplitude,
                              const RowBlock& a);

/// A number that no eigenvalue of the matrix exceeds, whose entries are right up to 2^-45 of the
/// largest. Proved: by a factorization that ends well, or by sums of rows.
double largest_eigenvalue_bound(const Eigen::MatrixXd& symmetric);

}  // namespace modicum
