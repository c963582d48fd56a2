// Claims about algorithms whose output is Gaussian, with a covariance that depends on the data.
#include <algorithm>
#include <tuple>

#include "auditing/claim_cases.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/lifting.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/privacy/analytic_bounds.h"

namespace modicum {
namespace {

ClaimCase lifted_gaussian(const OutputSensitivity& sensitivity, double epsilon) {
  const double claimed = beyond_rounding(published_lifted_bound(sensitivity, epsilon));
  return checked({epsilon, claimed},
                 {lifted_bounds(sensitivity, epsilon).delta().delta(), Proof::certified},
                 {{"mean_shift", sensitivity.mean_shift},
                  {"variance_excess", sensitivity.variance_excess},
                  {"rank", sensitivity.rank}});
}

// [LuWei2026, Figure 4] for rows of norm 1, a third of delta for each of test, release and failure.
// Test and release together are at most their composition, and the failure; a large least
// eigenvalue needs no ridge, and leaves the test alone.
ClaimCase test_overspend(const PrivacyTarget& target, double eigenvalue_noise, Accuracy accuracy) {
  const double columns = 300.0, share = target.delta / 3.0;
  const PrivacyLoss test = gaussian_mechanism(eigenvalue_noise, 1.0);
  const double spent = epsilon_at(test, share, accuracy).value.upper();
  const double left = std::max(target.epsilon - spent, 0.0);
  const double leverage = largest_leverage({left, share}, columns, accuracy);
  PrivacyLoss both = test;
  both.compose(random_projection(columns, leverage));
  const ProfilePoint alone = profile(test, target.epsilon, accuracy);
  const ProfilePoint composed = profile(both, target.epsilon, accuracy);
  // 1e-15 covers the rounding of a sum below 2.
  const double most = (composed.delta().upper() + share) * (1.0 + 1e-15);
  return checked({target.epsilon, target.delta},
                 {Enclosure(alone.delta().lower(), std::min(most, 1.0)),
                  weaker_of(alone.proof, composed.proof)},
                 {{"eigenvalue_noise", eigenvalue_noise},
                  {"test_epsilon", spent},
                  {"release_epsilon", left},
                  {"leverage", leverage}});
}

// [LuWei2024, Figure 4] for rows of norm 1; the truth is the supremum over all neighbors.
ClaimCase least_squares_ridge(const PrivacyTarget& target, double columns, double features) {
  constexpr double slack = 0.05;
  const double ridge =
      beyond_rounding(published_least_squares_ridge(target, columns, features, 1.0));
  const ProfilePoint truth =
      least_squares_supremum(columns, features, ridge, 1.0, target.epsilon, slack);
  return checked({target.epsilon, target.delta}, {truth.delta(), truth.proof},
                 {{"columns", columns}, {"features", features}, {"ridge", ridge}});
}

}  // namespace

// [LuWei2026, Lemma 2] bounds the loss of the smaller variance against the larger. Theorem 4.2
// takes the same number for the larger against the smaller (docs/errata.md, 1).
ClaimCase lemma2_direction_at(double epsilon, Accuracy accuracy) {
  const double variance_ratio = 2.0;
  const GaussianSpectrum hard = GaussianSpectrum::component(0.0, variance_ratio);
  return checked(PrivacyLoss::gaussian(hard), {epsilon, lemma2_bound(hard.reversed(), epsilon)},
                 accuracy, {{"variance_ratio", variance_ratio}});
}

std::vector<ClaimCase> lemma2_direction_cases() {
  std::vector<ClaimCase> cases;
  for (const double epsilon : {0.35, 1.0, 2.0})
    cases.push_back(lemma2_direction_at(epsilon, Accuracy::certified));
  return cases;
}

// The bounds of lifting are proved always.
ClaimCase lifted_gaussian_at(double epsilon, Accuracy) {
  return lifted_gaussian({0.2, 0.2, 1.0}, epsilon);
}

std::vector<ClaimCase> lifted_gaussian_cases() {
  const OutputSensitivity usual(0.2, 0.2);
  std::vector<ClaimCase> cases;
  for (const double epsilon : {0.05, 0.5, 1.0}) cases.push_back(lifted_gaussian(usual, epsilon));
  for (const OutputSensitivity& sensitivity :
       {OutputSensitivity(0.2, 0.02), OutputSensitivity(0.1, 0.2),
        OutputSensitivity(0.2, 0.2, 3.0)})
    cases.push_back(lifted_gaussian(sensitivity, 1.0));
  return cases;
}

std::vector<ClaimCase> singular_value_projection_cases() {
  std::vector<ClaimCase> cases;
  for (const double columns : {50.0, 500.0})
    for (const double epsilon : {0.1, 1.0, 5.0}) {
      const PrivacyTarget target(epsilon, 1e-6);
      const double leverage = singular_value_leverage(target, columns);
      cases.push_back(checked(random_projection(columns, leverage), {target.epsilon, target.delta},
                              Accuracy::certified, {{"columns", columns}, {"leverage", leverage}}));
    }
  return cases;
}

ClaimCase test_overspend_at(double epsilon, Accuracy accuracy) {
  return test_overspend({epsilon, 1e-6}, 5.0, accuracy);
}

std::vector<ClaimCase> test_overspend_cases() {
  std::vector<ClaimCase> cases;
  for (const double eigenvalue_noise : {20.0, 10.0, 5.0, 1.0})
    cases.push_back(test_overspend({0.5, 1e-6}, eigenvalue_noise, Accuracy::certified));
  return cases;
}

// The supremum is proved always.
ClaimCase least_squares_at(double epsilon, Accuracy) {
  return least_squares_ridge({epsilon, 1e-6}, 1.0, 1.0);
}

std::vector<ClaimCase> least_squares_cases() {
  std::vector<ClaimCase> cases;
  for (const auto& [epsilon, columns, features] :
       {std::tuple{0.2, 1.0, 1.0}, std::tuple{0.2, 3.0, 1.0}, std::tuple{0.2, 100.0, 1.0},
        std::tuple{1.0, 50.0, 3.0}})
    cases.push_back(least_squares_ridge({epsilon, 1e-6}, columns, features));
  return cases;
}

}  // namespace modicum
