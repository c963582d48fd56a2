#include "modicum/auditing/claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "support/refusals.h"

namespace modicum::testing {
namespace {

const ClaimCase& case_at(const std::vector<ClaimCase>& cases, double epsilon) {
  return *std::ranges::find(cases, epsilon, &ClaimCase::epsilon);
}

double parameter(const ClaimCase& one, const std::string& name) {
  return std::ranges::find(one.parameters, name, &ClaimParameter::name)->value;
}

TEST(PublishedClaims, HaveDistinctNamesAndEachItsVerdict) {
  const std::map<std::string, Verdict> known{
      {"classical-gaussian", Verdict::violated},
      {"gaussian-optimality", Verdict::consistent},
      {"lemma2-direction", Verdict::violated},
      {"r1smg", Verdict::violated},
      {"singular-value-projection", Verdict::consistent},
  };
  std::set<std::string> names;
  for (const Claim& claim : published_claims()) {
    names.insert(claim.name);
    EXPECT_EQ(claim.statement.find('\n'), std::string::npos) << claim.name;
    const auto cases = claim.cases();
    ASSERT_FALSE(cases.empty()) << claim.name;
    for (const ClaimCase& one : cases)
      EXPECT_EQ(one.parameters.size(), cases.front().parameters.size()) << claim.name;
    ASSERT_TRUE(known.contains(claim.name)) << claim.name;
    EXPECT_EQ(verdict_of(cases), known.at(claim.name)) << claim.name;
  }
  EXPECT_EQ(names.size(), known.size());
}

TEST(PublishedClaims, RefuseAnUnknownNameAndNameTheKnownOnes) {
  EXPECT_EQ(published_claim("r1smg").name, "r1smg");
  EXPECT_TRUE(refuses("claim", [] { return published_claim("r2smg").name; }));
  try {
    static_cast<void>(published_claim(""));
    FAIL();
  } catch (const InvalidParameter& error) {
    for (const Claim& claim : published_claims())
      EXPECT_NE(std::string(error.what()).find(claim.name), std::string::npos);
  }
}

// [WeiBienstock2026, Table 3]: psi, sigma* and the true delta to the six decimals printed.
TEST(PublishedClaims, RankOneGaussianHasTheDeltasOfTable3) {
  const auto cases = published_claim("r1smg").cases();
  for (const auto& [epsilon, variance, delta] :
       {std::tuple{0.1, 25.040031, 0.813284}, std::tuple{1.0, 2.504003, 0.983594},
        std::tuple{2.0, 1.252002, 0.995020}, std::tuple{4.0, 0.626001, 0.998804},
        std::tuple{8.0, 0.313000, 0.999755}}) {
    const ClaimCase& one = case_at(cases, epsilon);
    EXPECT_EQ(one.verdict, Verdict::violated);
    EXPECT_EQ(one.proof, Proof::certified);
    EXPECT_NEAR(one.delta.lower(), delta, 5e-7);
    EXPECT_LT(one.delta.relative_width(), 1e-12);
    EXPECT_NEAR(parameter(one, "psi"), 0.798721, 5e-7);
    EXPECT_NEAR(parameter(one, "variance"), variance, 5e-7);
  }
}

// Proved below epsilon = 1, and false from 9 on at delta = 1e-5.
TEST(PublishedClaims, ClassicalGaussianHoldsBelowOneAndFailsFarAbove) {
  for (const ClaimCase& one : published_claim("classical-gaussian").cases()) {
    if (one.claimed_delta != 1e-5) continue;
    EXPECT_EQ(one.verdict, one.epsilon < 9.0 ? Verdict::consistent : Verdict::violated)
        << one.epsilon;
  }
}

TEST(PublishedClaims, Lemma2ClaimsZeroWhereATenthIsTrue) {
  const ClaimCase one = case_at(published_claim("lemma2-direction").cases(), 0.35);
  EXPECT_EQ(one.claimed_delta, 0.0);
  EXPECT_NEAR(one.delta.lower(), 0.1029581191, 5e-11);
}

TEST(VerdictOf, AClaimIsTheWorstOfItsCases) {
  const auto with = [](Verdict verdict) {
    return ClaimCase{1.0, 0.1, Enclosure::exactly(0.1), Proof::certified, verdict, {}};
  };
  const ClaimCase good = with(Verdict::consistent), open = with(Verdict::undecided),
                  bad = with(Verdict::violated);
  EXPECT_EQ(verdict_of({good, good}), Verdict::consistent);
  EXPECT_EQ(verdict_of({good, open}), Verdict::undecided);
  EXPECT_EQ(verdict_of({open, bad, good}), Verdict::violated);
}

}  // namespace
}  // namespace modicum::testing
