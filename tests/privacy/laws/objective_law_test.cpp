#include "privacy/laws/objective_law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"
#include "numerics/precise_ball.h"
#include "privacy/engines/discretized.h"
#include "privacy/engines/loss_moment.h"
#include "privacy/engines/quantity.h"
#include "support/seeded_random.h"

namespace modicum::testing::objective_law_test {
namespace {

double normal_above(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }
double density(double t) { return std::exp(-0.5 * t * t) / std::sqrt(2.0 * M_PI); }

// The second route: U as a function of a normal variable, and Simpson's rule.
struct Bound {
  double offset, a;
  bool folded;

  double at(double t) const {
    return offset + (folded ? 0.5 * a * a + a * std::abs(t) : std::max(0.0, a * (0.5 * a + t)));
  }
  std::shared_ptr<const LossLaw> law() const {
    const Precise ratio = Precise::exactly(a);
    return folded ? folded_normal_law(Ball(offset), ratio) : cut_normal_law(Ball(offset), ratio);
  }
  DirectedLoss loss(double count = 1.0) const {
    DirectedLoss result;
    result.laws.push_back({law(), count});
    return result;
  }
  // E[g(U)]; the kinks of g(U(t)) lie among the ends of the pieces, which `kink` adds to.
  template <class Function>
  double mean(Function g, double kink = 0.0) const {
    std::vector<double> ends{-38.0, -8.0, -0.5 * a, 0.0, 8.0, 38.0};
    const double t = (kink - offset) / a - 0.5 * a;
    ends.push_back(t);
    ends.push_back(-t);
    std::sort(ends.begin(), ends.end());
    double sum = 0.0;
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      const double from = std::clamp(ends[i], -38.0, 38.0);
      const double to = std::clamp(ends[i + 1], -38.0, 38.0);
      constexpr int steps = 2000;
      for (int k = 0; k <= steps; ++k) {
        // Inside the piece even at its ends, where the function may jump.
        const double share = std::clamp(static_cast<double>(k) / steps, 1e-12, 1.0 - 1e-12);
        const double s = from + (to - from) * share;
        const double weight = k == 0 || k == steps ? 1.0 : k % 2 == 1 ? 4.0 : 2.0;
        sum += weight * g(at(s)) * density(s) * (to - from) / (3.0 * steps);
      }
    }
    return sum;
  }
  // In closed form, for the innermost of two integrals.
  double closed_profile(double shift) const {
    const double least = folded ? offset + 0.5 * a * a : offset, weight = folded ? 2.0 : 1.0;
    if (shift < least)
      return 1.0 - std::exp(shift - offset) * 2.0 * normal_above(folded ? a : 0.5 * a);
    const double t = (shift - offset) / a - 0.5 * a;
    return weight * (normal_above(t) - std::exp(shift - offset) * normal_above(t + a));
  }
  double profile(double shift) const {
    return mean([&](double u) { return u > shift ? -std::expm1(shift - u) : 0.0; }, shift);
  }
};

std::vector<Bound> bounds() {
  return {{0.0, 0.2, false},  {0.0, 0.2, true},  {0.3, 0.2, false}, {0.3, 0.2, true},
          {0.02, 1.5, false}, {0.02, 1.5, true}, {1.0, 4.0, false}, {0.5, 4.0, true}};
}

TEST(ObjectiveLaw, MomentsAreThoseOfTheirDefinition) {
  for (const Bound& bound : bounds())
    for (const double z : {-2.0, -1.0, -0.3, 0.4, 1.0, 3.0}) {
      const double direct = bound.mean([&](double u) { return std::exp(z * u); });
      EXPECT_NEAR(bound.law()->moment(Ball(z)).value.middle() / direct, 1.0, 1e-9)
          << bound.offset << ' ' << bound.a << ' ' << bound.folded << ' ' << z;
    }
}

TEST(ObjectiveLaw, TheMeanIsThatOfItsDefinition) {
  for (const Bound& bound : bounds())
    EXPECT_NEAR(mean_loss(bound.loss()).value.middle(), bound.mean([](double u) { return u; }),
                1e-9);
}

TEST(ObjectiveLaw, TailsAreThoseOfTheirDefinition) {
  for (const Bound& bound : bounds())
    for (const double loss : {-0.1, 0.01, 0.31, 0.5, 2.0, 9.0}) {
      const LossTails tails = bound.law()->tails(loss, Accuracy::certified);
      const auto above = [&](double u) { return u > loss ? 1.0 : 0.0; };
      const auto above_y = [&](double u) { return u > loss ? std::exp(-u) : 0.0; };
      EXPECT_NEAR(tails.above_x.middle(), bound.mean(above, loss), 1e-9);
      EXPECT_NEAR(tails.above_y.middle(), bound.mean(above_y, loss), 1e-9);
      EXPECT_NEAR((tails.above_x + tails.below_x).middle(), 1.0, 1e-15);
      const double mass = bound.mean([](double u) { return std::exp(-u); });
      EXPECT_LT(mass, 1.0);
      EXPECT_NEAR((tails.above_y + tails.below_y).middle(), mass, 1e-9);
    }
}

TEST(ObjectiveLaw, TheProfileOfOneIsThatOfItsDefinition) {
  for (const Bound& bound : bounds())
    for (const double shift : {-1.0, 0.0, 0.31, 1.0, 2.5}) {
      const double direct = bound.profile(shift);
      const Answer found = directed_delta(bound.loss(), shift, Accuracy::certified);
      EXPECT_EQ(found.proof, Proof::certified);
      EXPECT_NEAR(found.value.upper(), direct, 1e-9 * direct + 1e-14);
      EXPECT_NEAR(found.value.upper(), bound.closed_profile(shift), 1e-12);
      EXPECT_LE(found.value.relative_width(), 1e-12);
    }
}

// Of two: E[profile of one at shift - U].
TEST(ObjectiveLaw, SumsOfTwoAreConvolutions) {
  for (const Bound& bound : bounds()) {
    const double least = bound.at(bound.folded ? 0.0 : -0.5 * bound.a);
    for (const double distance : {-0.5, 0.05, 1.0}) {
      const double shift = 2.0 * least + distance;
      const auto rest = [&](double u) { return bound.closed_profile(shift - u); };
      const double direct = bound.mean(rest, shift - least);
      const Answer found = directed_delta(bound.loss(2.0), shift, Accuracy::certified);
      EXPECT_NEAR(found.value.upper(), direct, 1e-8 * direct + 1e-14);
    }
  }
}

// The bent line, the straight one and the lattice.
TEST(ObjectiveLaw, TheEnginesAgree) {
  for (const Bound& bound : {Bound{0.1, 0.5, false}, Bound{0.1, 0.5, true}})
    for (const double count : {3.0, 60.0})
      for (const double deviations : {1.0, 4.0}) {
        const DirectedLoss loss = bound.loss(count);
        const double shift =
            count * mean_loss(bound.loss()).value.middle() + deviations * 0.5 * std::sqrt(count);
        SCOPED_TRACE(::testing::Message() << bound.folded << ' ' << count << ' ' << deviations);
        const auto bent = objective_profile(loss, shift);
        ASSERT_TRUE(bent);
        const Ball lattice = DiscretizedProfile(loss, Accuracy::fast).at(shift).value;
        EXPECT_TRUE(arb_overlaps(bent->value.raw(), lattice.raw()));
        EXPECT_NEAR(lattice.upper() / bent->value.upper(), 1.0, 1e-4);
        EXPECT_LE(bent->value.upper(), lattice.upper());
        if (const auto line = line_profile_of_laws(loss, shift, Accuracy::certified)) {
          EXPECT_TRUE(arb_overlaps(bent->value.raw(), line->value.raw()));
          EXPECT_NEAR(line->value.upper() / bent->value.upper(), 1.0, 1e-6);
        } else {
          EXPECT_LT(count, 60.0);
        }
      }
}

TEST(ObjectiveLaw, MixedSumsAgreeWithTheLattice) {
  SeededRandom random(61);
  for (int trial = 0; trial < 3; ++trial) {
    DirectedLoss loss;
    double mean = 0.0;
    for (const bool folded : {false, true}) {
      const Bound part{random.uniform(0.0, 0.3), random.uniform(0.1, 1.0), folded};
      const double count = random.whole(1, 3);
      loss.add(part.loss(count));
      mean += count * mean_loss(part.loss()).value.middle();
    }
    const double shift = mean + random.uniform(0.2, 2.0);
    const auto bent = objective_profile(loss, shift);
    ASSERT_TRUE(bent);
    const Ball lattice = DiscretizedProfile(loss, Accuracy::fast).at(shift).value;
    EXPECT_TRUE(arb_overlaps(bent->value.raw(), lattice.raw()));
    EXPECT_NEAR(lattice.upper() / bent->value.upper(), 1.0, 1e-4);
  }
}

// On the left of the least loss nothing is cut off, and the two formulas meet there.
TEST(ObjectiveLaw, TheProfileIsContinuousAtTheLeastLoss) {
  for (const bool folded : {false, true}) {
    const Bound bound{0.25, 0.5, folded};
    const double least = 3.0 * (folded ? 0.375 : 0.25);
    const auto at = [&](double shift) {
      const auto value = objective_profile(bound.loss(3.0), shift);
      return value ? value->value.upper() : -1.0;
    };
    EXPECT_NEAR(at(least - 1e-7), at(least), 2e-7);
    EXPECT_NEAR(at(least), at(least + 1e-7), 2e-7);
    EXPECT_GT(at(least - 1e-3), at(least + 1e-3));
  }
}

TEST(ObjectiveLaw, ComposesWithGaussianNoise) {
  for (const Bound& bound : {Bound{0.1, 0.5, false}, Bound{0.1, 0.5, true}}) {
    const double mu = 0.4, shift = 1.3;
    DirectedLoss loss = bound.loss();
    loss.gaussian = GaussianSpectrum::shift(mu, 1.0);
    const auto gaussian_at = [&](double s) {
      return normal_above(s / mu - 0.5 * mu) - std::exp(s) * normal_above(s / mu + 0.5 * mu);
    };
    const double direct = bound.mean([&](double u) { return gaussian_at(shift - u); });
    EXPECT_NEAR(directed_delta(loss, shift, Accuracy::certified).value.upper(), direct,
                1e-7 * direct);
  }
}

TEST(ObjectiveLaw, HasNoReverse) {
  EXPECT_THROW(reversed(cut_normal_law(Ball(0.1), Precise::exactly(1.0))), InvalidParameter);
  EXPECT_FALSE(is_pair(Bound{0.1, 0.5, true}.loss()));
}

PrivacyLoss loss_of(const Bound& forward, const Bound& reverse) {
  return PrivacyLoss::law(forward.law(), reverse.law()).as_upper_bound();
}

// log E[exp(z U)] / z of each direction itself, also where z is negative.
TEST(ObjectiveLaw, RenyiDivergencesOfEveryOrderComeFromTheirOwnDirection) {
  const Bound forward{0.3, 0.5, false}, reverse{0.0, 0.5, true};
  for (const double order : {0.1, 0.3, 0.5, 0.9, 1.5, 4.0}) {
    const double z = order - 1.0;
    double larger = 0.0;
    for (const Bound& bound : {forward, reverse})
      larger =
          std::max(larger, std::log(bound.mean([&](double u) { return std::exp(z * u); })) / z);
    const Answer found = renyi_divergence(loss_of(forward, reverse), order, Accuracy::certified);
    EXPECT_NEAR(found.value.upper(), larger, 1e-9 * larger);
    EXPECT_EQ(found.value.lower(), 0.0);
  }
}

// The largest of all tangents on a fine grid, in both directions.
TEST(ObjectiveLaw, TradeOffCurvesComeFromTheProfiles) {
  const Bound forward{0.3, 0.5, false}, reverse{0.0, 0.5, true};
  for (const double level : {1e-6, 0.01, 0.3, 0.7, 0.99}) {
    const auto best = [&](const Bound& own, const Bound& other) {
      double largest = 0.0;
      for (double epsilon = 0.0; epsilon < 3.0; epsilon += 0.02) {
        largest = std::max(largest, 1.0 - own.profile(epsilon) - std::exp(epsilon) * level);
        largest = std::max(largest, std::exp(-epsilon) * (1.0 - other.profile(epsilon) - level));
      }
      return largest;
    };
    const double direct = std::min(best(forward, reverse), best(reverse, forward));
    const Answer found = tradeoff(loss_of(forward, reverse), level, Accuracy::certified);
    EXPECT_GE(found.value.lower(), direct - 1e-10);
    EXPECT_LE(found.value.lower(), direct + 1e-4);
    EXPECT_GE(found.value.upper(), 1.0 - level);
  }
}

TEST(ObjectiveLaw, HoldsAtExtremes) {
  // Hardly any noise, hardly any loss, far tails.
  EXPECT_GT(directed_delta(Bound{0.1, 100.0, true}.loss(), 1.0).value.upper(), 0.999999);
  EXPECT_EQ(directed_delta(Bound{0.0, 1e-9, false}.loss(), 1.0).value.upper(), 5e-324);
  const Answer tiny = directed_delta(Bound{0.0, 1e-9, true}.loss(), 1e-9, Accuracy::certified);
  EXPECT_GT(tiny.value.lower(), 0.0);
  EXPECT_LT(tiny.value.upper(), 1e-9);
  const Answer far = directed_delta(Bound{0.1, 0.5, false}.loss(4.0), 18.0, Accuracy::certified);
  EXPECT_LT(far.value.upper(), 1e-30);
  EXPECT_GT(far.value.upper(), 0.0);
}

}  // namespace
}  // namespace modicum::testing::objective_law_test
