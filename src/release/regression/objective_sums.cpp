#include "release/regression/objective_sums.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "release/regression/linear_objective.h"

namespace modicum {
namespace {

// Few enough bits that noise can be added on a grid 2^52 times as coarse, at most (split).
constexpr int bits_of_slopes = 32, bits_of_curvatures = 20;

// Grids 2^-exponent such that the largest value has so many bits.
int exponent_for(int bits, double largest) { return bits - 1 - std::ilogb(largest); }

struct Part {
  explicit Part(std::size_t dimension)
      : gradient(dimension, 0), hessian(dimension * (dimension + 1) / 2, 0) {}
  std::vector<Integer128> gradient, hessian;
};

void add_row(Part& part, const std::int64_t* row, std::int64_t slope, std::int64_t curvature) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < part.gradient.size(); ++i) {
    part.gradient[i] += Integer128{slope} * row[i];
    const std::int64_t weighted = curvature * row[i];  // 41 bits
    for (std::size_t j = 0; j <= i; ++j) part.hessian[place++] += Integer128{weighted} * row[j];
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
                             const PredictionLoss& loss, const Eigen::VectorXd& coefficients) {
  const double unit = unit_of(clip);
  const WholeCoefficients theta((unit * coefficients).cast<long double>());
  const int slope_exponent = exponent_for(bits_of_slopes, loss.largest_slope());
  const int curvature_exponent = exponent_for(bits_of_curvatures, loss.largest_curvature());
  const auto dimension = static_cast<std::size_t>(coefficients.size());
  Part sum(dimension);
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    auto part = std::make_shared<Part>(dimension);
    WholeRows rows(block.features);
    for (Eigen::Index i = 0; i < block.labels.size(); ++i) {
      const std::int64_t* row = rows.at(i);
      const auto at = loss.at<long double>(theta.prediction(row), block.labels[i]);
      add_row(*part, row, std::llround(std::ldexp(at.slope, slope_exponent)),
              static_cast<std::int64_t>(std::ldexp(at.curvature, curvature_exponent)));
    }
    return [&sum, part] {
      add(sum.gradient, part->gradient);
      add(sum.hessian, part->hessian);
    };
  });
  return {std::move(sum.gradient), std::ldexp(clip.grid(), -slope_exponent), std::move(sum.hessian),
          std::ldexp(clip.grid(), -curvature_exponent) * clip.grid()};
}

}  // namespace modicum
