// What a report promises, and whether that is so.
#pragma once

#include "modicum/release/report_release.h"

namespace modicum {

/// What a report costs that releases something.
struct ReportPromise {
  PrivacyTarget together;  ///< of the coefficients and the report
  double mu;               ///< of the report alone,
  double epsilon;          ///< and its epsilon at the same delta
};
/// Smallest epsilon at `delta` of a report of this mu, from above.
double epsilon_of_report(double mu, double delta);
/// How certificates name reports.
inline constexpr const char* report_mechanism = "per_instance_report";
/// Nothing for a report that costs nothing.
std::optional<ReportPromise> promise_of(const ReportPlan& plan);

/// What is released for a report is rounded record by record, and the eigenvalue is known to its
/// precision only: what one record can do then.
ObjectiveBounds as_computed(const ObjectiveBounds& bounds);
/// Of the largest change of the eigenvalue by one record: how well it is known.
inline constexpr double eigenvalue_precision = 0x1p-20;

/// Whether the noisy gradient of a report is as short as noise is, but once in 10^9 reports. It is,
/// on the table of the release. What was released already decides, so that anybody may ask.
bool noise_explains(const PublishableReport& report);
/// |grad J| on the table of the release, plus noise of this deviation, but once in 10^9 releases.
double longest_gradient(const ObjectiveRelease& release, double noise, double rows);

}  // namespace modicum
