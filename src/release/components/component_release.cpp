#include "modicum/release/component_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "modicum/randomness/samplers.h"
#include "release/components/component_basis.h"
#include "release/components/component_plan.h"
#include "release/matrices/matrix_given.h"
#include "release/sketches/gram_draws.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

constexpr const char* components_found = "components_found";

void require_scaling(const ComponentPlan& plan, RowScaling scaling) {
  if (plan.request.scaling != scaling)
    throw InvalidParameter("scaling", scaling == RowScaling::ranks ? "ranks" : "separate",
                           "must be that of the plan");
}

void require_same_rows(const ComponentPlan& plan, const IntegerGram& gram) {
  require_scaling(plan, RowScaling::separate);
  plan.rows.require_same(gram);
}

void require_same_rows(const ComponentPlan& plan, const RankMoments& moments) {
  require_scaling(plan, RowScaling::ranks);
  if (moments.matrix.rows() != plan.rows.dimension() ||
      moments.matrix.cols() != moments.matrix.rows())
    throw InvalidParameter("coordinates", static_cast<double>(moments.matrix.rows()),
                           "must be those of the plan");
}

Released with_names(const ComponentPlan& plan, Eigen::MatrixXd values, Certificate certificate) {
  return {plan.rows.names, numbered(values.cols()), std::move(values), std::move(certificate)};
}

// The gap after the last component with noise, and what follows from it: all of it is told.
// Rounded far below the noise.
void draw_gap(const ComponentPlan& plan, const ComponentBasis& basis, Certificate& certificate,
              RandomSource& source) {
  const AdaptiveCalibration& calibration = std::get<AdaptiveCalibration>(plan.draw);
  const auto k = static_cast<Eigen::Index>(plan.request.components);
  const double gap = basis.eigenvalues[k - 1] - basis.eigenvalues[k];
  const double grid = grid_below(calibration.gap_deviation());
  const double noisy = gap + calibration.gap_deviation() * standard_normal(source);
  const double told = std::nearbyint(noisy / grid) * grid;
  certificate.set("gap", told);
  const auto factor = calibration.exponent_factor(told);
  if (!factor) {
    certificate.set(components_found, "none");
    return;
  }
  const double range = *factor * range_multiple(plan.request.scaling);
  certificate.set("range", range);
  if (plan.request.rows)
    certificate.set("beta", beta_of_range(range, static_cast<double>(plan.rows.dimension()),
                                          *plan.request.rows, plan.request.scaling));
}

Released release_draw(const ComponentPlan& plan, const ComponentBasis& basis,
                      RandomSource& source) {
  const ComponentRequest& request = plan.request;
  Certificate certificate = plan.certificate;
  if (request.method == ComponentMethod::adaptive) draw_gap(plan, basis, certificate, source);
  const auto factor = exponent_factor(plan, certificate);
  if (!factor)
    return with_names(
        plan,
        Eigen::MatrixXd::Zero(plan.rows.dimension(), static_cast<Eigen::Index>(request.components)),
        std::move(certificate));
  const ComponentLaw law = component_law(basis, request.components, *factor);
  const bool deflates = request.method == ComponentMethod::exponential;
  const Eigen::MatrixXd frame =
      draw_components(law, deflates ? ComponentSampler::deflation : request.sampler, source,
                      static_cast<int>(request.sweeps.value_or(usual_sweeps)));
  return with_names(plan, with_positive_signs(rounded(basis.vectors * frame, plan.grid)),
                    std::move(certificate));
}

Released release_top(const ComponentPlan& plan, const Eigen::MatrixXd& moments) {
  const auto count = static_cast<Eigen::Index>(plan.request.components);
  return with_names(plan,
                    with_positive_signs(component_basis(moments, 1.0).vectors.leftCols(count)),
                    plan.certificate);
}

Eigen::MatrixXd noisy(const ComponentPlan& plan, const IntegerGram& gram, RandomSource& source) {
  return release_covariance(std::get<CovariancePlan>(plan.draw), gram, source).values;
}

Eigen::MatrixXd noisy(const ComponentPlan& plan, const RankMoments& moments, RandomSource& source) {
  return release_matrix(std::get<MatrixPlan>(plan.draw), moments.matrix, source).values;
}

Eigen::MatrixXd matrix_of(const IntegerGram& gram) { return gram.matrix(); }
const Eigen::MatrixXd& matrix_of(const RankMoments& moments) { return moments.matrix; }

template <class Moments>
Released release_from(const ComponentPlan& plan, const Moments& moments, RandomSource& source) {
  require_same_rows(plan, moments);
  if (!draws_frames(plan.request.method)) return release_top(plan, noisy(plan, moments, source));
  return release_draw(plan, component_basis(matrix_of(moments), squared_row_bound(plan)), source);
}

// Predictions do not depend on how many rows there are, given the exponents: any number serves that
// the trace allows.
void add_predictions(Diagnostics& result, const ComponentPlan& plan, const ComponentBasis& basis,
                     double factor) {
  const ComponentSpectrum spectrum = component_spectrum(basis, plan.request.components, 1.0);
  const auto p = static_cast<double>(spectrum.dimension());
  const double beta = 2.0 * factor * spectrum.rows() / (p * p);
  // Directions that are drawn one after the other have a law of their own.
  const bool other =
      plan.request.method == ComponentMethod::exponential && spectrum.components() > 1;
  const std::string prefix = other ? "joint_predicted_" : "predicted_";
  const PredictedUtility utility = predicted_utility(spectrum, beta);
  result.push_back({prefix + "spectral_error", utility.spectral});
  result.push_back({prefix + "frobenius_error", utility.frobenius});
  if (const auto mu = predicted_mu(spectrum, beta)) result.push_back({prefix + "mu", *mu});
}

// Chains of the length that was used, from the axes and from anywhere.
void add_chain(Diagnostics& result, const ComponentPlan& plan, const ComponentBasis& basis,
               double factor) {
  const ComponentRequest& request = plan.request;
  if (!request.sweeps || request.sampler != ComponentSampler::gibbs) return;
  SecureSource source;
  const ChainDiagnostics chain =
      diagnose_chain(component_law(basis, request.components, factor),
                     std::max(20, static_cast<int>(*request.sweeps)), source);
  result.push_back({"chain_potential_scale", chain.potential_scale});
  result.push_back({"chain_autocorrelation_time", chain.autocorrelation_time});
  result.push_back({"chain_acceptance", chain.acceptance});
}

template <class Moments>
Diagnostics diagnose_from(const ComponentPlan& plan, const Released& released,
                          const Moments& moments) {
  require_same_rows(plan, moments);
  const ComponentBasis basis = component_basis(matrix_of(moments), squared_row_bound(plan));
  const ComponentErrors errors = component_errors(released.values, basis);
  Diagnostics result{{"spectral_error", errors.spectral},
                     {"frobenius_error", errors.frobenius},
                     {"variance_captured", errors.captured}};
  const auto k = static_cast<Eigen::Index>(plan.request.components);
  if (k < plan.rows.dimension() && basis.eigenvalues[0] > 0.0)
    result.push_back(
        {"relative_gap", (basis.eigenvalues[k - 1] - basis.eigenvalues[k]) / basis.eigenvalues[0]});
  const auto factor = exponent_factor(plan, released.certificate);
  if (factor) {
    add_predictions(result, plan, basis, *factor);
    add_chain(result, plan, basis, *factor);
  }
  return result;
}

}  // namespace

Released release_components(const ComponentPlan& plan, const IntegerGram& gram,
                            RandomSource& source) {
  return release_from(plan, gram, source);
}

Released release_components(const ComponentPlan& plan, const RankMoments& moments,
                            RandomSource& source) {
  return release_from(plan, moments, source);
}

bool found_nothing(const Released& released) {
  return released.certificate.find(components_found) != nullptr;
}

Diagnostics diagnose_components(const ComponentPlan& plan, const Released& released,
                                const IntegerGram& gram) {
  return diagnose_from(plan, released, gram);
}

Diagnostics diagnose_components(const ComponentPlan& plan, const Released& released,
                                const RankMoments& moments) {
  return diagnose_from(plan, released, moments);
}

}  // namespace modicum
