#include "modicum/release/per_instance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "numerics/dense.h"
#include "release/perturbed_minimizer.h"
#include "support/refusals.h"

namespace modicum::testing::per_instance_test {
namespace {

const std::vector<PredictionLoss>& losses() {
  static const std::vector<PredictionLoss> all{
      PredictionLoss::logistic(), PredictionLoss::smoothed_hinge(0.7), PredictionLoss::huber(0.5),
      PredictionLoss::squared(1.5)};
  return all;
}

double above(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

struct Setting {
  PredictionLoss loss;
  double regularization, deviation;
  SmallData data;

  Objective at(const Eigen::VectorXd& theta) const {
    return objective_at(loss, regularization, data, theta);
  }
  // Change of variables: b = -grad J has Jacobian determinant det H up to its sign.
  double log_density(const Eigen::VectorXd& theta) const {
    const Objective here = at(theta);
    const auto dimension = static_cast<double>(theta.size());
    return std::log(determinant(here.hessian)) -
           0.5 * here.gradient.squaredNorm() / (deviation * deviation) -
           0.5 * dimension * std::log(2.0 * M_PI * deviation * deviation);
  }
  double loss_of(const Eigen::VectorXd& theta, const Eigen::VectorXd& row, double response,
                 Membership membership) const {
    const Objective here = at(theta);
    const ExPostLoss losses({loss, 1.0, regularization, deviation, theta}, here.gradient,
                            here.hessian);
    return losses.signed_losses(row.transpose(), Eigen::VectorXd::Constant(1, response), membership)
        .values[0];
  }
};

Setting setting_for(const PredictionLoss& loss, SeededRandom& random, Eigen::Index records,
                    Eigen::Index dimension) {
  return {loss, random.uniform(0.3, 1.0), random.uniform(0.7, 1.5),
          made_up_data(random, records, dimension, loss.takes_labels())};
}

Setting with_data(Setting setting, SmallData data) {
  setting.data = std::move(data);
  return setting;
}

// In one dimension theta falls with b, so that P[theta <= t] = P[b >= -J'(t)] = P[N > -J'(t)/s]: no
// Hessian and no Jacobian. The ratio of the probabilities of an interval of width 2e-5 is that of
// the densities to 1e-9; intervals with a kink of a piecewise loss are left out.
TEST(ExPostLoss, IsTheRatioOfProbabilitiesOfSmallIntervals) {
  SeededRandom random(51);
  int compared = 0;
  for (const PredictionLoss& loss : losses())
    for (int trial = 0; trial < 30; ++trial) {
      const Setting whole = setting_for(loss, random, 4, 1);
      const Setting less = with_data(whole, whole.data.without(0));
      const Eigen::VectorXd row = whole.data.rows.row(0);
      const double response = whole.data.responses[0], t = random.uniform(-2.0, 2.0);
      const auto point = [](double value) { return Eigen::VectorXd::Constant(1, value); };
      if (std::abs(whole.at(point(t - 1e-5)).hessian(0, 0) -
                   whole.at(point(t + 1e-5)).hessian(0, 0)) > 1e-3)
        continue;
      const auto probability = [&](const Setting& one) {
        const auto standard = [&](double place) {
          return -one.at(point(place)).gradient[0] / one.deviation;
        };
        // P[standard(t + h) < N < standard(t - h)], on the side where nothing cancels.
        const double low = standard(t + 1e-5), high = standard(t - 1e-5);
        return low > 0.0 ? above(low) - above(high) : above(-high) - above(-low);
      };
      const double truth = std::log(probability(whole) / probability(less));
      EXPECT_NEAR(whole.loss_of(point(t), row, response, Membership::inside), truth, 1e-7);
      EXPECT_NEAR(less.loss_of(point(t), row, response, Membership::outside), -truth, 1e-7);
      ++compared;
    }
  EXPECT_GT(compared, 100);
}

// The densities of the change of variables integrate to 1, and their ratio is the loss: in two
// dimensions, by the trapezoidal rule over b-balls of ten deviations. For the logistic loss the
// rule is as good as exact; jumps of f'' cost it 1e-3.
TEST(ExPostLoss, IsTheRatioOfDensitiesInTwoDimensions) {
  SeededRandom random(52);
  for (const PredictionLoss& loss : losses()) {
    const Setting whole = setting_for(loss, random, 3, 2);
    const Setting less = with_data(whole, whole.data.without(1));
    const Eigen::VectorXd row = whole.data.rows.row(1);
    const double response = whole.data.responses[1];
    const double reach =
        (8.0 * whole.deviation + 3.0 * loss.largest_slope()) / whole.regularization;
    const int points = loss.kind() == PredictionLossKind::logistic ? 160 : 320;
    const double step = 2.0 * reach / points;
    double total = 0.0, total_less = 0.0, ratio = 0.0, ratio_back = 0.0, worst = 0.0;
    for (int i = 0; i <= points; ++i)
      for (int j = 0; j <= points; ++j) {
        const Eigen::Vector2d theta(i * step - reach, j * step - reach);
        const double density = whole.log_density(theta), density_less = less.log_density(theta);
        total += std::exp(density);
        total_less += std::exp(density_less);
        if (density < -40.0 && density_less < -40.0) continue;
        const double inside = whole.loss_of(theta, row, response, Membership::inside);
        const double outside = less.loss_of(theta, row, response, Membership::outside);
        worst = std::max({worst, std::abs(inside - (density - density_less)),
                          std::abs(outside - (density_less - density))});
        ratio += std::exp(density - inside);
        ratio_back += std::exp(density_less - outside);
      }
    const double area = step * step;
    const double tolerance = loss.kind() == PredictionLossKind::logistic ? 1e-9 : 4e-3;
    EXPECT_NEAR(total * area, 1.0, tolerance) << loss.name();
    EXPECT_NEAR(total_less * area, 1.0, tolerance) << loss.name();
    EXPECT_NEAR(ratio * area, 1.0, tolerance) << loss.name();
    EXPECT_NEAR(ratio_back * area, 1.0, tolerance) << loss.name();
    EXPECT_LT(worst, 1e-11) << loss.name();
  }
}

// Draws of the mechanism itself: E_D[exp(-loss) h] = E_D'[h] for h = 1 and for the half space
// theta_1 > c. Each mean over 3000 draws is held to six of its standard errors: 16 comparisons, a
// false alarm in 3e7 runs at the normal approximation.
TEST(ExPostLoss, ReweighsTheMechanismIntoThatOfTheNeighbor) {
  SeededRandom random(53);
  constexpr int draws = 3000;
  for (const PredictionLoss& loss : losses()) {
    Setting whole = setting_for(loss, random, 8, 3);
    whole.deviation = 2.0;
    const Setting less = with_data(whole, whole.data.without(2));
    const Eigen::VectorXd row = whole.data.rows.row(2);
    const double response = whole.data.responses[2];
    const auto minimizer = [&](const Setting& one) {
      return perturbed_minimizer(loss, one.regularization, one.data,
                                 random_vector(random, 3, one.deviation));
    };
    const double cut = minimizer(less)[0];
    for (const bool removed : {true, false}) {
      const Setting &from = removed ? whole : less, &to = removed ? less : whole;
      Eigen::ArrayXd weights(draws), chosen(draws), target(draws);
      for (int i = 0; i < draws; ++i) {
        const Eigen::VectorXd theta = minimizer(from);
        weights[i] = std::exp(-from.loss_of(theta, row, response,
                                            removed ? Membership::inside : Membership::outside));
        chosen[i] = theta[0] > cut ? weights[i] : 0.0;
        target[i] = minimizer(to)[0] > cut ? 1.0 : 0.0;
      }
      const auto variance = [](const Eigen::ArrayXd& sample) {
        return (sample - sample.mean()).square().sum() / draws / draws;
      };
      EXPECT_NEAR(weights.mean(), 1.0, 6.0 * std::sqrt(variance(weights))) << loss.name();
      EXPECT_NEAR(chosen.mean(), target.mean(),
                  6.0 * std::sqrt(variance(chosen) + variance(target)))
          << loss.name();
      EXPECT_GT(variance(weights) * draws, 1e-4);  // not a weight of 1 throughout
    }
  }
}

TEST(GeneralExPostLoss, AgreesWithThatOfALinearPrediction) {
  SeededRandom random(54);
  for (const PredictionLoss& loss : losses())
    for (const Eigen::Index dimension : {1, 2, 7}) {
      const Setting one = setting_for(loss, random, 12, dimension);
      const Eigen::VectorXd theta = random_vector(random, dimension, 0.5);
      const Objective here = one.at(theta);
      for (Eigen::Index i = 0; i < 12; ++i)
        for (const Membership membership : {Membership::inside, Membership::outside}) {
          const Eigen::VectorXd row = one.data.rows.row(i);
          const auto at = loss.at(row.dot(theta), one.data.responses[i]);
          const double general =
              general_ex_post_loss(one.deviation, here.gradient, here.hessian, at.slope * row,
                                   at.curvature * row * row.transpose(), membership)
                  .values[0];
          EXPECT_NEAR(one.loss_of(theta, row, one.data.responses[i], membership), general, 1e-12);
        }
    }
}

// Two records at once, of rank two: by determinants in the test.
TEST(GeneralExPostLoss, TakesHessiansOfAnyRank) {
  SeededRandom random(55);
  const Setting one = setting_for(PredictionLoss::logistic(), random, 10, 3);
  const Eigen::VectorXd theta = random_vector(random, 3, 0.5);
  const Objective here = one.at(theta);
  Eigen::VectorXd gradient = Eigen::VectorXd::Zero(3);
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Zero(3, 3);
  for (Eigen::Index i = 0; i < 2; ++i) {
    const Eigen::VectorXd row = one.data.rows.row(i);
    const auto at = one.loss.at(row.dot(theta), one.data.responses[i]);
    gradient += at.slope * row;
    hessian += at.curvature * row * row.transpose();
  }
  const Setting less = with_data(one, one.data.without(1).without(0));
  const double truth = one.log_density(theta) - less.log_density(theta);
  EXPECT_NEAR(general_ex_post_loss(one.deviation, here.gradient, here.hessian, gradient, hessian,
                                   Membership::inside)
                  .values[0],
              truth, 1e-12);
  const Objective rest = less.at(theta);
  EXPECT_NEAR(general_ex_post_loss(one.deviation, rest.gradient, rest.hessian, gradient, hessian,
                                   Membership::outside)
                  .values[0],
              -truth, 1e-12);
  EXPECT_THROW(general_ex_post_loss(1.0, here.gradient, here.hessian, gradient, here.hessian,
                                    Membership::inside),
               Error);
  EXPECT_THROW(general_ex_post_loss(1.0, here.gradient, here.hessian, gradient, -here.hessian,
                                    Membership::outside),
               Error);
  EXPECT_TRUE(refuses("record_gradient", [&] {
    return general_ex_post_loss(1.0, here.gradient, here.hessian, Eigen::VectorXd::Zero(2), hessian,
                                Membership::inside);
  }));
  EXPECT_TRUE(refuses("standard_deviation", [&] {
    return general_ex_post_loss(not_a_number, here.gradient, here.hessian, gradient, hessian,
                                Membership::inside);
  }));
}

// Blocks are cut inside: each record has the value that it has alone.
TEST(ExPostLoss, ABlockIsItsRecords) {
  SeededRandom random(56);
  const Setting one = setting_for(PredictionLoss::logistic(), random, 2500, 4);
  const Eigen::VectorXd theta = random_vector(random, 4, 0.5);
  const Objective here = one.at(theta);
  const ExPostLoss losses({one.loss, 1.0, one.regularization, one.deviation, theta}, here.gradient,
                          here.hessian);
  const Eigen::VectorXd all =
      losses.signed_losses(one.data.rows, one.data.responses, Membership::inside).values;
  ASSERT_EQ(all.size(), 2500);
  for (const Eigen::Index i : {0, 1, 1023, 1024, 1025, 2047, 2048, 2499})
    EXPECT_NEAR(all[i],
                losses
                    .signed_losses(one.data.rows.middleRows(i, 1), one.data.responses.segment(i, 1),
                                   Membership::inside)
                    .values[0],
                1e-14);
  EXPECT_EQ(
      losses.signed_losses(RowBlock(0, 4), Eigen::VectorXd(0), Membership::inside).values.size(),
      0);
}

// No records: H = lambda I, G = lambda theta. The record that comes first loses
// |-log(1 + f'' |x|^2/lambda) + |g|^2/(2 s^2) + lambda theta^T g/s^2|.
TEST(ExPostLoss, IsKnownInClosedFormWithoutOtherRecords) {
  const double lambda = 0.5, deviation = 1.5;
  const Eigen::Vector2d theta(0.4, -0.8), row(0.6, 0.3);
  const auto at = PredictionLoss::logistic().at(row.dot(theta), -1.0);
  const Setting none{
      PredictionLoss::logistic(), lambda, deviation, {RowBlock(0, 2), Eigen::VectorXd(0)}};
  const double expected = -std::log1p(at.curvature * row.squaredNorm() / lambda) +
                          0.5 * at.slope * at.slope * row.squaredNorm() / (deviation * deviation) +
                          lambda * at.slope * theta.dot(row) / (deviation * deviation);
  EXPECT_NEAR(none.loss_of(theta, row, -1.0, Membership::outside), expected, 1e-15);
  const Setting alone = with_data(none, none.data.with(row, -1.0));
  EXPECT_NEAR(alone.loss_of(theta, row, -1.0, Membership::inside), -expected, 1e-14);
}

TEST(ExPostLoss, ExtremesGiveFiniteAnswers) {
  const Eigen::VectorXd theta = Eigen::VectorXd::Constant(1, 0.3);
  const Eigen::VectorXd row = Eigen::VectorXd::Constant(1, 1.0);
  // A record alone with next to no regularization: in doubles m is 1, and the loss is that of
  // log(1 + f''/lambda).
  Setting alone{
      PredictionLoss::logistic(), 1e-30, 1.0, {RowBlock::Ones(1, 1), Eigen::VectorXd::Ones(1)}};
  const auto at = alone.loss.at(0.3, 1.0);
  EXPECT_NEAR(alone.loss_of(theta, row, 1.0, Membership::inside),
              std::log(at.curvature / 1e-30) - 0.5 * at.slope * at.slope, 1e-9);
  alone.regularization = 1e300;
  EXPECT_NEAR(alone.loss_of(Eigen::VectorXd::Zero(1), row, 1.0, Membership::inside), -0.125, 1e-12);
  // A row of zeros, and a record beyond the reach of the hinge, lose nothing.
  Setting hinge{PredictionLoss::smoothed_hinge(0.1),
                1.0,
                1.0,
                {RowBlock::Ones(3, 1), Eigen::VectorXd::Ones(3)}};
  EXPECT_EQ(hinge.loss_of(theta, Eigen::VectorXd::Zero(1), 1.0, Membership::outside), 0.0);
  EXPECT_EQ(hinge.loss_of(Eigen::VectorXd::Constant(1, 5.0), row, 1.0, Membership::inside), 0.0);
}

TEST(ExPostLoss, TwinsLoseTheSame) {
  SeededRandom random(57);
  const Setting one = setting_for(PredictionLoss::logistic(), random, 5, 2);
  const Eigen::VectorXd row = one.data.rows.row(0), theta = random_vector(random, 2, 0.3);
  const Setting twins = with_data(one, one.data.with(row, one.data.responses[0]));
  const Objective here = twins.at(theta);
  const Eigen::VectorXd both =
      ExPostLoss({one.loss, 1.0, one.regularization, one.deviation, theta}, here.gradient,
                 here.hessian)
          .signed_losses(twins.data.rows, twins.data.responses, Membership::inside)
          .values;
  EXPECT_DOUBLE_EQ(both[0], both[5]);
}

TEST(ExPostLoss, RefusesWhatIsNoRecord) {
  const auto losses = [](const PredictionLoss& loss) {
    return ExPostLoss({loss, 1.0, 1.0, 1.0, Eigen::VectorXd::Zero(2)}, Eigen::VectorXd::Zero(2),
                      Eigen::MatrixXd::Identity(2, 2));
  };
  const auto call = [&](const PredictionLoss& loss, const RowBlock& rows, double response) {
    return [&losses, loss, rows, response] {
      return losses(loss).signed_losses(rows, Eigen::VectorXd::Constant(1, response),
                                        Membership::inside);
    };
  };
  const RowBlock good = RowBlock::Constant(1, 2, 0.5);
  const PredictionLoss logistic = PredictionLoss::logistic();
  EXPECT_NO_THROW(call(logistic, good, 1.0)());
  EXPECT_TRUE(refuses("rows", call(logistic, RowBlock::Zero(1, 3), 1.0)));
  EXPECT_TRUE(refuses("responses", call(logistic, RowBlock::Zero(2, 2), 1.0)));
  EXPECT_TRUE(refuses("row", call(logistic, RowBlock::Ones(1, 2), 1.0)));  // not clipped
  for (const double bad : not_finite)
    EXPECT_TRUE(refuses("row", call(logistic, RowBlock::Constant(1, 2, bad), 1.0)));
  for (const double bad : {0.0, 0.5, 2.0, not_a_number, infinity})
    EXPECT_TRUE(refuses("response", call(logistic, good, bad)));
  for (const double bad : {1.01, not_a_number, infinity})
    EXPECT_TRUE(refuses("response", call(PredictionLoss::squared(1.0), good, bad)));
  for (const double bad : not_finite)
    EXPECT_TRUE(refuses("response", call(PredictionLoss::huber(1.0), good, bad)));
}

TEST(ExPostLoss, RefusesWhatIsNoRelease) {
  const auto make = [](ObjectiveRelease release, const Eigen::VectorXd& gradient,
                       const Eigen::MatrixXd& hessian) {
    return [=] { return ExPostLoss(release, gradient, hessian); };
  };
  const ObjectiveRelease good{PredictionLoss::logistic(), 1.0, 1.0, 1.0, Eigen::VectorXd::Zero(2)};
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2);
  const Eigen::MatrixXd unit = Eigen::MatrixXd::Identity(2, 2);
  for (const double bad : {0.0, -1.0, not_a_number, infinity}) {
    ObjectiveRelease release = good;
    release.regularization = bad;
    EXPECT_TRUE(refuses("regularization", make(release, zero, unit)));
    release = good;
    release.standard_deviation = bad;
    EXPECT_TRUE(refuses("standard_deviation", make(release, zero, unit)));
    release = good;
    release.row_norm_bound = bad;
    EXPECT_TRUE(refuses("row_norm_bound", make(release, zero, unit)));
  }
  ObjectiveRelease release = good;
  release.coefficients = Eigen::VectorXd::Constant(2, not_a_number);
  EXPECT_TRUE(refuses("coefficients", make(release, zero, unit)));
  release.coefficients = Eigen::VectorXd(0);
  EXPECT_TRUE(refuses("coefficients", make(release, zero, unit)));
  EXPECT_TRUE(refuses("gradient", make(good, Eigen::VectorXd::Zero(3), unit)));
  EXPECT_TRUE(refuses("gradient", make(good, Eigen::VectorXd::Constant(2, infinity), unit)));
  EXPECT_TRUE(refuses("hessian", make(good, zero, Eigen::MatrixXd::Identity(3, 3))));
  EXPECT_TRUE(refuses("hessian", make(good, zero, unit * not_a_number)));
  EXPECT_THROW(make(good, zero, -unit)(), Error);
  EXPECT_THROW(make(good, zero, Eigen::MatrixXd::Ones(2, 2) - unit)(), Error);
}

}  // namespace
}  // namespace modicum::testing::per_instance_test
