#include <cmath>

#include "modicum/numerics/errors.h"
#include "modicum/randomness/samplers.h"

namespace modicum {

// Bartlett: independent entries; on the diagonal the roots of chi-squares with degrees - i degrees
// of freedom, i = 0, 1, .., below it standard normals.
Eigen::MatrixXd wishart_factor(Eigen::Index dimension, double degrees, RandomSource& source) {
  const double size = require_count("dimension", static_cast<double>(dimension));
  if (!(require_finite("degrees", degrees) > size - 1.0))
    throw InvalidParameter("degrees", degrees, "must be above the dimension minus 1");
  Eigen::MatrixXd factor = Eigen::MatrixXd::Zero(dimension, dimension);
  for (Eigen::Index i = 0; i < dimension; ++i) {
    factor(i, i) = std::sqrt(chi_square(degrees - static_cast<double>(i), source));
    double* const below = factor.col(i).data() + i + 1;
    fill_standard_normals({below, static_cast<std::size_t>(dimension - i - 1)}, source);
  }
  return factor;
}

}  // namespace modicum
