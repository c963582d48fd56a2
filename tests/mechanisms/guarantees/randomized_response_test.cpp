#include "modicum/mechanisms/randomized_response.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "support/reference_files.h"
#include "support/refusals.h"
#include "support/truth.h"

namespace modicum::testing::randomized_response_test {
namespace {

// P_X = (p, 1 - p) against (1 - p, p): (p - e^epsilon (1 - p))_+ + ((1 - p) - e^epsilon p)_+.
TEST(RandomizedResponse, HasTheProfileOfItsDefinition) {
  const PrecisionScope scope(truth_bits);
  for (const double truthful : {0.01, 0.25, 0.5, 0.501, 0.9, 0.999999})
    for (const double epsilon : {-3.0, -0.5, 0.0, 0.001, 0.5, 3.0}) {
      const Ball p = truthful, q = Ball(1.0) - p, scale = exp(Ball(epsilon));
      const Ball truth = max(p - scale * q, 0.0) + max(q - scale * p, 0.0);
      for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
        const ProfilePoint point = profile(randomized_response(truthful), epsilon, accuracy);
        EXPECT_TRUE(encloses(point.forward, truth)) << truthful << ' ' << epsilon;
        EXPECT_TRUE(encloses(point.reverse, truth)) << truthful << ' ' << epsilon;
        if (!truth.exactly_zero()) {
          EXPECT_LE(point.delta().relative_width(), 1e-12) << truthful << ' ' << epsilon;
        }
      }
    }
}

TEST(RandomizedResponse, ComposedIsTheBinomialSum) {
  const PrecisionScope scope(truth_bits);
  const double truthful = 0.625, epsilon = 2.0;
  const int count = 25;
  const Ball p = truthful, q = Ball(1.0) - p;
  Ball truth, weight = 1.0;  // C(n, k) p^k q^(n-k) - e^epsilon C(n, k) p^(n-k) q^k, where positive
  for (int k = 0; k <= count; ++k) {
    const auto power = [](const Ball& x, int n) { return exp(log(x) * Ball(n)); };
    truth += max(weight * (power(p, k) * power(q, count - k) -
                           exp(Ball(epsilon)) * power(p, count - k) * power(q, k)),
                 0.0);
    weight *= Ball(count - k) / Ball(k + 1);
  }
  const Enclosure value =
      profile(randomized_response(truthful).repeated(count), epsilon, Accuracy::certified).delta();
  EXPECT_TRUE(encloses(value, truth));
  EXPECT_LE(value.relative_width(), 1e-12);
}

TEST(RandomizedResponse, OfAFairCoinReleasesNothing) {
  EXPECT_TRUE(profile(randomized_response(0.5), 0.0).delta().is_exactly_zero());
}

TEST(PureGuarantee, IsZeroExactlyFromItsEpsilonOn) {
  EXPECT_TRUE(profile(pure_guarantee(1.0), 1.0).delta().is_exactly_zero());
  EXPECT_GT(profile(pure_guarantee(1.0), 1.0 - 1e-12).delta().lower(), 0.0);
  EXPECT_TRUE(profile(pure_guarantee(0.0), 0.0).delta().is_exactly_zero());
}

TEST(PureGuarantee, ComposesBetterThanItsSum) {
  const PrivacyLoss loss = pure_guarantee(0.1).repeated(100.0);
  const Enclosure epsilon = epsilon_at(loss, 1e-6, Accuracy::certified).value;
  EXPECT_LT(epsilon.upper(), 6.0);  // the plain sum is 10
  EXPECT_LE(profile(loss, epsilon.upper(), Accuracy::certified).delta().upper(), 1e-6);
}

TEST(ApproximateGuarantee, PromisesExactlyWhatItSays) {
  for (const auto& [epsilon, delta] :
       {std::pair{1.0, 1e-6}, std::pair{0.1, 1e-12}, std::pair{3.0, 0.25}}) {
    const PrivacyLoss loss = approximate_guarantee(epsilon, delta);
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Enclosure at = profile(loss, epsilon, accuracy).delta();
      EXPECT_EQ(at.lower(), delta);
      EXPECT_EQ(at.upper(), delta);
      EXPECT_EQ(epsilon_at(loss, delta, accuracy).value.upper(), epsilon);
    }
  }
}

// [KairouzOhViswanath2015]: n copies of (epsilon, delta) at (n epsilon) cost 1 - (1 - delta)^n.
TEST(ApproximateGuarantee, ComposesItsInfinities) {
  const PrecisionScope scope(truth_bits);
  const Enclosure value =
      profile(approximate_guarantee(0.5, 1e-5).repeated(10.0), 5.0, Accuracy::certified).delta();
  const Ball truth = -expm1(log1p(-Ball(1e-5)) * 10.0);
  EXPECT_TRUE(encloses(value, truth));
  EXPECT_LE(value.relative_width(), 1e-15);
}

TEST(RandomizedResponse, RefusesWhatIsNoProbability) {
  for (const double bad : {not_a_number, infinity, -infinity, 0.0, 1.0, -0.1, 1.1})
    EXPECT_TRUE(refuses("truth_probability", [&] { return randomized_response(bad); })) << bad;
  for (const double bad : {not_a_number, infinity, -infinity, -1e-9}) {
    EXPECT_TRUE(refuses("epsilon", [&] { return pure_guarantee(bad); })) << bad;
    EXPECT_TRUE(refuses("epsilon", [&] { return approximate_guarantee(bad, 0.1); })) << bad;
  }
  for (const double bad : {not_a_number, infinity, -infinity, -1e-9, 1.0, 2.0})
    EXPECT_TRUE(refuses("delta", [&] { return approximate_guarantee(1.0, bad); })) << bad;
}

// p - e^epsilon (1 - p)/4, where the truth is one of five.
TEST(RandomizedResponse, OfSeveralCategories) {
  const PrivacyLoss loss = randomized_response(0.5, 5.0);
  EXPECT_NEAR(profile(loss, 0.5).delta().upper(), 0.293909841162483981644, 1e-15);
  EXPECT_NEAR(profile(loss, 1.0).delta().upper(), 0.160214771442619345580, 1e-15);
  EXPECT_NEAR(epsilon_at(loss, 0.0).value.upper(), std::log(4.0), 1e-14);
  EXPECT_EQ(profile(randomized_response(0.25, 4.0), 0.0).delta().upper(), 0.0);
  for (const double bad : {1.0, 2.5, -3.0, std::nan(""), HUGE_VAL})
    EXPECT_TRUE(refuses("categories", [&] { return randomized_response(0.5, bad); }));
}

// By whole numbers of fixed point (tests/reference/make_lattice_reference.py); the last row is
// known in a window.
TEST(RandomizedResponse, WithCategoriesManyTimes) {
  for (const auto& row : read_reference("lattice")) {
    const PrivacyLoss loss = randomized_response(row.at("truth_probability"), row.at("categories"))
                                 .repeated(row.at("count"));
    const Answer found = epsilon_at(loss, row.at("delta"), Accuracy::certified);
    EXPECT_TRUE(encloses(found.value, decimal(row.at("epsilon"))));
    EXPECT_LT(found.value.relative_width(), 1e-13);
    EXPECT_EQ(found.proof, Proof::certified);
    for (const auto& [epsilon, delta] :
         row.at("profile").get<std::vector<std::pair<double, std::string>>>()) {
      const Enclosure value = profile(loss, epsilon, Accuracy::certified).delta();
      EXPECT_TRUE(encloses(value, decimal(delta))) << epsilon;
      EXPECT_LT(value.relative_width(), 1e-13);
    }
  }
}

}  // namespace
}  // namespace modicum::testing::randomized_response_test
