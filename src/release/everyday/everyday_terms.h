// Plans with noise that was calibrated elsewhere, for all parts of a release at once.
#pragma once

#include "modicum/release/everyday_release.h"

namespace modicum {

/// Gaussian noise. Of discovered groups, a group of one person alone is shown with this
/// probability, or from the threshold on that was found for the release alone.
struct EverydayTerms {
  double standard_deviation, new_group_probability = 0.0;
  std::optional<double> shown_from = {};
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
/// `counts`: of discovered groups, the noise of the number of rows of each.
QuantilePlan plan_quantiles(const PrivacyTarget& target, const ProfilePoint& achieved, double range,
                            EverydayQuestion question, std::vector<double> levels,
                            const std::optional<EverydayTerms>& counts = {});
/// How many rows each group has, for discovered groups of any question.
EverydayQuestion question_of_counts(const EverydayQuestion& question);
/// How many draws a row takes part in.
double quantile_draws(const EverydayQuestion& question, const std::vector<double>& levels);

}  // namespace modicum
