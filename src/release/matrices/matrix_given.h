// What releases of a symmetric matrix from elsewhere have in common.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "modicum/release/certificate.h"

namespace modicum {

/// Throws InvalidParameter unless it is a whole number from 1 to `largest`.
void require_dimension(double dimension, double largest);

/// Throws InvalidParameter unless half of it is a tail that quantiles are known for.
void require_failure(double failure);

/// Throws Error, and quotes no entry, unless the matrix is square of this dimension, finite, and
/// symmetric up to 1e-8 of its largest entry.
void require_given_matrix(const Eigen::MatrixXd& matrix, double dimension);

/// The symmetric matrix with these entries on and above the diagonal.
Eigen::MatrixXd from_upper_triangle(const Eigen::MatrixXd& matrix);

/// Neighbors and assumptions; `norm` is "Frobenius" or "spectral".
void describe_given_matrix(Certificate& certificate, double sensitivity, const std::string& norm);

/// "1", "2", ...
std::vector<std::string> numbered(Eigen::Index size);

}  // namespace modicum
