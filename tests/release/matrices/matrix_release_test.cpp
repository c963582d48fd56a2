// Laws of released matrices and eigenvalues; a false alarm has probability at most 1e-9 each.
#include "modicum/release/matrix_release.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "numerics/dense.h"
#include "release/matrices/matrix_eigenvalue.h"
#include "release/small_tables.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/seeded_source.h"

namespace modicum::testing::matrix_release_test {
namespace {

const PrivacyTarget target(1.0, 1e-6);
constexpr auto ensemble = MatrixNoise::gaussian_orthogonal_ensemble;
constexpr auto analyze_gauss = MatrixNoise::analyze_gauss;

Eigen::MatrixXd random_symmetric(SeededRandom& random, long size, double scale) {
  const Eigen::MatrixXd square =
      Eigen::MatrixXd::NullaryExpr(size, size, [&] { return scale * random.normal(); });
  return square + square.transpose();
}

double spectral_norm(const Eigen::MatrixXd& symmetric) {
  return symmetric_eigenvalues(symmetric).cwiseAbs().maxCoeff();
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

// What tells two matrices apart is the sum over the drawn entries of (difference/deviation)^2.
double squared_distance(const MatrixPlan& plan, const Eigen::MatrixXd& difference) {
  double sum = 0.0;
  for (Eigen::Index i = 0; i < difference.rows(); ++i)
    for (Eigen::Index j = i; j < difference.cols(); ++j) {
      const double deviation = i == j ? plan.diagonal_standard_deviation : plan.standard_deviation;
      sum += std::pow(difference(i, j) / deviation, 2.0);
    }
  return sum;
}

TEST(PlanMatrix, NoDifferenceOfTheDeclaredNormIsToldApartMoreEasily) {
  SeededRandom random(61);
  for (const MatrixNoise noise : {ensemble, analyze_gauss}) {
    const MatrixPlan plan = plan_matrix(target, 4.0, 0.7, noise);
    const double allowed = std::pow(0.7 / plan.diagonal_standard_deviation, 2.0);
    for (int trial = 0; trial < 200; ++trial) {
      Eigen::MatrixXd difference = random_symmetric(random, 4, 1.0);
      if (trial % 4 == 0) difference = Eigen::MatrixXd(difference.diagonal().asDiagonal());
      difference *= 0.7 / difference.norm();
      const double distance = squared_distance(plan, difference);
      EXPECT_LE(distance, allowed * (1.0 + 1e-14));
      // For the ensemble all directions are alike; for the other the diagonal ones are worst.
      if (noise == ensemble || trial % 4 == 0) {
        EXPECT_GE(distance, allowed * (1.0 - 1e-14));
      }
    }
  }
}

TEST(PlanMatrix, TheEnsembleHasHalfTheVarianceOffTheDiagonal) {
  const MatrixPlan one = plan_matrix(target, 5.0, 1.0, ensemble);
  const MatrixPlan other = plan_matrix(target, 5.0, 1.0, analyze_gauss);
  EXPECT_EQ(one.diagonal_standard_deviation, other.diagonal_standard_deviation);
  EXPECT_EQ(other.standard_deviation, other.diagonal_standard_deviation);
  EXPECT_NEAR(std::pow(one.standard_deviation / other.standard_deviation, 2.0), 0.5, 1e-15);
  // The same noise as second moments of rows of norm 1 take.
  EXPECT_NEAR(one.standard_deviation, calibrate_covariance(target, 1.0).parameter, 1e-9);
}

TEST(PlanMatrix, TheCertificateTellsItsLoss) {
  const MatrixPlan plan = plan_matrix(target, 5.0, 0.25, ensemble, 0.05);
  const Certificate& certificate = plan.certificate;
  EXPECT_EQ(certificate.guarantee, Guarantee::proved);
  EXPECT_EQ(certificate.arithmetic, Exactness::exact);
  EXPECT_EQ(certificate.theorem, "docs/derivations/matrices.md");
  const PrivacyLoss loss = gaussian_mechanism(certificate.loss.at("standard_deviation").number(),
                                              certificate.loss.at("sensitivity").number());
  EXPECT_TRUE(
      profile(loss, 1.0, Accuracy::certified).delta().overlaps(certificate.achieved.delta()));
  EXPECT_LE(certificate.achieved.delta().upper(), target.delta);
  EXPECT_EQ(std::get<double>(*certificate.find("noise_norm_bound")), noise_norm_bound(plan, 0.05));
  EXPECT_EQ(plan_matrix(target, 5.0, 0.25, ensemble).certificate.find("noise_norm_bound"), nullptr);
}

TEST(ReleaseMatrix, EntriesHaveTheirLawOnTheGrid) {
  SeededRandom random(62);
  SeededSource source(63);
  for (const MatrixNoise noise : {ensemble, analyze_gauss}) {
    const MatrixPlan plan = plan_matrix(target, 3.0, 1.0, noise);
    const Eigen::MatrixXd matrix = random_symmetric(random, 3, 1e3);
    std::vector<double> diagonal, beside;
    for (int run = 0; run < 2000; ++run) {
      const Released released = release_matrix(plan, matrix, source);
      EXPECT_EQ(released.values, released.values.transpose());
      for (Eigen::Index i = 0; i < 3; ++i)
        for (Eigen::Index j = i; j < 3; ++j) {
          EXPECT_EQ(std::remainder(released.values(i, j), plan.grid), 0.0);
          const double error = released.values(i, j) - matrix(i, j);
          if (i == j) diagonal.push_back(error / plan.diagonal_standard_deviation);
          else beside.push_back(error / plan.standard_deviation);
        }
    }
    EXPECT_LT(largest_deviation(diagonal, normal_below), deviation_allowed(6000));
    EXPECT_LT(largest_deviation(beside, normal_below), deviation_allowed(6000));
  }
}

// Of 4000 runs at failure 0.05, 200 are expected above at most; 7 deviations more have probability
// below 1e-9. The union of both ends of the spectrum is nearly disjoint: not below half as many.
TEST(ReleaseMatrix, TheNormOfTheNoiseStaysBelowItsBoundAtTheStatedRate) {
  SeededSource source(64);
  const int runs = 4000;
  const double failure = 0.05, allowed = 7.0 * std::sqrt(runs * failure);
  for (const double dimension : {1.0, 4.0}) {
    const auto size = static_cast<Eigen::Index>(dimension);
    const Eigen::MatrixXd matrix = Eigen::MatrixXd::Constant(size, size, 1.0 / 3.0);
    for (const MatrixNoise noise : {ensemble, analyze_gauss}) {
      const MatrixPlan plan = plan_matrix(target, dimension, 1.0, noise);
      const double bound = noise_norm_bound(plan, failure);
      int beyond = 0;
      for (int run = 0; run < runs; ++run)
        if (spectral_norm(release_matrix(plan, matrix, source).values - matrix) > bound) ++beyond;
      EXPECT_LE(beyond, runs * failure + allowed);
      if (noise == ensemble) {
        EXPECT_GE(beyond, 0.5 * runs * failure);
      }
    }
  }
}

TEST(ReleaseMatrix, TakesWhatIsOnAndAboveTheDiagonal) {
  const MatrixPlan plan = plan_matrix(target, 2.0, 1.0, ensemble);
  Eigen::MatrixXd matrix(2, 2), rounded(2, 2);
  matrix << 1.0, 0.1, 0.1, 3.0;
  rounded << 1.0, 0.1, 0.1 + 1e-12, 3.0;
  SeededSource one(65), other(65);
  EXPECT_EQ(release_matrix(plan, matrix, one).values, release_matrix(plan, rounded, other).values);
  const EigenvaluePlan least = plan_least_eigenvalue(target, 2.0, 1.0);
  EXPECT_EQ(release_least_eigenvalue(least, matrix, one).values,
            release_least_eigenvalue(least, rounded, other).values);
}

TEST(ReleaseMatrix, RefusesWithoutQuotingTheData) {
  SeededSource source(66);
  const MatrixPlan plan = plan_matrix(target, 2.0, 1.0, ensemble);
  const EigenvaluePlan least = plan_least_eigenvalue(target, 2.0, 1.0);
  Eigen::MatrixXd skew(2, 2), none(2, 2);
  skew << 1.0, 77.25, -77.25, 3.0;
  none << 1.0, not_a_number, not_a_number, 3.0;
  for (const Eigen::MatrixXd& bad :
       {skew, none, Eigen::MatrixXd(Eigen::MatrixXd::Ones(2, 3)),
        Eigen::MatrixXd(Eigen::MatrixXd::Ones(3, 3)), Eigen::MatrixXd(0, 0)}) {
    for (const std::string& message :
         {error_of([&] { release_matrix(plan, bad, source); }),
          error_of([&] { release_least_eigenvalue(least, bad, source); })}) {
      EXPECT_NE(message.find("the given matrix"), std::string::npos);
      EXPECT_EQ(message.find("77"), std::string::npos);
    }
  }
  // Beyond 2^100 grids.
  EXPECT_NE(error_of([&] { release_matrix(plan, Eigen::MatrixXd::Constant(2, 2, 1e300), source); }),
            "");
}

TEST(PlanMatrix, RefusesWhatIsNoPlan) {
  for (const double bad : {0.0, 1.5, -1.0, 1e9, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("dimension", [&] { return plan_matrix(target, bad, 1.0, ensemble); }));
    EXPECT_TRUE(refuses("dimension", [&] { return plan_least_eigenvalue(target, bad, 1.0); }));
  }
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("sensitivity", [&] { return plan_matrix(target, 2.0, bad, ensemble); }));
    EXPECT_TRUE(refuses("sensitivity", [&] { return plan_least_eigenvalue(target, 2.0, bad); }));
  }
  for (const double bad : {0.0, 1.0, 1e-300, -0.1, not_a_number}) {
    EXPECT_TRUE(refuses("failure", [&] { return plan_matrix(target, 2.0, 1.0, ensemble, bad); }));
    EXPECT_TRUE(refuses("failure", [&] { return plan_least_eigenvalue(target, 2.0, 1.0, bad); }));
  }
  EXPECT_THROW(plan_matrix({1.0, 0.0}, 2.0, 1.0, ensemble), CalibrationFailed);
  EXPECT_THROW(plan_least_eigenvalue({1.0, 0.0}, 2.0, 1.0), CalibrationFailed);
}

// The spectrum is known by construction up to rounding: 1e-15 of the norm and a factor of the size.
TEST(LeastEigenvalueWithin, FindsIt) {
  SeededRandom random(67);
  for (int trial = 0; trial < 40; ++trial) {
    const long size = random.whole(1, 12);
    const double scale = random.log_uniform(1e-3, 1e6);
    Eigen::VectorXd values =
        Eigen::VectorXd::NullaryExpr(size, [&] { return scale * random.uniform(-1.0, 1.0); });
    if (trial % 3 == 0) values.setConstant(values[0]);  // all alike
    const Eigen::MatrixXd rotation =
        HouseholderQr(random_symmetric(random, size, 1.0)).orthogonal();
    const Eigen::MatrixXd product = rotation * values.asDiagonal() * rotation.transpose();
    const Eigen::MatrixXd matrix = 0.5 * (product + product.transpose());
    const double found = least_eigenvalue_within(matrix, scale * 1e-10);
    EXPECT_NEAR(found, values.minCoeff(), scale * 1.1e-10);
  }
}

// What is asked for cannot be had where it is below a unit in the last place of the norm.
TEST(LeastEigenvalueWithin, RefusesWhatItCannotProve) {
  SeededRandom random(68);
  const Eigen::MatrixXd matrix = random_symmetric(random, 20, 1e12);
  EXPECT_NE(error_of([&] { least_eigenvalue_within(matrix, 1e-12); }), "");
  EXPECT_EQ(error_of([&] { least_eigenvalue_within(matrix, 1.0); }), "");
}

// Weyl's inequality, with what the search may be off.
TEST(LeastEigenvalueWithin, MovesNoFurtherThanTheMatrix) {
  SeededRandom random(69);
  const double precision = 0x1p-20;
  for (int trial = 0; trial < 50; ++trial) {
    const long size = random.whole(1, 8);
    const Eigen::MatrixXd matrix = random_symmetric(random, size, 100.0);
    Eigen::MatrixXd difference = random_symmetric(random, size, 1.0);
    if (trial % 2 == 0) difference = Eigen::MatrixXd::Identity(size, size);  // attains it
    difference /= spectral_norm(difference);
    const double moved = std::abs(least_eigenvalue_within(matrix + difference, precision) -
                                  least_eigenvalue_within(matrix, precision));
    EXPECT_LE(moved, 1.0 + 2.0 * precision);
    if (trial % 2 == 0) {
      EXPECT_GE(moved, 1.0 - 2.0 * precision);
    }
  }
}

TEST(ReleaseLeastEigenvalue, HasItsLawAndItsBound) {
  SeededSource source(70);
  const EigenvaluePlan plan = plan_least_eigenvalue(target, 2.0, 0.5, 0.1);
  EXPECT_EQ(plan.precision, 0x1p-21);
  EXPECT_LE(plan.certificate.achieved.delta().upper(), target.delta);
  // The eigenvalues 1 and 3.
  const Eigen::MatrixXd matrix = (Eigen::MatrixXd(2, 2) << 2.0, 1.0, 1.0, 2.0).finished();
  const double bound = std::get<double>(*plan.certificate.find("noise_bound"));
  EXPECT_NEAR(bound / plan.standard_deviation, 1.6448536269514722, 1e-6);
  std::vector<double> noise;
  for (int run = 0; run < 4000; ++run) {
    const double value = release_least_eigenvalue(plan, matrix, source).values(0, 0);
    EXPECT_EQ(std::remainder(value, plan.grid), 0.0);
    noise.push_back((value - 1.0) / plan.standard_deviation);
  }
  EXPECT_LT(largest_deviation(noise, normal_below), deviation_allowed(4000));
}

TEST(DiagnoseMatrix, TellsHowFarOffItIs) {
  Released released{{"1", "2"},
                    {"1", "2"},
                    Eigen::MatrixXd::Zero(2, 2),
                    plan_matrix(target, 2.0, 1.0, ensemble).certificate};
  const Eigen::MatrixXd truth = (Eigen::MatrixXd(2, 2) << 3.0, 0.0, 0.0, -4.0).finished();
  const Diagnostics found = diagnose_matrix(released, truth);
  EXPECT_NEAR(found[0].value, 4.0, 1e-14);
  EXPECT_NEAR(found[1].value, 1.0, 1e-14);
  EXPECT_NEAR(found[2].value, 5.0, 1e-14);
  released.values(0, 0) = 1.0;
  const Diagnostics least = diagnose_least_eigenvalue(released, truth);
  EXPECT_NEAR(least[0].value, -4.0, 1e-14);
  EXPECT_NEAR(least[1].value, 5.0, 1e-14);
}

}  // namespace
}  // namespace modicum::testing::matrix_release_test
