// Claims about noise that is added to an answer, and about random matrices as noise.
#include <cmath>
#include <numbers>
#include <utility>

#include "auditing/claim_cases.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/gaussian_optimality.h"
#include "modicum/mechanisms/spherical.h"
#include "modicum/numerics/errors.h"
#include "modicum/numerics/largest_eigenvalue.h"

namespace modicum {
namespace {

// [DworkRoth2014, Theorem A.1] proves sigma = s sqrt(2 log(1.25/delta))/epsilon for epsilon < 1.
ClaimCase classical_gaussian(const PrivacyTarget& target, Accuracy accuracy) {
  const double sensitivity = 1.0;
  const double sigma =
      beyond_rounding(classical_gaussian_deviation(target.epsilon, target.delta, sensitivity));
  return checked(gaussian_mechanism(sigma, sensitivity), {target.epsilon, target.delta}, accuracy,
                 {{"standard_deviation", sigma}, {"sensitivity", sensitivity}});
}

// P[lambda_1 > bound] for entries of this variance, twice that on the diagonal. The quotient is
// off by less than 1e-15 of itself, and the probability falls with it.
Enclosure eigenvalue_above(double rows, double bound, double variance) {
  if (variance == 1.0) return goe_largest_eigenvalue(rows, bound).above;
  const double scaled = bound / std::sqrt(variance);
  return {goe_largest_eigenvalue(rows, scaled * (1.0 + 1e-15)).above.lower(),
          goe_largest_eigenvalue(rows, scaled * (1.0 - 1e-15)).above.upper()};
}

}  // namespace

ClaimCase classical_gaussian_at(double epsilon, Accuracy accuracy) {
  return classical_gaussian({epsilon, 1e-5}, accuracy);
}

std::vector<ClaimCase> classical_gaussian_cases() {
  std::vector<ClaimCase> cases;
  for (const PrivacyTarget& target :
       {PrivacyTarget(0.5, 1e-5), PrivacyTarget(1.0, 1e-5), PrivacyTarget(8.0, 1e-5),
        PrivacyTarget(9.0, 1e-5), PrivacyTarget(16.0, 1e-5), PrivacyTarget(8.0, 1e-3),
        PrivacyTarget(6.0, 0.1)})
    cases.push_back(classical_gaussian(target, Accuracy::certified));
  return cases;
}

// [WeiBienstock2026, Table 2] prints six decimals of delta_star.
std::vector<ClaimCase> gaussian_optimality_cases() {
  constexpr double last_digit = 0.5e-6;
  std::vector<ClaimCase> cases;
  for (const auto& [epsilon, printed] :
       {std::pair{0.25, 0.736670}, std::pair{0.5, 0.706970}, std::pair{1.0, 0.649185},
        std::pair{2.0, 0.549133}, std::pair{4.0, 0.416972}, std::pair{8.0, 0.292170},
        std::pair{16.0, 0.197615}}) {
    const Enclosure delta = gaussian_optimal_up_to(epsilon);
    const Enclosure rounded(printed - last_digit, printed + last_digit);
    Verdict verdict = Verdict::undecided;
    if (rounded.contains(delta.lower()) && rounded.contains(delta.upper()))
      verdict = Verdict::consistent;
    if (!rounded.overlaps(delta)) verdict = Verdict::violated;
    cases.push_back({epsilon, printed, delta, Proof::certified, verdict, {}});
  }
  return cases;
}

// [JiLi2024, Theorem 5]: sigma* = 2 s^2/(epsilon psi), with
//   psi = (delta Gamma((T-1)/2)/(sqrt(pi) Gamma(T/2)))^(2/(T-2)).
ClaimCase rank_one_gaussian_chosen(const ClaimChoice& choice, Accuracy accuracy) {
  const auto [dimension, epsilon, delta] = choice;
  if (!(require_count("dimension", dimension) >= 3.0))
    throw InvalidParameter("dimension", dimension, "must be at least 3");
  require_positive("epsilon", epsilon);
  require_open_unit("delta", delta);
  const double sensitivity = 1.0;
  const double log_ratio = std::log(delta) + std::lgamma(0.5 * (dimension - 1.0)) -
                           std::lgamma(0.5 * dimension) - 0.5 * std::log(std::numbers::pi);
  const double psi = std::exp(2.0 / (dimension - 2.0) * log_ratio);
  const double variance = beyond_rounding(2.0 * sensitivity * sensitivity / (epsilon * psi));
  return checked(spherical_mechanism(SphericalNoise::rank_one(dimension, variance), sensitivity),
                 {epsilon, delta}, accuracy,
                 {{"dimension", dimension},
                  {"sensitivity", sensitivity},
                  {"psi", psi},
                  {"variance", variance}});
}

// At the parameters of [WeiBienstock2026, Table 3].
ClaimCase rank_one_gaussian_at(double epsilon, Accuracy accuracy) {
  return rank_one_gaussian_chosen({128.0, epsilon, 1e-5}, accuracy);
}

std::vector<ClaimCase> rank_one_gaussian_cases() {
  std::vector<ClaimCase> cases;
  for (const double epsilon : {0.1, 1.0, 2.0, 4.0, 8.0})
    cases.push_back(rank_one_gaussian_at(epsilon, Accuracy::certified));
  return cases;
}

// [RedbergWang2021] takes 12 for the quantile of (Z + Z^T)/sqrt 2 at 50 rows. It is that of
// (Z + Z^T)/2, whose entries have half the variance: that case and the true quantile beside it.
std::vector<ClaimCase> eigenvalue_quantile_cases() {
  constexpr double rows = 50.0, claimed = 8.465e-6 / 2.0;
  std::vector<ClaimCase> cases;
  for (const auto& [bound, variance] :
       {std::pair{12.0, 1.0}, std::pair{12.0, 0.5}, std::pair{16.9706, 1.0}}) {
    const Enclosure above = eigenvalue_above(rows, bound, variance);
    cases.push_back({{},
                     claimed,
                     above,
                     Proof::certified,
                     verdict_on(claimed, above),
                     {{"rows", rows}, {"off_diagonal_variance", variance}, {"bound", bound}}});
  }
  return cases;
}

}  // namespace modicum
