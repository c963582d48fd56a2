// The reporting function at a record.
#include <algorithm>
#include <cmath>

#include "modicum/release/per_instance.h"
#include "release/reports/per_instance_checks.h"
#include "release/reports/publishable_report_leverage.h"
#include "release/reports/removed_curvature.h"

namespace modicum {
namespace {

// Sums of a few numbers, each good to some 1e-15 of itself, and logarithms of them: this share on
// top is far more than they lose. The products with a row are formed in long double.
constexpr double rounding_share = 1e-9;

double upwards(double value) { return value * (1.0 + rounding_share); }

// A row at the released coefficients, all in numbers.
struct Record {
  double slope, curvature;  // f', f''
  double norm, absolute;    // |x|_2, |x|_1
  double product = 0.0;     // f' x^T of the noisy gradient
};

double dot(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  long double sum = 0.0L;
  for (Eigen::Index i = 0; i < a.size(); ++i) sum += static_cast<long double>(a[i]) * b[i];
  return static_cast<double>(sum);
}

Record record_of(const ObjectiveRelease& release, const Eigen::VectorXd& gradient,
                 const Eigen::VectorXd& row, double response) {
  const auto at = release.loss.at(dot(row, release.coefficients), response);
  Record result{at.slope, at.curvature, row.norm(), row.lpNorm<1>()};
  if (gradient.size() > 0) result.product = at.slope * dot(row, gradient);
  return result;
}

// How far |g^T grad J| may be from shrinkage |g^T gradient|.
double margin_of(const PublishableReport::Margins& margins, const Record& record) {
  const double size = std::abs(record.slope);
  const double euclidean = margins.euclidean * size * record.norm;
  return margins.absolute ? std::min(euclidean, *margins.absolute * size * record.absolute)
                          : euclidean;
}

}  // namespace

// Slopes are rounded by 2^-32 of the largest, and the eigenvalue is known to 2^-20 of the largest
// curvature, on either data set (report_release.cpp).
PublishableReport::Arithmetic PublishableReport::arithmetic() const {
  const ObjectiveBounds bounds = release_.bounds();
  return {0x1p-31 * bounds.lipschitz, 0x1p-18 * bounds.smoothness};
}

RecordReport PublishableReport::at(const Eigen::VectorXd& row, double response,
                                   Membership membership) const {
  require_vector("row", row, release_.coefficients.size());
  require_clipped(release_, row.squaredNorm());
  require_response(release_.loss, response);
  const Record record = record_of(release_, released_.gradient, row, response);
  const double deviation = release_.standard_deviation;
  const double slope = std::abs(record.slope) * record.norm;
  const double curvature = record.curvature * record.norm * record.norm;

  RecordReport report{};
  report.leverage =
      upwards(leverage_above({eigenvalues_, eigenvectors_, floor_, matrix_margin_}, row));
  report.cost = report_cost(settings_.noise, upwards(slope + arithmetic().slope),
                            upwards(curvature + arithmetic().curvature));

  const double share = record.curvature * report.leverage;
  const double inside = removed_curvature(share, std::log1p(curvature / release_.regularization));
  const double square = 0.5 * (slope / deviation) * (slope / deviation);
  // Divided twice: the square of a small deviation may be 0.
  const auto per_variance = [&](double value) { return value / deviation / deviation; };
  report.published = upwards(inside + square +
                             per_variance(published_margins_.shrinkage * std::abs(record.product) +
                                          margin_of(published_margins_, record)));

  // The loss lies in first + square + [center - margin, center + margin].
  const bool removed = membership == Membership::inside;
  const double center = (removed ? -1.0 : 1.0) * per_variance(margins_.shrinkage * record.product);
  const double margin = per_variance(margin_of(margins_, record));
  double above = center + margin, under = center - margin;
  if (free_margins_) {
    const double most = per_variance(margin_of(*free_margins_, record));
    above = std::min(above, most);
    under = std::max(under, -most);
  }
  const double high = (removed ? inside : 0.0) + square + above;
  const double low = (removed ? 0.0 : -std::log1p(share)) + square + under;
  const double rounding = 1e-14 * (inside + square + std::abs(center) + margin);
  report.bound = upwards(std::max(std::abs(low), std::abs(high)) + rounding);
  return report;
}

}  // namespace modicum
