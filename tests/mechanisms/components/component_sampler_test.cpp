#include "modicum/mechanisms/component_sampler.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/principal_components.h"
#include "modicum/randomness/samplers.h"
#include "numerics/dense.h"
#include "support/bingham_moments.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::component_sampler_test {
namespace {

/// k values well above a bulk on [0, 1/2].
std::vector<double> spiked(int dimension, int components, double spike = 2.0) {
  std::vector<double> values;
  for (int i = 0; i < dimension; ++i)
    values.push_back(i < components ? spike + components - i : 0.5 * (dimension - i) / dimension);
  return values;
}

double departure_from_orthonormal(const Eigen::MatrixXd& frame) {
  const Eigen::Index k = frame.cols();
  return (frame.transpose() * frame - Eigen::MatrixXd::Identity(k, k)).norm();
}

/// Mean and standard error of the squared length of every row of V, which determine what the span
/// has to do with each axis.
struct RowShares {
  Eigen::ArrayXd mean, error;
};
template <class Draw>
RowShares row_shares(int draws, Draw draw) {
  Eigen::ArrayXd sum, squares;
  for (int i = 0; i < draws; ++i) {
    const Eigen::ArrayXd shares = draw().rowwise().squaredNorm().array();
    if (i == 0) sum = squares = Eigen::ArrayXd::Zero(shares.size());
    sum += shares, squares += shares.square();
  }
  const Eigen::ArrayXd mean = sum / draws;
  return {mean, ((squares / draws - mean.square()).max(1e-30) / draws).sqrt()};
}

double largest_difference(const RowShares& a, const Eigen::ArrayXd& mean) {
  return ((a.mean - mean).abs() / a.error).maxCoeff();
}

/// Exactly, by rejection from uniform frames.
Eigen::MatrixXd draw_by_rejection(const ComponentLaw& law, RandomSource& source) {
  const double largest = -law.exponents().head(law.components()).sum();
  for (;;) {
    const Eigen::MatrixXd frame = uniform_frame(law.dimension(), law.components(), source);
    const double place = static_cast<double>(source.next() >> 11) * 0x1p-53;
    if (place < std::exp(law.log_density(frame) - largest)) return frame;
  }
}

// Standard errors 6 and 6.5 below: probabilities of 2e-9 and 8e-11 for each mean in the normal
// approximation.
TEST(DeflatedComponents, AreTheLawForOneComponent) {
  SeededSource source(1);
  for (const auto& [p, beta] : {std::pair{2, 0.7}, {3, 2.0}, {200, 0.5}, {200, 3.0}}) {
    const ComponentLaw law(spiked(p, 1), beta, 1.0);
    const RowShares found = row_shares(5000, [&] { return draw_deflated_components(law, source); });
    const Eigen::ArrayXd exact = bingham_second_moments(law.exponents()).array();
    EXPECT_LT(largest_difference(found, exact), 6.5) << p << ' ' << beta;
  }
}

TEST(DeflatedComponents, AreOrthonormalAndBeginWithTheLawOfOne) {
  SeededSource source(2);
  const ComponentLaw law(spiked(30, 4), 1.0, 4.0);
  double departure = 0.0;
  const RowShares first = row_shares(4000, [&] {
    const Eigen::MatrixXd frame = draw_deflated_components(law, source);
    departure = std::max(departure, departure_from_orthonormal(frame));
    return frame.leftCols(1).eval();
  });
  EXPECT_LT(departure, 1e-13);
  EXPECT_LT(largest_difference(first, bingham_second_moments(law.exponents()).array()), 6.5);
}

TEST(GibbsComponents, AgreeWithRejectionForTwoComponents) {
  SeededSource source(3);
  for (const int p : {3, 5})
    for (const double beta : {0.1, 1.2}) {
      const ComponentLaw law(spiked(p, 2, 0.5), beta, 2.0);
      const RowShares exact = row_shares(10000, [&] { return draw_by_rejection(law, source); });
      RowShares found = row_shares(10000, [&] { return draw_gibbs_components(law, source, 4); });
      found.error = (found.error.square() + exact.error.square()).sqrt();
      EXPECT_LT(largest_difference(found, exact.mean), 6.0) << p << ' ' << beta;
    }
}

// All directions but one are taken: the one that is left has the Bingham law with the signs of the
// exponents changed.
TEST(GibbsComponents, LeaveOutADirectionOfTheOppositeLaw) {
  SeededSource source(4);
  for (const int p : {3, 6})
    for (const double beta : {0.3, 3.0}) {
      const ComponentLaw law(spiked(p, 1), beta, p - 1.0);
      const RowShares found =
          row_shares(5000, [&] { return draw_gibbs_components(law, source, 4); });
      const Eigen::VectorXd opposite = -law.exponents().reverse();
      const Eigen::ArrayXd exact = 1.0 - bingham_second_moments(opposite).reverse().array();
      EXPECT_LT(largest_difference(found, exact), 6.0) << p << ' ' << beta;
    }
}

// The means of rows below the first k are sums of variances; redraws are too rare here to count.
TEST(ApproximateComponents, HaveTheVariancesOfTheGaussian) {
  SeededSource source(5);
  const ComponentLaw law(spiked(100, 3), 5.0, 3.0);
  double departure = 0.0;
  const RowShares found = row_shares(5000, [&] {
    const Eigen::MatrixXd frame = draw_approximate_components(law, source);
    departure = std::max(departure, departure_from_orthonormal(frame));
    return frame.bottomRows(97).eval();
  });
  EXPECT_LT(departure, 1e-13);
  Eigen::ArrayXd exact = Eigen::ArrayXd::Zero(97);
  for (Eigen::Index j = 0; j < 3; ++j)
    exact += 0.5 / (law.exponents().tail(97).array() - law.exponents()[j]);
  EXPECT_LT(largest_difference(found, exact), 6.5);
}

TEST(ApproximateComponents, NeedABetaAboveTheThreshold) {
  SeededSource source(6);
  const std::vector<double> values = spiked(100, 2);
  const double least = ComponentSpectrum(values, 10.0, 2.0).transform();
  EXPECT_NEAR(ComponentLaw(values, 2.0 * least, 2.0).noise_share(), 0.5, 1e-12);
  EXPECT_TRUE(refuses("beta", [&] {
    return draw_approximate_components(ComponentLaw(values, 0.99 * least, 2.0), source);
  }));
  EXPECT_NO_THROW(draw_approximate_components(ComponentLaw(values, 2.0 * least, 2.0), source));
}

// One component: the limit is within 2/p of the exact overlap, and 400 draws cannot tell it from
// either (6 standard errors).
TEST(PredictedUtility, IsTheLimitOfTheOverlapOfOneComponent) {
  SeededSource source(7);
  for (const int p : {200, 1000}) {
    const std::vector<double> values = spiked(p, 1);
    const ComponentSpectrum spectrum(values, 1000.0, 1.0);
    const double beta = 4.0 * spectrum.transform();
    const ComponentLaw law(values, beta, 1.0);
    const double limit = predicted_utility(spectrum, beta).overlaps[0];
    EXPECT_NEAR(bingham_second_moments(law.exponents())[0], limit, 2.0 / p);
    const RowShares found = row_shares(400, [&] { return draw_deflated_components(law, source); });
    EXPECT_NEAR(found.mean[0], limit, 6.0 * found.error[0]);
    EXPECT_LT(found.error[0], 0.005);
  }
}

TEST(PredictedUtility, IsTheLimitOfTheOverlapsOfThreeComponents) {
  SeededSource source(8);
  for (const int p : {200, 1000}) {
    const std::vector<double> values = spiked(p, 3);
    const ComponentSpectrum spectrum(values, 1000.0, 3.0);
    const double beta = 3.0 * spectrum.transform();
    const ComponentLaw law(values, beta, 3.0);
    const PredictedUtility limit = predicted_utility(spectrum, beta);
    const RowShares found = row_shares(200, [&] { return draw_gibbs_components(law, source); });
    for (int i = 0; i < 3; ++i) {
      EXPECT_NEAR(found.mean[i], limit.overlaps[i], 6.0 * found.error[i]) << p << ' ' << i;
      EXPECT_LT(found.error[i], 0.006);
    }
  }
}

// The variance of the loss about one row, under the Gibbs sampler, is the square of its mu: for
// rows along components, between two, and between components and the rest. 2000 draws have the
// variance of a nearly normal variable to 3.2 %; 6 of these.
TEST(PredictedRowMu, IsTheDeviationOfTheLossForTwoComponents) {
  SeededSource source(9);
  const int p = 300;
  const std::vector<double> values = spiked(p, 2);
  const ComponentSpectrum spectrum(values, 10000.0, 2.0);
  const double beta = 3.0 * spectrum.transform();
  const ComponentLaw law(values, beta, 2.0);
  std::vector<std::vector<double>> rows(5, std::vector<double>(p, 0.0));
  rows[0][1] = 1.0;
  rows[1][0] = 0.4, rows[1][1] = 0.6;
  rows[2][1] = 0.5, rows[2][2] = 0.5;
  rows[3][0] = 0.3, rows[3][1] = 0.3, rows[3][2] = 0.2, rows[3][200] = 0.2;
  rows[4][0] = 0.9, rows[4][100] = 0.1;
  std::vector<double> sums(rows.size(), 0.0), squares(rows.size(), 0.0);
  const int draws = 2000;
  for (int i = 0; i < draws; ++i) {
    const Eigen::MatrixXd frame = draw_gibbs_components(law, source);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      const Eigen::VectorXd row = Eigen::Map<const Eigen::VectorXd>(rows[r].data(), p).cwiseSqrt();
      const double loss =
          0.5 * p * beta / spectrum.rows() * p * (frame.transpose() * row).squaredNorm();
      sums[r] += loss, squares[r] += loss * loss;
    }
  }
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const double mean = sums[r] / draws, variance = squares[r] / draws - mean * mean;
    const double predicted = std::pow(*predicted_row_mu(spectrum, beta, rows[r]), 2);
    EXPECT_NEAR(variance / predicted, 1.0, 6.0 * 0.032) << r;
  }
}

TEST(ComponentSamplers, StandTheEdges) {
  SeededSource source(10);
  const Eigen::MatrixXd axes = Eigen::MatrixXd::Identity(5, 2);
  const ComponentLaw sharp({3.0, 2.0, 1.0, 0.0, 0.0}, 1e10, 2.0);
  for (const Eigen::MatrixXd& frame :
       {draw_gibbs_components(sharp, source), draw_approximate_components(sharp, source),
        draw_deflated_components(sharp, source)})
    EXPECT_NEAR((axes.transpose() * frame).squaredNorm(), 2.0, 1e-9);
  const ComponentLaw whole({3.0, 2.0, 1.0}, 5.0, 3.0);
  EXPECT_LT(departure_from_orthonormal(draw_gibbs_components(whole, source)), 1e-14);
  EXPECT_LT(departure_from_orthonormal(draw_deflated_components(whole, source)), 1e-14);
  const ComponentLaw one({1.0}, 5.0, 1.0);
  EXPECT_EQ(std::abs(draw_gibbs_components(one, source)(0, 0)), 1.0);
}

// beta = 0 and equal eigenvalues: every row has the share k/p. 6.5 standard errors.
TEST(ComponentSamplers, AreUniformWithoutSignal) {
  SeededSource source(11);
  for (const ComponentLaw& law : {ComponentLaw(spiked(8, 2), 0.0, 2.0),
                                  ComponentLaw(std::vector<double>(8, 0.7), 100.0, 2.0)}) {
    const Eigen::ArrayXd exact = Eigen::ArrayXd::Constant(8, 0.25);
    EXPECT_LT(largest_difference(
                  row_shares(4000, [&] { return draw_gibbs_components(law, source); }), exact),
              6.5);
    EXPECT_LT(largest_difference(
                  row_shares(4000, [&] { return draw_deflated_components(law, source); }), exact),
              6.5);
    EXPECT_TRUE(refuses("beta", [&] { return draw_approximate_components(law, source); }));
  }
}

// A tie after the last component: the two directions share alike. 6 standard errors.
TEST(GibbsComponents, TreatTiedDirectionsAlike) {
  SeededSource source(12);
  const ComponentLaw law({3.0, 2.0, 2.0, 0.5, 0.1, 0.0}, 20.0, 2.0);
  const RowShares found = row_shares(4000, [&] { return draw_gibbs_components(law, source); });
  EXPECT_NEAR(found.mean[1], found.mean[2], 6.0 * (found.error[1] + found.error[2]));
  EXPECT_GT(found.mean[0], 0.95);
}

// At any size the law is that of Algorithm 2 over the determinant of the upper block. Means with
// these weights against draws by rejection; 6 standard errors, of both, in 5 comparisons: a false
// alarm has probability below 1e-7. Without the weights the first share is more than 10 off.
TEST(ApproximateComponents, AreTheLawOverADeterminant) {
  SeededSource source(16);
  const ComponentLaw law({2.0, 1.6, 0.5, 0.3, 0.0}, 1.6, 2.0);
  const RowShares exact = row_shares(10000, [&] { return draw_by_rejection(law, source); });
  constexpr int draws = 40000;
  Eigen::ArrayXXd shares(5, draws);
  Eigen::ArrayXd weights(draws);
  for (int i = 0; i < draws; ++i) {
    const Eigen::MatrixXd frame = draw_approximate_components(law, source);
    shares.col(i) = frame.rowwise().squaredNorm();
    weights[i] = 1.0 / std::abs(determinant(frame.topRows(2)));
  }
  const Eigen::ArrayXd mean =
      (shares.rowwise() * weights.transpose()).rowwise().sum() / weights.sum();
  for (Eigen::Index j = 0; j < 5; ++j) {
    const double error =
        std::sqrt((weights * (shares.row(j).transpose() - mean[j])).square().sum()) / weights.sum();
    EXPECT_NEAR(mean[j], exact.mean[j], 6.0 * std::hypot(error, exact.error[j])) << j;
  }
  EXPECT_GT(std::abs(shares.row(0).mean() - exact.mean[0]), 10.0 * exact.error[0]);
}

// Columns alone forget slowly where components differ widely and the last is nearly tied with the
// next: then it shares their plane as exp(-c sin^2) on a circle does, with c = 1 a mean of
// (1 + I_1(1/2)/I_0(1/2))/2. Deviation of one draw at most 1/2, 4000 draws: 6 standard errors.
TEST(GibbsComponents, ForgetAUniformStartWhereConcentrationsDiffer) {
  SeededSource source(17);
  const double beta = 1e6;
  const ComponentLaw law({1.9, 1.0, 1.0 - 0.5 / beta, 0.1}, beta, 2.0);
  double sum = 0.0;
  for (int i = 0; i < 4000; ++i) {
    ComponentChain chain(law, ChainStart::uniform, source);
    for (int j = 0; j < usual_sweeps; ++j) chain.sweep(source);
    sum += chain.frame().row(1).squaredNorm() / 4000.0;
  }
  EXPECT_NEAR(sum, 0.5 + 0.5 * 0.2578943053908963 / 1.0634833707413236,
              6.0 * 0.5 / std::sqrt(4000.0));
}

// Three components far above the rest: each other axis has the share of the law of one component
// among the others, and what the three leave free, 1/2 over the difference of the exponents each.
// The fourth and those after it are nearly tied and have to change places. 6.5 standard errors.
TEST(GibbsComponents, LetNearlyTiedDirectionsChangePlaces) {
  SeededSource source(15);
  for (const double beta : {0.05, 0.4}) {
    std::vector<double> values = {2100.0, 2050.0, 2000.0, 2.0, 1.5, 1.0, 0.5, 0.2, 0.1};
    values.resize(16, 0.0);
    const ComponentLaw law(values, beta, 4.0);
    const RowShares found = row_shares(2000, [&] { return draw_gibbs_components(law, source); });
    const Eigen::ArrayXd exact = bingham_second_moments(law.exponents().tail(13)).array();
    const double left_free = 1.5 / (law.exponents()[3] - law.exponents()[2]);
    for (Eigen::Index i = 0; i < 13; ++i)
      EXPECT_NEAR(found.mean[i + 3], exact[i], 6.5 * found.error[i + 3] + left_free)
          << beta << ' ' << i;
  }
}

TEST(ChainDiagnostics, FindTheUsualSweepsToBeMoreThanTheMemory) {
  SeededSource source(13);
  for (const double factor : {0.5, 1.5, 10.0}) {
    const std::vector<double> values = spiked(100, 3);
    const double beta = factor * ComponentSpectrum(values, 10.0, 3.0).transform();
    const ChainDiagnostics found = diagnose_chain(ComponentLaw(values, beta, 3.0), 400, source);
    EXPECT_TRUE(found.agree()) << factor << ' ' << found.potential_scale;
    EXPECT_LT(found.autocorrelation_time, usual_sweeps) << factor;
    EXPECT_GT(found.acceptance, 0.05);
    EXPECT_EQ(found.sweeps, 400);
  }
  EXPECT_TRUE(diagnose_chain(ComponentLaw({1.0, 0.5}, 3.0, 2.0), 20, source).agree());
}

TEST(ComponentLaw, RefusesWhatIsNoLaw) {
  SeededSource source(14);
  const auto made = [](std::vector<double> values, double beta, double components) {
    return ComponentLaw(std::move(values), beta, components).dimension();
  };
  for (const double bad : not_finite) {
    EXPECT_TRUE(refuses("eigenvalues", [&] { return made({1.0, bad}, 1.0, 1.0); }));
    EXPECT_TRUE(refuses("beta", [&] { return made({1.0, 0.5}, bad, 1.0); }));
    EXPECT_TRUE(refuses("components", [&] { return made({1.0, 0.5}, 1.0, bad); }));
  }
  EXPECT_TRUE(refuses("beta", [&] { return made({1.0, 0.5}, -1.0, 1.0); }));
  EXPECT_TRUE(refuses("beta", [&] { return made({1.0, 0.5}, 1e300, 1.0); }));
  EXPECT_TRUE(refuses("components", [&] { return made({1.0, 0.5}, 1.0, 3.0); }));
  EXPECT_TRUE(refuses("components", [&] { return made({}, 1.0, 1.0); }));
  const ComponentLaw law({1.0, 0.5}, 1.0, 1.0);
  EXPECT_TRUE(refuses("sweeps", [&] { return draw_gibbs_components(law, source, 0); }));
  EXPECT_TRUE(refuses("sweeps", [&] { return diagnose_chain(law, 19, source).acceptance; }));
}

}  // namespace
}  // namespace modicum::testing::component_sampler_test
