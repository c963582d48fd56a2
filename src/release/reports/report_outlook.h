// What reports would be like, which follows from public numbers alone.
#pragma once

#include "modicum/release/report_release.h"

namespace modicum {

/// The report that costs nothing, of tables of up to so many rows: it follows from the release
/// alone.
PublishableReport free_report(const ReleasedObjective& from, double failure, double largest_rows);

struct ReportOutlook {
  ReportPlan plan;
  PublishedReportCost published;  ///< for the worst record
  /// Of the third term of the worst record, with the noisy gradient and without it.
  double half_width_with, half_width_without;
  double matrix_margin;
};

/// No data are read. Throws as plan_report_release.
ReportOutlook report_outlook(const ReleasedObjective& from, const PrivacyTarget& total,
                             const ReportRequest& request);

}  // namespace modicum
