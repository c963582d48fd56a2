#include "modicum/mechanisms/discrete_staircase.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "modicum/mechanisms/discrete.h"
#include "modicum/mechanisms/integer_noise.h"
#include "modicum/privacy/profile.h"
#include "numerics/ball.h"
#include "support/refusals.h"
#include "support/seeded_source.h"

namespace modicum::testing::discrete_staircase_test {
namespace {

double step_height(const Staircase& staircase, int k) {
  const double steps =
      std::floor((std::abs(k) + staircase.sensitivity - staircase.inner) / staircase.sensitivity);
  return std::exp(-staircase.epsilon * steps);
}

// The same noise as a table, cut off where doubles end.
TEST(DiscreteStaircase, AgreesWithItsTable) {
  for (const Staircase& staircase :
       {Staircase{0.8, 1.0, 1.0}, Staircase{0.8, 1.0, 4.0}, Staircase{0.8, 2.0, 4.0},
        Staircase{0.8, 3.0, 4.0}, Staircase{0.8, 4.0, 4.0}, Staircase{1.5, 2.0, 5.0},
        Staircase{1.5, 3.0, 5.0}}) {
    IntegerNoise table{{}, -240.0};
    double sum = 0.0;
    for (int k = -240; k <= 240; ++k) sum += step_height(staircase, k);
    for (int k = -240; k <= 240; ++k)
      table.probabilities.push_back(step_height(staircase, k) / sum);
    const PrivacyLoss exact = discrete_staircase(staircase);
    const PrivacyLoss other = integer_noise(table, staircase.sensitivity);
    for (const double epsilon : {-0.3, 0.0, 0.4, 0.79}) {
      const Enclosure found = profile(exact, epsilon, Accuracy::certified).delta();
      EXPECT_NEAR(found.upper(), profile(other, epsilon).delta().upper(), 1e-12) << epsilon;
      EXPECT_LT(found.relative_width(), 1e-14);
    }
    EXPECT_EQ(profile(exact, staircase.epsilon).delta().upper(), 0.0);
  }
}

TEST(DiscreteStaircase, WithOneStepEachIsGeometric) {
  const PrivacyLoss geometric = discrete_laplace(2.0, 1.0),
                    stairs = discrete_staircase({0.5, 1, 1});
  for (const double epsilon : {0.0, 0.2, 0.5})
    EXPECT_NEAR(profile(stairs.repeated(3.0), epsilon).delta().upper(),
                profile(geometric.repeated(3.0), epsilon).delta().upper(), 1e-10);
}

// A fixed seed; chi-square with more than 10 cells, a false alarm in more than 10^9 runs.
TEST(DiscreteStaircase, DrawsItsDistribution) {
  SeededSource source(5);
  const Staircase staircase{0.6, 2.0, 3.0};
  const StaircaseSampler sampler(staircase);
  std::map<int, double> seen, many;
  const double draws = 30000.0;
  for (double i = 0.0; i < draws; ++i) {
    ++seen[static_cast<int>(draw_staircase(staircase, source))];
    ++many[static_cast<int>(sampler.draw(source))];
  }
  double sum = 0.0;
  for (int k = -400; k <= 400; ++k) sum += step_height(staircase, k);
  for (auto& counts : {seen, many}) {
    double chi = 0.0;
    for (int k = -10; k <= 10; ++k) {
      const double expected = draws * step_height(staircase, k) / sum;
      const double apart = (counts.contains(k) ? counts.at(k) : 0.0) - expected;
      chi += apart * apart / expected;
    }
    EXPECT_LT(chi, 90.0);
  }
}

// The first word is that of the uniform number; the others are 0: no sign, first place.
class FirstWord final : public RandomSource {
 public:
  explicit FirstWord(std::uint64_t word) : word_(word) {}
  std::uint64_t next() override { return std::exchange(word_, 0); }

 private:
  std::uint64_t word_;
};

// The sums before 1, -1, 2, .. from the heights, added up in doubles: words a little below and a
// little above draw what is before and what comes next.
TEST(DiscreteStaircase, NumbersBesideTheSumsAreSorted) {
  for (const Staircase& staircase : {Staircase{0.6, 2.0, 3.0}, {2.0, 1.0, 1.0}, {0.1, 1.0, 1.0}}) {
    const StaircaseSampler sampler(staircase);
    double total = 0.0;
    for (int k = -1000; k <= 1000; ++k) total += step_height(staircase, k);
    double sum = step_height(staircase, 0) / total;
    std::int64_t before = 0;
    for (int size = 1; size < 12; ++size)
      for (const int value : {size, -size}) {
        FirstWord below(static_cast<std::uint64_t>(std::ldexp(sum - 1e-12, 64))),
            above(static_cast<std::uint64_t>(std::ldexp(sum + 1e-12, 64)));
        EXPECT_EQ(sampler.draw(below), before);
        EXPECT_EQ(sampler.draw(above), value);
        sum += step_height(staircase, value) / total;
        before = value;
      }
  }
}

// Doubles decide most draws: as balls do, also next to the edges of steps, where they may not.
TEST(DiscreteStaircase, DoublesAndBallsAgree) {
  const PrecisionScope scope(256);
  SeededSource source(9);
  for (const double epsilon : {1e-9, 0.1, 1.0, 30.0})
    for (int i = 0; i < 500; ++i) {
      std::uint64_t word = source.next() >> (i % 3 == 0 ? i % 60 : 0);
      if (i % 2 == 0)  // near the edge of step j
        word = static_cast<std::uint64_t>(std::ldexp(std::exp(-epsilon * (1 + i % 40)), 64)) +
               static_cast<std::uint64_t>(i % 7) - 3;
      const Ball u = Ball(std::ldexp(static_cast<double>(word >> 32), -32)) +
                     Ball(std::ldexp(static_cast<double>(word & 0xffffffff), -64));
      if (!u.surely_positive()) continue;
      FirstWord first(word);
      const auto drawn = static_cast<double>(draw_staircase({epsilon, 1.0, 1.0}, first));
      // The digits that follow are all 0.
      const Ball steps = -log(u) / Ball(epsilon);
      EXPECT_FALSE((steps - Ball(drawn)).surely_negative()) << epsilon << " " << word;
      EXPECT_FALSE((Ball(drawn) + 1.0 - steps).surely_negative()) << epsilon << " " << word;
    }
}

TEST(DiscreteStaircase, RefusesBadParameters) {
  const auto with = [](double epsilon, double inner, double sensitivity) {
    return [=] { return discrete_staircase({epsilon, inner, sensitivity}); };
  };
  for (const double bad : {0.0, -1.0, not_a_number, infinity})
    EXPECT_TRUE(refuses("epsilon", with(bad, 1.0, 1.0)));
  for (const double bad : {0.0, 1.5, 3.0, not_a_number})
    EXPECT_TRUE(refuses("inner", with(1.0, bad, 2.0)));
  for (const double bad : {0.0, 1.5, 1e9, not_a_number})
    EXPECT_TRUE(refuses("sensitivity", with(1.0, 1.0, bad)));
}

}  // namespace
}  // namespace modicum::testing::discrete_staircase_test
