#include "modicum/release/lift.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/seeded_source.h"

namespace modicum::testing::lift_test {
namespace {

// N(mean, 0.04 / rows) of two numbers a row, each in [-1, 1]; never fewer than `least` rows.
struct NoisyMeans {
  using Data = std::vector<Eigen::Vector2d>;
  double understated = 1.0;  // what is declared is so much smaller than the truth
  double least = 10.0;

  std::string name() const { return "noisy_means"; }
  std::vector<std::string> assumptions() const { return {"there are at least ten rows"}; }
  GaussianDistribution output(const Data& rows) const {
    const double n = static_cast<double>(rows.size());
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    for (const Eigen::Vector2d& row : rows) sum += row;
    return {sum / n, 0.04 / n * Eigen::Matrix2d::Identity()};
  }
  // One row more moves each mean by at most 2 / (n + 1).
  OutputSensitivity sensitivity(double noise) const {
    const double smaller = 0.04 / (least + 1.0) + noise;
    return {understated * std::sqrt(8.0) / (least + 1.0) / std::sqrt(smaller),
            0.04 / (least * (least + 1.0)) / smaller, 2.0};
  }
};
static_assert(GaussianOutput<NoisyMeans>);

NoisyMeans::Data rows(int count, double value) {
  return NoisyMeans::Data(static_cast<std::size_t>(count), Eigen::Vector2d(value, value));
}

// The worst pair of the declaration: everybody at one corner, one more at the other.
NoisyMeans::Data with_opposite(int count) {
  NoisyMeans::Data data = rows(count, -1.0);
  data.emplace_back(1.0, 1.0);
  return data;
}

const PrivacyTarget target(1.0, 1e-5);

TEST(Lift, ACertificateSaysWhatWasDeclaredAndProved) {
  const LiftPlan plan = plan_lift(NoisyMeans{}, target);
  const Certificate& certificate = plan.certificate;
  EXPECT_EQ(certificate.mechanism, "noisy_means");
  EXPECT_LE(certificate.achieved.delta().upper(), target.delta);
  EXPECT_EQ(certificate.assumptions.back(), "there are at least ten rows");
  for (const char* name :
       {"noise_variance", "mean_shift", "variance_excess", "rank", "triangle_bound",
        "composition_bound", "cover_bound", "worst_pair_found"})
    EXPECT_NE(certificate.find(name), nullptr) << name;
  EXPECT_EQ(certificate.arithmetic, Exactness::mitigated);
  EXPECT_EQ(certificate.loss.at("mechanism").text(), "lifted_release");
}

TEST(Lift, NeighborsOfARightDeclarationAreConsistent) {
  const NoisyMeans algorithm;
  const LiftPlan plan = plan_lift(algorithm, target);
  for (const int count : {10, 11, 30}) {
    EXPECT_EQ(audit_lift(plan, algorithm, with_opposite(count), rows(count, -1.0)).verdict,
              Verdict::consistent);
    EXPECT_TRUE(within_sensitivity(algorithm.sensitivity(plan.noise_variance), plan.noise_variance,
                                   algorithm.output(with_opposite(count)),
                                   algorithm.output(rows(count, -1.0))));
  }
}

TEST(Lift, AWrongDeclarationIsCaught) {
  const NoisyMeans broken{0.7};
  const LiftPlan plan = plan_lift(broken, target);
  EXPECT_EQ(audit_lift(plan, broken, with_opposite(10), rows(10, -1.0)).verdict, Verdict::violated);
  EXPECT_FALSE(within_sensitivity(broken.sensitivity(plan.noise_variance), plan.noise_variance,
                                  broken.output(with_opposite(10)), broken.output(rows(10, -1.0))));
}

// Means and covariance of 40,000 draws: each of the five numbers is within 5 standard errors but
// for 3e-6 of the seeds.
TEST(Lift, DrawsHaveTheLiftedLaw) {
  SeededSource source(91);
  Eigen::Matrix2d covariance;
  covariance << 2.0, -1.0, -1.0, 1.0;
  const Eigen::Vector2d mean(3.0, -5.0);
  const double noise = 0.5, grid = 0x1p-20;
  constexpr int draws = 40000;
  Eigen::Vector2d sum = Eigen::Vector2d::Zero();
  Eigen::Matrix2d squares = Eigen::Matrix2d::Zero();
  for (int i = 0; i < draws; ++i) {
    const Eigen::VectorXd value = draw_lifted({mean, covariance}, noise, grid, source);
    EXPECT_EQ(value[0] / grid, std::floor(value[0] / grid));
    const Eigen::Vector2d centered = value - mean;
    sum += centered;
    squares += centered * centered.transpose();
  }
  const Eigen::Matrix2d law = covariance + noise * Eigen::Matrix2d::Identity();
  for (int i = 0; i < 2; ++i) {
    EXPECT_NEAR(sum[i] / draws, 0.0, 5.0 * std::sqrt(law(i, i) / draws));
    for (int j = 0; j <= i; ++j)
      EXPECT_NEAR(squares(i, j) / draws, law(i, j),
                  5.0 * std::sqrt((law(i, i) * law(j, j) + law(i, j) * law(i, j)) / draws));
  }
}

// A covariance without full rank needs no care: the noise fills it.
TEST(Lift, ASingularOutputIsReleasedToo) {
  SeededSource source(92);
  EXPECT_TRUE(
      draw_lifted({Eigen::Vector2d(1.0, 2.0), Eigen::Matrix2d::Ones()}, 1.0, 0x1p-10, source)
          .allFinite());
  EXPECT_TRUE(
      draw_lifted({Eigen::Vector2d(1.0, 2.0), Eigen::Matrix2d::Zero()}, 1.0, 0x1p-10, source)
          .allFinite());
}

TEST(Lift, RefusesWhatIsNoLaw) {
  SeededSource source(93);
  const Eigen::Vector2d mean(1.0, 2.0);
  EXPECT_THROW(draw_lifted({mean, Eigen::Vector2d(1.0, -5.0).asDiagonal().toDenseMatrix()}, 1.0,
                           1.0, source),
               InvalidParameter);
  EXPECT_THROW(draw_lifted({mean, Eigen::Matrix3d::Identity()}, 1.0, 1.0, source),
               InvalidParameter);
  EXPECT_THROW(
      draw_lifted({Eigen::Vector2d(NAN, 0.0), Eigen::Matrix2d::Identity()}, 1.0, 1.0, source),
      InvalidParameter);
  EXPECT_THROW(draw_lifted({mean, Eigen::Matrix2d::Identity()}, 0.0, 1.0, source),
               InvalidParameter);
}

}  // namespace
}  // namespace modicum::testing::lift_test
