// Laws of released components. Every statistical check has a fixed seed and would raise a false
// alarm with probability at most 1e-10 (seven deviations, of which the largest possible is taken).
#include "modicum/release/component_release.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/rank_rows.h"
#include "numerics/dense.h"
#include "release/component_tables.h"
#include "release/components/component_basis.h"
#include "support/bingham_moments.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::component_release_test {
namespace {

using enum ComponentMethod;

const PrivacyTarget target(1.0, 1e-6);

// Rows with a spread that differs from axis to axis, turned.
Eigen::MatrixXd uneven_rows(long count, const Eigen::VectorXd& scales, std::uint64_t seed) {
  SeededRandom random(seed);
  Eigen::MatrixXd rows = random_rows(random, count, scales.size(), 1.0) * scales.asDiagonal();
  const Eigen::MatrixXd turn = random_rows(random, scales.size(), scales.size(), 1.0);
  return rows * HouseholderQr(turn).orthogonal();
}

struct Axes {
  Eigen::VectorXd values;  // descending
  Eigen::MatrixXd vectors;
};
Axes axes_of(const Eigen::MatrixXd& moments) {
  const SymmetricEigen found = symmetric_eigen(moments);
  return {found.values.reverse(), found.vectors.rowwise().reverse()};
}

// Mean of the squared coordinates of the columns along the axes.
template <class Moments>
Eigen::VectorXd mean_shares(const ComponentPlan& plan, const Moments& moments, const Axes& axes,
                            int draws, std::uint64_t seed, Eigen::Index columns) {
  SeededSource source(seed);
  Eigen::VectorXd sum = Eigen::VectorXd::Zero(axes.values.size());
  for (int i = 0; i < draws; ++i) {
    const Eigen::MatrixXd values = release_components(plan, moments, source).values;
    sum += (axes.vectors.transpose() * values.leftCols(columns)).rowwise().squaredNorm();
  }
  return sum / draws;
}

// A variable in [0, 1] with mean m has at most the variance m (1 - m).
void expect_means(const Eigen::VectorXd& found, const Eigen::VectorXd& expected, int draws) {
  for (Eigen::Index i = 0; i < found.size(); ++i)
    EXPECT_NEAR(found[i], expected[i],
                7.0 * std::sqrt(expected[i] * (1.0 - expected[i]) / draws) + 1e-7)
        << i;
}

constexpr int draws = 8000;

TEST(ReleaseComponents, ADirectionHasTheLawOfTheExponentialMechanism) {
  const double bound = 1.7;
  const IntegerGram gram = gram_of(uneven_rows(60, Eigen::Vector3d(0.9, 0.5, 0.2), 1), bound);
  const Axes axes = axes_of(gram.matrix());
  for (const ComponentMethod method : {exponential, joint}) {
    const ComponentPlan plan = plan_components(target, coordinates(3, bound), {1.0, method});
    const Eigen::VectorXd exponents =
        plan.frames().range / (bound * bound) * (axes.values[0] - axes.values.array());
    EXPECT_GT(exponents[2], 3.0);  // far from uniform
    expect_means(mean_shares(plan, gram, axes, draws, 2, 1), bingham_second_moments(exponents),
                 draws);
  }
}

TEST(ReleaseComponents, TheFirstOfSeveralDirectionsHasThatLawToo) {
  const IntegerGram gram = gram_of(uneven_rows(90, Eigen::Vector4d(0.5, 0.4, 0.3, 0.1), 3), 1.0);
  const Axes axes = axes_of(gram.matrix());
  const ComponentPlan plan = plan_components(target, coordinates(4, 1.0), {3.0});
  const Eigen::VectorXd exponents = plan.frames().range * (axes.values[0] - axes.values.array());
  expect_means(mean_shares(plan, gram, axes, draws, 4, 1), bingham_second_moments(exponents),
               draws);
}

// For k = p - 1 what is left out has the law of one direction with the exponents turned round.
TEST(ReleaseComponents, JointDrawsHaveTheLawOfTheMatrix) {
  const IntegerGram gram = gram_of(uneven_rows(80, Eigen::Vector3d(0.6, 0.5, 0.3), 5), 1.0);
  const Axes axes = axes_of(gram.matrix());
  const ComponentPlan plan = plan_components(target, coordinates(3, 1.0), {2.0, joint});
  const Eigen::VectorXd turned = plan.frames().range * (axes.values.array() - axes.values[2]);
  const Eigen::VectorXd expected = 1.0 - bingham_second_moments(turned).array();
  constexpr int fewer = 2000;
  expect_means(mean_shares(plan, gram, axes, fewer, 6, 2), expected, fewer);
}

TEST(ReleaseComponents, RanksHaveANinthOfTheExponent) {
  const RankMoments moments =
      rank_moments_of(uneven_rows(300, Eigen::Vector3d(3.0, 1.0, 0.3), 7).eval());
  const Axes axes = axes_of(moments.matrix);
  const ComponentPlan plan =
      plan_components(target, coordinates(3, 1.0), {1.0, exponential, RowScaling::ranks});
  const Eigen::VectorXd exponents =
      plan.frames().range / 4.5 / 3.0 * (axes.values[0] - axes.values.array());
  EXPECT_GT(exponents[2], 1.0);
  expect_means(mean_shares(plan, moments, axes, draws, 8, 1), bingham_second_moments(exponents),
               draws);
}

// log of the density of what is drawn for two coordinates, by the angle, as the release computes
// it; the constant by the trapezoidal rule, which converges geometrically here.
template <class Moments>
Eigen::VectorXd log_density(const ComponentPlan& plan, const Moments& moments) {
  const ComponentBasis basis = component_basis(moments, squared_row_bound(plan));
  const ComponentLaw law =
      component_law(basis, 1.0, exponent_factor(plan, plan.certificate).value());
  constexpr int angles = 720;
  Eigen::VectorXd logs(angles);
  for (int i = 0; i < angles; ++i) {
    const double angle = M_PI * i / angles;
    const Eigen::Vector2d direction(std::cos(angle), std::sin(angle));
    logs[i] = law.log_density(basis.vectors.transpose() * direction);
  }
  return logs.array() - std::log(logs.array().exp().mean());
}

TEST(ReleaseComponents, NoDirectionTellsMoreThanTheRangeForAnyRow) {
  SeededRandom random(9);
  const ComponentPlan plan = plan_components(target, coordinates(2, 1.3), {1.0});
  double largest_spread = 0.0, largest_loss = 0.0;
  for (int trial = 0; trial < 300; ++trial) {
    const Eigen::MatrixXd rows = random_rows(random, random.whole(0, 30), 2, 1.0);
    Eigen::VectorXd added(2);
    // Clipped to the bound, most of them, and along the second axis, some.
    added << (trial % 3 == 0 ? 0.0 : 5.0 * random.normal()), 5.0 * random.normal();
    const Eigen::VectorXd ratio = log_density(plan, gram_of(with_row(rows, added), 1.3).matrix()) -
                                  log_density(plan, gram_of(rows, 1.3).matrix());
    largest_spread = std::max(largest_spread, ratio.maxCoeff() - ratio.minCoeff());
    largest_loss = std::max(largest_loss, ratio.cwiseAbs().maxCoeff());
  }
  EXPECT_LE(largest_spread, plan.frames().range * (1.0 + 1e-12));
  EXPECT_LE(largest_loss, plan.frames().range * (1.0 + 1e-12));
  // A row of full length has just that range.
  EXPECT_GE(largest_spread, 0.999 * plan.frames().range);
}

TEST(ReleaseComponents, NoDirectionTellsMoreThanTheRangeByRanks) {
  SeededRandom random(10);
  const ComponentPlan plan =
      plan_components(target, coordinates(2, 1.0), {1.0, exponential, RowScaling::ranks});
  double largest_spread = 0.0;
  for (int trial = 0; trial < 300; ++trial) {
    const Eigen::MatrixXd rows = random_rows(random, random.whole(1, 30), 2, 1.0);
    const double size = trial % 2 == 0 ? 100.0 : 1.0;
    const Eigen::Vector2d added(size * random.normal(), size * random.normal());
    const Eigen::VectorXd ratio = log_density(plan, rank_moments_of(with_row(rows, added)).matrix) -
                                  log_density(plan, rank_moments_of(rows).matrix);
    largest_spread = std::max(largest_spread, ratio.maxCoeff() - ratio.minCoeff());
  }
  EXPECT_LE(largest_spread, plan.frames().range);
  EXPECT_GE(largest_spread, plan.frames().range / 4.5);
}

// Given beta, the expected error is an integral. What is added up has mean 0 whatever beta was.
TEST(ReleaseComponents, AdaptiveDrawsHaveTheLawOfTheBetaThatTheyTell) {
  const Eigen::VectorXd scales = Eigen::VectorXd::LinSpaced(8, 0.1, 0.8);
  const IntegerGram gram = gram_of(uneven_rows(3000, scales, 11), 1.0);
  const Axes axes = axes_of(gram.matrix());
  ComponentRequest request{1.0, adaptive};
  request.rows = 2500.0;
  const ComponentPlan plan =
      plan_components(PrivacyTarget(4.0, 1e-4), coordinates(8, 1.0), request);
  SeededSource source(12);
  double difference = 0.0, variance = 0.0;
  int found = 0;
  for (int i = 0; i < 300; ++i) {
    const Released released = release_components(plan, gram, source);
    if (released.values.isZero(0.0)) {
      EXPECT_EQ(text_in(released.certificate, "components_found"), "none");
      EXPECT_EQ(released.certificate.find("beta"), nullptr);
      continue;
    }
    ++found;
    const double beta = number_in(released.certificate, "beta");
    const Eigen::VectorXd exponents =
        64.0 * beta / (2.0 * 2500.0) * (axes.values[0] - axes.values.array());
    const double expected = bingham_second_moments(exponents)[0];
    difference += std::pow(axes.vectors.col(0).dot(released.values.col(0)), 2) - expected;
    variance += expected * (1.0 - expected);
  }
  EXPECT_GT(found, 200);
  EXPECT_LT(std::abs(difference), 7.0 * std::sqrt(variance));
}

// Too few or too many: beta is in proportion, and nothing else changes.
TEST(ReleaseComponents, AdaptiveDrawsDoNotDependOnTheNumberOfRowsThatBetaRefersTo) {
  const Eigen::VectorXd scales = Eigen::VectorXd::LinSpaced(8, 0.1, 0.8);
  const IntegerGram gram = gram_of(uneven_rows(3000, scales, 13), 1.0);
  const auto plan_for = [&](double rows) {
    ComponentRequest request{2.0, adaptive};
    request.rows = rows;
    return plan_components(PrivacyTarget(8.0, 1e-3), coordinates(8, 1.0), request);
  };
  const ComponentPlan plan = plan_for(3000.0);
  const std::vector<ComponentPlan> others{plan_for(1.0), plan_for(100.0), plan_for(1e9)};
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SeededSource source(seed);
    const Released usual = release_components(plan, gram, source);
    if (found_nothing(usual)) continue;
    ++compared;
    for (const ComponentPlan& other_plan : others) {
      SeededSource again(seed);
      const Released other = release_components(other_plan, gram, again);
      EXPECT_NEAR(number_in(other.certificate, "beta") / *other_plan.request.rows,
                  number_in(usual.certificate, "beta") / 3000.0,
                  1e-6 * number_in(usual.certificate, "beta") / 3000.0);
      EXPECT_LT((other.values - usual.values).cwiseAbs().maxCoeff(), 1e-4);
    }
  }
  EXPECT_GT(compared, 5);
}

}  // namespace
}  // namespace modicum::testing::component_release_test
