// What all noisy gradient descents from standardized rows have in common: how mu is shared between
// the look and the steps, and what the certificate says of it (docs/derivations/standardized.md).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "modicum/release/certificate.h"
#include "modicum/release/released.h"

namespace modicum {

/// Gradients of single rows are cut to this share of the longest possible one.
inline constexpr double clip_share = 0.4;

/// Shares of mu^2, less 2^-40 of it for roundings.
double part_of_mu(double mu, double share);

void require_features(const PublicRows& features);

struct Descent {
  int steps;
  double look_mu, step_mu;  ///< of the look, and of each step
  double clip;              ///< longest gradient of one row
  Certificate certificate;
};

/// `longest` is the length of the longest gradient of a row of unit norm; `describe_target` says in
/// the certificate what is predicted. Throws InvalidParameter, CalibrationFailed.
Descent plan_descent(const PrivacyTarget& target, const PublicRows& features,
                     const std::optional<double>& steps, double longest, const std::string& method,
                     const std::function<void(Certificate&)>& describe_target);

}  // namespace modicum
