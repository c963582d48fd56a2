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

struct GradientPart {
  explicit GradientPart(std::size_t dimension)
      : gradient(dimension, 0), hessian(dimension * (dimension + 1) / 2, 0) {}
  std::vector<Integer128> gradient, hessian;
  double rows = 0.0;
};

void add_row(GradientPart& part, const std::int64_t* row, std::int64_t slope,
             std::int64_t curvature) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < part.gradient.size(); ++i) {
    part.gradient[i] += Integer128{slope} * row[i];
    const Integer128 weighted = Integer128{curvature} * row[i];
    for (std::size_t j = 0; j <= i; ++j) part.hessian[place++] += weighted * row[j];
  }
}

void add(std::vector<Integer128>& sum, const std::vector<Integer128>& part) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
}

}  // namespace

Integer128 ObjectiveSums::hessian_at(Eigen::Index i, Eigen::Index j) const {
  const Eigen::Index low = std::min(i, j), high = std::max(i, j);
  return hessian.at(static_cast<std::size_t>(high * (high + 1) / 2 + low));
}

ObjectiveSums objective_sums(const PassOverRows& pass, const IntegerClip& clip,
                             const PredictionLoss& loss, const Eigen::VectorXd& coefficients,
                             const SumBits& bits) {
  const double unit = unit_of(clip);
  const WholeCoefficients theta((unit * coefficients).cast<long double>());
  const int slope_exponent = exponent_for(bits.slopes, loss.largest_slope());
  const int curvature_exponent = exponent_for(bits.curvatures, loss.largest_curvature());
  const auto dimension = static_cast<std::size_t>(coefficients.size());
  GradientPart sum(dimension);
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    auto part = std::make_shared<GradientPart>(dimension);
    WholeRows rows(block.features);
    for (Eigen::Index i = 0; i < block.labels.size(); ++i) {
      const std::int64_t* row = rows.at(i);
      const auto at = loss.at<long double>(theta.prediction(row), block.labels[i]);
      add_row(*part, row, std::llround(std::ldexp(at.slope, slope_exponent)),
              static_cast<std::int64_t>(std::ldexp(at.curvature, curvature_exponent)));
    }
    part->rows = static_cast<double>(block.labels.size());
    return [&sum, part] {
      add(sum.gradient, part->gradient);
      add(sum.hessian, part->hessian);
      sum.rows += part->rows;
    };
  });
  // A term of the Hessian is below 2^(40 + bits).
  if (!(sum.rows <= std::ldexp(1.0, 86 - std::max(bits.slopes, bits.curvatures))))
    throw Error("there are too many rows to be added up without rounding");
  return {std::move(sum.gradient), std::ldexp(clip.grid(), -slope_exponent), std::move(sum.hessian),
          std::ldexp(clip.grid(), -curvature_exponent) * clip.grid(), sum.rows};
}

}  // namespace modicum
