// What every loss of a record asks of its arguments.
#pragma once

#include "modicum/release/per_instance.h"

namespace modicum {

/// Throws InvalidParameter unless all numbers are finite, those that must be are positive, and
/// there is a coefficient.
void require_release(const ObjectiveRelease& release);

/// Throws InvalidParameter unless the vector is finite and of this size.
void require_vector(const char* name, const Eigen::VectorXd& vector, Eigen::Index size);
void require_square(const char* name, const Eigen::MatrixXd& matrix, Eigen::Index size);

/// Throws InvalidParameter for a response that the loss does not take: labels are -1 or +1, the
/// squared loss wants [-1, 1].
void require_response(const PredictionLoss& loss, double response);

/// Throws InvalidParameter for a row that is not clipped; rounding is forgiven.
void require_clipped(const ObjectiveRelease& release, double squared_norm);

}  // namespace modicum
