#include "modicum/release/noise_report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/data/json.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::noise_report_test {
namespace {

const NoisyAnswer a_sum{NoisyStatistic::sum, 2.0, 1.5, {"u", "v", "w"}, 1.5, {1.0, 1e-6}};
const NoisyAnswer moments{
    NoisyStatistic::second_moments, 2.0, 2.25, {"u", "v", "w"}, 1.5, {1.0, 1e-6}};

Eigen::MatrixXd random_symmetric(SeededRandom& random, double s) {
  const Eigen::MatrixXd z = Eigen::MatrixXd::NullaryExpr(3, 3, [&] { return random.normal(); });
  return s / std::sqrt(2.0) * (z + z.transpose());
}

// The logarithm of the density of a matrix, entry by entry: variances s^2 and 2 s^2.
double log_density(const Eigen::MatrixXd& at, double s) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < at.rows(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      sum -= at(i, j) * at(i, j) / (2.0 * (i == j ? 2.0 : 1.0) * s * s);
  return sum;
}

TEST(NoiseReport, LossesAreRatiosOfDensities) {
  SeededRandom random(21);
  for (int trial = 0; trial < 50; ++trial) {
    const Eigen::VectorXd row = random_vector(random, 3, 0.5);
    const Eigen::VectorXd noise = random_vector(random, 3, 2.0);
    const double plain = (noise + row).squaredNorm() - noise.squaredNorm();
    EXPECT_NEAR(signed_noise_losses(a_sum, noise, row.transpose())[0], plain / (2.0 * 4.0), 1e-12);
    const Eigen::MatrixXd matrix = random_symmetric(random, 2.0);
    const Eigen::MatrixXd moved = matrix + row * row.transpose();
    EXPECT_NEAR(signed_noise_losses(moments, matrix, row.transpose())[0],
                log_density(matrix, 2.0) - log_density(moved, 2.0), 1e-12);
  }
}

// Six standard errors; two rates and two means: a false alarm in 2e8 runs. The bound is exact: it
// fails as often as it may, and the record's delta is that of its own Gaussian.
TEST(NoiseReport, BoundsFailAtTheStatedRate) {
  SeededRandom random(22);
  const double failure = 0.1;
  constexpr int runs = 20000;
  const Eigen::VectorXd row = (Eigen::VectorXd(3) << 0.9, -1.0, 0.4).finished();
  for (const NoisyAnswer& answer : {a_sum, moments}) {
    const double bound = answer.instance(row).ex_post_quantile(failure).upper();
    const double epsilon = 0.3;
    int missed = 0;
    double delta = 0.0;
    for (int run = 0; run < runs; ++run) {
      const bool sum = answer.statistic == NoisyStatistic::sum;
      const Eigen::MatrixXd noise =
          sum ? Eigen::MatrixXd(random_vector(random, 3, 2.0)) : random_symmetric(random, 2.0);
      const double loss = signed_noise_losses(answer, noise, row.transpose())[0];
      missed += std::abs(loss) > bound ? 1 : 0;
      delta += std::max(0.0, 1.0 - std::exp(epsilon - loss)) / runs;
    }
    EXPECT_NEAR(static_cast<double>(missed) / runs, failure,
                6.0 * std::sqrt(failure * (1.0 - failure) / runs));
    const double exact = profile(answer.instance(row).loss(), epsilon).delta().upper();
    EXPECT_NEAR(delta, exact, 6.0 * std::sqrt(exact / runs));
  }
}

TEST(NoiseReport, TheLongestRowHasTheGuarantee) {
  const Eigen::VectorXd longest = Eigen::VectorXd::Unit(3, 0) * 1.5;
  EXPECT_NEAR(moments.instance(longest).epsilon(1e-6).upper(),
              epsilon_at(covariance_mechanism(2.0, 1.5), 1e-6).value.upper(), 1e-9);
  EXPECT_GT(a_sum.instance(longest).epsilon(1e-6).upper(),
            a_sum.instance(0.5 * longest).epsilon(1e-6).upper());
  EXPECT_EQ(a_sum.instance(Eigen::VectorXd::Zero(3)).epsilon(1e-6).upper(), 0.0);
}

TEST(NoiseReport, AnotherTableIsRefused) {
  SeededRandom random(23);
  for (int trial = 0; trial < 200; ++trial) {
    EXPECT_NO_THROW(require_noise_of(a_sum, random_vector(random, 3, 2.0)));
    EXPECT_NO_THROW(require_noise_of(moments, random_symmetric(random, 2.0)));
  }
  EXPECT_TRUE(
      refuses("table", [] { require_noise_of(a_sum, Eigen::MatrixXd::Constant(3, 1, 9.0)); }));
  EXPECT_TRUE(
      refuses("table", [] { require_noise_of(moments, Eigen::MatrixXd::Constant(3, 3, 9.0)); }));
}

TEST(NoiseReport, ReadsCertificatesOfGaussianNoiseAndNoOthers) {
  const auto read = [](const std::string& mechanism, const std::string& parameters) {
    return noisy_answer_in(parse_json(R"({"mechanism": ")" + mechanism + R"(", "parameters": {)" +
                                      parameters +
                                      R"(}, "target": {"epsilon": 1, "delta": 1e-6}})"));
  };
  const std::string rows =
      R"("standard_deviation": 2, "row_norm_bound": 1.5, "coordinates": ["u"])";
  EXPECT_EQ(read("gaussian", R"("statistic": "sum", )" + rows).statistic, NoisyStatistic::sum);
  EXPECT_EQ(read("gaussian", R"("statistic": "given", "sensitivity": 3, "standard_deviation": 1)")
                .largest_shift,
            3.0);
  const NoisyAnswer second =
      read("gaussian_orthogonal_ensemble", R"("diagonal_standard_deviation": 3, )" + rows);
  EXPECT_EQ(second.statistic, NoisyStatistic::second_moments);
  EXPECT_EQ(second.largest_shift, 2.25);
  EXPECT_TRUE(refuses("shift", [&] { return second.instance(2.26); }));
  EXPECT_TRUE(refuses("shift", [&] { return second.instance(not_a_number); }));
  EXPECT_TRUE(refuses("release", [&] { return read("laplace", rows); }));
  EXPECT_TRUE(
      refuses("release", [&] { return read("gaussian", R"("statistic": "mean", )" + rows); }));
  EXPECT_TRUE(refuses("release", [&] { return read("gaussian_orthogonal_ensemble", rows); }));
}

}  // namespace
}  // namespace modicum::testing::noise_report_test
