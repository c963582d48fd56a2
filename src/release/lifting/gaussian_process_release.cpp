#include "modicum/release/gaussian_process_release.h"

#include <cmath>

#include "modicum/release/lift.h"

namespace modicum {
namespace {

Eigen::VectorXd in_units_of_the_file(const GaussianProcessPlan& plan,
                                     const Eigen::VectorXd& values) {
  return (plan.rows.centers.back() + plan.rows.scales.back() * values.array()).matrix();
}

double root_mean_square(const Eigen::VectorXd& errors) {
  return errors.stableNorm() / std::sqrt(static_cast<double>(errors.size()));
}

}  // namespace

Released release_gaussian_process(const GaussianProcessPlan& plan, const GaussianProcessFit& fit,
                                  RandomSource& source) {
  const Eigen::Index queries = plan.queries.rows();
  if (fit.posterior().mean.size() != queries)
    throw InvalidParameter("queries", static_cast<double>(fit.posterior().mean.size()),
                           "must be those of the plan");
  const Eigen::VectorXd drawn = draw_lifted(fit.posterior(), plan.lift, plan.grid, source);
  std::vector<std::string> names;
  for (Eigen::Index i = 0; i < queries; ++i) names.push_back(std::to_string(i + 1));
  return {std::move(names), {"value"}, in_units_of_the_file(plan, drawn), plan.certificate};
}

Diagnostics diagnose_gaussian_process(const Released& released, const GaussianProcessPlan& plan,
                                      const GaussianProcessFit& fit) {
  const Eigen::VectorXd truth = in_units_of_the_file(plan, fit.posterior().mean);
  const Eigen::VectorXd deviations =
      fit.posterior().covariance.diagonal().cwiseMax(0.0).cwiseSqrt();
  return {{"root_mean_squared_error", root_mean_square(released.values.col(0) - truth)},
          {"root_mean_squared_posterior_deviation",
           plan.rows.scales.back() * root_mean_square(deviations)}};
}

}  // namespace modicum
