#include "privacy/engines/epsilon_guess.h"

#include <gtest/gtest.h>

#include "modicum/privacy/profile.h"
#include "privacy/laws/subsampled_law.h"

namespace modicum::testing::epsilon_guess_test {
namespace {

PrivacyLoss sampled_steps(double rate, double deviation, double count) {
  const auto law = subsampled_gaussian_law(Precise::ratio(1.0, deviation), rate);
  return PrivacyLoss::law(law, reversed(law)).repeated(count);
}

// Good enough to start from: few steps, of which one has all of the loss, and many.
TEST(EpsilonGuess, IsNear) {
  struct Row {
    double rate, deviation, count, delta;
  };
  for (const Row& row :
       {Row{0.01, 1.0, 2.0, 1e-5}, Row{0.01, 1.0, 30.0, 1e-5}, Row{0.01, 1.0, 1000.0, 1e-5},
        Row{1e-3, 6.7, 100.0, 4e-5}, Row{3e-6, 4.5, 38.0, 6e-9}, Row{1e-5, 3.0, 1e6, 1e-6},
        Row{1e-4, 1.0, 1e5, 1e-6}, Row{1e-4, 0.5, 5.0, 1e-6}}) {
    const PrivacyLoss loss = sampled_steps(row.rate, row.deviation, row.count);
    const EpsilonGuess guess = guessed_epsilon(loss.forward(), row.delta);
    const double truth = epsilon_at(loss, row.delta, Accuracy::fast).value.upper();
    EXPECT_GT(guess.epsilon, 0.6 * truth) << row.rate << ", " << row.count;
    EXPECT_LT(guess.epsilon, 1.6 * truth) << row.rate << ", " << row.count;
    EXPECT_GT(guess.slope, 0.0);
  }
}

// The reversed loss of a few steps is bounded, and has no step that took the record.
TEST(EpsilonGuess, OfTheReversedLossIsThatOfTheSaddlePoint) {
  const PrivacyLoss loss = sampled_steps(0.01, 1.0, 10.0);
  EXPECT_LT(guessed_epsilon(loss.reverse(), 1e-5).epsilon, 0.1006);
}

}  // namespace
}  // namespace modicum::testing::epsilon_guess_test
