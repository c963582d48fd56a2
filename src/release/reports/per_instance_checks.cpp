#include "release/reports/per_instance_checks.h"

#include <cmath>

namespace modicum {

void require_release(const ObjectiveRelease& release) {
  require_positive("row_norm_bound", release.row_norm_bound);
  require_positive("regularization", release.regularization);
  require_positive("standard_deviation", release.standard_deviation);
  require_non_negative("output_spread", release.output_spread);
  if (release.coefficients.size() == 0)
    throw InvalidParameter("coefficients", 0.0, "must be at least one number");
  require_vector("coefficients", release.coefficients, release.coefficients.size());
}

void require_vector(const char* name, const Eigen::VectorXd& vector, Eigen::Index size) {
  if (vector.size() != size)
    throw InvalidParameter(name, static_cast<double>(vector.size()),
                           "must have as many numbers as there are coefficients");
  if (!vector.allFinite()) throw InvalidParameter(name, "not finite", "must be finite");
}

void require_square(const char* name, const Eigen::MatrixXd& matrix, Eigen::Index size) {
  if (matrix.rows() != size || matrix.cols() != size)
    throw InvalidParameter(name, static_cast<double>(matrix.rows()),
                           "must have as many rows and columns as there are coefficients");
  if (!matrix.allFinite()) throw InvalidParameter(name, "not finite", "must be finite");
}

void require_response(const PredictionLoss& loss, double response) {
  if (loss.takes_labels()) {
    if (!(response == 1.0 || response == -1.0))
      throw InvalidParameter("response", response, "must be -1 or +1");
  } else if (loss.kind() == PredictionLossKind::squared) {
    if (!(std::abs(response) <= 1.0))
      throw InvalidParameter("response", response, "must lie between -1 and 1");
  } else {
    require_finite("response", response);
  }
}

void require_clipped(const ObjectiveRelease& release, double squared_norm) {
  if (!(squared_norm <= release.row_norm_bound * release.row_norm_bound * (1.0 + 1e-9)))
    throw InvalidParameter("row", std::sqrt(squared_norm),
                           "must be clipped: finite and no longer than row_norm_bound");
}

}  // namespace modicum
