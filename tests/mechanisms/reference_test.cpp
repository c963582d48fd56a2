// Described mechanisms against the tables of deltas, epsilons, trade-off values and divergences.
#include <gtest/gtest.h>

#include "modicum/privacy/profile.h"
#include "support/descriptions.h"
#include "support/refusals.h"
#include "support/truth.h"

namespace modicum::testing::reference_test {
namespace {

constexpr double smallest_full_precision = 1e-300;

// Here e^K falls like a small power only, and the enclosures are true but wide: what may be asked
// of their width is in tests/privacy/line_profile_test.cpp.
bool is_served_by_smoothing(const std::string& name) {
  return name.find("random_projection") != std::string::npos &&
         name.find("laplace") != std::string::npos;
}

void expect_delta(const Enclosure& delta, const Ball& truth, double relative_width) {
  EXPECT_TRUE(encloses(delta, truth));
  if (truth.exactly_zero()) {
    EXPECT_TRUE(delta.is_exactly_zero()) << ::testing::PrintToString(delta);
  }
  if (truth.lower() > smallest_full_precision) {
    EXPECT_LE(relative_distance(delta, truth), relative_width) << ::testing::PrintToString(delta);
  }
}

TEST(AtomicLossesReference, FastEstimatesAreHonestAndAccurate) {
  for (const auto& entry : read_reference("atomic_losses")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const ProfilePoint point =
        profile(described(entry.at("description")), entry.at("epsilon"), Accuracy::fast);
    const double accuracy = is_served_by_smoothing(entry.at("name")) ? infinity : 1e-10;
    expect_delta(point.forward, decimal(entry.at("delta_forward")), accuracy);
    expect_delta(point.reverse, decimal(entry.at("delta_reverse")), accuracy);
  }
}

TEST(AtomicLossesReference, CertifiedEnclosuresHoldTheTruthAndAreTight) {
  for (const auto& entry : read_reference("atomic_losses")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const PrivacyLoss loss = described(entry.at("description"));
    const ProfilePoint point = profile(loss, entry.at("epsilon"), Accuracy::certified);
    EXPECT_EQ(point.proof, Proof::certified);
    const double accuracy = is_served_by_smoothing(entry.at("name")) ? infinity : 1e-12;
    expect_delta(point.forward, decimal(entry.at("delta_forward")), accuracy);
    expect_delta(point.reverse, decimal(entry.at("delta_reverse")), accuracy);
    const ProfilePoint fast = profile(loss, entry.at("epsilon"), Accuracy::fast);
    EXPECT_TRUE(point.forward.overlaps(fast.forward));
    EXPECT_TRUE(point.reverse.overlaps(fast.reverse));
  }
}

TEST(EpsilonReference, EnclosuresHoldTheTruthInEveryMode) {
  for (const auto& entry : read_reference("epsilon_at_delta")) {
    SCOPED_TRACE(entry.dump());
    const PrivacyLoss loss = described(entry.at("description"));
    const Ball truth = decimal(entry.at("epsilon"));
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Answer answer = epsilon_at(loss, entry.at("delta"), accuracy);
      EXPECT_TRUE(encloses(answer.value, truth));
      if (accuracy == Accuracy::certified) {
        EXPECT_EQ(answer.proof, Proof::certified);
      }
      if (!truth.exactly_zero()) {
        EXPECT_LE(relative_distance(answer.value, truth), 1e-11);
      } else {
        EXPECT_LE(answer.value.upper(), 1e-15);
      }
    }
  }
}

TEST(TradeoffReference, EnclosuresHoldTheTruthInEveryMode) {
  for (const auto& entry : read_reference("tradeoff")) {
    SCOPED_TRACE(entry.dump());
    const PrivacyLoss loss = described(entry.at("description"));
    const Ball truth = decimal(entry.at("type2"));
    for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified}) {
      const Answer answer = tradeoff(loss, entry.at("type1"), accuracy);
      EXPECT_TRUE(encloses(answer.value, truth));
      EXPECT_LE(relative_distance(answer.value, truth), 1e-8);
    }
  }
}

TEST(RenyiReference, EnclosuresHoldTheTruthAndAreTight) {
  for (const auto& entry : read_reference("renyi")) {
    SCOPED_TRACE(entry.dump());
    const Enclosure divergence =
        renyi_divergence(described(entry.at("description")), entry.at("order")).value;
    const Ball truth = decimal(entry.at("divergence"));
    EXPECT_TRUE(encloses(divergence, truth));
    if (truth.finite()) {
      EXPECT_LE(relative_distance(divergence, truth), 1e-12);
    } else {
      EXPECT_EQ(divergence.lower(), HUGE_VAL);
    }
  }
}

}  // namespace
}  // namespace modicum::testing::reference_test
