#include "modicum/release/report_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "modicum/mechanisms/gaussian.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/matrices/matrix_eigenvalue.h"
#include "release/regression/objective_sums.h"
#include "release/reports/report_promise.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

void require_rows(const ReleasedObjective& from, const IntegerClip& clip) {
  if (!(clip.row_norm_bound() == from.rows.row_norm_bound))
    throw InvalidParameter("row_norm_bound", clip.row_norm_bound(), "must be that of the release");
}

// Finer than for other releases: what rounding adds to the noise is then below the rounding that
// reports allow for. The law is exact on any grid.
double fine_grid(double deviation) { return power_of_two_below(0x1p-36 * deviation); }

double noisy(Integer128 value, double from, double deviation, RandomSource& source) {
  const double grid = fine_grid(deviation);
  return to_double(add_rounded_normal(split(value, from, grid), deviation, grid, source), grid);
}

// On the diagonal sqrt 2 times as much, rounded upwards.
double diagonal_deviation(double deviation) {
  return std::nextafter(std::sqrt(2.0) * deviation * (1.0 + 1e-15), 2.0 * deviation);
}

// The regularization is public: it is added afterwards.
Eigen::VectorXd noisy_gradient(const ReportPlan& plan, const ObjectiveSums& sums,
                               RandomSource& source) {
  Eigen::VectorXd gradient = plan.from.regularization * plan.from.coefficients;
  for (Eigen::Index j = 0; j < gradient.size(); ++j)
    gradient[j] += noisy(sums.gradient[static_cast<std::size_t>(j)], sums.gradient_grid,
                         plan.settings.noise.gradient, source);
  return gradient;
}

Eigen::MatrixXd noisy_hessian(const ReportPlan& plan, const ObjectiveSums& sums,
                              RandomSource& source) {
  const Eigen::Index d = plan.from.coefficients.size();
  const double deviation = plan.settings.noise.matrix, diagonal = diagonal_deviation(deviation);
  Eigen::MatrixXd hessian(d, d);
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      hessian(i, j) = hessian(j, i) =
          noisy(sums.hessian_at(i, j), sums.hessian_grid, i == j ? diagonal : deviation, source);
  hessian.diagonal().array() += plan.from.regularization;
  return hessian;
}

// Entries to doubles: off by 2^-53 of themselves, so the matrix by that of its Frobenius norm.
double noisy_eigenvalue(const ReportPlan& plan, const ObjectiveSums& sums, RandomSource& source) {
  const Eigen::Index d = plan.from.coefficients.size();
  Eigen::MatrixXd hessian(d, d);
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      hessian(i, j) = hessian(j, i) = to_double(sums.hessian_at(i, j), sums.hessian_grid);
  const double precision = 0.5 * eigenvalue_precision * plan.from.law().bounds().smoothness;
  if (!(0x1p-52 * hessian.norm() <= precision))
    throw Error("the least eigenvalue could not be proved to be accurate; nothing is released");
  const double answer = least_eigenvalue_within(hessian, precision);
  const double deviation = plan.settings.noise.eigenvalue, grid = fine_grid(deviation);
  return plan.from.regularization +
         to_double(add_rounded_normal(split(answer, grid), deviation, grid, source), grid);
}

// A whole number of a power of two and a double, but for 2^-100 of both.
struct TwoDoubles {
  double high, low;
};
TwoDoubles in_two(Integer128 whole, double grid, double more) {
  const auto nearest = static_cast<double>(whole);
  const double rest = static_cast<double>(whole - static_cast<Integer128>(nearest)) * grid;
  const double large = nearest * grid, high = large + more;
  const double part = high - large;  // what was taken of `more`
  return {high, (large - (high - part)) + (more - part) + rest};
}

double rows_promised(const ReportRequest& request) {
  return request.largest_rows.value_or(default_largest_rows);
}

// What the release of the coefficients takes for granted, this one does, too.
void add_missing(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const std::string& each : more)
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
}

void describe(Certificate& certificate, const ReportPlan& plan, const ReportRequest& request) {
  certificate.attained = false;
  certificate.theorem = "docs/derivations/per-instance.md";
  certificate.set("report", to_string(request.kind));
  certificate.set("cover", to_string(request.coverage));
  certificate.set("failure", request.failure);
  if (request.kind != ReportKind::data_independent) {
    const FailureShares& shares = plan.settings.failure_shares;
    certificate.set(
        "failure_shares",
        request.kind == ReportKind::adaptive
            ? std::vector<double>{shares.gradient, shares.matrix, shares.eigenvalue, shares.free}
            : std::vector<double>{shares.gradient, shares.matrix, shares.free});
  }
  certificate.set("largest_rows", rows_promised(request));
  certificate.set("mu", plan.mu);
  if (const auto promise = promise_of(plan)) certificate.set("report_epsilon", promise->epsilon);
  const ReportNoise& noise = plan.settings.noise;
  if (noise.gradient > 0.0) certificate.set("gradient_standard_deviation", noise.gradient);
  if (noise.matrix > 0.0) certificate.set("matrix_standard_deviation", noise.matrix);
  if (noise.eigenvalue > 0.0) certificate.set("eigenvalue_standard_deviation", noise.eigenvalue);
  if (!plan.from.sha256.empty()) certificate.set("coefficients_sha256", plan.from.sha256);
  certificate.set("loss_of", "the report alone, to be composed with that of the coefficients");
  describe_table(certificate, plan.from.rows.bad_rows, plan.from.rows.files);
  add_missing(certificate.assumptions, plan.from.assumptions);
  certificate.assumptions.push_back(
      "the target is for the coefficients and this report together, and nothing else was released "
      "from these rows");
  certificate.assumptions.push_back(
      "the rows are those that the coefficients were released from; else the bounds mean nothing");
  certificate.assumptions.push_back(
      "bounds are on what an exact minimizer would tell at these coefficients; what the noise on "
      "top "
      "of it tells is part of the target, not of the bounds");
  if (noise.eigenvalue > 0.0)
    certificate.assumptions.push_back(
        "the least eigenvalue can be proved to 2^-20 of what one record can change");
  certificate.assumptions.push_back(
      request.kind == ReportKind::data_independent
          ? fmt::format("for the bounds, not for privacy: the data have at most {} rows",
                        rows_promised(request))
          : fmt::format("the table and its neighbors have at most {} rows: a run that ends because "
                        "there are more tells so, and that is not covered",
                        rows_promised(request)));
  certificate.arithmetic = Exactness::exact;
  add_missing(certificate.assumptions,
              {"the operating system's random bits are fair and independent"});
  describe_loss(certificate, description_of(described::GaussianPrivacy{plan.mu}));
}

}  // namespace

ObjectiveOnData objective_on(const ReleasedObjective& from, const PassOverRows& data,
                             const IntegerClip& clip) {
  require_rows(from, clip);
  const ObjectiveSums sums = objective_sums(data, clip, from.loss, from.coefficients, all_bits);
  const Eigen::Index d = from.coefficients.size();
  ObjectiveOnData found{sums.rows, Eigen::VectorXd(d), Eigen::MatrixXd(d, d),
                        Eigen::MatrixXd(d, d)};
  for (Eigen::Index i = 0; i < d; ++i) {
    found.gradient[i] = static_cast<double>(
        static_cast<long double>(sums.gradient[static_cast<std::size_t>(i)]) * sums.gradient_grid +
        static_cast<long double>(from.regularization) * from.coefficients[i]);
    for (Eigen::Index j = 0; j <= i; ++j) {
      const TwoDoubles sum =
          in_two(sums.hessian_at(i, j), sums.hessian_grid, i == j ? from.regularization : 0.0);
      found.hessian(i, j) = found.hessian(j, i) = sum.high;
      found.rest(i, j) = found.rest(j, i) = sum.low;
    }
  }
  return found;
}

void require_table_of(const ReleasedObjective& from, const ObjectiveOnData& found) {
  if (!(found.gradient.stableNorm() <= longest_gradient(from.law(), 0.0, found.rows)))
    throw InvalidParameter("table", "another",
                           "must be the one that the coefficients were released from, read in the "
                           "same way: noise explains what is found on it once in 10^9 releases");
}

ExPostLoss ex_post_losses(const ReleasedObjective& from, const ObjectiveOnData& found) {
  return {from.law(), found.gradient, found.hessian, found.rest};
}

ExPostLoss ex_post_losses_on(const ReleasedObjective& from, const PassOverRows& data,
                             const IntegerClip& clip) {
  return ex_post_losses(from, objective_on(from, data, clip));
}

namespace {

// Numbers of all records, in the order of the rows.
template <class OfBlock>
Confidential gathered(const PassOverRows& records, const IntegerClip& clip, const OfBlock& of) {
  std::vector<double> all;
  records([&](const LabeledBlock& block) -> std::function<void()> {
    const RowBlock rows = clip.grid() * block.features;
    auto part = std::make_shared<Eigen::VectorXd>(of(rows, block.labels));
    return [&all, part] { all.insert(all.end(), part->begin(), part->end()); };
  });
  return {Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()))};
}

}  // namespace

Confidential losses_of_rows(const ExPostLoss& losses, const PassOverRows& records,
                            const IntegerClip& clip, Membership membership) {
  return gathered(records, clip, [&](const RowBlock& rows, const Eigen::VectorXd& labels) {
    return losses.signed_losses(rows, labels, membership).values;
  });
}

Confidential bounds_of_rows(const PublishableReport& report, const PassOverRows& records,
                            const IntegerClip& clip, Membership membership) {
  return gathered(records, clip, [&](const RowBlock& rows, const Eigen::VectorXd& labels) {
    Eigen::VectorXd bounds(labels.size());
    for (Eigen::Index i = 0; i < labels.size(); ++i)
      bounds[i] = report.at(rows.row(i).transpose(), labels[i], membership).bound;
    return bounds;
  });
}

ReportPlan plan_report_release(const ReleasedObjective& from,
                               const std::optional<PrivacyTarget>& total,
                               const ReportRequest& request) {
  const bool free = request.kind == ReportKind::data_independent;
  if (free && total)
    throw InvalidParameter("epsilon", total->epsilon,
                           "must not be given: a data-independent report costs nothing");
  if (!free && !total)
    throw InvalidParameter("epsilon", "missing",
                           "must be given for this report: what it and the coefficients may cost");
  PublishableReport::Settings settings{
      request.kind,
      request.coverage,
      request.failure,
      request.largest_rows,
      {},
      request.failure_shares.value_or(FailureShares::of(request.kind))};
  const PrivacyLoss before = from.privacy_loss();
  const ReportBudget budget =
      free ? ReportBudget{0.0, {}, profile(before, from.target.epsilon, Accuracy::certified)}
           : plan_report(*total, before, as_computed(from.law().bounds()), request.kind,
                         request.shares.value_or(ReportShares::of(request.kind)));
  settings.noise = budget.noise;
  const PrivacyTarget& target = free ? from.target : *total;
  require_achieved(target, budget.achieved);
  ReportPlan plan{from, settings, budget.mu,
                  Certificate(report_mechanism, target, budget.achieved)};
  describe(plan.certificate, plan, request);
  return plan;
}

PublishableReport release_report(const ReportPlan& plan, const PassOverRows& data,
                                 const IntegerClip& clip, RandomSource& source) {
  PublishableReport::Released released;
  if (plan.settings.kind != ReportKind::data_independent) {
    require_rows(plan.from, clip);
    const ObjectiveSums sums = objective_sums(data, clip, plan.from.loss, plan.from.coefficients);
    if (!(sums.rows <= plan.settings.largest_rows.value_or(default_largest_rows)))
      throw Error("the table has more rows than was promised (largest_rows); nothing is released");
    released.gradient = noisy_gradient(plan, sums, source);
    released.hessian = noisy_hessian(plan, sums, source);
    if (plan.settings.kind == ReportKind::adaptive)
      released.least_eigenvalue = noisy_eigenvalue(plan, sums, source);
  }
  return {plan.from.law(), plan.settings, std::move(released)};
}

}  // namespace modicum
