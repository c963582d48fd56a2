#include <algorithm>
#include <cmath>
#include <utility>

#include "modicum/auditing/component_simulation.h"
#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

// The law with or without a row, and that row over sqrt p, in the eigenbasis of the law.
struct Side {
  ComponentLaw law;
  Eigen::VectorXd row;
};

// Directions in decreasing order of their eigenvalues, as the law has them.
Side sorted_side(std::vector<std::pair<double, double>> value_and_coordinate, double beta,
                 std::size_t components) {
  std::sort(value_and_coordinate.begin(), value_and_coordinate.end(),
            [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<double> values;
  Eigen::VectorXd row(static_cast<Eigen::Index>(value_and_coordinate.size()));
  for (const auto& [value, coordinate] : value_and_coordinate) {
    row[static_cast<Eigen::Index>(values.size())] = coordinate;
    values.push_back(value);
  }
  return {ComponentLaw(std::move(values), beta, static_cast<double>(components)), std::move(row)};
}

// x x^T / n with x = sqrt p (cos a u_k + sin a u_{k+1}) changes a block of 2 x 2: with
// d = (lambda_k - lambda_{k+1}) / 2 and h = p / (2 n), the block is its mean, raised by h, plus
//   [d + h cos 2a, h sin 2a; h sin 2a, -(d + h cos 2a)],
// which has the eigenvalues +-r, r = |(d + h cos 2a, h sin 2a)|, and axes turned by b = half the
// angle of that vector: the row is at a - b from the upper of them.
std::pair<Side, Side> without_and_with_row(const ComponentSpectrum& spectrum, double beta) {
  const double angle = std::acos(std::sqrt(worst_row_share(spectrum, beta)));
  const std::size_t last = spectrum.components() - 1;
  std::vector<std::pair<double, double>> directions;
  for (const double value : spectrum.eigenvalues()) directions.emplace_back(value, 0.0);
  directions[last].second = std::cos(angle);
  directions[last + 1].second = std::sin(angle);
  const Side without = sorted_side(directions, beta, spectrum.components());

  const double half = 0.5 * static_cast<double>(spectrum.dimension()) / spectrum.rows();
  const double across = 0.5 * spectrum.gap() + half * std::cos(2.0 * angle);
  const double beside = half * std::sin(2.0 * angle), turn = 0.5 * std::atan2(beside, across);
  const double middle = 0.5 * (directions[last].first + directions[last + 1].first) + half;
  const double radius = std::hypot(across, beside);
  directions[last] = {middle + radius, std::cos(angle - turn)};
  directions[last + 1] = {middle - radius, std::sin(angle - turn)};
  return {without, sorted_side(directions, beta, spectrum.components())};
}

// |V^T x|^2 / p, in ascending order.
std::vector<double> statistics(const Side& side, ComponentSampler sampler, std::size_t draws,
                               RandomSource& source) {
  std::vector<double> result;
  for (std::size_t i = 0; i < draws; ++i)
    result.push_back(
        (draw_components(side.law, sampler, source).transpose() * side.row).squaredNorm());
  std::sort(result.begin(), result.end());
  return result;
}

// How many of these are at most (below) the value of this place, from 1 on; none before it, all
// after the last.
double at_most_that(const std::vector<double>& counted, const std::vector<double>& ordered,
                    double place) {
  if (!(place >= 1.0)) return 0.0;
  const auto index = static_cast<std::size_t>(place) - 1;
  if (index >= ordered.size()) return static_cast<double>(counted.size());
  return static_cast<double>(std::upper_bound(counted.begin(), counted.end(), ordered[index]) -
                             counted.begin());
}
double below_that(const std::vector<double>& counted, const std::vector<double>& ordered,
                  double place) {
  const auto index = static_cast<std::size_t>(place) - 1;
  if (index >= ordered.size()) return static_cast<double>(counted.size());
  return static_cast<double>(std::lower_bound(counted.begin(), counted.end(), ordered[index]) -
                             counted.begin());
}

}  // namespace

// The best test of level a says "with" above the c where F(c) = 1 - a, F the distribution of the
// statistic without the row; its type II error is G(c), G that with it. Both empirical functions
// are within w of the true ones, everywhere at once, but with probability
// 2 exp(-2 m w^2) each: 1 - confidence together. So at c the empirical F is in 1 - a +- w,
// which has c between two draws, and G(c) is within w of what the empirical G has there.
SimulatedTradeoff simulate_tradeoff(const ComponentSpectrum& spectrum, double beta,
                                    ComponentSampler sampler, std::size_t draws,
                                    const std::vector<double>& levels, double confidence,
                                    RandomSource& source) {
  require_open_unit("confidence", confidence);
  for (const double level : levels) require_probability("levels", level);
  if (!(draws >= 100))
    throw InvalidParameter("draws", static_cast<double>(draws), "must be at least 100");
  const auto [without, with] = without_and_with_row(spectrum, beta);
  const std::vector<double> null = statistics(without, sampler, draws, source);
  const std::vector<double> other = statistics(with, sampler, draws, source);
  const auto size = static_cast<double>(draws);
  const double width = std::sqrt(std::log(4.0 / (1.0 - confidence)) / (2.0 * size));
  SimulatedTradeoff result;
  for (const double level : levels) {
    const double rest = 1.0 - level;  // blind guessing has this type II error: never more
    const double lowest = at_most_that(other, null, std::ceil(size * (rest - width))) / size;
    const double highest = below_that(other, null, std::floor(size * (rest + width)) + 1.0) / size;
    const double middle = at_most_that(other, null, std::round(size * rest)) / size;
    result.type1.push_back(level);
    result.type2.push_back(std::min(middle, rest));
    result.lower.push_back(std::clamp(lowest - width, 0.0, rest));
    result.upper.push_back(std::clamp(highest + width, 0.0, rest));
  }
  return result;
}

}  // namespace modicum
