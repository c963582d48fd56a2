#include "auditing/distinguisher_scaling.h"

#include <algorithm>
#include <cmath>

#include "numerics/dense.h"

namespace modicum {
namespace {

constexpr std::size_t most_looked_at = 10000;
constexpr std::size_t most_combined = 50;
constexpr double cut = 12.0;

double quantile(std::vector<double>& values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

// In halves, since a difference may overflow.
double spread(std::vector<double>& values) {
  const double quartiles =
      quantile(values, 0.75) / 2.0 / 1.349 - quantile(values, 0.25) / 2.0 / 1.349;
  if (quartiles > 0.0) return 2.0 * quartiles;
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  return *largest / 2.0 - *least / 2.0;
}

}  // namespace

Scaling::Scaling(const Trials& trials, std::size_t begin, std::size_t end) {
  const auto dimension = static_cast<Eigen::Index>(trials.dimension);
  center_ = Eigen::VectorXd::Zero(dimension);
  inverse_scale_ = Eigen::VectorXd::Zero(dimension);
  const std::size_t step = (end - begin) / most_looked_at + 1;
  std::vector<double> values;
  for (Eigen::Index j = 0; j < dimension; ++j) {
    values.clear();
    for (std::size_t i = begin; i < end; i += step)
      if (trials.regular[i] != 0) values.push_back(trials.outputs(j, static_cast<Eigen::Index>(i)));
    if (values.empty()) continue;
    center_[j] = quantile(values, 0.5);
    const double width = spread(values);
    // A coordinate that never moves says nothing so far, but may later.
    inverse_scale_[j] = width > 0.0 && std::isfinite(1.0 / width) ? 1.0 / width : 1.0;
  }
  if (trials.dimension > 1 && trials.dimension <= most_combined) decorrelate(trials, begin, end);
}

void Scaling::decorrelate(const Trials& trials, std::size_t begin, std::size_t end) {
  const auto dimension = static_cast<Eigen::Index>(trials.dimension);
  const Eigen::MatrixXd all = scaled(trials, begin, std::min(end, begin + most_looked_at));
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(dimension);
  Eigen::MatrixXd squares = Eigen::MatrixXd::Zero(dimension, dimension);
  double count = 0.0;
  for (Eigen::Index i = 0; i < all.cols(); ++i) {
    if (trials.regular[begin + static_cast<std::size_t>(i)] == 0) continue;
    sum += all.col(i);
    squares += all.col(i) * all.col(i).transpose();
    count += 1.0;
  }
  if (!(count > 2.0 * static_cast<double>(dimension))) return;
  const Eigen::VectorXd mean = sum / count;
  const SymmetricEigen axes = symmetric_eigen(squares / count - mean * mean.transpose());
  // A direction without any spread stays as it is.
  const Eigen::ArrayXd spreads = axes.values.array().max(0.0).sqrt();
  const double least = 1e-7 * spreads.maxCoeff();
  combinations_ = (spreads > least).select(spreads.inverse(), 1.0).matrix().asDiagonal() *
                  axes.vectors.transpose();
}

Eigen::MatrixXd Scaling::apply(const Trials& trials, std::size_t begin, std::size_t end) const {
  const Eigen::MatrixXd result = scaled(trials, begin, end);
  return combinations_.size() == 0 ? result : Eigen::MatrixXd(combinations_ * result);
}

Eigen::MatrixXd Scaling::scaled(const Trials& trials, std::size_t begin, std::size_t end) const {
  Eigen::MatrixXd result = trials.outputs.middleCols(static_cast<Eigen::Index>(begin),
                                                     static_cast<Eigen::Index>(end - begin));
  const Eigen::Index rows = result.rows();
  for (Eigen::Index i = 0; i < result.cols(); ++i) {
    double* const column = result.data() + i * rows;
    for (Eigen::Index j = 0; j < rows; ++j) {
      const double scaled = (column[j] - center_[j]) * inverse_scale_[j];
      column[j] = scaled < cut ? (scaled > -cut ? scaled : -cut) : cut;
    }
  }
  return result;
}

}  // namespace modicum
