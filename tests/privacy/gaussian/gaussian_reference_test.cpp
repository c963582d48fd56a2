// Both modes against the tables of Gaussian pairs and spectra.
#include <gtest/gtest.h>

#include <string>

#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/profile.h"
#include "support/reference_files.h"
#include "support/truth.h"

namespace modicum::testing::gaussian_reference_test {
namespace {

constexpr double goal = 1e-12;
constexpr double smallest_full_precision = 1e-300;

// Relative accuracy is not asked of numbers at the edge of the double range.
bool has_relative_accuracy(const Ball& truth) { return truth.lower() > smallest_full_precision; }

void expect_fast(const Enclosure& delta, const Ball& truth) {
  EXPECT_TRUE(encloses(delta, truth));
  EXPECT_EQ(delta.is_exactly_zero(), truth.exactly_zero()) << ::testing::PrintToString(delta);
  if (!has_relative_accuracy(truth)) return;
  EXPECT_LE(relative_error(delta, truth), goal);
}

void expect_certified(const Enclosure& delta, const Ball& truth) {
  EXPECT_TRUE(encloses(delta, truth));
  EXPECT_EQ(delta.is_exactly_zero(), truth.exactly_zero()) << ::testing::PrintToString(delta);
  if (!has_relative_accuracy(truth)) return;
  EXPECT_LE(delta.relative_width(), goal);
}

TEST(GaussianSpectraReference, FastEstimatesAreHonestAndAccurate) {
  for (const auto& entry : read_reference("gaussian_spectra")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const auto loss = PrivacyLoss::gaussian(spectrum_from(entry.at("components")));
    const ProfilePoint point = profile(loss, entry.at("epsilon"), Accuracy::fast);
    expect_fast(point.forward, decimal(entry.at("delta_forward")));
    expect_fast(point.reverse, decimal(entry.at("delta_reverse")));
  }
}

TEST(GaussianSpectraReference, FastErrorClaimsAreNotWasteful) {
  for (const auto& entry : read_reference("gaussian_spectra")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const auto loss = PrivacyLoss::gaussian(spectrum_from(entry.at("components")));
    const ProfilePoint point = profile(loss, entry.at("epsilon"), Accuracy::fast);
    for (const Enclosure& delta : {point.forward, point.reverse})
      if (delta.lower() > smallest_full_precision) {
        EXPECT_LE(delta.relative_width(), 1e-10);
      }
  }
}

TEST(GaussianSpectraReference, CertifiedEnclosuresHoldTheTruthAndAreTight) {
  for (const auto& entry : read_reference("gaussian_spectra")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const auto loss = PrivacyLoss::gaussian(spectrum_from(entry.at("components")));
    const ProfilePoint point = profile(loss, entry.at("epsilon"), Accuracy::certified);
    EXPECT_EQ(point.proof, Proof::certified);
    expect_certified(point.forward, decimal(entry.at("delta_forward")));
    expect_certified(point.reverse, decimal(entry.at("delta_reverse")));
    const ProfilePoint fast = profile(loss, entry.at("epsilon"), Accuracy::fast);
    EXPECT_TRUE(point.forward.overlaps(fast.forward));
    EXPECT_TRUE(point.reverse.overlaps(fast.reverse));
  }
}

TEST(GaussianSpectraReference, ReversingTheSpectrumSwapsTheDirections) {
  for (const auto& entry : read_reference("gaussian_spectra")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const auto loss = PrivacyLoss::gaussian(spectrum_from(entry.at("components")).reversed());
    const ProfilePoint point = profile(loss, entry.at("epsilon"), Accuracy::certified);
    expect_certified(point.forward, decimal(entry.at("delta_reverse")));
    expect_certified(point.reverse, decimal(entry.at("delta_forward")));
  }
}

TEST(GaussianPairsReference, CertifiedReductionHoldsTheTruth) {
  for (const auto& entry : read_reference("gaussian_pairs")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const auto spectrum = reduce_pair(distribution_from(entry, "1"), distribution_from(entry, "2"),
                                      Accuracy::certified);
    ASSERT_TRUE(spectrum.has_value());
    EXPECT_EQ(spectrum->proof(), Proof::certified);
    const auto loss = PrivacyLoss::gaussian(*spectrum);
    const ProfilePoint point = profile(loss, entry.at("epsilon"), Accuracy::certified);
    EXPECT_EQ(point.proof, Proof::certified);
    expect_certified(point.forward, decimal(entry.at("delta_forward")));
    expect_certified(point.reverse, decimal(entry.at("delta_reverse")));
    const ProfilePoint fast = profile(loss, entry.at("epsilon"), Accuracy::fast);
    expect_fast(fast.forward, decimal(entry.at("delta_forward")));
    expect_fast(fast.reverse, decimal(entry.at("delta_reverse")));
  }
}

TEST(GaussianPairsReference, EstimatedReductionIsHonest) {
  for (const auto& entry : read_reference("gaussian_pairs")) {
    SCOPED_TRACE(entry.at("name").get<std::string>());
    const auto spectrum =
        reduce_pair(distribution_from(entry, "1"), distribution_from(entry, "2"), Accuracy::fast);
    ASSERT_TRUE(spectrum.has_value());
    const auto loss = PrivacyLoss::gaussian(*spectrum);
    const ProfilePoint point = profile(loss, entry.at("epsilon"), Accuracy::fast);
    for (const auto& [delta, digits] :
         {std::pair{point.forward, "delta_forward"}, std::pair{point.reverse, "delta_reverse"}}) {
      const Ball truth = decimal(entry.at(digits));
      EXPECT_TRUE(encloses(delta, truth));
      // Rounding of the covariances' factors moves delta a little more than the integral does.
      if (has_relative_accuracy(truth)) {
        EXPECT_LE(relative_error(delta, truth), 1e-10);
      }
    }
  }
}

}  // namespace
}  // namespace modicum::testing::gaussian_reference_test
