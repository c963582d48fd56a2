// Exact Gibbs moves that turn a frame within planes of two axes.
#pragma once

#include <Eigen/Core>

#include "modicum/randomness/random_source.h"

namespace modicum {

/// Turns the frame, of density exp(-sum_i a_i |row i|^2), within the planes of axis `hub` and every
/// other axis, each angle drawn from its law given all else. Columns stay orthonormal.
void turn_planes(Eigen::MatrixXd& frame, const Eigen::VectorXd& exponents, Eigen::Index hub,
                 RandomSource& source);

}  // namespace modicum
