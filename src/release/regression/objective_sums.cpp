#include "release/regression/objective_sums.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "modicum/numerics/errors.h"
#include "release/regression/linear_objective.h"

namespace modicum {
namespace {

// Grids 2^-exponent such that the largest value has so many bits.
int exponent_for(int bits, double largest) { return bits - 1 - std::ilogb(largest); }

// The number of rows, the gradient, the lower triangle of the Hessian.
std::size_t size_of_sums(std::size_t dimension) {
  return 1 + dimension + dimension * (dimension + 1) / 2;
}

void add_row(std::vector<Integer128>& sums, std::size_t dimension, const std::int64_t* row,
             std::int64_t slope, std::int64_t curvature) {
  std::size_t place = 1 + dimension;
  ++sums[0];
  for (std::size_t i = 0; i < dimension; ++i) {
    sums[1 + i] += Integer128{slope} * row[i];
    const Integer128 weighted = Integer128{curvature} * row[i];
    for (std::size_t j = 0; j <= i; ++j) sums[place++] += weighted * row[j];
  }
}

std::vector<Integer128> read_sums(const PassOverRows& pass, const PredictionLoss& loss,
                                  const WholeCoefficients& theta, const SumBits& bits) {
  const int slope_exponent = exponent_for(bits.slopes, loss.largest_slope());
  const int curvature_exponent = exponent_for(bits.curvatures, loss.largest_curvature());
  const auto dimension = static_cast<std::size_t>(theta.size());
  std::vector<Integer128> sum(size_of_sums(dimension), 0);
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    auto part = std::make_shared<std::vector<Integer128>>(sum.size(), 0);
    WholeRows rows(block.features);
    for (Eigen::Index i = 0; i < block.labels.size(); ++i) {
      const std::int64_t* row = rows.at(i);
      const auto at = loss.at<long double>(theta.prediction(row), block.labels[i]);
      add_row(*part, dimension, row, std::llround(std::ldexp(at.slope, slope_exponent)),
              static_cast<std::int64_t>(std::ldexp(at.curvature, curvature_exponent)));
    }
    return [&sum, part] {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += (*part)[i];
    };
  });
  return sum;
}

}  // namespace

Integer128 ObjectiveSums::hessian_at(Eigen::Index i, Eigen::Index j) const {
  const Eigen::Index low = std::min(i, j), high = std::max(i, j);
  return hessian.at(static_cast<std::size_t>(high * (high + 1) / 2 + low));
}

ObjectiveSums objective_sums(const PassOverRows& pass, const IntegerClip& clip,
                             const PredictionLoss& loss, const Eigen::VectorXd& coefficients,
                             const SumBits& bits) {
  const WholeCoefficients theta((unit_of(clip) * coefficients).cast<long double>());
  const int slope_exponent = exponent_for(bits.slopes, loss.largest_slope());
  const int curvature_exponent = exponent_for(bits.curvatures, loss.largest_curvature());
  const auto dimension = static_cast<std::size_t>(coefficients.size());
  const Value question{{"sums", "curvatures"},
                       {"loss", to_value(loss)},
                       {"at", theta.to_value()},
                       {"slope_bits", bits.slopes},
                       {"curvature_bits", bits.curvatures}};
  const std::vector<Integer128> sum = pass.sums(question, size_of_sums(dimension),
                                                [&] { return read_sums(pass, loss, theta, bits); });
  const auto rows = static_cast<double>(sum[0]);
  // A term of the Hessian is below 2^(40 + bits).
  if (!(rows >= 0.0 && rows <= std::ldexp(1.0, 86 - std::max(bits.slopes, bits.curvatures))))
    throw Error("there are too many rows to be added up without rounding");
  const auto hessian = sum.begin() + 1 + static_cast<std::ptrdiff_t>(dimension);
  return {{sum.begin() + 1, hessian},
          std::ldexp(clip.grid(), -slope_exponent),
          {hessian, sum.end()},
          std::ldexp(clip.grid(), -curvature_exponent) * clip.grid(),
          rows};
}

std::vector<Integer128> answer_objective_sums(const PassOverRows& pass, const Value& question) {
  const auto bits = [&](const char* name) {
    const std::int64_t own = question.at(name).whole();
    if (own < 1 || own > 62) throw Error("a question must ask for 1 to 62 bits");
    return static_cast<int>(own);
  };
  return read_sums(pass, loss_in(question.at("loss")), WholeCoefficients(question.at("at")),
                   {bits("slope_bits"), bits("curvature_bits")});
}

}  // namespace modicum
