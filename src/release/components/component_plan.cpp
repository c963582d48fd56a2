// Plans of component releases: from public numbers alone, with the whole certificate.
#include "release/components/component_plan.h"

#include "release/certificates/public_certificate.h"

namespace modicum {
namespace {

constexpr double longest_chain = 1e6;
constexpr double most_drawn = 256.0;  // the cost grows with the third power

// Coarse against doubles; the exponents are at most 1e11, so that no draw varies by less than 2e-6.
constexpr double frame_grid = 0x1p-26;

// From second moments, or those of ranks, with noise: theirs is the loss, and what is public of it.
template <class Moments>
ComponentPlan plan_from(const PrivacyTarget& target, const PublicRows& rows,
                        const ComponentRequest& request, const Moments& moments) {
  ComponentPlan plan =
      begin_component_plan(target, rows, request, moments.certificate.achieved, moments);
  plan.grid = moments.grid;
  plan.certificate.set("standard_deviation", moments.standard_deviation);
  plan.certificate.set("diagonal_standard_deviation", moments.diagonal_standard_deviation);
  plan.certificate.loss = moments.certificate.loss;
  return plan;
}

ComponentPlan plan_noise(const PrivacyTarget& target, const PublicRows& rows,
                         const ComponentRequest& request) {
  const bool ensemble = request.method == ComponentMethod::gaussian_orthogonal_ensemble;
  if (request.scaling == RowScaling::ranks) {
    const auto dimension = static_cast<double>(rows.dimension());
    const MatrixPlan noise = plan_matrix(
        target, dimension, rank_moments_sensitivity(dimension),
        ensemble ? MatrixNoise::gaussian_orthogonal_ensemble : MatrixNoise::analyze_gauss);
    ComponentPlan plan = plan_from(target, rows, request, noise);
    plan.certificate.set("sensitivity", noise.sensitivity);
    return plan;
  }
  CovariancePlan noise = plan_covariance(target, rows, {});
  // More noise off the diagonal makes the loss of no row larger; a row along an axis does not
  // notice it.
  if (!ensemble) noise.standard_deviation = noise.diagonal_standard_deviation;
  return plan_from(target, rows, request, noise);
}

ComponentPlan plan_wishart(const PrivacyTarget& target, const PublicRows& rows,
                           const ComponentRequest& request) {
  const CovariancePlan sketch = plan_covariance(target, rows, {CovarianceMethod::projection, {}});
  ComponentPlan plan = plan_from(target, rows, request, sketch);
  plan.certificate.set("columns", sketch.sketch->columns);
  plan.certificate.set("ridge", sketch.sketch->ridge);
  return plan;
}

ComponentPlan plan_method(const PrivacyTarget& target, const PublicRows& rows,
                          const ComponentRequest& request) {
  switch (request.method) {
    case ComponentMethod::exponential:
    case ComponentMethod::joint:
      return plan_component_draws(target, rows, request);
    case ComponentMethod::adaptive:
      return plan_adaptive_components(target, rows, request);
    case ComponentMethod::gaussian_orthogonal_ensemble:
    case ComponentMethod::analyze_gauss:
      return plan_noise(target, rows, request);
    case ComponentMethod::wishart:
      return plan_wishart(target, rows, request);
  }
  throw Error("there is no such method");
}

// Whole numbers all the way to the noise, or not.
Exactness arithmetic_of(const ComponentRequest& request) {
  using enum ComponentMethod;
  const bool noise =
      request.method == gaussian_orthogonal_ensemble || request.method == analyze_gauss;
  return noise && request.scaling == RowScaling::separate ? Exactness::exact : Exactness::mitigated;
}

void describe_scaling(Certificate& certificate, const PublicRows& rows, RowScaling scaling) {
  if (scaling == RowScaling::separate) {
    certificate.set("scaling", "separate");
    describe_rows(certificate, rows);
    return;
  }
  certificate.set("scaling", "ranks");
  certificate.set("coordinates", rows.names);
  describe_table(certificate, rows.bad_rows, rows.files);
}

}  // namespace

bool draws_frames(ComponentMethod method) {
  using enum ComponentMethod;
  return method == exponential || method == joint || method == adaptive;
}

const char* name_of(ComponentMethod method) {
  switch (method) {
    case ComponentMethod::exponential:
      return "exponential";
    case ComponentMethod::joint:
      return "joint";
    case ComponentMethod::adaptive:
      return "adaptive";
    case ComponentMethod::gaussian_orthogonal_ensemble:
      return "gaussian-orthogonal-ensemble";
    case ComponentMethod::analyze_gauss:
      return "analyze-gauss";
    case ComponentMethod::wishart:
      return "wishart";
  }
  return "";
}

void require_component_request(const ComponentRequest& request, double dimension) {
  using enum ComponentMethod;
  require_count("components", request.components);
  if (!(request.components <= dimension))
    throw InvalidParameter("components", request.components,
                           "must be at most the number of coordinates");
  const bool adapts = request.method == adaptive, drawn = draws_frames(request.method);
  if (drawn && !(request.components <= most_drawn))
    throw InvalidParameter("components", request.components, "must be at most 256 for this method");
  refuse_unused("sweeps", request.sweeps, adapts || request.method == joint);
  refuse_unused("rows", request.rows, drawn);
  refuse_unused("beta", request.beta, drawn && !adapts);
  refuse_unused("calibration_share", request.calibration_share, adapts);
  if (request.sampler == ComponentSampler::deflation)
    throw InvalidParameter("sampler", "deflation", "must be gibbs or gaussian");
  if (request.sweeps && !(require_count("sweeps", *request.sweeps) <= longest_chain))
    throw InvalidParameter("sweeps", *request.sweeps, "must be at most a million");
  if (request.rows) require_count("rows", *request.rows);
  if (adapts && !(request.components < dimension))
    throw InvalidParameter("components", request.components,
                           "must be fewer than the coordinates for this method");
  if (request.method == wishart && request.scaling == RowScaling::ranks)
    throw InvalidParameter("method", "wishart", "must be another one for ranks");
}

ComponentPlan begin_component_plan(const PrivacyTarget& target, const PublicRows& rows,
                                   const ComponentRequest& request, const ProfilePoint& achieved,
                                   decltype(ComponentPlan::draw) draw) {
  require_achieved(target, achieved);
  ComponentPlan plan{.rows = rows,
                     .request = request,
                     .draw = std::move(draw),
                     .grid = frame_grid,
                     .certificate = Certificate("principal_components", target, achieved)};
  Certificate& certificate = plan.certificate;
  certificate.set("method", name_of(request.method));
  certificate.set("components", request.components);
  certificate.theorem = "docs/derivations/principal-components.md";
  describe_bound(certificate);  // components tell less than what they are made from
  return plan;
}

ComponentPlan plan_components(const PrivacyTarget& target, const PublicRows& rows,
                              const ComponentRequest& request) {
  require_component_request(request, static_cast<double>(rows.dimension()));
  ComponentPlan plan = plan_method(target, rows, request);
  describe_scaling(plan.certificate, rows, request.scaling);
  describe_arithmetic(plan.certificate, arithmetic_of(request), plan.grid);
  return plan;
}

}  // namespace modicum
