#include "privacy/laws/tied_law.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/privacy/profile.h"
#include "privacy/engines/discretized.h"
#include "privacy/engines/loss_moment.h"
#include "privacy/engines/quantity.h"
#include "support/seeded_random.h"

namespace modicum::testing::tied_law_test {
namespace {

double upper_normal(double x) { return 0.5 * std::erfc(x / std::sqrt(2.0)); }
double normal_profile(double epsilon, double a) {
  return upper_normal(epsilon / a - a / 2) - std::exp(epsilon) * upper_normal(epsilon / a + a / 2);
}

// The second route: U by a fine grid of p, from below.
struct Definition {
  SlopeTie tie;
  double b, a;

  double at(double n) const {
    double best = 0.0;
    for (int i = 0; i <= 1000; ++i) {
      const double p = i / 1000.0;
      const double k = tie == SlopeTie::logistic ? 4.0 * p * (1.0 - p) : 1.0 - p * p;
      best = std::max(best, std::log1p(b * k) + p * a * (0.5 * p * a + n));
    }
    return best;
  }
  // E[(1 - exp(epsilon - U))_+] by the midpoint rule.
  double profile(double epsilon) const {
    constexpr int steps = 800;
    double sum = 0.0;
    for (int i = 0; i < steps; ++i) {
      const double n = -12.0 + 24.0 * (i + 0.5) / steps;
      sum += std::max(0.0, -std::expm1(epsilon - at(n))) * std::exp(-0.5 * n * n);
    }
    return sum * 24.0 / steps / std::sqrt(2.0 * M_PI);
  }
  std::shared_ptr<const LossLaw> law() const { return tied_law(tie, Ball(b), Precise::exactly(a)); }
  DirectedLoss loss(double count = 1.0) const {
    DirectedLoss result;
    result.laws.push_back({law(), count});
    return result;
  }
};

std::vector<Definition> examples() {
  return {{SlopeTie::logistic, 0.25, 0.268}, {SlopeTie::logistic, 0.25 / 0.7131, 0.265},
          {SlopeTie::logistic, 3.0, 1.5},    {SlopeTie::logistic, 0.01, 0.05},
          {SlopeTie::logistic, 0.4, 1.2},    {SlopeTie::log_cosh, 0.3, 0.3},
          {SlopeTie::log_cosh, 2.0, 1.0},    {SlopeTie::log_cosh, 0.1, 1.0}};
}

TEST(TiedLaw, ChordsLieAboveTheDefinitionAndCloseToIt) {
  for (const Definition& each : examples()) {
    const TiedLoss tied(each.tie, each.b, each.a);
    for (double n = -8.0; n < 9.0; n += 0.37) {
      const double truth = each.at(n);
      EXPECT_GE(tied.at(n), truth);
      EXPECT_LE(tied.at(n), truth + 1e-5 * (1.0 + each.b) * (1.0 + each.b));
      if (n <= tied.start()) {
        EXPECT_NEAR(truth, tied.least(), 1e-12);
      }
      if (n >= tied.end()) {
        EXPECT_NEAR(truth, each.a * (0.5 * each.a + n), 1e-12);
      }
    }
    EXPECT_LE(tied.start(), tied.end());
  }
}

TEST(TiedLaw, TheProfileIsThatOfTheDefinition) {
  for (const Definition& each : examples())
    for (const double epsilon : {0.0, 0.1, 0.5, 1.0}) {
      const double direct = each.profile(epsilon);
      const Answer found = directed_delta(each.loss(), epsilon, Accuracy::certified);
      EXPECT_EQ(found.proof, Proof::certified);
      EXPECT_NEAR(found.value.upper(), direct, 2e-3 * direct + 1e-9)
          << each.b << ' ' << each.a << ' ' << epsilon;
      EXPECT_GE(found.value.upper(), direct * (1.0 - 1e-3) - 1e-9);
    }
}

// From 4b - a^2/2 on plain Gaussian noise, to the last digit; below that, more.
TEST(TiedLaw, IsPlainGaussianNoiseBeyondItsChords) {
  for (const Definition& each : examples()) {
    if (each.tie != SlopeTie::logistic) continue;
    const double from = std::max(0.0, 4.0 * each.b - 0.5 * each.a * each.a);
    for (const double above : {1e-6, 0.1, 0.7}) {
      const double epsilon = from + above, plain = normal_profile(epsilon, each.a);
      const double found = directed_delta(each.loss(), epsilon, Accuracy::certified).value.upper();
      EXPECT_NEAR(found, plain, 1e-13 + 1e-9 * plain);
    }
    if (from > 0.0) {
      EXPECT_GT(directed_delta(each.loss(), 0.8 * from).value.upper(),
                normal_profile(0.8 * from, each.a));
    }
  }
}

// What compositions use: a few chords, in moments and tails alike.
TEST(TiedLaw, MomentsAndTailsAreThoseOfOneLawAboveTheDefinition) {
  for (const Definition& each : {examples()[1], examples()[2], examples()[6]}) {
    const auto law = each.law();
    const double least = each.tie == SlopeTie::logistic ? 0.0 : std::log1p(each.b);
    for (const double z : {-1.0, 0.5, 2.0}) {
      // E[e^{zU}] = e^{z least} + z * integral of e^{zu} P[U > u], over u > least.
      const double reach = least + std::log1p(each.b) + each.a * (9.0 + each.a * (1.0 + z));
      constexpr int steps = 1000;
      const double step = (reach - least) / steps;
      double sum = std::exp(z * least);
      for (int i = 0; i < steps; ++i) {
        const double u = least + (i + 0.5) * step;
        sum += z * std::exp(z * u) * law->tails(u, Accuracy::certified).above_x.middle() * step;
      }
      EXPECT_NEAR(law->moment(Ball(z)).value.middle() / sum, 1.0, 1e-4) << each.b << ' ' << each.a;
    }
    for (const double n : {-1.0, 0.0, 0.5, 2.0}) {
      if (each.at(n) < least + 1e-6) continue;  // in the atom
      const double above = law->tails(each.at(n), Accuracy::certified).above_x.upper();
      EXPECT_GE(above, upper_normal(n) * (1.0 - 1e-9));
    }
  }
}

TEST(TiedLaw, TheEnginesAgreeOnSumsWithGaussianNoise) {
  for (const Definition& each : {examples()[0], examples()[2], examples()[5]}) {
    DirectedLoss loss = each.loss();
    loss.gaussian = GaussianSpectrum::shift(each.a / 4.0, 1.0);
    const double shift = mean_loss(each.loss()).value.middle() + 2.0 * each.a;
    const auto line = line_profile_of_laws(loss, shift, Accuracy::certified);
    ASSERT_TRUE(line);
    const Ball lattice = DiscretizedProfile(loss, Accuracy::fast).at(shift).value;
    EXPECT_TRUE(arb_overlaps(line->value.raw(), lattice.raw()));
    EXPECT_NEAR(lattice.upper() / line->value.upper(), 1.0, 1e-4);
  }
}

TEST(TiedLaw, HoldsAtExtremes) {
  for (const SlopeTie tie : {SlopeTie::logistic, SlopeTie::log_cosh})
    for (const double b : {0.0, 1e-300, 1e-9, 1e6})
      for (const double a : {1e-100, 1e-9, 1e-2, 30.0}) {
        const Definition each{tie, b, a};
        const Answer found = directed_delta(each.loss(), 1.0, Accuracy::certified);
        EXPECT_LE(found.value.upper(), 1.0);
        // Nothing is hidden by however much noise: the curvature alone tells.
        if (b > 10.0) {
          EXPECT_GT(found.value.upper(), 0.9) << a;
        }
        if (b < 0.1 && a < 0.1) {
          EXPECT_LT(found.value.upper(), 1e-12);
        }
      }
}

}  // namespace
}  // namespace modicum::testing::tied_law_test
