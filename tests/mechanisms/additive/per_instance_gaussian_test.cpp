#include "modicum/mechanisms/per_instance_gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/privacy/profile.h"
#include "support/closed_forms.h"
#include "support/refusals.h"
#include "support/seeded_random.h"

namespace modicum::testing::per_instance_gaussian_test {
namespace {

double above(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

// delta of the closed form is on the right side at both ends of the epsilon.
TEST(GaussianInstance, TheExactEpsilonBelongsToTheClosedForm) {
  SeededRandom random(31);
  for (int trial = 0; trial < 60; ++trial) {
    const double mu = random.log_uniform(1e-3, 20.0), delta = random.log_uniform(1e-12, 0.3);
    const Enclosure found = GaussianInstance(mu, 1.0).epsilon(delta);
    EXPECT_LE(equal_covariance_delta(mu, found.upper()).lower(), delta * (1.0 + 1e-12));
    if (found.lower() > 0.0) {
      EXPECT_GE(equal_covariance_delta(mu, found.lower()).upper(), delta * (1.0 - 1e-12));
    }
    EXPECT_LT(found.upper() - found.lower(), 1e-9 * (1.0 + found.upper()));
  }
}

TEST(GaussianInstance, TheExactEpsilonNeverExceedsThePublishedOnes) {
  SeededRandom random(32);
  for (int trial = 0; trial < 200; ++trial) {
    const double sigma = random.log_uniform(1e-3, 1e3);
    const GaussianInstance one(sigma * random.log_uniform(1e-4, 30.0), sigma);
    const double delta =
        trial % 3 == 0 ? random.uniform(0.001, 0.999) : random.log_uniform(1e-100, 0.5);
    EXPECT_LE(one.epsilon(delta).lower(), one.tail_epsilon(delta).upper());
    EXPECT_LE(one.epsilon(delta).upper(), one.tail_epsilon(delta).upper() * (1.0 + 1e-9) + 1e-12);
    EXPECT_LE(one.tail_epsilon(delta).upper(), one.published_epsilon(delta).upper());
  }
}

// The table of docs/derivations/matrices.md, at delta = 1e-6 and failure 0.05.
TEST(GaussianInstance, HasTheFiguresOfTheDocumentation) {
  for (const auto& [mu, exact, tail, published, after, tail_after, published_after] :
       {std::tuple{0.01, 0.03367, 0.04758, 0.05262, 0.01960, 0.01965, 0.02721},
        std::tuple{0.1, 0.3969, 0.4803, 0.5307, 0.1962, 0.2010, 0.2766},
        std::tuple{0.5, 2.254, 2.502, 2.753, 1.010, 1.105, 1.483},
        std::tuple{1.0, 4.887, 5.253, 5.757, 2.181, 2.460, 3.216},
        std::tuple{4.0, 26.36, 27.01, 29.03, 14.58, 15.84, 18.86}}) {
    const GaussianInstance one(mu, 1.0);
    EXPECT_NEAR(one.epsilon(1e-6).upper() / exact, 1.0, 5e-4);
    EXPECT_NEAR(one.tail_epsilon(1e-6).upper() / tail, 1.0, 5e-4);
    EXPECT_NEAR(one.published_epsilon(1e-6).upper() / published, 1.0, 5e-4);
    EXPECT_NEAR(one.ex_post_quantile(0.05).upper() / after, 1.0, 5e-4);
    EXPECT_NEAR(one.tail_ex_post(0.05).upper() / tail_after, 1.0, 5e-4);
    EXPECT_NEAR(one.published_ex_post(0.05).upper() / published_after, 1.0, 5e-4);
  }
}

// P[|mu^2/2 + mu N| > t] at both ends, in doubles.
TEST(GaussianInstance, TheExPostQuantileIsExact) {
  SeededRandom random(33);
  for (int trial = 0; trial < 100; ++trial) {
    const double mu = random.log_uniform(1e-3, 10.0), failure = random.log_uniform(1e-9, 0.9);
    const GaussianInstance one(3.0 * mu, 3.0);
    const Enclosure found = one.ex_post_quantile(failure);
    const auto beyond = [&](double t) {
      return above((t - 0.5 * mu * mu) / mu) + above((t + 0.5 * mu * mu) / mu);
    };
    EXPECT_NEAR(beyond(found.lower()) / failure, 1.0, 1e-11);
    EXPECT_NEAR(beyond(found.upper()) / failure, 1.0, 1e-11);
    EXPECT_LE(found.relative_width(), 1e-15);
    EXPECT_LE(found.upper(), one.tail_ex_post(failure).upper());
    EXPECT_LE(one.tail_ex_post(failure).upper(), one.published_ex_post(failure).upper());
  }
}

// Against the two densities, written out, at random outputs.
TEST(GaussianExPostLoss, IsTheLogarithmOfTheRatioOfDensities) {
  SeededRandom random(34);
  for (int trial = 0; trial < 50; ++trial) {
    const long size = random.whole(1, 6);
    const double sigma = random.log_uniform(0.1, 10.0);
    const auto vector = [&](double scale) {
      return Eigen::VectorXd(
          Eigen::VectorXd::NullaryExpr(size, [&] { return scale * random.normal(); }));
    };
    const Eigen::VectorXd answer = vector(1.0), shift = vector(sigma), noise = vector(sigma);
    const Eigen::VectorXd output = answer + noise;
    double ratio = 0.0;
    for (long i = 0; i < size; ++i) {
      const double here = output[i] - answer[i], there = output[i] - (answer[i] + shift[i]);
      ratio += (there * there - here * here) / (2.0 * sigma * sigma);
    }
    EXPECT_NEAR(gaussian_ex_post_loss(shift, noise, sigma), std::abs(ratio), 1e-12);
  }
}

// Over 20000 outputs the share beyond the quantile is off by 7 deviations with probability below
// 1e-9, and that of the tail bound is below it.
TEST(GaussianExPostLoss, StaysBelowItsQuantileAtTheStatedRate) {
  SeededRandom random(35);
  const int draws = 20000;
  for (const double mu : {0.1, 1.0, 4.0}) {
    const double sigma = 2.0, failure = 0.05;
    const Eigen::VectorXd shift = Eigen::Vector3d(2.0, -1.0, 2.0) * (mu * sigma / 3.0);
    const GaussianInstance one(mu * sigma, sigma);
    const double exact = one.ex_post_quantile(failure).upper();
    const double tail = one.tail_ex_post(failure).upper();
    int beyond = 0, beyond_tail = 0;
    for (int i = 0; i < draws; ++i) {
      const Eigen::VectorXd noise =
          Eigen::VectorXd::NullaryExpr(3, [&] { return sigma * random.normal(); });
      const double loss = gaussian_ex_post_loss(shift, noise, sigma);
      if (loss > exact) ++beyond;
      if (loss > tail) ++beyond_tail;
    }
    const double allowed = 7.0 * std::sqrt(draws * failure * (1.0 - failure));
    EXPECT_NEAR(beyond, draws * failure, allowed) << mu;
    EXPECT_LE(beyond_tail, beyond) << mu;
  }
}

// A matrix that a record of norm l moves by l^2, as the covariance mechanism has it.
TEST(GaussianInstance, CoversSymmetricMatrices) {
  const double s = 2.0, norm = 1.5;
  const Enclosure here = GaussianInstance(norm * norm, std::sqrt(2.0) * s).epsilon(1e-6);
  const Enclosure there =
      epsilon_at(covariance_mechanism(s, norm), 1e-6, Accuracy::certified).value;
  EXPECT_NEAR(here.upper(), there.upper(), 1e-12);
}

TEST(GaussianInstance, ARecordThatMovesNothingLosesNothing) {
  const GaussianInstance none(0.0, 1.0);
  EXPECT_EQ(none.epsilon(1e-9).upper(), 0.0);
  EXPECT_EQ(none.tail_epsilon(1e-9).upper(), 0.0);
  EXPECT_EQ(none.ex_post_quantile(1e-9).upper(), 0.0);
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2), noise = Eigen::VectorXd::Ones(2);
  EXPECT_EQ(gaussian_ex_post_loss(zero, noise, 1.0), 0.0);
}

TEST(GaussianInstance, RefusesWhatIsNoInstance) {
  for (const double bad : {-1.0, not_a_number, infinity}) {
    EXPECT_TRUE(refuses("shift", [&] { return GaussianInstance(bad, 1.0); }));
    EXPECT_TRUE(refuses("standard_deviation", [&] { return GaussianInstance(1.0, bad); }));
  }
  const GaussianInstance one(1.0, 1.0);
  for (const double bad : {0.0, 1.0, -0.5, not_a_number}) {
    EXPECT_TRUE(refuses("delta", [&] { return one.epsilon(bad); }));
    EXPECT_TRUE(refuses("delta", [&] { return one.tail_epsilon(bad); }));
    EXPECT_TRUE(refuses("delta", [&] { return one.published_epsilon(bad); }));
    EXPECT_TRUE(refuses("failure", [&] { return one.ex_post_quantile(bad); }));
    EXPECT_TRUE(refuses("failure", [&] { return one.tail_ex_post(bad); }));
    EXPECT_TRUE(refuses("failure", [&] { return one.published_ex_post(bad); }));
  }
  const Eigen::VectorXd two = Eigen::VectorXd::Ones(2), three = Eigen::VectorXd::Ones(3);
  EXPECT_TRUE(refuses("noise", [&] { return gaussian_ex_post_loss(two, three, 1.0); }));
  EXPECT_TRUE(refuses("shift", [&] {
    return gaussian_ex_post_loss(Eigen::VectorXd::Constant(2, not_a_number), two, 1.0);
  }));
}

}  // namespace
}  // namespace modicum::testing::per_instance_gaussian_test
