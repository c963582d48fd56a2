#include "modicum/privacy/gaussian_pair.h"

#include <gtest/gtest.h>

#include <array>

#include "modicum/privacy/profile.h"
#include "numerics/dense.h"
#include "support/closed_forms.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::gaussian_pair_test {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

GaussianDistribution centered(const MatrixXd& covariance) {
  return {VectorXd::Zero(covariance.rows()), covariance};
}

ProfilePoint point_of(const GaussianDistribution& x, const GaussianDistribution& y, double epsilon,
                      Accuracy reduction, Accuracy accuracy) {
  const auto spectrum = reduce_pair(x, y, reduction);
  EXPECT_TRUE(spectrum.has_value());
  return profile(PrivacyLoss::gaussian(spectrum.value_or(GaussianSpectrum())), epsilon, accuracy);
}

void expect_same_profile(const GaussianDistribution& x, const GaussianDistribution& y,
                         const GaussianSpectrum& truth, double epsilon) {
  const ProfilePoint known = profile(PrivacyLoss::gaussian(truth), epsilon, Accuracy::certified);
  const ProfilePoint proved = point_of(x, y, epsilon, Accuracy::certified, Accuracy::certified);
  const ProfilePoint estimated = point_of(x, y, epsilon, Accuracy::fast, Accuracy::fast);
  EXPECT_TRUE(proved.forward.overlaps(known.forward));
  EXPECT_TRUE(proved.reverse.overlaps(known.reverse));
  EXPECT_TRUE(estimated.forward.overlaps(known.forward));
  EXPECT_TRUE(estimated.reverse.overlaps(known.reverse));
}

// ---------------------------------------------------------------------------- known spectra

TEST(ReducePair, ReadsDiagonalPairsCoordinateByCoordinate) {
  const GaussianDistribution x{VectorXd{{1.0, 0.0, 2.0}}, VectorXd{{2.0, 1.0, 3.0}}.asDiagonal()};
  const GaussianDistribution y{VectorXd{{0.0, 0.0, 2.0}}, VectorXd{{1.0, 1.0, 4.0}}.asDiagonal()};
  const auto spectrum = reduce_pair(x, y);
  ASSERT_TRUE(spectrum.has_value());
  ASSERT_EQ(spectrum->components().size(), 2u);
  EXPECT_EQ(spectrum->components()[0].excess.high, 1.0);
  EXPECT_EQ(spectrum->components()[0].mean_square.high, 1.0);
  EXPECT_EQ(spectrum->components()[1].excess.high, -0.25);
  EXPECT_EQ(spectrum->proof(), Proof::certified);
}

// Powers of two and small integers: A S A^T has no rounding, so the spectrum is known.
TEST(ReducePair, FindsTheSpectrumBehindAnExactChangeOfBasis) {
  const MatrixXd basis{{1, 2, 0, -1}, {0, 1, 3, 1}, {0, 0, 1, -2}, {1, 0, 0, 1}};
  const VectorXd ratios{{0.5, 1.0, 2.0, 2.0}}, mean{{0.25, 0.5, 0.0, -0.25}};
  const GaussianDistribution x{basis * mean, basis * ratios.asDiagonal() * basis.transpose()};
  const GaussianDistribution y = centered(basis * basis.transpose());
  const GaussianSpectrum truth =
      spectrum_of({{0.25, 0.5, 1}, {0.5, 1.0, 1}, {0.0, 2.0, 1}, {-0.25, 2.0, 1}});
  for (const double epsilon : {-1.0, 0.0, 0.5, 3.0, 12.0})
    expect_same_profile(x, y, truth, epsilon);
}

TEST(ReducePair, TellsEqualLawsAsNothing) {
  SeededRandom random(501);
  const MatrixXd covariance = random_covariance(random, 6, 0.1, 10.0);
  for (const Accuracy reduction : {Accuracy::certified, Accuracy::fast}) {
    const auto spectrum = reduce_pair(centered(covariance), centered(covariance), reduction);
    ASSERT_TRUE(spectrum.has_value());
    EXPECT_LE(profile(PrivacyLoss::gaussian(*spectrum), 0.0, Accuracy::fast).delta().upper(),
              1e-14);
  }
}

TEST(ReducePair, OfEqualCovariancesIsAShift) {
  SeededRandom random(502);
  for (int i = 0; i < 20; ++i) {
    const MatrixXd covariance = random_covariance(random, 5, 0.1, 10.0);
    const GaussianDistribution x{random_vector(random, 5, 1.0), covariance},
        y = centered(covariance);
    const double distance = std::sqrt(x.mean.dot(CholeskyFactor(covariance).solve(x.mean).col(0)));
    const double expected = equal_covariance_delta(distance, 1.0).middle();
    const ProfilePoint proved = point_of(x, y, 1.0, Accuracy::certified, Accuracy::certified);
    EXPECT_NEAR(proved.forward.lower() / expected, 1.0, 1e-11);
    EXPECT_TRUE(proved.forward.overlaps(proved.reverse));
    EXPECT_LE(proved.forward.relative_width(), 1e-12);
  }
}

// ---------------------------------------------------------------------------- random pairs

TEST(ReducePair, BothReductionsAgreeOnRandomPairs) {
  SeededRandom random(503);
  for (int i = 0; i < 25; ++i) {
    const long dimension = random.whole(2, 12);
    const GaussianDistribution x{random_vector(random, dimension, 0.3),
                                 random_covariance(random, dimension, 0.3, 3.0)};
    const GaussianDistribution y{random_vector(random, dimension, 0.3),
                                 random_covariance(random, dimension, 0.3, 3.0)};
    const double epsilon = random.uniform(-3.0, 10.0);
    const ProfilePoint proved = point_of(x, y, epsilon, Accuracy::certified, Accuracy::certified);
    const ProfilePoint estimated = point_of(x, y, epsilon, Accuracy::fast, Accuracy::fast);
    EXPECT_TRUE(proved.forward.overlaps(estimated.forward)) << i;
    EXPECT_TRUE(proved.reverse.overlaps(estimated.reverse)) << i;
    EXPECT_LE(proved.delta().relative_width(), 1e-12) << i;
    // Swapping the pair swaps the directions.
    const ProfilePoint swapped = point_of(y, x, epsilon, Accuracy::certified, Accuracy::certified);
    EXPECT_TRUE(proved.forward.overlaps(swapped.reverse)) << i;
    EXPECT_TRUE(proved.reverse.overlaps(swapped.forward)) << i;
  }
}

// One change of variables for both laws changes nothing; powers of two do not even round.
TEST(ReducePair, DoesNotDependOnTheUnits) {
  SeededRandom random(504);
  for (int i = 0; i < 20; ++i) {
    const long dimension = random.whole(2, 6);
    GaussianDistribution x{random_vector(random, dimension, 0.5),
                           random_covariance(random, dimension, 0.3, 3.0)};
    GaussianDistribution y = centered(random_covariance(random, dimension, 0.3, 3.0));
    const ProfilePoint before = point_of(x, y, 1.0, Accuracy::certified, Accuracy::certified);
    VectorXd units(dimension);
    for (double& unit : units) unit = std::ldexp(1.0, random.whole(-60, 60));
    for (GaussianDistribution* law : {&x, &y}) {
      law->mean = units.asDiagonal() * law->mean;
      law->covariance = units.asDiagonal() * law->covariance * units.asDiagonal();
    }
    const ProfilePoint after = point_of(x, y, 1.0, Accuracy::certified, Accuracy::certified);
    EXPECT_TRUE(before.forward.overlaps(after.forward)) << i;
    EXPECT_LE(after.forward.relative_width(), 1e-12) << i;
    const ProfilePoint estimated = point_of(x, y, 1.0, Accuracy::fast, Accuracy::fast);
    EXPECT_TRUE(before.forward.overlaps(estimated.forward)) << i;
  }
}

TEST(ReducePair, IsHonestAboutBadConditioning) {
  SeededRandom random(505);
  for (int i = 0; i < 8; ++i) {
    const MatrixXd base = random_covariance(random, 6, 1e-8, 1.0);
    const VectorXd row = random_vector(random, 6, 1e-4);
    const GaussianDistribution y = centered(base);
    const GaussianDistribution x{VectorXd::Zero(6), base + row * row.transpose()};
    const ProfilePoint proved = point_of(x, y, 0.5, Accuracy::certified, Accuracy::certified);
    const ProfilePoint estimated = point_of(x, y, 0.5, Accuracy::fast, Accuracy::fast);
    EXPECT_TRUE(proved.forward.overlaps(estimated.forward)) << i;
    EXPECT_TRUE(proved.reverse.overlaps(estimated.reverse)) << i;
    if (proved.forward.upper() > 1e-300) {
      EXPECT_LE(proved.forward.relative_width(), 1e-10) << i;
    }
  }
}

TEST(ReducePair, AgreesWithItselfInTwoHundredDimensions) {
  SeededRandom random(506);
  const long dimension = 200;
  const MatrixXd base = random_covariance(random, dimension, 0.5, 2.0);
  const MatrixXd noise = random_covariance(random, dimension, 0.9, 1.1);
  const MatrixXd factor = CholeskyFactor(base).lower();
  const MatrixXd product = factor * noise * factor.transpose();
  const GaussianDistribution y = centered(base);
  const GaussianDistribution x{random_vector(random, dimension, 0.02),
                               0.5 * (product + product.transpose())};
  const ProfilePoint proved = point_of(x, y, 1.0, Accuracy::certified, Accuracy::certified);
  const ProfilePoint estimated = point_of(x, y, 1.0, Accuracy::fast, Accuracy::fast);
  EXPECT_TRUE(proved.forward.overlaps(estimated.forward));
  EXPECT_TRUE(proved.reverse.overlaps(estimated.reverse));
  EXPECT_LE(proved.forward.relative_width(), 1e-9);
  EXPECT_LE(estimated.forward.relative_width(), 1e-6);
  EXPECT_GT(proved.forward.lower(), 0.01);
}

TEST(ReducePair, EstimatesTwoThousandDimensions) {
  SeededRandom random(507);
  const long dimension = 2000;
  // S2 = I + a a^T, S1 = S2 + b b^T: one ratio, 1 + b^T S2^-1 b, differs from 1.
  const VectorXd a = random_vector(random, dimension, 0.1),
                 b = random_vector(random, dimension, 0.01);
  const MatrixXd base = MatrixXd::Identity(dimension, dimension) + a * a.transpose();
  const GaussianDistribution x = centered(base + b * b.transpose()), y = centered(base);
  const double square = b.squaredNorm() - std::pow(a.dot(b), 2) / (1.0 + a.squaredNorm());
  const auto known = PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, 1.0 + square));
  const auto spectrum = reduce_pair(x, y, Accuracy::fast);
  ASSERT_TRUE(spectrum.has_value());
  const ProfilePoint point = profile(PrivacyLoss::gaussian(*spectrum), 0.05, Accuracy::fast);
  const ProfilePoint truth = profile(known, 0.05, Accuracy::certified);
  EXPECT_TRUE(point.forward.overlaps(truth.forward))
      << ::testing::PrintToString(point.forward) << ::testing::PrintToString(truth.forward);
  EXPECT_TRUE(point.reverse.overlaps(truth.reverse));
  EXPECT_NEAR(point.forward.upper() / truth.forward.upper(), 1.0, 1e-6);
}

TEST(ReduceLowRank, AgreesWithTheDenseReduction) {
  SeededRandom random(508);
  for (int i = 0; i < 20; ++i) {
    const long dimension = random.whole(2, 10), columns = random.whole(1, 2);
    const MatrixXd base = random_covariance(random, dimension, 0.5, 2.0);
    MatrixXd update(dimension, columns);
    for (long k = 0; k < columns; ++k) update.col(k) = random_vector(random, dimension, 0.2);
    const VectorXd shift = random_vector(random, dimension, 0.2);
    const double sign = random.sign();
    const MatrixXd changed = base + sign * update * update.transpose();
    if (!CholeskyFactor(changed).positive_definite()) continue;
    const GaussianSpectrum low_rank = reduce_low_rank(base, update, sign, shift);
    EXPECT_EQ(low_rank.proof(), Proof::estimated);
    const ProfilePoint quick = profile(PrivacyLoss::gaussian(low_rank), 0.5, Accuracy::fast);
    const ProfilePoint dense =
        point_of({shift, changed}, centered(base), 0.5, Accuracy::certified, Accuracy::certified);
    // The dense pair has rounded entries of its own.
    EXPECT_NEAR(quick.forward.upper() / dense.forward.upper(), 1.0, 1e-10) << i;
    EXPECT_NEAR(quick.reverse.upper() / dense.reverse.upper(), 1.0, 1e-10) << i;
  }
}

// ---------------------------------------------------------------------------- singular pairs

TEST(SingularPairs, AreProjectedOntoACommonRange) {
  // Rank 2 in dimension 3: the third coordinate is the sum of the others under both laws.
  const MatrixXd basis{{1, 0}, {0, 1}, {1, 1}};
  const MatrixXd inner1{{2, 0.5}, {0.5, 1}}, inner2{{1, 0}, {0, 1}};
  const GaussianDistribution x{basis * VectorXd{{0.5, -0.25}}, basis * inner1 * basis.transpose()};
  const GaussianDistribution y = centered(basis * inner2 * basis.transpose());
  const auto spectrum = reduce_pair(x, y);
  const auto direct = reduce_pair({VectorXd{{0.5, -0.25}}, inner1}, centered(inner2));
  ASSERT_TRUE(spectrum.has_value() && direct.has_value());
  const ProfilePoint a = profile(PrivacyLoss::gaussian(*spectrum), 1.0);
  const ProfilePoint b = profile(PrivacyLoss::gaussian(*direct), 1.0);
  EXPECT_TRUE(a.forward.overlaps(b.forward));
  EXPECT_TRUE(a.reverse.overlaps(b.reverse));
  EXPECT_LE(a.forward.relative_width(), 1e-10);
}

TEST(SingularPairs, WithDifferentRangesAreMutuallySingular) {
  const MatrixXd first{{1, 1}, {1, 1}}, second{{1, -1}, {-1, 1}}, full{{1, 0.5}, {0.5, 1}};
  for (const Accuracy reduction : {Accuracy::automatic, Accuracy::certified, Accuracy::fast}) {
    EXPECT_FALSE(reduce_pair(centered(first), centered(second), reduction).has_value());
    EXPECT_FALSE(reduce_pair(centered(first), centered(full), reduction).has_value());
    EXPECT_FALSE(reduce_pair(centered(full), centered(first), reduction).has_value());
  }
}

TEST(SingularPairs, AreMutuallySingularIfTheMeansLeaveTheRange) {
  const MatrixXd covariance{{1, 1}, {1, 1}};
  const GaussianDistribution along{VectorXd{{1, 1}}, covariance}, off{VectorXd{{1, 0}}, covariance};
  EXPECT_TRUE(reduce_pair(along, centered(covariance)).has_value());
  EXPECT_FALSE(reduce_pair(off, centered(covariance)).has_value());
  const GaussianDistribution nearly{VectorXd{{1.0, 1.0 + 0x1p-50}}, covariance};
  EXPECT_FALSE(reduce_pair(nearly, centered(covariance)).has_value())
      << "no tolerance decides this";
}

TEST(SingularPairs, OnTheDiagonal) {
  const GaussianDistribution x{VectorXd{{1, 5}}, VectorXd{{1, 0}}.asDiagonal()};
  const GaussianDistribution same{VectorXd{{0, 5}}, VectorXd{{1, 0}}.asDiagonal()};
  const GaussianDistribution moved{VectorXd{{0, 4}}, VectorXd{{1, 0}}.asDiagonal()};
  const GaussianDistribution wider{VectorXd{{0, 5}}, VectorXd{{1, 1}}.asDiagonal()};
  ASSERT_TRUE(reduce_pair(x, same).has_value());
  EXPECT_TRUE(encloses(profile(PrivacyLoss::gaussian(*reduce_pair(x, same)), 1.0).forward,
                       equal_covariance_delta(1.0, 1.0)));
  EXPECT_FALSE(reduce_pair(x, moved).has_value());
  EXPECT_FALSE(reduce_pair(x, wider).has_value());
  EXPECT_FALSE(reduce_pair(wider, x).has_value());
}

TEST(SingularPairs, TwoPointMassesAreEqualOrSingular) {
  const GaussianDistribution a{VectorXd{{1, 2}}, MatrixXd::Zero(2, 2)};
  const GaussianDistribution b{VectorXd{{1, 3}}, MatrixXd::Zero(2, 2)};
  ASSERT_TRUE(reduce_pair(a, a).has_value());
  EXPECT_TRUE(reduce_pair(a, a)->is_trivial());
  EXPECT_FALSE(reduce_pair(a, b).has_value());
}

// ---------------------------------------------------------------------------- bad input

TEST(BadPairs, AreRefusedByName) {
  const MatrixXd good{{1, 0.5}, {0.5, 1}};
  const GaussianDistribution law = centered(good);
  const auto with = [&](const MatrixXd& covariance) {
    return GaussianDistribution{VectorXd::Zero(2), covariance};
  };

  EXPECT_TRUE(refuses("mean2", [&] { return reduce_pair(law, {VectorXd::Zero(3), good}); }));
  EXPECT_TRUE(
      refuses("covariance2", [&] { return reduce_pair(law, with(MatrixXd::Identity(3, 3))); }));
  EXPECT_TRUE(
      refuses("covariance1", [&] { return reduce_pair(with(MatrixXd::Identity(2, 3)), law); }));
  EXPECT_TRUE(refuses("mean1", [&] {
    return reduce_pair({VectorXd(0), MatrixXd(0, 0)}, {VectorXd(0), MatrixXd(0, 0)});
  }));
  for (const double bad : not_finite) {
    GaussianDistribution broken = law;
    broken.mean(1) = bad;
    EXPECT_TRUE(refuses("mean1[1]", [&] { return reduce_pair(broken, law); }));
    EXPECT_TRUE(refuses("mean2[1]", [&] { return reduce_pair(law, broken); }));
    broken = law;
    broken.covariance(1, 0) = bad;
    EXPECT_TRUE(refuses("covariance1[1][0]", [&] { return reduce_pair(broken, law); }));
    EXPECT_TRUE(refuses("covariance2[1][0]", [&] { return reduce_pair(law, broken); }));
  }
  EXPECT_TRUE(refuses("covariance1[1][0]", [&] {
    return reduce_pair(with(MatrixXd{{1, 0.5}, {0.4, 1}}), law);
  }));
  EXPECT_TRUE(refuses("covariance2[1][1]", [&] {
    return reduce_pair(law, with(MatrixXd{{1, 0}, {0, -1}}));
  }));
  for (const Accuracy reduction : {Accuracy::automatic, Accuracy::certified, Accuracy::fast}) {
    EXPECT_TRUE(refuses("covariance1", [&] {
      return reduce_pair(with(MatrixXd{{1, 2}, {2, 1}}), law, reduction);
    }));
    EXPECT_TRUE(refuses("covariance2", [&] {
      return reduce_pair(law, with(MatrixXd{{1, 2}, {2, 1}}), reduction);
    }));
  }
}

TEST(BadPairs, AreRefusedInLowRankForm) {
  const MatrixXd good = MatrixXd::Identity(2, 2), update = MatrixXd::Ones(2, 1);
  const VectorXd none = VectorXd::Zero(2);
  EXPECT_TRUE(refuses("sign", [&] { return reduce_low_rank(good, update, 0.5, none); }));
  EXPECT_TRUE(refuses("sign", [&] { return reduce_low_rank(good, update, not_a_number, none); }));
  EXPECT_TRUE(
      refuses("update", [&] { return reduce_low_rank(good, MatrixXd::Ones(3, 1), 1.0, none); }));
  EXPECT_THROW(reduce_low_rank(MatrixXd{{1, 2}, {2, 1}}, update, 1.0, none), InvalidParameter);
  // Deleting a row that was not there: S - u u^T is no covariance.
  EXPECT_THROW(reduce_low_rank(good, update, -1.0, none), InvalidParameter);
  for (const double bad : not_finite) {
    EXPECT_THROW(reduce_low_rank(good * bad, update, 1.0, none), InvalidParameter) << bad;
    EXPECT_THROW(reduce_low_rank(good, update * bad, 1.0, none), InvalidParameter) << bad;
    EXPECT_THROW(reduce_low_rank(good, update, 1.0, VectorXd::Constant(2, bad)), InvalidParameter)
        << bad;
  }
}

// Two least-squares solutions, with and without a row that hardly matters. At the far saddle point
// what is not known of the spectrum (1e-36) is more than delta; Chernoff's bound is the upper end.
TEST(ReducePair, DoesNotHideATinyDeltaBehindItsOwnRounding) {
  const auto symmetric = [](const std::array<double, 10>& lower) {
    Eigen::MatrixXd result(4, 4);
    std::size_t next = 0;
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j <= i; ++j) result(i, j) = result(j, i) = lower[next++];
    return result;
  };
  const GaussianDistribution with{
      Eigen::Vector4d(0x1.8dac271aebb6bp-5, -0x1.a7d11d19c0252p-3, 0x1.b077ecf37de9p-7,
                      -0x1.0b6647bb2ac99p-3),
      symmetric({0x1.513b72d0285ecp-5, -0x1.70641a19f9676p-7, 0x1.942e336666b74p-5,
                 0x1.48ef48c4260f6p-7, 0x1.0d418603aa796p-8, 0x1.240d412d8a42fp-5,
                 -0x1.303aa4b4f2e6ep-7, -0x1.2027e7fc6ef8ep-6, -0x1.ca831ee19a8b2p-7,
                 0x1.5c21e692bd82cp-5})};
  const GaussianDistribution without{
      Eigen::Vector4d(0x1.8d92a6cfeb316p-5, -0x1.a7d11405dbc18p-3, 0x1.b09d66712e9dp-7,
                      -0x1.0b625054060dbp-3),
      symmetric({0x1.514bb4e2bd4f7p-5, -0x1.70644a09d2e26p-7, 0x1.942e0182a6de9p-5,
                 0x1.48d6fe7550dc2p-7, 0x1.0d41a969ad186p-8, 0x1.240f546b21b58p-5,
                 -0x1.30635cbd25aeep-7, -0x1.2027a73b1552cp-6, -0x1.ca73e2b61a13dp-7,
                 0x1.5c2816aff5eb8p-5})};
  const auto spectrum = reduce_pair(with, without, Accuracy::certified);
  ASSERT_TRUE(spectrum.has_value());
  for (const double epsilon : {0.2, 1.0})
    EXPECT_LE(
        profile(PrivacyLoss::gaussian(*spectrum), epsilon, Accuracy::certified).forward.upper(),
        1e-300)
        << epsilon;
}

}  // namespace
}  // namespace modicum::testing::gaussian_pair_test
