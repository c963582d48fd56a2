#include <fmt/format.h>

#include <cmath>

#include "modicum/mechanisms/bounded_range.h"
#include "release/certificates/public_certificate.h"
#include "release/components/component_basis.h"
#include "release/components/component_plan.h"
#include "release/descriptions/mechanisms.h"

namespace modicum {
namespace {

constexpr double usual_chain = 50.0;
constexpr double usual_calibration_share = 0.2;

double draws_of(const ComponentRequest& request) {
  return request.method == ComponentMethod::exponential ? request.components : 1.0;
}

double range_of_beta(const ComponentRequest& request, double dimension) {
  return component_range(*request.beta, dimension, require_given("rows", request.rows),
                         request.scaling);
}

struct ProvedDraws {
  ProfilePoint achieved;
  const char* by;  // which argument
};

ProfilePoint both_directions(double epsilon, const Enclosure& delta) {
  return {epsilon, delta, delta, Proof::certified};
}

// What is proved of so many draws. zCDP and pure privacy tell that delta is no more than asked for,
// not what it is.
ProvedDraws achieved_by_draws(const PrivacyTarget& target, double range, double draws) {
  const ComponentGuarantee bounds = component_guarantee(range, draws, target.delta);
  if (bounds.pure_epsilon <= target.epsilon)
    return {both_directions(target.epsilon, Enclosure::exactly(0.0)), "pure privacy"};
  const Enclosure pair = composed_bounded_range_delta(range, draws, target.epsilon);
  if (pair.upper() <= target.delta)
    return {both_directions(target.epsilon, pair), "the dominating pair"};
  if (!(bounds.epsilon <= target.epsilon))
    throw CalibrationFailed(
        fmt::format("with this beta epsilon is {} at delta = {}, but {} was asked for",
                    bounds.epsilon, target.delta, target.epsilon));
  return {both_directions(target.epsilon, {0.0, target.delta}), "zero-concentrated privacy"};
}

// Exponents grow with range and rows, and what can be drawn from is bounded. A promise that only
// holds for hardly any rows is none.
double require_drawable(double range, const std::optional<double>& rows) {
  const double most = largest_exponent / range;
  if (!(most > std::max(1e4, rows.value_or(0.0))))
    throw CalibrationFailed(fmt::format(
        "with a range of {:.3g} there may be {:.3g} rows at most: exponents would be too "
        "large to draw from",
        range, most));
  return range;
}

// How a frame is drawn, and what is not known about that.
void describe_sampler(ComponentPlan& plan) {
  const ComponentRequest& request = plan.request;
  Certificate& certificate = plan.certificate;
  if (request.components == 1.0) {
    certificate.set("sampler", "rejection");
    return;
  }
  certificate.guarantee = Guarantee::asymptotic;
  const double sweeps = request.sweeps.value_or(usual_chain);
  plan.request.sweeps = sweeps;
  certificate.set("sweeps", sweeps);
  if (request.sampler == ComponentSampler::gaussian) {
    certificate.set("sampler", "gaussian (approximate sampler)");
    certificate.assumptions.push_back(
        "the Gaussian sampler is as good as a draw from the distribution that has this guarantee, "
        "which is "
        "proved in the limit of many dimensions only; where it does not serve, a chain of so many "
        "sweeps is");
  } else {
    certificate.set("sampler", "gibbs (approximate sampler)");
    certificate.assumptions.push_back(
        "a chain of so many sweeps is as good as a draw from the distribution that has this "
        "guarantee, "
        "which is proved in the limit of many sweeps only");
  }
}

}  // namespace

double epsilon_of_beta(const ComponentRequest& request, double dimension, double delta) {
  using enum ComponentMethod;
  require_component_request(request, require_count("dimension", dimension));
  refuse_unused("beta", request.beta, request.method == exponential || request.method == joint);
  require_given("beta", request.beta);
  return component_guarantee(range_of_beta(request, dimension), draws_of(request), delta).epsilon;
}

ComponentPlan plan_component_draws(const PrivacyTarget& target, const PublicRows& rows,
                                   const ComponentRequest& request) {
  const auto dimension = static_cast<double>(rows.dimension());
  const double draws = draws_of(request);
  const double range = require_drawable(
      request.beta ? range_of_beta(request, dimension) : largest_component_range(target, draws),
      request.rows);
  const ProvedDraws proved = achieved_by_draws(target, range, draws);
  ComponentPlan plan =
      begin_component_plan(target, rows, request, proved.achieved, FrameDraws{range, draws});
  Certificate& certificate = plan.certificate;
  certificate.set("range", range);
  certificate.set("draws", draws);
  certificate.set("bounded_by", proved.by);
  if (request.rows) {
    certificate.set("rows", *request.rows);
    certificate.set("beta", request.beta
                                ? *request.beta
                                : beta_of_range(range, dimension, *request.rows, request.scaling));
  }
  const ComponentGuarantee bounds = component_guarantee(range, draws, target.delta);
  certificate.set("pure_epsilon", bounds.pure_epsilon);
  certificate.set("zcdp", bounds.zcdp);
  // Frames of the whole space, and of no exponent at all, are uniform and drawn as such.
  const bool uniform = request.components == dimension || range == 0.0;
  if (request.method == ComponentMethod::joint && !uniform) describe_sampler(plan);
  else certificate.set("sampler", "rejection");
  if (range > 0.0)
    certificate.assumptions.push_back(
        fmt::format("there are fewer than {:.3g} rows: with more, exponents are lowered to what "
                    "can be drawn from, and that is not covered",
                    largest_exponent / range));
  // Of many draws concentrated privacy may allow more than their dominating pair does.
  if (composed_bounded_range_delta(range, draws, target.epsilon).upper() <= target.delta)
    describe_loss(certificate, description_of(described::BoundedRange{range}, draws));
  else describe_loss_by_target(certificate);
  return plan;
}

ComponentPlan plan_adaptive_components(const PrivacyTarget& target, const PublicRows& rows,
                                       const ComponentRequest& request) {
  const AdaptiveCalibration calibration(
      target, static_cast<double>(rows.dimension()), request.components,
      request.calibration_share.value_or(usual_calibration_share), request.scaling);
  ComponentPlan plan = begin_component_plan(
      target, rows, request, both_directions(target.epsilon, {0.0, calibration.delta()}),
      calibration);
  Certificate& certificate = plan.certificate;
  certificate.guarantee = Guarantee::asymptotic;
  if (request.rows) certificate.set("rows", *request.rows);
  certificate.set("gap_mu", calibration.gap_mu());
  certificate.set("components_mu", calibration.components_mu());
  certificate.set("gap_deviation", calibration.gap_deviation());
  certificate.set("margin", calibration.margin());
  describe_sampler(plan);
  certificate.assumptions.push_back(
      "given the noisy gap, a draw is as private as in the limit of many dimensions and rows: at "
      "finite size this is not proved. The delta is a bound on its average over the noise on the "
      "gap, for all eigenvalues");
  return plan;
}

}  // namespace modicum
