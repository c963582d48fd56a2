#include "release/logistic_objective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "modicum/data/gram.h"

namespace modicum {
namespace {

using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

// Rows whose gradients are added in double arithmetic; these sums are added with more digits.
constexpr Eigen::Index chunk_rows = 256;
constexpr double unit_roundoff = 0.5 * std::numeric_limits<double>::epsilon();
constexpr double long_roundoff =
    0.5 * static_cast<double>(std::numeric_limits<long double>::epsilon());

// What the rows of one block add.
struct Part {
  explicit Part(Eigen::Index dimension)
      : gradient(LongVector::Zero(dimension)),
        hessian(Eigen::MatrixXd::Zero(dimension, dimension)) {}
  long double value = 0.0L;
  LongVector gradient;
  Eigen::MatrixXd hessian;  // its lower triangle
  double rows = 0.0, chunks = 0.0;
};

// log(1 + exp(-m)) without overflow.
double loss(double margin) {
  return margin > 0.0 ? std::log1p(std::exp(-margin)) : std::log1p(std::exp(margin)) - margin;
}

// With m = y x^T theta and p = 1 / (1 + e^m), a row adds -p y x to the gradient and p (1-p) x x^T
// to the Hessian.
void add_chunk(const RowBlock& rows, const Eigen::VectorXd& labels, const Eigen::VectorXd& theta,
               Part& part) {
  const Eigen::VectorXd margins = (rows * theta).cwiseProduct(labels);
  Eigen::VectorXd pulls(rows.rows()), weights(rows.rows());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double p = logistic_pull(margins[i]);
    pulls[i] = -p * labels[i];
    weights[i] = p * (1.0 - p);
    part.value += loss(margins[i]);
  }
  const Eigen::VectorXd gradient = rows.transpose() * pulls;
  part.gradient += gradient.cast<long double>();
  const Eigen::MatrixXd scaled = (weights.cwiseSqrt().asDiagonal() * rows).transpose();
  part.hessian.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  part.rows += static_cast<double>(rows.rows());
  part.chunks += 1.0;
}

Part part_of(const LabelledBlock& block, const Eigen::VectorXd& theta) {
  Part part(theta.size());
  for (Eigen::Index first = 0; first < block.features.rows(); first += chunk_rows) {
    const Eigen::Index count = std::min(chunk_rows, block.features.rows() - first);
    add_chunk(0x1p-20 * block.features.middleRows(first, count), block.labels.segment(first, count),
              theta, part);
  }
  return part;
}

// Let u = 2^-53 and n rows of d features with |x| <= 1. [Higham2002, section 3.1]: a sum of k
// products in any order is off by at most k u / (1 - k u) times the sum of their sizes.
//   x^T theta is off by (d + 1) u |theta|, hence p, whose slope is at most 1/4, by a quarter of it;
//   exp within 4 u, a sum and a quotient: p is off by p (1-p) 4 u + 2 u p <= 3 u more;
//   the products p x and sums of chunk_rows of them: (chunk_rows + 1) u |x|, by Minkowski's
//   inequality for the vectors;
//   sums of chunks and blocks, (chunks + blocks + 1) u', u' the roundoff of long double, and the
//   step back to double, u n in all;
//   ridge theta and its sum with the rest: u |ridge theta| + u |gradient|, with the final one
//   twice.
// The last factor covers the terms of second order and the rounding of this very formula.
double rounding_of_gradient(const Part& sum, double blocks, const Eigen::VectorXd& theta,
                            double ridge, const Eigen::VectorXd& gradient) {
  const auto dimension = static_cast<double>(theta.size());
  const double norm = theta.stableNorm();
  const double of_a_row = unit_roundoff * ((dimension + 1.0) * norm / 4.0 + 4.0 +
                                           static_cast<double>(chunk_rows) + 3.0) +
                          long_roundoff * (sum.chunks + blocks + 1.0);
  const double of_the_ridge = unit_roundoff * (2.0 * ridge * norm + 2.0 * gradient.stableNorm());
  return 1.01 * (sum.rows * of_a_row + of_the_ridge);
}

}  // namespace

double LogisticPoint::gradient_bound() const {
  return (1.0 + 1e-10) * (gradient.stableNorm() + gradient_error);
}

LogisticPoint logistic_point(const PassOverRows& pass, const Eigen::VectorXd& theta, double ridge) {
  Part sum(theta.size());
  double blocks = 0.0;
  pass([&](const LabelledBlock& block) -> std::function<void()> {
    auto part = std::make_shared<Part>(part_of(block, theta));
    return [&sum, &blocks, part] {
      sum.value += part->value;
      sum.gradient += part->gradient;
      sum.hessian += part->hessian;
      sum.rows += part->rows;
      sum.chunks += part->chunks;
      blocks += 1.0;
    };
  });
  LogisticPoint point;
  point.value = sum.value + 0.5L * ridge * static_cast<long double>(theta.squaredNorm());
  point.gradient = ridge * theta + sum.gradient.cast<double>();
  point.gradient_error = rounding_of_gradient(sum, blocks, theta, ridge, point.gradient);
  point.hessian = sum.hessian.selfadjointView<Eigen::Lower>();
  point.hessian.diagonal().array() += ridge;
  point.rows = sum.rows;
  return point;
}

// As in data/gram.cpp: |v| <= 2^20, so over 2^13 rows every sum of products is a whole number below
// 2^53, and nothing is rounded.
LogisticMoments logistic_moments(const PassOverRows& pass, Eigen::Index dimension) {
  constexpr Eigen::Index exact_rows = 8192;
  LogisticMoments moments{Eigen::MatrixXd(dimension, dimension)};
  std::vector<Integer128> entries(static_cast<std::size_t>(dimension * dimension), 0);
  pass([&](const LabelledBlock& block) -> std::function<void()> {
    auto parts = std::make_shared<std::vector<Eigen::MatrixXd>>();
    for (Eigen::Index first = 0; first < block.features.rows(); first += exact_rows) {
      const Eigen::Index count = std::min(exact_rows, block.features.rows() - first);
      Eigen::MatrixXd part = Eigen::MatrixXd::Zero(dimension, dimension);
      part.selfadjointView<Eigen::Lower>().rankUpdate(
          block.features.middleRows(first, count).transpose());
      parts->push_back(std::move(part));
    }
    return [&entries, &moments, parts, count = static_cast<double>(block.labels.size())] {
      moments.rows += count;
      for (const Eigen::MatrixXd& part : *parts)
        for (Eigen::Index i = 0; i < part.size(); ++i)
          entries[static_cast<std::size_t>(i)] += static_cast<std::int64_t>(part.data()[i]);
    };
  });
  for (Eigen::Index i = 0; i < moments.matrix.size(); ++i)
    moments.matrix.data()[i] = static_cast<double>(entries[static_cast<std::size_t>(i)]) * 0x1p-40;
  moments.matrix = moments.matrix.selfadjointView<Eigen::Lower>().toDenseMatrix().eval();
  return moments;
}

}  // namespace modicum
