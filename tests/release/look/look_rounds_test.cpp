// The rounds of a look on neighboring tables, for what earlier rounds may have released: distances
// in whole numbers, composed by the exact engine.
#include "release/look/look_rounds.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "release/memory_table.h"
#include "release/small_tables.h"
#include "support/seeded_source.h"

namespace modicum::testing::look_rounds_test {
namespace {

const PrivacyTarget target(1.0, 1e-6);

struct Rounds {
  AffineMap means, spread, whitened;
  double means_bound, spread_bound, whitened_bound;
};

// Anything that was released before is possible: the promise is for all of it.
Rounds some_rounds(SeededRandom& random, Eigen::Index columns) {
  const auto vector = [&](double size) {
    return Eigen::VectorXd(
        Eigen::VectorXd::NullaryExpr(columns, [&] { return size * random.normal(); }));
  };
  return {AffineMap::scaled(random.unit(), Eigen::VectorXd::Zero(columns), vector(1.0)),
          AffineMap::scaled(random.unit(), vector(1.0), Eigen::VectorXd::Ones(columns)),
          AffineMap::turned(1.0, vector(1.0),
                            random_rows(random, columns, columns, random.log_uniform(1e-3, 1e3))),
          random.log_uniform(0.1, 10.0),
          random.log_uniform(0.1, 10.0),
          random.log_uniform(0.1, 10.0)};
}

// Delta at the target's epsilon between both tables, noise as the rounds take it: for rows clipped
// `factor` times as far as the noise is for, 1 if all is well.
double delta_between(const Eigen::MatrixXd& more, const Eigen::MatrixXd& fewer, const Rounds& given,
                     double factor) {
  const LookBudget budget(target);
  LookRounds rounds(budget);
  const auto mapped = [](const MemoryTable& table, const RowRule& rule) {
    return MappedRows(table.table(), rule, PublicRows(rule, 1e3, BadRows::refused),
                      [] { return ReadOptions{}; });
  };
  const MemoryTable larger(more), smaller(fewer);
  const RowRule first = larger.rule(), second = smaller.rule();
  const MappedRows with = mapped(larger, first), without = mapped(smaller, second);
  const auto sum_distance = [&](const AffineMap& map, double bound) {
    const IntegerSum x = with.sum(map, bound), y = without.sum(map, bound);
    double square = 0.0;
    for (std::size_t i = 0; i < x.entries.size(); ++i)
      square += std::pow(static_cast<double>(x.entries[i] - y.entries[i]) * x.grid, 2);
    return std::sqrt(square);
  };
  const auto moment_distance = [&](const AffineMap& map, double bound) {
    const Eigen::MatrixXd x = with.moments(map, bound).matrix(),
                          y = without.moments(map, bound).matrix();
    return (x - y).norm();
  };
  PrivacyLoss all = gaussian_mechanism(rounds.deviation(10, given.means_bound),
                                       sum_distance(given.means, given.means_bound * factor));
  all.compose(gaussian_mechanism(rounds.deviation(5, 1.0), 1.0));
  for (const auto& [share, map, bound] : {std::tuple{35, &given.spread, given.spread_bound},
                                          std::tuple{50, &given.whitened, given.whitened_bound}})
    all.compose(gaussian_mechanism(rounds.deviation(share, bound * bound),
                                   moment_distance(*map, bound * factor)));
  const ProfilePoint point = profile(all, target.epsilon, Accuracy::certified);
  return std::max(point.forward.upper(), point.reverse.upper());
}

TEST(LookRounds, NeighborsStayWithinTheTarget) {
  SeededRandom random(11);
  double worst = 0.0;
  for (int repeat = 0; repeat < 12; ++repeat) {
    const Eigen::Index columns = 1 + repeat % 4;
    const Rounds rounds = some_rounds(random, columns);
    const Eigen::MatrixXd rows = random_rows(random, 8, columns, random.log_uniform(0.01, 100.0));
    // Rows that are removed, and some that are added: far away in any direction.
    const Eigen::VectorXd far =
        random_rows(random, columns, 1, random.log_uniform(1.0, 1e300)).col(0);
    for (const double delta : {delta_between(rows, without_row(rows, repeat % 8), rounds, 1.0),
                               delta_between(with_row(rows, far), rows, rounds, 1.0)}) {
      EXPECT_LE(delta, target.delta);
      worst = std::max(worst, delta);
    }
  }
  // Long rows spend nearly all of it: the bound is no waste.
  EXPECT_GT(worst, 0.99 * target.delta);
}

TEST(LookRounds, ATwinThatClipsTooFarIsCaught) {
  SeededRandom random(12);
  const Rounds rounds = some_rounds(random, 3);
  const Eigen::MatrixXd rows = random_rows(random, 8, 3, 1.0);
  const Eigen::VectorXd far = random_rows(random, 3, 1, 1e3).col(0);
  EXPECT_GT(delta_between(with_row(rows, far), rows, rounds, 1.05), target.delta);
}

// Noise of the deviation that is told, around the truth: within 6 of them but for once in 10^8.
TEST(LookRounds, AddsTheNoiseItTells) {
  SeededRandom random(13);
  const MemoryTable table(random_rows(random, 500, 2, 1.0));
  const RowRule rule = table.rule();
  const MappedRows rows(table.table(), rule, PublicRows(rule, 10.0, BadRows::refused),
                        [] { return ReadOptions{}; });
  const AffineMap map = AffineMap::scaled(1.0, Eigen::VectorXd::Zero(2), Eigen::VectorXd::Ones(2));
  const LookBudget budget(target);
  LookRounds rounds(budget);
  SeededSource source(1);
  const NoisySum sum = look_at_sum(rows, map, 20.0, rounds, 10, source);
  EXPECT_NE(sum.values[0], 500.0);
  EXPECT_NEAR(sum.values[0], 500.0, 6.0 * sum.deviation);
  const NoisyMoments moments = look_at_moments(rows, map, 20.0, rounds, 40, source);
  EXPECT_NEAR(moments.values(0, 0), 500.0, 6.0 * std::sqrt(2.0) * moments.deviation);
  EXPECT_EQ(moments.values(1, 2), moments.values(2, 1));
  const NoisyNorms norms = look_at_norms(rows, map, 16.0, 2.0, 5, rounds, 50, source);
  EXPECT_EQ(norms.edges, (std::vector<double>{16.0, 8.0, 4.0, 2.0, 1.0}));
  EXPECT_EQ(norms.above[0], 0.0);
  EXPECT_TRUE(std::is_sorted(norms.above.begin(), norms.above.end()));
  // Rows with a constant of 1 are longer than 1, all but a few shorter than 4.
  EXPECT_NEAR(norms.above[4], 500.0, 15.0 * norms.deviation);
  EXPECT_EQ(norms.radius_with(HUGE_VAL), 1.0);
  EXPECT_EQ(norms.radius_with(-1.0), 16.0);
}

}  // namespace
}  // namespace modicum::testing::look_rounds_test
