#include "auditing/distinguisher_features.h"

#include <algorithm>

namespace modicum {

Eigen::Index FeatureMap::size(std::size_t dimension) const {
  const auto d = static_cast<Eigen::Index>(dimension);
  if (dimension > most_coordinates) return with_products_ ? 3 : 2;
  return 1 + d + (with_products_ ? d * (d + 1) / 2 : 0);
}

void FeatureMap::learn(const Trials& trials, std::size_t begin, std::size_t end) {
  scaling_ = Scaling(trials, begin, end);
  begin_ = begin;
  if (trials.dimension > most_coordinates) learn_ratios(trials, begin, end);
}

void FeatureMap::learn_ratios(const Trials& trials, std::size_t begin, std::size_t end) {
  begin_ = begin + (end - begin) / 2;
  const auto dimension = static_cast<Eigen::Index>(trials.dimension);
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(dimension, 2), squares = sum;
  double count[2] = {1.0, 1.0};  // a sighting of the common law to begin with
  squares.setOnes();
  for (std::size_t i = begin; i < begin_; ++i) {
    if (trials.regular[i] == 0) continue;
    const int side = trials.bit[i] != 0 ? 1 : 0;
    const Eigen::VectorXd x = scaling_.apply(trials, i, i + 1).col(0);
    sum.col(side) += x;
    squares.col(side) += x.cwiseAbs2();
    count[side] += 1.0;
  }
  linear_ = square_ = Eigen::MatrixXd::Zero(with_products_ ? 2 : 1, dimension);
  for (Eigen::Index j = 0; j < dimension; ++j) {
    double mean[2], variance[2];
    for (int side = 0; side < 2; ++side) {
      mean[side] = sum(j, side) / count[side];
      variance[side] = std::max(squares(j, side) / count[side] - mean[side] * mean[side], 1e-6);
    }
    linear_(0, j) = (mean[1] - mean[0]) / (0.5 * (variance[0] + variance[1]));
    if (!with_products_) continue;
    linear_(1, j) = mean[1] / variance[1] - mean[0] / variance[0];
    square_(1, j) = 0.5 / variance[0] - 0.5 / variance[1];
  }
}

Eigen::MatrixXd FeatureMap::apply(const Trials& trials, std::size_t begin, std::size_t end) const {
  const Eigen::MatrixXd x = scaling_.apply(trials, begin, end);
  const Eigen::Index d = x.rows(), count = x.cols();
  Eigen::MatrixXd result(size(trials.dimension), count);
  result.row(0).setOnes();
  if (trials.dimension > most_coordinates) {
    result.bottomRows(linear_.rows()) = linear_ * x;
    if (with_products_) result.bottomRows(1) += square_.bottomRows(1) * x.cwiseAbs2();
    return result;
  }
  result.middleRows(1, d) = x;
  if (!with_products_) return result;
  for (Eigen::Index i = 0; i < count; ++i) {
    const double* const from = x.data() + i * d;
    double* to = result.data() + i * result.rows() + 1 + d;
    for (Eigen::Index j = 0; j < d; ++j)
      for (Eigen::Index k = 0; k <= j; ++k) *to++ = from[j] * from[k];
  }
  return result;
}

}  // namespace modicum
