#include "modicum/auditing/pair_audit.h"

#include <gtest/gtest.h>

#include <string>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/randomized_response.h"
#include "support/truth.h"

namespace modicum::testing::pair_audit_test {
namespace {

TEST(AuditLoss, FindsATrueClaimConsistentAndAFalseOneViolated) {
  const PrivacyLoss loss = gaussian_mechanism(2.0, 1.0);
  const double delta = profile(loss, 1.0, Accuracy::certified).delta().upper();
  for (const Accuracy accuracy : {Accuracy::fast, Accuracy::certified, Accuracy::automatic}) {
    EXPECT_EQ(audit_loss(loss, {1.0, delta * (1 + 1e-9)}, accuracy).verdict, Verdict::consistent);
    EXPECT_EQ(audit_loss(loss, {1.0, delta * (1 - 1e-9)}, accuracy).verdict, Verdict::violated);
  }
}

TEST(AuditLoss, DecidesClaimsThatAreExact) {
  EXPECT_EQ(audit_loss(approximate_guarantee(1.0, 1e-6), {1.0, 1e-6}).verdict, Verdict::consistent);
  EXPECT_EQ(audit_loss(pure_guarantee(1.0), {1.0, 0.0}).verdict, Verdict::consistent);
  EXPECT_EQ(audit_loss(pure_guarantee(1.0), {0.999, 0.0}).verdict, Verdict::violated);
  EXPECT_EQ(audit_loss(PrivacyLoss(), {0.0, 0.0}).verdict, Verdict::consistent);
}

TEST(AuditLoss, SaysUndecidedInsideTheEnclosure) {
  const PrivacyLoss loss = gaussian_mechanism(2.0, 1.0);
  const Enclosure delta = profile(loss, 1.0, Accuracy::fast).delta();
  const AuditResult result =
      audit_loss(loss, {1.0, 0.5 * (delta.lower() + delta.upper())}, Accuracy::fast);
  EXPECT_EQ(result.verdict, Verdict::undecided);
  EXPECT_EQ(std::string(to_string(result.verdict)), "undecided");
}

// The published lifting takes the covariance step of N(0, 2) against N(0, 1) to be free from
// epsilon = log(2)/2 on: the audit finds it out, whichever way round the pair is given.
TEST(AuditLoss, LooksAtBothDirections) {
  const GaussianSpectrum hard = GaussianSpectrum::component(0.0, 2.0);
  for (const GaussianSpectrum& spectrum : {hard, hard.reversed()}) {
    const AuditResult result = audit_loss(PrivacyLoss::gaussian(spectrum), {0.35, 0.01});
    EXPECT_EQ(result.verdict, Verdict::violated);
    EXPECT_NEAR(result.truth.delta().lower(), 0.103, 5e-4);
  }
}

TEST(AuditLoss, NeverCallsMutuallySingularLawsPrivate) {
  EXPECT_EQ(audit_loss(PrivacyLoss::mutually_singular(), {100.0, 0.999}).verdict,
            Verdict::violated);
}

TEST(Verdict, HasAName) {
  EXPECT_EQ(std::string(to_string(Verdict::violated)), "violated");
  EXPECT_EQ(std::string(to_string(Verdict::consistent)), "consistent");
}

// What rests on an estimate of the spectrum itself cannot be proved: neither accused nor cleared.
TEST(AuditLoss, AnEstimateDecidesNothing) {
  GaussianSpectrum spectrum = GaussianSpectrum::component(1.0, 1.5);
  for (const double claimed : {1e-9, 0.9})
    EXPECT_NE(audit_loss(PrivacyLoss::gaussian(spectrum), {1.0, claimed}).verdict,
              Verdict::undecided);
  spectrum.set_estimated();
  for (const double claimed : {1e-9, 0.9}) {
    const AuditResult result = audit_loss(PrivacyLoss::gaussian(spectrum), {1.0, claimed});
    EXPECT_EQ(result.verdict, Verdict::undecided);
    EXPECT_EQ(result.truth.proof, Proof::estimated);
  }
}

}  // namespace
}  // namespace modicum::testing::pair_audit_test
