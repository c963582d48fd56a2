#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"

namespace modicum {

// The normal law knows no direction. No coordinate is ever 0, so the norm is not.
Eigen::VectorXd uniform_on_sphere(Eigen::Index dimension, RandomSource& source) {
  require_count("dimension", static_cast<double>(dimension));
  Eigen::VectorXd result(dimension);
  fill_standard_normals({result.data(), static_cast<std::size_t>(dimension)}, source);
  return result / result.norm();
}

}  // namespace modicum
