// Determinants of skew-symmetric matrices whose first rows are nearly those of a limit.
#pragma once

#include "numerics/ball_matrix.h"

namespace modicum {

/// Of a skew-symmetric matrix. The limit has the blocks (0, 1; -1, 0) on its diagonal. First rows
/// that are so close to it that they change the result by less than 2^16 units in its last bit are
/// not eliminated, but bounded (docs/derivations/largest-eigenvalue.md).
Ball determinant_near_limit(const BallMatrix& matrix);

}  // namespace modicum
