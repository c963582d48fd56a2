#include "modicum/release/post_processing.h"

#include <algorithm>

#include "numerics/dense.h"
#include "release/lifting/gaussian_process_kernel.h"

namespace modicum {
namespace {

void require_square(const Eigen::MatrixXd& matrix, Eigen::Index least_rows) {
  const auto rows = static_cast<double>(matrix.rows());
  if (matrix.rows() != matrix.cols() || matrix.rows() < least_rows)
    throw InvalidParameter("rows of the matrix", rows,
                           "must be as many as its columns, and enough");
  if (!matrix.allFinite()) throw InvalidParameter("matrix", "not finite", "must be finite");
}

void require_as_many(const std::vector<Range>& ranges, Eigen::Index columns) {
  if (static_cast<std::size_t>(columns) != ranges.size())
    throw InvalidParameter("ranges", static_cast<double>(ranges.size()),
                           "must be as many as there are columns");
}

}  // namespace

CenteredMoments centered_moments(const Eigen::MatrixXd& moments) {
  require_square(moments, 2);
  const Eigen::Index others = moments.rows() - 1;
  const double rows = std::max(1.0, moments(0, 0));
  Eigen::VectorXd mean = moments.col(0).tail(others) / rows;
  Eigen::MatrixXd covariance =
      moments.bottomRightCorner(others, others) / rows - mean * mean.transpose();
  return {rows, std::move(mean), std::move(covariance)};
}

Eigen::MatrixXd nearest_semidefinite(const Eigen::MatrixXd& symmetric) {
  require_square(symmetric, 1);
  const SymmetricEigen axes = symmetric_eigen(symmetric);
  return axes.vectors * axes.values.cwiseMax(0.0).asDiagonal() * axes.vectors.transpose();
}

RowBlock in_coordinates(const RowBlock& points, const std::vector<Range>& ranges) {
  require_as_many(ranges, points.cols());
  RowBlock result = points;
  for (Eigen::Index j = 0; j < points.cols(); ++j) {
    const Range& range = ranges[static_cast<std::size_t>(j)];
    result.col(j) =
        (points.col(j).cwiseMax(range.low).cwiseMin(range.high).array() - range.middle()) /
        range.half_width();
  }
  return result;
}

RowBlock from_coordinates(const RowBlock& coordinates, const std::vector<Range>& ranges) {
  require_as_many(ranges, coordinates.cols());
  RowBlock result = coordinates;
  for (Eigen::Index j = 0; j < coordinates.cols(); ++j) {
    const Range& range = ranges[static_cast<std::size_t>(j)];
    result.col(j) = range.middle() + range.half_width() * coordinates.col(j).array();
  }
  return result;
}

PriorKernel kernel_named(const std::string& name) {
  using enum PriorKernel;
  for (const PriorKernel kernel : {rbf, matern12, matern32, matern52, linear})
    if (name == name_of(kernel)) return kernel;
  throw InvalidParameter("kernel", "'" + name + "'",
                         "must be rbf, matern12, matern32, matern52 or linear");
}

Eigen::VectorXd carried_on(PriorKernel kernel, double length_scale, double amplitude,
                           double noise_variance, const RowBlock& queries,
                           const Eigen::VectorXd& values, const RowBlock& points) {
  require_positive("length_scale", length_scale);
  require_positive("amplitude", amplitude);
  require_positive("noise_variance", noise_variance);
  if (queries.rows() != values.size() || queries.rows() == 0)
    throw InvalidParameter("values", static_cast<double>(values.size()),
                           "must be as many as queries, and some");
  if (points.cols() != queries.cols())
    throw InvalidParameter("columns of points", static_cast<double>(points.cols()),
                           "must be as many as those of queries");
  if (!queries.allFinite() || !values.allFinite() || !points.allFinite())
    throw InvalidParameter("points", "not finite", "must be finite");
  Eigen::MatrixXd covariance = kernel_matrix(kernel, length_scale, amplitude, queries);
  covariance.diagonal().array() += noise_variance;
  const CholeskyFactor factor(covariance);
  if (!factor.positive_definite()) throw Error("the covariance cannot be factorized");
  return kernel_matrix(kernel, length_scale, amplitude, points, queries) * factor.solve(values);
}

}  // namespace modicum
