// Plans with noise that was calibrated elsewhere, for all parts of a release at once.
#pragma once

#include "modicum/release/everyday_release.h"

namespace modicum {

/// Gaussian noise. Of discovered groups, a group of one person alone is shown with this
/// probability.
struct EverydayTerms {
  double standard_deviation, new_group_probability = 0.0;
};
/// `achieved` is that of the whole.
EverydayPlan plan_everyday(const PrivacyTarget& target, const ProfilePoint& achieved,
                           const EverydayTerms& terms, Everyday statistic,
                           EverydayQuestion question);
/// What this noise brings into a composition, and its description.
PrivacyLoss loss_of_terms(const EverydayTerms& terms, double sensitivity);
Value description_of_terms(const EverydayTerms& terms, double sensitivity, Adjacency neighbors);
/// Throws CalibrationFailed where there is no delta to share.
double delta_for_discovery(const PrivacyTarget& target, double releases = 1.0);

/// `range` is what each draw is proved to have.
QuantilePlan plan_quantiles(const PrivacyTarget& target, const ProfilePoint& achieved, double range,
                            EverydayQuestion question, std::vector<double> levels);
/// How many draws a row takes part in.
double quantile_draws(const EverydayQuestion& question, const std::vector<double>& levels);

}  // namespace modicum
