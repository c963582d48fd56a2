#include "modicum/release/centered_components.h"

#include <algorithm>
#include <cmath>

#include "release/certificates/public_certificate.h"
#include "release/components/component_basis.h"
#include "release/components/component_plan.h"
#include "release/look/centered_look.h"
#include "release/matrices/matrix_given.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

CenteredPlan begin_centered(const PrivacyTarget& target, const PublicRows& rows,
                            const char* mechanism, double components) {
  const LookBudget budget(target);
  Certificate certificate(mechanism, target, budget.achieved());
  certificate.set("unit_standard_deviation", budget.unit_deviation());
  certificate.theorem = "docs/derivations/look.md";
  describe_bound(certificate);
  describe_rows(certificate, rows);
  describe_arithmetic(certificate, Exactness::exact, grid_below(budget.unit_deviation()));
  describe_loss(certificate, budget.description());
  return {rows, target, components, {}, std::move(certificate)};
}

Eigen::ArrayXd as_array(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::ArrayXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// Public centers in coordinates, if there are any.
std::optional<Eigen::VectorXd> given_center(const CenteredPlan& plan) {
  if (!plan.centers) return {};
  return ((as_array(*plan.centers) - as_array(plan.rows.centers)) / as_array(plan.rows.scales))
      .matrix();
}

// About centers of the file, or private means.
CenteredPlan begin_about(const PrivacyTarget& target, const PublicRows& rows, const char* mechanism,
                         double components, const std::optional<std::vector<double>>& centers) {
  if (centers && centers->size() != rows.names.size())
    throw InvalidParameter("centers", static_cast<double>(centers->size()),
                           "must be one number for each column");
  if (centers)
    for (const double center : *centers) require_finite("centers", center);
  CenteredPlan plan = begin_centered(target, rows, mechanism, components);
  plan.centers = centers;
  // Distances from there must have squares.
  if (const auto center = given_center(plan); center && !(center->array().abs() <= 1e50).all())
    throw InvalidParameter("centers", center->cwiseAbs().maxCoeff(),
                           "must be at most 1e50, in half widths of a range from its middle");
  plan.certificate.set("center", centers ? "given" : "private");
  return plan;
}

CenteredLook looked_at(const CenteredPlan& plan, const Table& table, const RowRule& rule,
                       const std::function<ReadOptions()>& begin, RandomSource& source) {
  const MappedRows mapped(table, rule, plan.rows, begin);
  return look_at_covariance(mapped, plan.rows.row_norm_bound, LookBudget(plan.target),
                            given_center(plan), source);
}

Eigen::VectorXd in_file_units(const CenteredPlan& plan, const Eigen::VectorXd& mean) {
  return (as_array(plan.rows.centers) + as_array(plan.rows.scales) * mean.array()).matrix();
}

std::vector<double> as_list(const Eigen::VectorXd& values) {
  return {values.begin(), values.end()};
}

Certificate certificate_of(const CenteredPlan& plan, const CenteredLook& found) {
  Certificate certificate = plan.certificate;
  certificate.set("rows_released", found.rows);
  certificate.set("covariance_noise", found.noise);
  certificate.set("mean", as_list(in_file_units(plan, found.mean)));
  return certificate;
}

// Of the clipped rows, about the same center, in coordinates. Two passes.
Eigen::MatrixXd true_covariance(const CenteredPlan& plan, const Table& table, const RowRule& rule,
                                const ReadOptions& options) {
  const IntegerSum sum = accumulate_sum(table, rule, plan.rows.row_norm_bound, options);
  const IntegerGram gram = accumulate_gram(table, rule, plan.rows.row_norm_bound, options);
  const double rows = std::max(static_cast<double>(sum.rows), 1.0);
  Eigen::VectorXd mean(gram.dimension);
  for (Eigen::Index i = 0; i < gram.dimension; ++i)
    mean[i] = static_cast<double>(sum.entries[static_cast<std::size_t>(i)]) * sum.grid / rows;
  const Eigen::VectorXd about = given_center(plan).value_or(mean);
  return gram.matrix() / rows + about * about.transpose() - mean * about.transpose() -
         about * mean.transpose();
}

}  // namespace

CenteredPlan plan_centered_components(const PrivacyTarget& target, const PublicRows& rows,
                                      double components,
                                      const std::optional<std::vector<double>>& centers) {
  ComponentRequest request{.components = components,
                           .method = ComponentMethod::gaussian_orthogonal_ensemble};
  require_component_request(request, static_cast<double>(rows.dimension()));
  CenteredPlan plan = begin_about(target, rows, "principal_components", components, centers);
  plan.certificate.set("method", name_of(request.method));
  plan.certificate.set("components", components);
  plan.certificate.set("scaling", "separate");
  return plan;
}

Released release_centered_components(const CenteredPlan& plan, const Table& table,
                                     const RowRule& rule, const std::function<ReadOptions()>& begin,
                                     RandomSource& source) {
  const CenteredLook found = looked_at(plan, table, rule, begin, source);
  const auto count = static_cast<Eigen::Index>(plan.components);
  const ComponentBasis basis = component_basis(found.covariance, 1.0);
  Eigen::MatrixXd values = with_positive_signs(basis.vectors.leftCols(count));
  const Eigen::VectorXd variances = basis.eigenvalues.head(count);
  // Noise may make the trace less than what is explained.
  const double total = std::max(found.covariance.trace(), variances.sum());
  Certificate certificate = certificate_of(plan, found);
  certificate.set("explained_variance", as_list(variances));
  // An eigenvalue moves by the noise along its axis, and by the sampling of rows, were these
  // normal.
  certificate.set("explained_variance_error",
                  as_list((2.0 * found.noise * found.noise +
                           2.0 * variances.array().square() / std::max(found.rows, 1.0))
                              .sqrt()
                              .matrix()));
  certificate.set("explained_variance_ratio",
                  as_list(total > 0.0 ? Eigen::VectorXd(variances / total)
                                      : Eigen::VectorXd(Eigen::VectorXd::Zero(count))));
  return {plan.rows.names, numbered(count), std::move(values), std::move(certificate)};
}

CenteredPlan plan_centered_covariance(const PrivacyTarget& target, const PublicRows& rows,
                                      const std::optional<std::vector<double>>& centers) {
  return begin_about(target, rows, "covariance", 0.0, centers);
}

Released release_centered_covariance(const CenteredPlan& plan, const Table& table,
                                     const RowRule& rule, const std::function<ReadOptions()>& begin,
                                     RandomSource& source) {
  const CenteredLook found = looked_at(plan, table, rule, begin, source);
  const Eigen::VectorXd units = as_array(plan.rows.scales).matrix();
  return {plan.rows.names, plan.rows.names,
          Eigen::MatrixXd(units.asDiagonal() * found.covariance * units.asDiagonal()),
          certificate_of(plan, found)};
}

CenteredPlan plan_scales(const PrivacyTarget& target, const PublicRows& rows) {
  return begin_centered(target, rows, "means_and_deviations", 0.0);
}

Released release_scales(const CenteredPlan& plan, const Table& table, const RowRule& rule,
                        const std::function<ReadOptions()>& begin, RandomSource& source) {
  const CenteredLook found = looked_at(plan, table, rule, begin, source);
  Certificate certificate = plan.certificate;
  certificate.set("rows_released", found.rows);
  Eigen::MatrixXd values(found.mean.size(), 2);
  values.col(0) = in_file_units(plan, found.mean);
  values.col(1) =
      found.covariance.diagonal().cwiseMax(std::sqrt(2.0) * found.noise).cwiseSqrt().array() *
      as_array(plan.rows.scales);
  return {
      plan.rows.names, {"mean", "standard_deviation"}, std::move(values), std::move(certificate)};
}

Diagnostics diagnose_centered_components(const CenteredPlan& plan, const Released& released,
                                         const Table& table, const RowRule& rule,
                                         const ReadOptions& options) {
  const ComponentErrors errors =
      component_errors(released.values, true_covariance(plan, table, rule, options));
  return {{"spectral_error", errors.spectral},
          {"frobenius_error", errors.frobenius},
          {"variance_captured", errors.captured}};
}

Diagnostics diagnose_centered_covariance(const CenteredPlan& plan, const Released& released,
                                         const Table& table, const RowRule& rule,
                                         const ReadOptions& options) {
  const Eigen::MatrixXd truth = true_covariance(plan, table, rule, options);
  const Eigen::VectorXd per_unit = as_array(plan.rows.scales).inverse().matrix();
  const Eigen::MatrixXd found = per_unit.asDiagonal() * released.values * per_unit.asDiagonal();
  const double size = truth.norm();
  return {{"relative_error", size > 0.0 ? (found - truth).norm() / size : HUGE_VAL}};
}

}  // namespace modicum
