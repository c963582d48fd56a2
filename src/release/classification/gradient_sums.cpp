#include "release/classification/gradient_sums.h"

#include <cmath>
#include <memory>

#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

constexpr int slope_bits = 30;

// The weight of a row of whole numbers, of 2^-slope_bits: at most the slope, and such that weight^2
// times the square of the row is at most `longest` squared, in whole numbers. A row is at most 2^20
// long, `longest` 2^50.
std::int64_t weight_of(double slope, Integer128 square, Integer128 longest) {
  if (!(slope >= 0.0 && slope <= 1.0) || square == 0) return 0;
  auto weight = static_cast<Integer128>(std::ldexp(slope, slope_bits));
  const Integer128 limit = longest * longest;
  if (weight * weight * square > limit) {
    const double root = std::sqrt(static_cast<double>(square));
    weight = static_cast<Integer128>(static_cast<double>(longest) / root);
    while (weight > 0 && weight * weight * square > limit) --weight;
  }
  return static_cast<std::int64_t>(weight);
}

// How many rows there are, and then the sums.
std::vector<Integer128> read_gradient(const PassOverRows& pass, const Eigen::VectorXd& scaled,
                                      Integer128 whole_limit) {
  const auto dimension = static_cast<std::size_t>(scaled.size());
  std::vector<Integer128> sum(1 + dimension, 0);
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    // |weight v_j| <= 2^51, so a block of 2^12 rows fits into 63 bits; larger blocks are cut.
    auto part = std::make_shared<std::vector<Integer128>>(1 + dimension, 0);
    std::vector<std::int64_t> short_sum(dimension, 0);
    const auto flush = [&] {
      for (std::size_t j = 0; j < dimension; ++j) {
        (*part)[1 + j] += short_sum[j];
        short_sum[j] = 0;
      }
    };
    for (Eigen::Index i = 0; i < block.features.rows(); ++i) {
      const double* row = block.features.row(i).data();
      double prediction = 0.0, squares = 0.0;
      for (std::size_t j = 0; j < dimension; ++j) {
        prediction += row[j] * scaled[static_cast<Eigen::Index>(j)];
        squares += row[j] * row[j];  // whole numbers below 2^53
      }
      const double slope = 1.0 / (1.0 + std::exp(block.labels[i] * prediction));
      const std::int64_t weight = weight_of(slope, static_cast<Integer128>(squares), whole_limit) *
                                  (block.labels[i] > 0.0 ? -1 : 1);
      for (std::size_t j = 0; j < dimension; ++j)
        short_sum[j] += weight * static_cast<std::int64_t>(row[j]);
      if ((i + 1) % 2048 == 0) flush();
    }
    flush();
    part->front() = block.features.rows();
    return [&sum, part] {
      for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += (*part)[j];
    };
  });
  return sum;
}

Integer128 whole_limit_of(double longest, double grid) {
  const double limit = std::floor(require_positive("clip", longest) / grid);
  if (!(limit >= 1.0 && limit <= 0x1p51))
    throw InvalidParameter("clip", longest, "must be at most the norm bound of rows");
  return static_cast<Integer128>(limit);
}

}  // namespace

GradientSum gradient_sum(const PassOverRows& pass, const IntegerClip& clip,
                         const Eigen::VectorXd& coefficients, double longest) {
  const double grid = std::ldexp(clip.grid(), -slope_bits);
  const Integer128 limit = whole_limit_of(longest, grid);
  const Value question{
      {"sums", "gradient"},
      {"norm_bound", clip.row_norm_bound()},
      {"coefficients", std::vector<double>(coefficients.begin(), coefficients.end())},
      {"longest", longest}};
  std::vector<Integer128> sum =
      pass.sums(question, 1 + static_cast<std::size_t>(coefficients.size()),
                [&] { return read_gradient(pass, clip.grid() * coefficients, limit); });
  if (sum.front() < 0 || sum.front() > Integer128{1} << 60)
    throw Error("there are too many rows to be added up without rounding");
  sum.erase(sum.begin());
  return {std::move(sum), grid};
}

std::vector<Integer128> answer_gradient(const PassOverRows& pass, const Value& question) {
  const IntegerClip clip(question.at("norm_bound").number());
  const std::vector<double> values = question.at("coefficients").numbers();
  const Eigen::VectorXd scaled =
      clip.grid() *
      Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  return read_gradient(
      pass, scaled,
      whole_limit_of(question.at("longest").number(), std::ldexp(clip.grid(), -slope_bits)));
}

}  // namespace modicum
