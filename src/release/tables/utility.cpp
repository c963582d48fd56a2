#include "modicum/release/utility.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace modicum {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

double correlation(const Eigen::ArrayXd& x, const Eigen::ArrayXd& y) {
  if (x.size() < 2) return nothing;
  const Eigen::ArrayXd u = x - x.mean(), v = y - y.mean();
  const double size = std::sqrt(u.square().sum() * v.square().sum());
  return size > 0.0 ? (u * v).sum() / size : nothing;
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  if (values.size() < 2)
    throw InvalidParameter("the number of values", static_cast<double>(values.size()),
                           "must be at least 2");
  if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
    return {nothing, nothing, nothing, nothing};
  const auto n = static_cast<double>(values.size());
  const Eigen::Map<const Eigen::ArrayXd> all(values.data(),
                                             static_cast<Eigen::Index>(values.size()));
  const double mean = all.mean();
  const double deviation = std::sqrt((all - mean).square().sum() / (n - 1.0));
  std::sort(values.begin(), values.end());
  if (values.front() == values.back()) return {values.front(), 0.0, values.front(), values.front()};
  const std::size_t half = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
  const auto decile = static_cast<std::size_t>(std::ceil(0.9 * n)) - 1;
  return {mean, 1.959963984540054 * deviation / std::sqrt(n), median, values[decile]};
}

SketchGeometry sketch_geometry(const Released& sketch, const IntegerGram& gram) {
  const Eigen::MatrixXd before = gram.matrix();
  if (sketch.values.rows() != before.rows())
    throw Error("a sketch has another number of rows than the Gram matrix");
  const Eigen::MatrixXd after =
      sketch.values * sketch.values.transpose() / static_cast<double>(sketch.values.cols());
  const auto squared_distance = [](const Eigen::MatrixXd& products, Eigen::Index i,
                                   Eigen::Index j) {
    return products(i, i) + products(j, j) - 2.0 * products(i, j);
  };
  const Eigen::Index d = before.rows();
  Eigen::ArrayXd products_before(d * (d - 1) / 2), products_after(d * (d - 1) / 2);
  double ratios = 0.0, pairs = 0.0;
  Eigen::Index place = 0;
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j < i; ++j, ++place) {
      products_before[place] = before(i, j);
      products_after[place] = after(i, j);
      const double distance = squared_distance(before, i, j);
      if (!(distance > 0.0)) continue;
      ratios += std::sqrt(std::max(0.0, squared_distance(after, i, j)) / distance);
      ++pairs;
    }
  return {pairs > 0.0 ? ratios / pairs : nothing,
          correlation(before.reshaped().array(), after.reshaped().array()),
          correlation(products_before, products_after)};
}

}  // namespace modicum
