// compare components: private principal components of one data set, by every method on one budget.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>

#include "interfaces/component_options.h"
#include "interfaces/contest.h"
#include "release/component_basis.h"

namespace modicum {
namespace {

struct ComparisonOptions : ComponentOptions {
  std::vector<std::string> methods;
};

struct Task {
  ComponentTable from;
  SecondMoments moments;
  ComponentBasis truth;
};

ComponentRequest request_of(const ComparisonOptions& options, ComponentMethod method) {
  ComponentRequest request;
  request.components = *options.number("--components");
  request.method = method;
  request.scaling = options.scaling();
  if (method == ComponentMethod::adaptive) {
    request.rows = options.number("--rows");
    request.calibration_share = options.number("--calibration-share");
  }
  return request;
}

Candidate candidate(const Task& task, const std::string& name, const PrivacyTarget& target,
                    const ComponentRequest& request) {
  const ComponentPlan plan = plan_components(target, task.from.rows, request);
  return {name, plan.certificate, 0.0, [&task, plan](RandomSource& source) {
            const Released released = std::visit(
                [&](const auto& given) { return release_components(plan, given, source); },
                task.moments);
            const ComponentErrors errors = component_errors(released.values, task.truth);
            return std::vector<double>{errors.spectral, errors.frobenius, errors.captured};
          }};
}

void enter_all(Contest& contest, const Task& task, const ComparisonOptions& options,
               const PrivacyTarget& target) {
  using enum ComponentMethod;
  const auto enter = [&](const std::string& name, const PrivacyTarget& own,
                         ComponentMethod method) {
    contest.enter(name, [&] { return candidate(task, name, own, request_of(options, method)); });
  };
  for (const ComponentMethod method : {exponential, gaussian_orthogonal_ensemble, analyze_gauss})
    enter(name_of(method), target, method);
  if (options.ranks) contest.leave_out(name_of(wishart), "there is no bound on it for ranks");
  else enter(name_of(wishart), target, wishart);
  if (target.delta > 0.0) enter("pure-exponential", {target.epsilon, 0.0}, exponential);
  enter(name_of(joint), target, joint);
  if (options.given("--rows")) enter(name_of(adaptive), target, adaptive);
  else contest.leave_out(name_of(adaptive), "--rows is not given");
}

std::string answer(const ComparisonOptions& options) {
  require_confidential(options, "errors on a data set tell about its rows");
  const PrivacyTarget target = options.target();
  const std::size_t trials = trial_count(options);
  const auto components = options.number("--components");
  if (!components) throw UsageError("--components is missing, but must be given");
  ComponentTable from(options);
  SecondMoments moments = from.moments(options);
  ComponentBasis truth = component_basis(normalized(from, moments), 1.0);
  const Task task{std::move(from), std::move(moments), std::move(truth)};
  Contest contest({{"spectral_error", "spectral error"},
                   {"frobenius_error", "Frobenius error"},
                   {"captured", "variance captured"}},
                  trials, options.methods);
  enter_all(contest, task, options, target);
  contest.run();
  if (options.given("--json"))
    return json_line({{"confidential", true},
                      {"trials", trials},
                      {"dimension", task.from.dimension()},
                      {"components", *components},
                      {"methods", contest.methods_json()},
                      {"left_out", contest.left_out_json()}});
  return fmt::format(
      "{}\n{} of {} principal components, ({}, {})-differentially private, {} trials each:\n\n{}\n"
      "Errors are squared norms of U U^T - V V^T, U the true components: 0 is best; in the "
      "spectral norm 1,\nin Frobenius' {} is worst. The variance captured is Tr V^T S V over Tr "
      "U^T S U. Not proved: joint\nfor more than one component (an approximate sampler), adaptive "
      "(right in the limit of many dimensions).\n{}",
      confidential_heading, *components, task.from.dimension(), target.epsilon, target.delta,
      trials, contest.methods_in_words(), 2.0 * *components, contest.remarks_in_words());
}

}  // namespace

void add_component_comparison(CLI::App& compare, CommandResult& output) {
  CLI::App* command = add_command(
      compare, "components", "errors of private principal components of one data set",
      "  modicum compare components examples/genotypes.csv --exclude region --range-of-all 0:2 \\\n"
      "    --components 2 --epsilon 1 --delta 1e-6 --confidential");
  const auto options = std::make_shared<ComparisonOptions>();
  options->add_data_to(*command);
  options->add_scaling_to(*command);
  options->add_target_to(*command);
  options->add_number(*command, "--components", "how many (required)");
  command->add_option("--method", options->methods, "methods to compare, all by default")
      ->type_name("NAME");
  options->add_number(*command, "--rows",
                      "adaptive: about how many rows there are, a public number");
  options->add_number(*command, "--calibration-share",
                      "adaptive: share of mu^2 for finding beta, 0.1 by default");
  options->add_number(*command, "--trials", "releases by each method, 100 by default");
  command->callback([&output, options] { output = answer(*options); });
}

}  // namespace modicum
