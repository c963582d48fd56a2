#include "release/neighbors/logistic_proof.h"

#include "release/neighbors/neighbor_verdict.h"

namespace modicum {

// By Sherman and Morrison z^T (G + sign x x^T/4)^-1 z = z^T G^-1 z - sign (z^T G^-1 x)^2 /
// (4 + sign x^T G^-1 x).
ProfilePoint proved_step(const InverseForm& inverse_precision, double noise_variance,
                         const RegressionStep& step, const Eigen::VectorXd& direction,
                         double epsilon) {
  const PrecisionScope scope(proof_bits);
  const BallMatrix z(direction);
  const auto along = inverse_precision.solved(z);
  const auto row = inverse_precision.solved(BallMatrix(step.row));
  const Ball sign = step.sign, length = dot(z, z), mixed = inverse_precision(along, row);
  const Ball base = Ball(noise_variance) * length + inverse_precision(along, along);
  const Ball changed =
      base - sign * mixed * mixed / (Ball(4.0) + sign * inverse_precision(row, row));
  const Ball shift = dot(z, BallMatrix(step.changed) - BallMatrix(step.base))
                         .widened(sqrt(length) * Ball(step.shift_error));
  return step.sign > 0.0 ? proved_point(shift, changed, base, epsilon)
                         : proved_point(shift, base, changed, epsilon);
}

}  // namespace modicum
