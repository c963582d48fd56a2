#include "release/classification/softmax_sums.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

constexpr int weight_bits = 30;

// Probabilities of the classes, in place of the scores.
void to_probabilities(Eigen::VectorXd& scores) {
  const double largest = scores.maxCoeff();
  for (double& score : scores) score = std::exp(score - largest);
  scores /= scores.sum();
}

// Weights of 2^-weight_bits, rounded towards 0, such that their squares times the square of the row
// are at most `longest` squared, in whole numbers: weights are at most 2^30 each, and there are at
// most 2^10; a row is at most 2^20 long, `longest` 2^51.
void to_weights(const Eigen::VectorXd& slopes, Integer128 square, Integer128 longest,
                std::vector<std::int64_t>& weights) {
  const Integer128 limit = longest * longest;
  const double root = std::sqrt(static_cast<double>(square));
  const double norm = std::ldexp(slopes.norm(), weight_bits) * root;
  double share = norm > static_cast<double>(longest) ? static_cast<double>(longest) / norm : 1.0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    Integer128 squares = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double slope = slopes[static_cast<Eigen::Index>(k)];
      weights[k] = slope >= -1.0 && slope <= 1.0
                       ? static_cast<std::int64_t>(std::ldexp(share * slope, weight_bits))
                       : 0;
      squares += static_cast<Integer128>(weights[k]) * weights[k];
    }
    // squares <= 2^70, square <= 2^40.
    if (squares * square <= limit) return;
    share *= 1.0 - 0x1p-20;
  }
  std::fill(weights.begin(), weights.end(), 0);
}

}  // namespace

GradientSum softmax_gradient_sum(const PassOverRows& pass, const IntegerClip& clip,
                                 const Eigen::MatrixXd& coefficients, double longest) {
  const Eigen::Index classes = coefficients.rows(), dimension = coefficients.cols();
  const auto size = static_cast<std::size_t>(classes * dimension);
  const double grid = std::ldexp(clip.grid(), -weight_bits);
  const double limit = std::floor(require_positive("clip", longest) / grid);
  if (!(limit >= 1.0 && limit <= 0x1p52))
    throw InvalidParameter("clip", longest, "must be at most twice the norm bound of rows");
  const auto whole_limit = static_cast<Integer128>(limit);
  const Eigen::MatrixXd scaled = clip.grid() * coefficients;
  std::vector<Integer128> sum(size, 0);
  double rows = 0.0;
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    // |weight v_j| <= 2^50, so 2^11 rows fit into 63 bits.
    auto part = std::make_shared<std::vector<Integer128>>(size, 0);
    std::vector<std::int64_t> short_sum(size, 0), weights(static_cast<std::size_t>(classes));
    const auto flush = [&] {
      for (std::size_t j = 0; j < size; ++j) {
        (*part)[j] += short_sum[j];
        short_sum[j] = 0;
      }
    };
    Eigen::VectorXd slopes(classes);
    for (Eigen::Index i = 0; i < block.features.rows(); ++i) {
      if (i % 2048 == 0) flush();  // whatever the rows are
      const double* row = block.features.row(i).data();
      double squares = 0.0;  // whole numbers below 2^53
      for (Eigen::Index j = 0; j < dimension; ++j) squares += row[j] * row[j];
      if (squares == 0.0) continue;
      // One row at a time, in a fixed order: nothing hangs on the rows beside it.
      for (Eigen::Index k = 0; k < classes; ++k) {
        double score = 0.0;
        for (Eigen::Index j = 0; j < dimension; ++j) score += row[j] * scaled(k, j);
        slopes[k] = score;
      }
      to_probabilities(slopes);
      slopes[static_cast<Eigen::Index>(block.labels[i])] -= 1.0;
      to_weights(slopes, static_cast<Integer128>(squares), whole_limit, weights);
      std::size_t at = 0;
      for (const std::int64_t weight : weights)
        for (Eigen::Index j = 0; j < dimension; ++j)
          short_sum[at++] += weight * static_cast<std::int64_t>(row[j]);
    }
    flush();
    const auto count = static_cast<double>(block.features.rows());
    return [&sum, &rows, part, count] {
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += (*part)[j];
      rows += count;
    };
  });
  if (!(rows <= 0x1p60)) throw Error("there are too many rows to be added up without rounding");
  return {std::move(sum), grid};
}

}  // namespace modicum
