// The claims by their sources: each function works out the cases of one claim, or one point of its
// curve.
#pragma once

#include <utility>
#include <vector>

#include "modicum/auditing/claims.h"

namespace modicum {

/// What a theorem asks for at least, or allows at most, moved beyond the rounding of its own
/// formula: a violation that is found then is one of the theorem.
inline double beyond_rounding(double value) { return value * (1.0 + 1e-12); }

/// As a source has it: formulas may claim more than 1, which is no target.
struct ClaimedDelta {
  double epsilon, delta;
};

/// The delta of a loss against a claim.
ClaimCase checked(const PrivacyLoss& loss, const ClaimedDelta& claim, Accuracy accuracy,
                  std::vector<ClaimParameter> parameters);
/// A delta that is known already.
ClaimCase checked(const ClaimedDelta& claim, const Answer& delta,
                  std::vector<ClaimParameter> parameters);

// Additive noise.
std::vector<ClaimCase> classical_gaussian_cases();
ClaimCase classical_gaussian_at(double epsilon, Accuracy accuracy);
std::vector<ClaimCase> gaussian_optimality_cases();
std::vector<ClaimCase> rank_one_gaussian_cases();
ClaimCase rank_one_gaussian_at(double epsilon, Accuracy accuracy);
ClaimCase rank_one_gaussian_chosen(const ClaimChoice& choice, Accuracy accuracy);

// Algorithms with a Gaussian output.
std::vector<ClaimCase> lemma2_direction_cases();
ClaimCase lemma2_direction_at(double epsilon, Accuracy accuracy);
std::vector<ClaimCase> lifted_gaussian_cases();
ClaimCase lifted_gaussian_at(double epsilon, Accuracy accuracy);

// Sketches.
std::vector<ClaimCase> singular_value_projection_cases();
std::vector<ClaimCase> test_overspend_cases();
ClaimCase test_overspend_at(double epsilon, Accuracy accuracy);
std::vector<ClaimCase> least_squares_cases();
ClaimCase least_squares_at(double epsilon, Accuracy accuracy);

// Random matrices.
std::vector<ClaimCase> eigenvalue_quantile_cases();

}  // namespace modicum
