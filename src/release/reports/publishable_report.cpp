// The reporting function: what is released for it, and the margins that go with its failure.
#include <cmath>

#include "modicum/numerics/largest_eigenvalue.h"
#include "modicum/release/per_instance.h"
#include "numerics/ball.h"
#include "numerics/dense.h"
#include "release/reports/per_instance_checks.h"
#include "release/reports/publishable_report_quantiles.h"

namespace modicum {
namespace {

using Settings = PublishableReport::Settings;
using Margins = PublishableReport::Margins;

// What is released may be rounded to a grid of 2^-24 of its noise or finer: half of that.
constexpr double grid_share = 0x1p-25;

void require_noise(const char* name, double deviation, bool released) {
  if (released) require_positive(name, deviation);
  else if (deviation != 0.0)
    throw InvalidParameter(name, deviation, "must be 0: this kind of report releases none");
}

void require_settings(const Settings& settings) {
  if (!(settings.failure >= 1e-100 && settings.failure < 1.0))
    throw InvalidParameter("failure", settings.failure, "must be at least 1e-100 and below 1");
  if (settings.coverage == Coverage::all_rows && !settings.largest_rows)
    throw InvalidParameter("largest_rows", "missing", "must be given to cover all rows");
  if (settings.largest_rows) require_count("largest_rows", *settings.largest_rows);
  const bool noisy = settings.kind != ReportKind::data_independent;
  require_noise("gradient noise", settings.noise.gradient, noisy);
  require_noise("matrix noise", settings.noise.matrix, noisy);
  require_noise("eigenvalue noise", settings.noise.eigenvalue,
                settings.kind == ReportKind::adaptive);
  const FailureShares& shares = settings.failure_shares;
  for (const double share : {shares.gradient, shares.matrix, shares.eigenvalue})
    require_positive("failure_shares", share);
  require_non_negative("failure_shares", shares.free);
}

void require_released(const Settings& settings, const PublishableReport::Released& released,
                      Eigen::Index dimension) {
  const bool noisy = settings.kind != ReportKind::data_independent;
  require_vector("gradient", released.gradient, noisy ? dimension : 0);
  require_square("hessian", released.hessian, noisy ? dimension : 0);
  if (noisy && released.hessian != released.hessian.transpose())
    throw InvalidParameter("hessian", "not symmetric", "must be symmetric");
  if (settings.kind == ReportKind::adaptive)
    require_finite("least_eigenvalue", released.least_eigenvalue);
}

double below(double value) { return std::nextafter(value, 0.0); }

// The probability that each event may fail with; together not more than the failure.
struct EventFailures {
  double gradient, matrix = 0.0, eigenvalue = 0.0, free = 0.0;
};

EventFailures event_failures(const Settings& settings) {
  if (settings.kind == ReportKind::data_independent) return {settings.failure};
  FailureShares shares = settings.failure_shares;
  if (settings.kind == ReportKind::data_dependent) shares.eigenvalue = 0.0;
  const double sum = shares.gradient + shares.matrix + shares.eigenvalue + shares.free;
  // Five roundings at most, of 2^-53 each.
  const auto part = [&](double share) { return share / sum * settings.failure * (1.0 - 0x1p-49); };
  return {part(shares.gradient), part(shares.matrix), part(shares.eigenvalue), part(shares.free)};
}

// For noise of deviation 1 in each of `dimension` numbers: how far a product with a vector goes.
struct UnitMargins {
  double euclidean;
  std::optional<double> absolute;
};

UnitMargins unit_margins(const Settings& settings, double dimension, double share) {
  switch (settings.coverage) {
    case Coverage::one_record:
      return {normal_quantile_above(0.5 * share), std::nullopt};
    case Coverage::all_rows:
      return {normal_quantile_above(0.5 * below(share / *settings.largest_rows)), std::nullopt};
    case Coverage::everyone:
      break;
  }
  // Half of the share for the length of the noise, half for its largest number.
  return {norm_quantile_above(dimension, 0.5 * share),
          normal_quantile_above(below(0.25 * share / dimension))};
}

// Of noise of `deviation`, times the unit margins, and what rounding to a grid moves.
Margins scaled(double shrinkage, const Ball& deviation, const UnitMargins& unit, const Ball& grid,
               double dimension) {
  Margins result{shrinkage,
                 (deviation * Ball(unit.euclidean) + sqrt(Ball(dimension)) * grid).upper(),
                 std::nullopt};
  if (unit.absolute) result.absolute = (deviation * Ball(*unit.absolute) + grid).upper();
  return result;
}

// Given the noisy gradient, grad J is N(kappa gradient, s^2 I): both noises are Gaussian.
Margins exact_margins(double deviation, double noise, const UnitMargins& unit, double dimension) {
  const PrecisionScope scope(128);
  if (noise == 0.0) return scaled(0.0, Ball(deviation), unit, Ball(0.0), dimension);
  const Ball variance = Ball(deviation) * Ball(deviation), added = Ball(noise) * Ball(noise);
  const Ball kappa = variance / (variance + added);
  return scaled(kappa.middle(), sqrt(kappa) * Ball(noise), unit,
                kappa * Ball(noise) * Ball(grid_share), dimension);
}

// grad J at the released coefficients is -b + M e, where e is what they are off, |e| <= spread, and
// M, a mean of Hessians, is at most regularization + smoothness rows. With a noisy gradient (1 -
// kappa) of it remains; but what is released is off by the rounding of every record's slope.
double spread_of_gradient(const PublishableReport& report) {
  const ObjectiveRelease& release = report.release();
  const PrecisionScope scope(128);
  const Ball rows = report.settings().largest_rows.value_or(default_largest_rows);
  Ball spread = Ball(release.output_spread) *
                (Ball(release.regularization) + Ball(release.bounds().smoothness) * rows);
  if (report.settings().kind != ReportKind::data_independent)
    spread += rows * Ball(report.arithmetic().slope);
  return spread.upper();
}

void widen(Margins& margins, double by) {
  const double infinity = std::numeric_limits<double>::infinity();
  margins.euclidean = std::nextafter(margins.euclidean + by, infinity);
  if (margins.absolute) margins.absolute = std::nextafter(*margins.absolute + by, infinity);
}

// As in the paper: the noise on the gradient alone.
Margins published_margins(double deviation, double noise, const UnitMargins& unit,
                          double dimension) {
  const PrecisionScope scope(128);
  if (noise == 0.0) return scaled(0.0, Ball(deviation), unit, Ball(0.0), dimension);
  return scaled(1.0, Ball(noise), unit, Ball(noise) * Ball(grid_share), dimension);
}

// H = noisy - sigma_3 G, and G <= quantile I; more for a grid, and for the eigenvalue solver, whose
// result is that of a matrix farther off by no more than a small multiple of d units of rounding.
double noise_on_matrix(double noise, double dimension, double failure, double norm) {
  const double quantile = goe_largest_eigenvalue_quantile(dimension, failure).upper();
  const PrecisionScope scope(128);
  const Ball rounding = Ball(16.0 * 0x1p-52) * Ball(dimension) * Ball(norm);
  return (Ball(noise) * (Ball(quantile) + Ball(dimension) * Ball(grid_share)) + rounding).upper();
}

// The eigenvalue itself is known to `precision`.
double lower_end(double least_eigenvalue, double noise, double failure, double precision) {
  const PrecisionScope scope(128);
  const Ball margin = Ball(normal_quantile_above(failure)) + Ball(grid_share);
  return (Ball(least_eigenvalue) - Ball(noise) * margin - Ball(precision)).lower();
}

}  // namespace

const Choices<ReportKind>& report_kinds() {
  static const Choices<ReportKind> all{
      {"data-independent", ReportKind::data_independent, "costs nothing and reads no data"},
      {"data-dependent", ReportKind::data_dependent, "sharper, from a noisy gradient and Hessian"},
      {"adaptive", ReportKind::adaptive, "from a noisy least eigenvalue of the Hessian too"}};
  return all;
}

const Choices<Coverage>& coverages() {
  static const Choices<Coverage> all{
      {"one-record", Coverage::one_record, "any one, chosen without looking at what was released"},
      {"all-rows", Coverage::all_rows, "all records of the data"},
      {"everyone", Coverage::everyone, "all possible records"}};
  return all;
}

const char* to_string(ReportKind kind) { return word_of(report_kinds(), kind).c_str(); }
const char* to_string(Coverage coverage) { return word_of(coverages(), coverage).c_str(); }

// A wider margin of the matrix costs little, as the tails of its largest eigenvalue are short.
FailureShares FailureShares::of(ReportKind kind) {
  return kind == ReportKind::data_independent ? FailureShares{} : FailureShares{0.7, 0.1, 0.1, 0.1};
}

PublishableReport::PublishableReport(ObjectiveRelease release, Settings settings,
                                     PublishableReport::Released released)
    : release_(std::move(release)), settings_(settings), released_(std::move(released)) {
  require_release(release_);
  require_settings(settings_);
  require_released(settings_, released_, release_.coefficients.size());
  const auto dimension = static_cast<double>(release_.coefficients.size());
  const EventFailures failures = event_failures(settings_);
  const UnitMargins unit = unit_margins(settings_, dimension, failures.gradient);
  const double noise = settings_.noise.gradient;
  margins_ = exact_margins(release_.standard_deviation, noise, unit, dimension);
  published_margins_ = published_margins(release_.standard_deviation, noise, unit, dimension);
  widen(margins_, spread_of_gradient(*this));
  widen(published_margins_, spread_of_gradient(*this));
  if (failures.free > 0.0) {
    free_margins_ = exact_margins(release_.standard_deviation, 0.0,
                                  unit_margins(settings_, dimension, failures.free), dimension);
    widen(*free_margins_, spread_of_gradient(*this));
  }
  floor_ = release_.regularization;
  if (settings_.kind == ReportKind::data_independent) return;
  const SymmetricEigen eigen = symmetric_eigen(released_.hessian);
  eigenvalues_ = eigen.values;
  eigenvectors_ = eigen.vectors;
  matrix_margin_ = noise_on_matrix(settings_.noise.matrix, dimension, failures.matrix,
                                   eigenvalues_.cwiseAbs().maxCoeff());
  if (settings_.kind == ReportKind::adaptive)
    floor_ = std::max(floor_, lower_end(released_.least_eigenvalue, settings_.noise.eigenvalue,
                                        failures.eigenvalue, arithmetic().curvature));
}

}  // namespace modicum
