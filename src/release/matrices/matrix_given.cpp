#include "release/matrices/matrix_given.h"

#include <fmt/format.h>

#include <cmath>

#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

constexpr double symmetry = 1e-8;

}  // namespace

void require_dimension(double dimension, double largest) {
  if (!(dimension >= 1.0 && dimension <= largest && dimension == std::floor(dimension)))
    throw InvalidParameter("dimension", dimension,
                           fmt::format("must be a whole number from 1 to {}", largest));
}

void require_failure(double failure) {
  if (!(failure >= 1e-289 && failure < 1.0))
    throw InvalidParameter("failure", failure, "must be at least 1e-289 and below 1");
}

void require_given_matrix(const Eigen::MatrixXd& matrix, double dimension) {
  if (matrix.rows() != matrix.cols() || static_cast<double>(matrix.rows()) != dimension)
    throw InvalidParameter("the given matrix", "of another size",
                           "must be square, with as many rows as were planned for");
  if (!matrix.allFinite())
    throw InvalidParameter("the given matrix", "not finite", "must have finite numbers only");
  const double largest = matrix.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      if (!(std::abs(matrix(i, j) - matrix(j, i)) <= symmetry * largest))
        throw InvalidParameter("the given matrix", "not symmetric",
                               "must be, up to 1e-8 of its largest entry");
}

Eigen::MatrixXd from_upper_triangle(const Eigen::MatrixXd& matrix) {
  return matrix.selfadjointView<Eigen::Upper>();
}

void describe_given_matrix(Certificate& certificate, double sensitivity, const std::string& norm) {
  certificate.attained = false;
  certificate.theorem = "docs/derivations/matrices.md";
  certificate.adjacency = fmt::format(
      "two data sets whose matrices differ by at most {} in the {} norm", sensitivity, norm);
  certificate.assumptions.push_back(fmt::format(
      "the matrices on neighboring data sets differ by at most {} in the {} norm, as computed, "
      "rounding included; what counts is the entries on and above the diagonal",
      sensitivity, norm));
  certificate.assumptions.push_back(
      "the matrix has as many rows for every data set, all its numbers are finite, and it is "
      "symmetric up to 1e-8 of its largest entry");
}

std::vector<std::string> numbered(Eigen::Index size) {
  std::vector<std::string> names;
  for (Eigen::Index i = 1; i <= size; ++i) names.push_back(fmt::format("{}", i));
  return names;
}

}  // namespace modicum
