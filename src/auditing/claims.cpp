#include "modicum/auditing/claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "auditing/claim_cases.h"

namespace modicum {

const std::vector<Claim>& published_claims() {
  static const std::vector<Claim> claims{
      {"classical-gaussian",
       "Gaussian noise of standard deviation s sqrt(2 log(1.25/delta))/epsilon is (epsilon, "
       "delta)-private; proved for epsilon < 1, often used beyond",
       "[DworkRoth2014, Theorem A.1]", "delta", classical_gaussian_cases,
       ClaimCurve{0.5, 20.0, "delta 1e-05", classical_gaussian_at}},
      {"gaussian-optimality",
       "up to the delta of this table no additive noise beats the Gaussian in the limit of high "
       "dimension, to six decimals",
       "[WeiBienstock2026, Table 2]", "delta", gaussian_optimality_cases},
      {"goe-quantile",
       "the largest eigenvalue of the noise (Z + Z^T)/sqrt 2 of 50 rows exceeds 12 with "
       "probability at most 8.465e-6/2",
       "[RedbergWang2021, appendix]", "probability", eigenvalue_quantile_cases},
      {"least-squares-monotone",
       "the pair of leverages (l^2/s, 2 l^2/s) is the worst there is, so that a ridge s chosen for "
       "it makes least squares (epsilon, delta)-private",
       "[LuWei2024, Theorem 5 and Figure 4]", "delta", least_squares_cases,
       ClaimCurve{0.05, 2.0, "one column, one feature, delta 1e-06", least_squares_at}},
      {"lemma2-direction",
       "N(0, 2) against N(0, 1) loses nothing from epsilon = (log 2)/2 on, as in the other "
       "direction",
       "[LuWei2026, Lemma 2 as used in Theorem 4.2]", "delta", lemma2_direction_cases,
       ClaimCurve{0.0, 4.0, "N(0, 2) against N(0, 1)", lemma2_direction_at}},
      {"lifted-gaussian",
       "a Gaussian output of this sensitivity, in mean and covariance, has at most the delta of "
       "Definition 6",
       "[LuWei2026, Theorem 6.1]", "delta", lifted_gaussian_cases,
       ClaimCurve{0.0, 3.0, "mean shift 0.2, variances up to 1.2 times", lifted_gaussian_at}},
      {"ptr-overspend",
       "after a test of the least eigenvalue that is (epsilon_T, delta/3)-private, a projection "
       "with epsilon_R = max{epsilon - epsilon_T, 0} makes the whole (epsilon, delta)-private",
       "[LuWei2026, Theorem 5.4 and Figure 4]", "delta", test_overspend_cases,
       ClaimCurve{0.1, 2.0, "eigenvalue noise 5, 300 columns, delta 1e-06", test_overspend_at}},
      {"r1smg",
       "rank-1 singular Gaussian noise of variance 2 s^2/(epsilon psi) is (epsilon, delta)-private",
       "[JiLi2024, Theorem 5]", "delta", rank_one_gaussian_cases,
       ClaimCurve{0.1, 8.0, "dimension 128, delta 1e-05", rank_one_gaussian_at},
       rank_one_gaussian_chosen},
      {"singular-value-projection",
       "a random projection is (epsilon, delta)-private if every leverage is at most "
       "epsilon/(4 (sqrt(2 r log(4/delta)) + log(4/delta)))",
       "[Sheffet2019, Theorem 2]", "delta", singular_value_projection_cases},
  };
  return claims;
}

const Claim& published_claim(std::string_view name) {
  const auto& claims = published_claims();
  const auto found = std::ranges::find(claims, name, &Claim::name);
  if (found != claims.end()) return *found;
  std::string known;
  for (const Claim& claim : claims) known += (known.empty() ? "" : ", ") + claim.name;
  throw InvalidParameter("claim", fmt::format("\"{}\"", name), "must be one of: " + known);
}

Verdict verdict_of(const std::vector<ClaimCase>& cases) {
  for (const Verdict verdict : {Verdict::violated, Verdict::undecided})
    if (std::ranges::count(cases, verdict, &ClaimCase::verdict) > 0) return verdict;
  return Verdict::consistent;
}

ClaimCase checked(const ClaimedDelta& claim, const Answer& delta,
                  std::vector<ClaimParameter> parameters) {
  return {claim.epsilon,
          claim.delta,
          delta.value,
          delta.proof,
          verdict_on(claim.delta, delta.value),
          std::move(parameters)};
}

ClaimCase checked(const PrivacyLoss& loss, const ClaimedDelta& claim, Accuracy accuracy,
                  std::vector<ClaimParameter> parameters) {
  const ProfilePoint point = profile(loss, claim.epsilon, accuracy);
  return checked(claim, {point.delta(), point.proof}, std::move(parameters));
}

}  // namespace modicum
