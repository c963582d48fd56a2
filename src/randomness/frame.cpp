#include <utility>

#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"
#include "numerics/dense.h"

namespace modicum {

// The factor Q of a matrix of normals is uniform if R has a positive diagonal, which makes it
// unique.
Eigen::MatrixXd uniform_frame(Eigen::Index dimension, Eigen::Index columns, RandomSource& source) {
  require_count("dimension", static_cast<double>(dimension));
  if (!(columns >= 1 && columns <= dimension))
    throw InvalidParameter("columns", static_cast<double>(columns),
                           "must be at least 1 and at most the dimension");
  Eigen::MatrixXd normals(dimension, columns);
  fill_standard_normals({normals.data(), static_cast<std::size_t>(normals.size())}, source);
  const HouseholderQr factors(std::move(normals));
  Eigen::MatrixXd frame = factors.thin_orthogonal();
  const Eigen::VectorXd signs = factors.triangle().diagonal();
  for (Eigen::Index j = 0; j < columns; ++j)
    if (signs[j] < 0.0) frame.col(j) *= -1.0;
  return frame;
}

}  // namespace modicum
