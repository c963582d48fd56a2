#include "release/reports/report_outlook.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

// Margins do not depend on what is released, so a report on nothing tells them.
PublishableReport empty_report(const ReleasedObjective& from,
                               const PublishableReport::Settings& settings) {
  PublishableReport::Released released;
  if (settings.kind != ReportKind::data_independent) {
    const Eigen::Index d = from.coefficients.size();
    released = {Eigen::VectorXd::Zero(d), Eigen::MatrixXd::Zero(d, d), 0.0};
  }
  return {from.law(), settings, std::move(released)};
}

// Of the third term, for a record with the largest slope: |g|_1 is at most sqrt d |g|_2.
double half_width(const ReleasedObjective& from, const PublishableReport& report) {
  const auto& margins = report.margins();
  double margin = margins.euclidean;
  if (margins.absolute)
    margin = std::min(margin,
                      *margins.absolute * std::sqrt(static_cast<double>(from.coefficients.size())));
  const double deviation = from.noise.standard_deviation;
  return margin / deviation * (from.law().bounds().lipschitz / deviation);
}

}  // namespace

PublishableReport free_report(const ReleasedObjective& from, double failure, double largest_rows) {
  PublishableReport::Settings settings;
  settings.failure = failure;
  settings.largest_rows = largest_rows;
  return {from.law(), settings, {}};
}

ReportOutlook report_outlook(const ReleasedObjective& from, const PrivacyTarget& total,
                             const ReportRequest& request) {
  ReportPlan plan = plan_report_release(from, total, request);
  PublishableReport::Settings free = plan.settings;
  free.kind = ReportKind::data_independent;
  free.noise = {};
  const PublishableReport report = empty_report(from, plan.settings);
  const ObjectiveBounds bounds = from.law().bounds();
  const PublishedReportCost published =
      published_report_cost(plan.settings.noise, bounds.lipschitz, bounds.smoothness, total.delta);
  return {std::move(plan), published, half_width(from, report),
          half_width(from, empty_report(from, free)), report.matrix_margin()};
}

}  // namespace modicum
