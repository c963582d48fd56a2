#include "modicum/mechanisms/integer_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/discrete.h"
#include "modicum/privacy/profile.h"
#include "support/refusals.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::integer_noise_test {
namespace {

const IntegerNoise narrow{{0.0625, 0.1875, 0.5, 0.1875, 0.0625}, -2.0};
const IntegerNoise skewed{{0.5, 0.25, 0.125, 0.0625, 0.0625}, 0.0};
const IntegerNoise two_modes{{0.0625, 0.125, 0.25, 0.125, 0.25, 0.125, 0.0625}, -3.0};

// Sums of (p(k - d) - e^epsilon p(k))_+ by mpmath at 40 digits, the largest over the shifts.
TEST(IntegerNoise, ProfilesAreSums) {
  struct Row {
    IntegerNoise noise;
    double sensitivity, epsilon;
    const char* delta;
  };
  for (const Row& row :
       {Row{narrow, 1.0, -0.5, "0.5983673350718416440990501162522"},
        Row{narrow, 1.0, 1.0, "0.08010738572130967278998203304045"},
        Row{narrow, 1.0, 2.0, "0.0625"}, Row{narrow, 2.0, 0.5, "0.6469549205812419908219593257616"},
        Row{narrow, 2.0, 2.0, "0.2881839938168343607980982837140"}, Row{skewed, 1.0, 0.5, "0.5"},
        Row{skewed, 3.0, 0.0, "0.875"},
        Row{two_modes, 1.0, 0.5, "0.1722746029062099541097966288080"},
        Row{two_modes, 2.0, 1.0, "0.2676073857213096727899820330404"},
        Row{two_modes, 3.0, 0.5, "0.5033647617437259724658779772848"}}) {
    const PrivacyLoss loss = integer_noise(row.noise, row.sensitivity);
    const Enclosure found = profile(loss, row.epsilon, Accuracy::certified).delta();
    EXPECT_TRUE(encloses(found, decimal(row.delta))) << row.delta;
    EXPECT_NEAR(found.upper(), decimal(row.delta).middle(), 1e-15) << row.delta;
  }
  EXPECT_FALSE(integer_noise(narrow, 2.0).is_upper_bound());
  EXPECT_TRUE(integer_noise(skewed, 1.0).is_upper_bound());
}

// Shift 2 alone would say 1/2.
TEST(IntegerNoise, WithoutOneModeEveryShiftCounts) {
  EXPECT_GE(profile(integer_noise({{0.5, 0.0, 0.5}, -1.0}, 2.0), 3.0).delta().upper(), 1.0);
}

// Three answers: all 6^3 combinations by mpmath.
TEST(IntegerNoise, Composes) {
  const PrivacyLoss three = integer_noise(narrow, 1.0).repeated(3.0);
  const double delta = 0.6171770038441221038;
  const Enclosure exact = profile(three, 0.5, Accuracy::certified).delta();
  EXPECT_TRUE(exact.contains(delta)) << ::testing::PrintToString(exact);
  EXPECT_NEAR(exact.upper(), delta, 1e-3 * delta);
  const Enclosure found = profile(integer_noise(skewed, 1.0).repeated(2.0), 1.5).delta();
  EXPECT_GE(found.upper(), 0.75);
  EXPECT_LE(found.upper(), 0.76);
}

// Discrete Laplace noise, cut off where doubles end, on the way of its own.
TEST(IntegerNoise, AgreesWithDiscreteLaplace) {
  IntegerNoise noise{{}, -60.0};
  const double ratio = std::exp(-0.5);
  for (int k = -60; k <= 60; ++k)
    noise.probabilities.push_back(std::pow(ratio, std::abs(k)) * (1.0 - ratio) / (1.0 + ratio));
  for (const double epsilon : {-0.7, 0.0, 0.3, 1.0}) {
    const double found = profile(integer_noise(noise, 3.0), epsilon).delta().upper();
    EXPECT_NEAR(found, profile(discrete_laplace(2.0, 3.0), epsilon).delta().upper(), 1e-12);
  }
}

// The larger the shift, the more is lost; a copy more, too.
TEST(IntegerNoise, IsMonotone) {
  SeededRandom random(15);
  for (int trial = 0; trial < 6; ++trial) {
    IntegerNoise noise{{}, 0.0};
    double sum = 0.0;
    for (int i = 0; i < 7; ++i) {
      noise.probabilities.push_back(random.uniform(0.0, 1.0));
      sum += noise.probabilities.back();
    }
    for (double& each : noise.probabilities) each /= sum;
    const double epsilon = random.uniform(0.0, 1.0);
    double last = 0.0;
    for (const double sensitivity : {0.0, 1.0, 2.0, 3.0, 7.0}) {
      const PrivacyLoss loss = integer_noise(noise, sensitivity);
      const double delta = profile(loss, epsilon, Accuracy::certified).delta().upper();
      EXPECT_GE(delta, last);
      if (trial == 0 && sensitivity == 1.0) {
        EXPECT_GE(profile(loss.repeated(2.0), epsilon).delta().upper(), delta * (1.0 - 1e-12));
      }
      last = delta;
    }
    EXPECT_EQ(last, 1.0);
  }
}

TEST(IntegerNoise, RefusesWhatIsNoDistribution) {
  const auto with = [](std::vector<double> masses, double first = 0.0, double sensitivity = 1.0) {
    return [=] { return integer_noise({masses, first}, sensitivity); };
  };
  EXPECT_TRUE(refuses("number of probabilities", with({})));
  EXPECT_TRUE(refuses("sum of the probabilities", with({0.5, 0.4})));
  EXPECT_TRUE(refuses("probability", with({1.5, -0.5})));
  EXPECT_TRUE(refuses("probability", with({not_a_number})));
  EXPECT_TRUE(refuses("first", with({1.0}, 0.5)));
  EXPECT_TRUE(refuses("first", with({1.0}, infinity)));
  for (const double bad : {-1.0, 0.5, 1e9, not_a_number, infinity})
    EXPECT_TRUE(refuses("sensitivity", with({0.5, 0.5}, 0.0, bad)));
  EXPECT_TRUE(refuses("sensitivity", [] {
    std::vector<double> teeth(20000, 0.0);
    for (std::size_t i = 0; i < teeth.size(); i += 2) teeth[i] = 1e-4;
    return integer_noise({teeth, 0.0}, 6.0);
  }));
}

}  // namespace
}  // namespace modicum::testing::integer_noise_test
