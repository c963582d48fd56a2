// Formulas of the papers that are wrong as printed, each with the number that shows it
// (docs/errata.md).
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>

#include "modicum/privacy/analytic_bounds.h"
#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/profile.h"
#include "support/closed_forms.h"
#include "support/refusals.h"
#include "support/truth.h"

namespace modicum::testing::errata_test {
namespace {

double upper_normal(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }

// [LuWei2026, Lemma 2] is stated for the smaller covariance first; Theorem 4.2 applies its "zero
// from half the log determinant ratio on" to the larger one first.
TEST(Errata, Lemma2ClaimsZeroInTheHardDirectionWhereATenthIsTrue) {
  const double epsilon = 0.35, threshold = 0.5 * std::log(2.0 / 1.0);
  EXPECT_GE(epsilon, threshold);  // so the theorem takes the covariance step to cost nothing

  // N(0, 2) against N(0, 1) by the definition: L > epsilon where x^2 > 4 epsilon + 2 log 2.
  const double edge = std::sqrt(4.0 * epsilon + 2.0 * std::log(2.0));
  const double truth =
      2.0 * (upper_normal(edge / std::sqrt(2.0)) - std::exp(epsilon) * upper_normal(edge));
  EXPECT_NEAR(truth, 0.103, 5e-4);

  const GaussianSpectrum hard = GaussianSpectrum::component(0.0, 2.0);
  const ProfilePoint point = profile(PrivacyLoss::gaussian(hard), epsilon, Accuracy::certified);
  EXPECT_NEAR(point.forward.lower(), truth, 1e-15);
  EXPECT_TRUE(point.reverse.is_exactly_zero());  // the direction for which the lemma is stated

  EXPECT_TRUE(refuses("variance_ratio", [&] { return lemma2_bound(hard, epsilon); }));
  EXPECT_TRUE(refuses("variance_ratio", [&] { return theorem42_bound(hard, epsilon); }));
  EXPECT_EQ(lemma2_bound(hard.reversed(), epsilon), 0.0);
}

TEST(Errata, Lemma2FailsInTheHardDirectionAtEveryRatio) {
  for (const double ratio : {1.1, 2.0, 10.0, 1000.0}) {
    const double epsilon = 0.5 * std::log(ratio) * (1.0 + 1e-12);  // claimed: nothing is lost here
    const auto loss = PrivacyLoss::gaussian(GaussianSpectrum::component(0.0, ratio));
    const ProfilePoint point = profile(loss, epsilon, Accuracy::certified);
    EXPECT_TRUE(point.reverse.is_exactly_zero()) << ratio;
    EXPECT_GT(point.forward.lower(), 0.01) << ratio;
  }
}

// The footnote in section 5.1 says that a deletion enlarges the covariance; it shrinks it. What is
// concluded from it is right: the pair (with the row, without it) is the harder direction.
TEST(Errata, DeletingARowShrinksTheCovariance) {
  const Eigen::MatrixXd rows{{1, 2, 0}, {0, 1, 1}, {2, 0, 1}, {1, 1, 1}, {0, 3, 1}};
  const Eigen::MatrixXd kept = rows.topRows(4);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(3);
  const auto spectrum =
      reduce_pair({none, rows.transpose() * rows}, {none, kept.transpose() * kept});
  ASSERT_TRUE(spectrum.has_value());
  double largest = 0.0;
  for (const SpectrumComponent& component : spectrum->components()) {
    EXPECT_GE(component.excess.high + component.excess.radius, -1e-12);
    largest = std::max(largest, component.excess.high);
  }
  EXPECT_GT(largest, 0.1);
  for (const double epsilon : {0.0, 0.1, 0.5, 1.0, 3.0}) {
    const ProfilePoint point = profile(PrivacyLoss::gaussian(*spectrum), epsilon);
    EXPECT_GE(point.forward.upper(), point.reverse.lower()) << epsilon;
  }
  EXPECT_GT(profile(PrivacyLoss::gaussian(*spectrum), 0.5).forward.lower(),
            profile(PrivacyLoss::gaussian(*spectrum), 0.5).reverse.upper() + 1e-3);
}

// [LuWei2024, Theorem 2]: (1 - e^{-epsilon})/2 stands where (1 - e^epsilon)/2 belongs.
TEST(Errata, TheMeanShiftFormulaHasTheWrongSign) {
  const double t = 1.0, epsilon = 1.0;
  const double near = std::erf(-epsilon / (std::sqrt(2.0) * t) + t / std::sqrt(8.0));
  const double far = std::erf(-epsilon / (std::sqrt(2.0) * t) - t / std::sqrt(8.0));
  const double bracket = 0.5 * (near - std::exp(epsilon) * far);
  const double printed = 0.5 * (1.0 - std::exp(-epsilon)) + bracket;
  const double corrected = 0.5 * (1.0 - std::exp(epsilon)) + bracket;
  const Enclosure truth =
      profile(PrivacyLoss::gaussian(GaussianSpectrum::shift(t, 1.0)), epsilon, Accuracy::certified)
          .delta();
  EXPECT_NEAR(truth.lower(), 0.126937, 1e-6);
  EXPECT_NEAR(corrected, truth.lower(), 1e-14);
  EXPECT_GT(printed, 1.0);  // no probability at all
}

// [LuWei2024, Proposition 10]: random projection with e^{-epsilon} before the second probability.
TEST(Errata, TheProjectionFormulaHasTheWrongSign) {
  const PrecisionScope scope(truth_bits);
  const double leverage = 0.25, epsilon = 1.0, columns = 5.0;
  const Ball p = leverage, edge = Ball(2.0) * epsilon - Ball(columns) * log(Ball(1.0) - p);
  const Ball first = gamma_upper(Ball(2.5), (Ball(1.0) - p) * edge / p / 2.0);
  const Ball second = gamma_upper(Ball(2.5), edge / p / 2.0);
  const Ball printed = first - exp(-Ball(epsilon)) * second;
  const Ball corrected = first - exp(Ball(epsilon)) * second;
  const GaussianSpectrum spectrum = [&] {
    GaussianSpectrum result;
    result.add({Precise::ratio(1.0, 3.0), Precise::exactly(0.0), columns});
    return result;
  }();
  const Enclosure truth =
      profile(PrivacyLoss::gaussian(spectrum), epsilon, Accuracy::certified).forward;
  EXPECT_TRUE(encloses(truth, corrected));
  EXPECT_GT(printed.lower(), 1.1 * truth.upper());
}

}  // namespace
}  // namespace modicum::testing::errata_test
