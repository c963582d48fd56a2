#include "modicum/mechanisms/correlated_noise.h"

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

using Eigen::Index;

constexpr double most_rounds = 4096.0;
constexpr double unit_roundoff = 0x1p-53;

void require_strategy(const Eigen::MatrixXd& strategy) {
  if (strategy.rows() == 0 || strategy.rows() != strategy.cols())
    throw InvalidParameter("strategy", "not square", "must have as many rows as columns");
  if (!(static_cast<double>(strategy.rows()) <= most_rounds))
    throw InvalidParameter("strategy", static_cast<double>(strategy.rows()),
                           "must have at most 4096 rows");
  if (!strategy.allFinite())
    throw InvalidParameter("strategy", "not finite", "must have finite entries");
  if (!(strategy.cwiseAbs().maxCoeff() < 1e100))
    throw InvalidParameter("strategy", strategy.cwiseAbs().maxCoeff(), "must be below 1e100");
  for (Index i = 0; i < strategy.rows(); ++i)
    for (Index j = i + 1; j < strategy.cols(); ++j)
      if (strategy(i, j) != 0.0)
        throw InvalidParameter("strategy", strategy(i, j), "must be 0 above the diagonal");
}

// Upper bounds on |S^T S|. A sum of n products in doubles, in any order, is off by at most n u / (1
// - n u) times the sum of their sizes [Higham2002, Section 3.1], which is computed in the same way;
// products below the range of doubles lose at most 1e-307 each.
Eigen::MatrixXd gram_bounds(const Eigen::MatrixXd& strategy) {
  const Eigen::MatrixXd sizes = strategy.cwiseAbs();
  const double n = static_cast<double>(strategy.rows());
  Eigen::MatrixXd bounds = (strategy.transpose() * strategy).cwiseAbs();
  bounds += (4.0 * n * unit_roundoff) * (sizes.transpose() * sizes);
  bounds.array() += n * 1e-307;
  return bounds;
}

// Sums of at most n^2 terms that are not negative, and a square root.
double root_upwards(double sum, double n) {
  return std::sqrt(sum * (1.0 + 4.0 * n * n * unit_roundoff)) * (1.0 + 4.0 * unit_roundoff);
}

double sum_over(const Eigen::MatrixXd& bounds, const std::vector<Index>& pattern) {
  double sum = 0.0;
  for (const Index i : pattern)
    for (const Index j : pattern) sum += bounds(i, j);
  return sum;
}

// The largest sum of weights at most `most` places of which are chosen, `separation` apart: best[c]
// of the first places is carried along.
class SpacedSums {
 public:
  SpacedSums(Index separation, Index most) : separation_(separation), most_(most) {}
  /// best[c]: with at most c places among weights[from], weights[from + step], ... (`count` of
  /// them).
  template <class Weight>
  std::vector<double> best(Index count, const Weight& weight) const {
    const auto width = static_cast<std::size_t>(most_) + 1;
    std::vector<std::vector<double>> table(static_cast<std::size_t>(count) + 1,
                                           std::vector<double>(width, 0.0));
    for (Index i = 0; i < count; ++i) {
      const auto& skipped = table[static_cast<std::size_t>(i)];
      const auto& before = table[static_cast<std::size_t>(std::max<Index>(0, i + 1 - separation_))];
      auto& here = table[static_cast<std::size_t>(i) + 1];
      for (std::size_t c = 1; c < width; ++c)
        here[c] = std::max(skipped[c], before[c - 1] + weight(i));
    }
    return table.back();
  }

 private:
  Index separation_, most_;
};

// Each row is bounded by the best pattern for it, then the best pattern of rows is taken.
double spaced_bound(const Eigen::MatrixXd& bounds, double separation, double most) {
  const Index n = bounds.rows();
  const auto apart = static_cast<Index>(std::min(separation, static_cast<double>(n)));
  const auto fit = (n + apart - 1) / apart;
  const auto chosen = static_cast<Index>(std::min(most, static_cast<double>(fit)));
  if (!(static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(chosen) <= 2e9))
    throw InvalidParameter("participations", most, "are too many for so many rounds");
  const SpacedSums sums(apart, chosen);
  std::vector<double> rows(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) {
    const std::vector<double> left =
        sums.best(std::max<Index>(0, i - apart + 1), [&](Index j) { return bounds(i, j); });
    const std::vector<double> right =
        sums.best(std::max<Index>(0, n - i - apart), [&](Index j) { return bounds(i, n - 1 - j); });
    double best = 0.0;
    for (Index c = 0; c < chosen; ++c)
      best = std::max(best, left[static_cast<std::size_t>(c)] +
                                right[static_cast<std::size_t>(chosen - 1 - c)]);
    rows[static_cast<std::size_t>(i)] = bounds(i, i) + best;
  }
  return sums.best(n, [&](Index i) { return rows[static_cast<std::size_t>(i)]; }).back();
}

std::vector<Index> checked_pattern(const std::vector<double>& rounds, Index n) {
  std::vector<Index> pattern;
  for (const double round : rounds) {
    if (!(round >= 0.0 && round < static_cast<double>(n) && round == std::floor(round)))
      throw InvalidParameter("pattern", round, "must name rounds, counted from 0");
    pattern.push_back(static_cast<Index>(round));
  }
  std::vector<Index> sorted = pattern;
  std::ranges::sort(sorted);
  if (std::ranges::adjacent_find(sorted) != sorted.end())
    throw InvalidParameter("pattern", "with a round twice", "must name each round once");
  return pattern;
}

}  // namespace

double correlated_sensitivity(const Eigen::MatrixXd& strategy, const Participation& participation) {
  require_strategy(strategy);
  const double separation = require_count("separation", participation.separation);
  const double most = require_count("participations", participation.most);
  const Eigen::MatrixXd bounds = gram_bounds(strategy);
  const Index n = strategy.rows();
  double largest = 0.0;
  if (!participation.patterns.empty()) {
    for (const std::vector<double>& rounds : participation.patterns)
      largest = std::max(largest, sum_over(bounds, checked_pattern(rounds, n)));
  } else if (participation.cyclic) {
    const auto apart = static_cast<Index>(std::min(separation, static_cast<double>(n)));
    for (Index first = 0; first < apart; ++first) {
      std::vector<Index> pattern;
      for (Index i = first; i < n; i += apart) pattern.push_back(i);
      largest = std::max(largest, sum_over(bounds, pattern));
    }
  } else {
    largest = spaced_bound(bounds, separation, most);
  }
  return root_upwards(largest, static_cast<double>(n));
}

PrivacyLoss correlated_gaussian(const Eigen::MatrixXd& strategy, double noise_multiplier,
                                const Participation& participation, double moved) {
  return gaussian_mechanism(require_positive("noise_multiplier", noise_multiplier),
                            moved * correlated_sensitivity(strategy, participation))
      .as_upper_bound();
}

PrivacyLoss sampled_banded_gaussian(const Eigen::MatrixXd& strategy, double noise_multiplier,
                                    double separation, double sampling_rate) {
  require_strategy(strategy);
  require_count("separation", separation);
  require_positive("noise_multiplier", noise_multiplier);
  const Index n = strategy.rows();
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j)
      if (static_cast<double>(i - j) >= separation && strategy(i, j) != 0.0)
        throw InvalidParameter("separation", separation,
                               "must be at least the number of bands of the strategy where records "
                               "are sampled: no bound is proved for others");
  double largest = 0.0;
  const Eigen::MatrixXd bounds = gram_bounds(strategy);
  for (Index i = 0; i < n; ++i) largest = std::max(largest, bounds(i, i));
  const double norm = root_upwards(largest, static_cast<double>(n));
  return subsampled_gaussian(noise_multiplier, norm, sampling_rate)
      .repeated(std::ceil(static_cast<double>(n) / separation))
      .as_upper_bound();
}

Eigen::MatrixXd toeplitz_strategy(const std::vector<double>& coefficients, double rounds) {
  if (!(require_count("rounds", rounds) <= most_rounds))
    throw InvalidParameter("rounds", rounds, "must be at most 4096");
  if (coefficients.empty()) throw InvalidParameter("coefficients", "none", "must be at least one");
  const auto n = static_cast<Index>(rounds);
  Eigen::MatrixXd strategy = Eigen::MatrixXd::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j)
      if (static_cast<std::size_t>(i - j) < coefficients.size())
        strategy(i, j) = coefficients[static_cast<std::size_t>(i - j)];
  return strategy;
}

// A round is in one node on every level of its tree.
PrivacyLoss tree_aggregation(double noise_multiplier, const std::vector<double>& step_counts,
                             double moved) {
  require_positive("noise_multiplier", noise_multiplier);
  if (step_counts.empty()) throw InvalidParameter("step_counts", "none", "must be at least one");
  double levels = 0.0;
  for (const double steps : step_counts) {
    double depth = 1.0;
    for (double leaves = 1.0; leaves < require_count("step_counts", steps); leaves *= 2.0) ++depth;
    levels = std::max(levels, depth);
  }
  const double root = std::sqrt(levels);
  return gaussian_mechanism(
      noise_multiplier,
      moved * (std::fma(root, root, -levels) >= 0.0 ? root : std::nextafter(root, 9.0)));
}

}  // namespace modicum
