#include "interfaces/component_request.h"

#include <fmt/format.h>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/privacy/profile.h"

namespace modicum {
namespace {

constexpr double usual_delta = 1e-6;

const Choices<ComponentMethod>& methods() {
  using enum ComponentMethod;
  static const Choices<ComponentMethod> all = [] {
    Choices<ComponentMethod> made;
    for (const ComponentMethod method :
         {exponential, joint, adaptive, gaussian_orthogonal_ensemble, analyze_gauss, wishart})
      made.push_back({name_of(method), method});
    return made;
  }();
  return all;
}

ComponentSampler sampler_of(const ComponentOptions& options) {
  static const Choices<ComponentSampler> all{{"gibbs", ComponentSampler::gibbs},
                                             {"gaussian", ComponentSampler::gaussian}};
  return chosen("--sampler", options.word("--sampler"), all);
}

// Whoever asks for a mu wants the limit. Of what is proved, noise on the second moments is better
// where a delta is allowed and the components are of any use (docs/principal-components.md); public
// numbers alone decide.
ComponentMethod method_of(const ComponentOptions& options) {
  using enum ComponentMethod;
  const std::string& name = options.word("--method");
  if (!name.empty()) return chosen("--method", name, methods());
  if (options.given("--mu")) return adaptive;
  const bool allows_delta = options.number("--delta").value_or(0.0) > 0.0;
  return allows_delta && !options.given("--beta") ? gaussian_orthogonal_ensemble : exponential;
}

double required(const ComponentOptions& options, const char* name, const char* unless) {
  const auto value = options.number(name);
  if (!value) throw UsageError(fmt::format("{} is missing, but must be given{}", name, unless));
  return *value;
}

}  // namespace

void add_component_request(CLI::App& command, ComponentOptions& options) {
  options.add_number(command, "--components", "how many (required)");
  options.add_word(command, "--method",
                   "gaussian-orthogonal-ensemble (the default), exponential (the default with\n"
                   "--delta 0 or --beta), joint, adaptive (the default with --mu), analyze-gauss\n"
                   "or wishart",
                   "");
  options.add_number(command, "--epsilon", "privacy loss bound, at least 0");
  options.add_number(command, "--delta",
                     "at least 0 and below 1; with --beta 0 by default, with --mu 1e-6");
  options.add_number(command, "--beta",
                     "exponential, joint: a public number, in place of --epsilon; needs --rows");
  options.add_number(command, "--mu",
                     "adaptive: of Gaussian differential privacy in the limit of many dimensions,\n"
                     "in place of --epsilon");
  options.add_number(command, "--rows", "about how many rows there are, a public number");
  options.add_number(command, "--calibration-share",
                     "adaptive: share of mu^2 for finding beta, 0.1 by default");
  options.add_word(command, "--sampler", "joint, adaptive: gibbs (the default) or gaussian",
                   "gibbs");
  options.add_number(command, "--sweeps", "of Gibbs sampling, 50 by default");
}

ComponentRequest component_request(const ComponentOptions& options) {
  ComponentRequest request;
  request.components = required(options, "--components", "");
  request.method = method_of(options);
  request.scaling = options.scaling();
  request.sampler = sampler_of(options);
  if (options.given("--sampler") && request.method != ComponentMethod::joint &&
      request.method != ComponentMethod::adaptive)
    options.refuse({"--sampler"}, "for this method");
  request.sweeps = options.number("--sweeps");
  request.rows = options.number("--rows");
  request.beta = options.number("--beta");
  request.mu = options.number("--mu");
  request.calibration_share = options.number("--calibration-share");
  return request;
}

PrivacyTarget component_target(const ComponentOptions& options, const ComponentRequest& request,
                               double dimension) {
  const auto delta = options.number("--delta");
  if (request.beta) {
    options.refuse({"--epsilon", "--mu"}, "with --beta");
    return {epsilon_of_beta(request, dimension, delta.value_or(0.0)), delta.value_or(0.0)};
  }
  if (request.mu) {
    options.refuse({"--epsilon"}, "with --mu");
    const double failure = delta.value_or(usual_delta);
    const PrivacyTarget checked(0.0, failure);
    return {epsilon_at(gaussian_differential_privacy(require_positive("--mu", *request.mu)),
                       checked.delta, Accuracy::certified)
                .value.upper(),
            failure};
  }
  return {required(options, "--epsilon", ", unless --beta or --mu is"),
          required(options, "--delta", ", unless --beta or --mu is")};
}

}  // namespace modicum
