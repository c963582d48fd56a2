// Laws of released vectors; a false alarm has probability at most 1e-9 each.
#include "modicum/release/vector_release.h"

#include <arb_hypgeom.h>
#include <gtest/gtest.h>

#include "numerics/ball.h"
#include "release/small_tables.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::vector_release_test {
namespace {

const PrivacyTarget target(1.0, 1e-6);

double to_double(Integer128 multiple, double grid) { return static_cast<double>(multiple) * grid; }

TEST(DrawVector, GaussianNoiseHasItsLawAroundAnyAnswer) {
  SeededSource source(1);
  // Answers on a grid finer and coarser than that of the noise, and on none.
  for (const double answer_grid : {0x1p-40, 1.0, 0.0}) {
    const VectorNoisePlan plan =
        plan_vector_noise(target, VectorNoise::gaussian, 3.0, 1.0, answer_grid);
    EXPECT_EQ(plan.calibrated_sensitivity, 1.0);
    const VectorAnswer answer{answer_grid, {1, -12345, 1000000007}, {0.1, -7.3, 1e6 / 3.0}};
    std::vector<double> noise;
    for (int i = 0; i < 2000; ++i) {
      const std::vector<double> drawn = draw_vector(plan, answer, source);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_EQ(std::remainder(drawn[j], plan.grid), 0.0);
        const double truth =
            answer_grid > 0.0 ? to_double(answer.multiples[j], answer_grid) : answer.values[j];
        noise.push_back((drawn[j] - truth) / plan.standard_deviation.value());
      }
    }
    EXPECT_LT(largest_deviation(noise, normal_below), deviation_allowed(6000)) << answer_grid;
  }
}

// The radius of spherical noise has the generalized gamma law.
TEST(DrawVector, SphericalNoiseHasItsLawAroundTheAnswerOnTheGrid) {
  SeededSource source(2);
  for (const VectorNoise kind : {VectorNoise::l2, VectorNoise::spherical}) {
    const VectorNoisePlan plan = plan_vector_noise(target, kind, 3.0, 1.0, 0.0);
    EXPECT_GT(plan.calibrated_sensitivity, 1.0);
    const SphericalNoise& law = plan.spherical.value();
    const VectorAnswer answer{0.0, {}, {0.1, -7.3, 1e3 / 3.0}};
    std::vector<double> radii;
    for (int i = 0; i < 2000; ++i) {
      const std::vector<double> drawn = draw_vector(plan, answer, source);
      double square = 0.0;
      for (std::size_t j = 0; j < 3; ++j)
        square += (drawn[j] - answer.values[j]) * (drawn[j] - answer.values[j]);
      radii.push_back(std::sqrt(square));
    }
    const auto radial = [&](double r) {
      Ball result;
      const Ball shape = (law.alpha + 1.0) / law.p, z = law.beta * std::pow(r, law.p);
      arb_hypgeom_gamma_lower(result.raw(), shape.raw(), z.raw(), 1, 64);
      return result.middle();
    };
    EXPECT_LT(largest_deviation(radii, radial), deviation_allowed(2000));
  }
}

// The radius of the least noise for two numbers: (r / disc)^2 within each disc.
TEST(DrawVector, OptimalNoiseForTwoNumbersHasItsLaw) {
  SeededSource source(3);
  const VectorNoisePlan plan = plan_vector_noise(target, VectorNoise::optimal, 2.0, 1.0, 0.0);
  EXPECT_LE(plan.achieved.delta().upper(), target.delta);
  const DiscNoise& law = plan.discs.value();
  const VectorAnswer answer{0.0, {}, {0.1, -7.3}};
  std::vector<double> radii;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<double> drawn = draw_vector(plan, answer, source);
    radii.push_back(std::hypot(drawn[0] - answer.values[0], drawn[1] - answer.values[1]));
    EXPECT_EQ(std::remainder(drawn[1], plan.grid), 0.0);
  }
  const auto radial = [&](double r) {
    double sum = 0.0;
    for (std::size_t i = 0; i < law.probabilities.size(); ++i)
      sum += law.probabilities[i] *
             std::min(1.0, std::pow(r / (law.width * static_cast<double>(i + 1)), 2));
    return sum;
  };
  EXPECT_LT(largest_deviation(radii, radial), deviation_allowed(2000));
  EXPECT_TRUE(refuses(
      "noise", [&] { return plan_vector_noise(target, VectorNoise::optimal, 3.0, 1.0, 0.0); }));
}

TEST(PlanVectorNoise, AnAnswerThatIsOnTheGridCostsNoSensitivity) {
  for (const VectorNoise kind : {VectorNoise::gaussian, VectorNoise::l2}) {
    const VectorNoisePlan plan = plan_vector_noise(target, kind, 4.0, 1.0, 0x1p-10);
    EXPECT_LE(plan.grid, 0x1p-10);
    EXPECT_EQ(plan.calibrated_sensitivity, 1.0);
    EXPECT_LE(plan.achieved.delta().upper(), target.delta);
  }
  const VectorNoisePlan coarse = plan_vector_noise(target, VectorNoise::l2, 4.0, 1.0, 0x1p-60);
  EXPECT_GE(coarse.calibrated_sensitivity, 1.0 + 2.0 * coarse.grid);
}

TEST(PlanVectorNoise, PureTargetsAreForTheL2Mechanism) {
  EXPECT_LE(plan_vector_noise({1.0, 0.0}, VectorNoise::l2, 3.0, 1.0, 1.0).achieved.delta().upper(),
            0.0);
  EXPECT_THROW(plan_vector_noise({1.0, 0.0}, VectorNoise::gaussian, 3.0, 1.0, 1.0),
               CalibrationFailed);
  EXPECT_ANY_THROW(plan_vector_noise({0.0, 0.0}, VectorNoise::l2, 3.0, 1.0, 1.0));
  for (const double bad : {0.0, -1.0, not_a_number, infinity})
    EXPECT_TRUE(refuses("sensitivity", [bad] {
      return plan_vector_noise(target, VectorNoise::gaussian, 3.0, bad, 1.0).grid;
    }));
}

// Neighbors in whole numbers: what a row moves is never more than the sensitivity of the plan.
TEST(ReleaseMean, ARowMovesSumAndCountByTheSensitivity) {
  SeededRandom random(3);
  for (const double bound : {1.0, 1.3, 0.7, 1e-3, 12345.6}) {
    const PublicRows rows({"a", "b"}, bound);
    const VectorPlan plan = plan_mean(target, rows, VectorNoise::gaussian);
    const Eigen::MatrixXd table = random_rows(random, 5, 2, 0.5 * bound);
    for (int i = 0; i < 50; ++i) {
      const Eigen::MatrixXd more =
          with_row(table, 10.0 * bound * random_vector(random, 2, 1.0).normalized());
      const IntegerSum one = sum_of(table, bound), other = sum_of(more, bound);
      double square = plan.count_weight * plan.count_weight;
      for (std::size_t j = 0; j < 2; ++j) {
        const double step = to_double(other.entries[j] - one.entries[j], one.grid);
        square += step * step;
      }
      EXPECT_LE(std::sqrt(square), plan.noise.sensitivity);
      EXPECT_GT(std::sqrt(square), 0.99 * plan.noise.sensitivity);  // it is attained
    }
    EXPECT_LE(plan.noise.sensitivity, std::sqrt(2.0) * bound * (1.0 + 1e-15));
  }
}

TEST(ReleaseMean, DividesByTheReleasedOrThePublicNumberOfRows) {
  SeededRandom random(4);
  SeededSource source(5);
  PublicRows rows({"a", "b"}, 1.0);
  rows.centers = {10.0, 0.0};
  rows.scales = {2.0, 1.0};
  IntegerSum sum = sum_of(random_rows(random, 1000, 2, 0.1), 1.0);
  const VectorPlan plan = plan_mean(target, rows, VectorNoise::gaussian);
  const Released released = release_mean(plan, sum, source);
  const double count = std::get<double>(*released.certificate.find("released_count"));
  // Seven deviations: 3e-12.
  EXPECT_NEAR(count, 1000.0, 7.0 * *plan.noise.standard_deviation / plan.count_weight);
  EXPECT_DOUBLE_EQ(released.values(0, 1), 10.0 + 2.0 * released.values(0, 0) / count);
  EXPECT_DOUBLE_EQ(released.values(1, 1), released.values(1, 0) / count);
  const VectorPlan with_rows = plan_mean(target, rows, VectorNoise::gaussian, 1000.0);
  EXPECT_EQ(with_rows.noise.sensitivity, 1.0);
  const Released divided = release_mean(with_rows, sum, source);
  EXPECT_DOUBLE_EQ(divided.values(1, 1), divided.values(1, 0) / 1000.0);
  EXPECT_EQ(divided.certificate.find("released_count"), nullptr);
  // An empty table has a mean too, such as it is.
  sum = sum_of(Eigen::MatrixXd(0, 2), 1.0);
  EXPECT_TRUE(release_mean(plan, sum, source).values.allFinite());
}

TEST(ReleaseSum, IsTheSumWithNoise) {
  SeededRandom random(6);
  SeededSource source(7);
  const IntegerSum sum = sum_of(random_rows(random, 50, 2, 1.0), 1.0);
  const VectorPlan plan = plan_sum(target, PublicRows({"a", "b"}, 1.0), VectorNoise::gaussian);
  EXPECT_EQ(plan.certificate.arithmetic, Exactness::exact);
  std::vector<double> noise;
  for (int i = 0; i < 3000; ++i)
    noise.push_back(
        (release_sum(plan, sum, source).values(1, 0) - to_double(sum.entries[1], sum.grid)) /
        *plan.noise.standard_deviation);
  EXPECT_LT(largest_deviation(noise, normal_below), deviation_allowed(3000));
}

TEST(Histogram, CountsPublicBinsAndDropsTheRest) {
  const TemporaryFolder folder;
  const Table table(
      {{folder.write("x.csv", "city,age\nA,1\nB,2\nA,3\nC,4\nZ,5\n\"A\",oops\nB,0\n")}, true, ','});
  const auto counts = [&](const std::string& column, const Bins& bins) {
    std::vector<int> result;
    for (const Integer128 count : count_bins(table, table.index_of("column", column), bins))
      result.push_back(static_cast<int>(count));
    return result;
  };
  EXPECT_EQ(counts("city", Bins::of_categories({"A", "B", "D"})), (std::vector<int>{3, 2, 0}));
  // [1, 2), [2, 4), [4, 5]: the last has both ends.
  const Bins bins = Bins::of_edges({1.0, 2.0, 4.0, 5.0});
  EXPECT_EQ(counts("age", bins), (std::vector<int>{1, 2, 2}));
  EXPECT_EQ(bins.names(), (std::vector<std::string>{"1:2", "2:4", "4:5"}));
  const VectorPlan plan = plan_histogram(target, "age", bins, VectorNoise::gaussian);
  EXPECT_EQ(plan.noise.sensitivity, 1.0);
  SeededSource source(8);
  const Released released = release_histogram(plan, {1, 2, 2}, source);
  EXPECT_EQ(released.row_names, bins.names());
  EXPECT_LT((released.values.col(0) - Eigen::Vector3d(1, 2, 2)).cwiseAbs().maxCoeff(),
            7.0 * *plan.noise.standard_deviation);
}

TEST(Histogram, RefusesBinsThatAreNone) {
  EXPECT_TRUE(refuses("categories", [] { return Bins::of_categories({}); }));
  EXPECT_TRUE(refuses("categories", [] { return Bins::of_categories({"A", "B", "A"}); }));
  EXPECT_TRUE(refuses("edges", [] { return Bins::of_edges({1.0}); }));
  EXPECT_TRUE(refuses("edges", [] { return Bins::of_edges({1.0, 1.0}); }));
  EXPECT_TRUE(refuses("edges", [] { return Bins::of_edges({2.0, 1.0}); }));
  EXPECT_TRUE(refuses("edges", [] { return Bins::of_edges({0.0, not_a_number}); }));
}

TEST(ReleaseGiven, RefusesVectorsOfAnotherKindWithoutQuotingThem) {
  const VectorPlan plan = plan_given(target, 2.0, 1.0, VectorNoise::gaussian);
  SeededSource source(9);
  EXPECT_THROW(release_given(plan, {1.0}, source), InvalidParameter);
  for (const double bad : not_finite) {
    try {
      release_given(plan, {123.456, bad}, source);
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()).find("123"), std::string::npos);
    }
  }
  EXPECT_EQ(release_given(plan, {1.0, 2.0}, source).row_names,
            (std::vector<std::string>{"1", "2"}));
}

}  // namespace
}  // namespace modicum::testing::vector_release_test
