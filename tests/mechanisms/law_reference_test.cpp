// Mechanisms known by the law of their loss, against tables made at high precision.
#include <gtest/gtest.h>

#include "modicum/mechanisms/gaussian_optimality.h"
#include "modicum/mechanisms/spherical.h"
#include "modicum/privacy/profile.h"
#include "support/descriptions.h"
#include "support/truth.h"

namespace modicum::testing::law_reference_test {
namespace {

constexpr double smallest_full_precision = 1e-290;

void expect_close(const Enclosure& found, const Ball& truth, double relative) {
  EXPECT_TRUE(encloses(found, truth));
  if (truth.lower() > smallest_full_precision) {
    EXPECT_LE(relative_distance(found, truth), relative) << ::testing::PrintToString(found);
  }
}

TEST(SubsampledReference, OneStepIsProvedToFullPrecision) {
  for (const auto& entry : read_reference("subsampled", "profile")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const ProfilePoint point =
        profile(described(entry.at("description")), entry.at("epsilon"), Accuracy::certified);
    EXPECT_EQ(point.proof, Proof::certified);
    expect_close(point.forward, decimal(entry.at("delta_forward")), 1e-14);
    expect_close(point.reverse, decimal(entry.at("delta_reverse")), 1e-14);
  }
}

TEST(SubsampledReference, RenyiDivergences) {
  for (const auto& entry : read_reference("subsampled", "renyi")) {
    SCOPED_TRACE(entry.dump());
    const Enclosure found =
        renyi_divergence(described(entry.at("description")), entry.at("order")).value;
    const Ball forward = decimal(entry.at("divergence_forward"));
    const Ball reverse = decimal(entry.at("divergence_reverse"));
    expect_close(found, max(forward, reverse), 1e-9);
  }
}

// Where e^K decays along the line every digit is proved. A handful of steps goes to the discretized
// engine, whose bounds are some parts in a million apart, and further where there are atoms.
double expected_width(const nlohmann::json& entry) {
  const nlohmann::json& description = entry.at("description");
  const double count = description.value("count", 1000.0);
  const std::string mechanism = description.value("mechanism", "composition");
  if (mechanism == "subsampled_laplace" && count < 200.0) return 1e-2;
  return count < (mechanism == "subsampled_gaussian" ? 200.0 : 60.0) ? 1e-4 : 1e-9;
}

class ComposedLawsReference : public ::testing::TestWithParam<Accuracy> {};

TEST_P(ComposedLawsReference, EnclosuresHoldTheTruth) {
  const nlohmann::json rows = read_reference("composed_laws", "profile");
  // A proof by the discretized engine takes a second: one row in five.
  const bool certified = GetParam() == Accuracy::certified;
  for (std::size_t i = 0; i < rows.size(); i += certified ? 5 : 2) {
    const auto& entry = rows[i];
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const ProfilePoint point =
        profile(described(entry.at("description")), entry.at("epsilon"), GetParam());
    if (certified) {
      EXPECT_EQ(point.proof, Proof::certified);
    }
    expect_close(point.forward, decimal(entry.at("delta_forward")), expected_width(entry));
    expect_close(point.reverse, decimal(entry.at("delta_reverse")), expected_width(entry));
  }
}

INSTANTIATE_TEST_SUITE_P(BothModes, ComposedLawsReference,
                         ::testing::Values(Accuracy::fast, Accuracy::certified),
                         [](const auto& accuracy) {
                           return accuracy.param == Accuracy::fast ? "Fast" : "Certified";
                         });

TEST(ComposedLawsReference, EpsilonAtDelta) {
  for (const auto& entry : read_reference("composed_laws", "epsilon_at_delta")) {
    if (entry.at("delta") != 1e-5 || expected_width(entry) > 1e-8) continue;
    SCOPED_TRACE(entry.dump());
    const Answer found = epsilon_at(described(entry.at("description")), entry.at("delta"));
    expect_close(found.value, decimal(entry.at("epsilon")), 1e-9);
  }
}

TEST(ComposedLawsReference, EpsilonOfFewStepsByDiscretization) {
  const PrivacyLoss loss = bounded_range(0.1).repeated(2);
  for (const auto& entry : read_reference("composed_laws", "epsilon_at_delta")) {
    const nlohmann::json& description = entry.at("description");
    if (entry.at("delta") != 1e-5 || description.value("count", 0.0) != 2.0 ||
        description.at("mechanism") != "bounded_range")
      continue;
    const Answer found = epsilon_at(loss, 1e-5, Accuracy::certified);
    expect_close(found.value, decimal(entry.at("epsilon")), 1e-5);
    EXPECT_EQ(found.proof, Proof::certified);
    return;
  }
  FAIL() << "no such row";
}

class SphericalReference : public ::testing::TestWithParam<Accuracy> {};

TEST_P(SphericalReference, EnclosuresHoldTheTruth) {
  for (const auto& entry : read_reference("spherical", "profile")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const ProfilePoint point =
        profile(described(entry.at("description")), entry.at("epsilon"), GetParam());
    if (GetParam() == Accuracy::certified) {
      EXPECT_EQ(point.proof, Proof::certified);
    }
    expect_close(point.delta(), decimal(entry.at("delta")), 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(BothModes, SphericalReference,
                         ::testing::Values(Accuracy::fast, Accuracy::certified),
                         [](const auto& accuracy) {
                           return accuracy.param == Accuracy::fast ? "Fast" : "Certified";
                         });

TEST(SphericalReference, Compositions) {
  for (const auto& entry : read_reference("spherical", "composition")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const ProfilePoint point =
        profile(described(entry.at("description")), entry.at("epsilon"), Accuracy::fast);
    expect_close(point.delta(), decimal(entry.at("delta")), 1e-3);
  }
}

TEST(SphericalReference, CalibratedNoiseIsTheLeastThatIsSafe) {
  for (const auto& entry : read_reference("spherical", "calibration")) {
    SCOPED_TRACE(entry.dump());
    const PrivacyTarget target(entry.at("epsilon"), entry.at("delta"));
    const Calibration found = calibrate_spherical(target, entry.at("dimension"), entry.at("alpha"),
                                                  entry.at("p"), entry.at("sensitivity"));
    const Ball truth = decimal(entry.at("beta"));
    EXPECT_FALSE(surely_less(truth, Ball(found.parameter)));
    EXPECT_LE(relative_error(Enclosure::exactly(found.parameter), truth), 1e-9);
    EXPECT_EQ(found.achieved.proof, Proof::certified);
    EXPECT_LE(found.achieved.delta().upper(), target.delta);
  }
}

TEST(SphericalReference, GaussianIsAsymptoticallyBestUpToDeltaStar) {
  for (const auto& entry : read_reference("spherical", "delta_star")) {
    SCOPED_TRACE(entry.dump());
    const Enclosure found = gaussian_optimal_up_to(entry.at("epsilon"));
    EXPECT_LE(relative_error(found, decimal(entry.at("delta_star"))), 1e-10);
  }
}

}  // namespace
}  // namespace modicum::testing::law_reference_test
