// compare components: private principal components of one data set, by every method on one budget.
#include <fmt/format.h>

#include "interfaces/compare/compare.h"
#include "interfaces/compare/contest.h"
#include "interfaces/release/component_fields.h"
#include "interfaces/release/output.h"
#include "modicum/release/budget.h"
#include "modicum/release/centered_components.h"
#include "release/components/component_basis.h"

namespace modicum {
namespace {

constexpr const char* centered_name = "centered";

struct ComponentComparison {
  ComponentFields table = {};
  ConfidentialField confidential = {};
  PrivacyBudget budget = {};
  double components = 0.0;
  ContestFields contest = {};
  std::optional<double> rows = {}, calibration_share = {};

  void fields(Fields& fields) {
    table.table_fields(fields);
    confidential.required_field(fields);
    table.scaling_fields(fields);
    budget.fields(fields);
    fields.add("components", components, "how many").required();
    contest.fields(fields);
    fields.add("rows", rows, "adaptive: about how many rows there are, a public number");
    fields.add("calibration_share", calibration_share,
               "adaptive: share of the squared mu for the gap, 0.2 by default");
  }
};

// Trials refer to it while the contest lasts.
struct ComponentTask {
  ComponentRows from;
  SecondMoments moments;
  ComponentBasis truth;
  mutable std::size_t in_vain = 0;  // runs that found nothing
};

ComponentRequest request_of(const ComponentComparison& job, ComponentMethod method) {
  ComponentRequest request;
  request.components = job.components;
  request.method = method;
  request.scaling = job.table.scaling();
  if (method == ComponentMethod::adaptive) {
    request.rows = job.rows;
    request.calibration_share = job.calibration_share;
  }
  return request;
}

Candidate candidate(const ComponentTask& task, const std::string& name, const PrivacyTarget& target,
                    const ComponentRequest& request) {
  const ComponentPlan plan = plan_components(target, task.from.rows, request);
  return {name, plan.certificate, 0.0, [&task, plan](RandomSource& source) {
            const Released released = std::visit(
                [&](const auto& given) { return release_components(plan, given, source); },
                task.moments);
            if (found_nothing(released)) ++task.in_vain;
            const ComponentErrors errors = component_errors(released.values, task.truth);
            return std::vector<double>{errors.spectral, errors.frobenius, errors.captured};
          }};
}

// About private means; its errors are those against the true components about the true mean.
Candidate centered_candidate(const ComponentTask& task, const PrivacyTarget& target,
                             const ComponentComparison& job) {
  const CenteredPlan plan = plan_centered_components(target, task.from.rows, job.components);
  return {centered_name, plan.certificate, 0.0, [&task, &job, plan](RandomSource& source) {
            Progress nobody;
            const auto begin = [&] { return job.table.source.read_options(nobody); };
            const Released released =
                release_centered_components(plan, task.from.table, task.from.rule, begin, source);
            const Diagnostics errors = diagnose_centered_components(plan, released, task.from.table,
                                                                    task.from.rule, begin());
            return std::vector<double>{number_in(errors, "spectral_error"),
                                       number_in(errors, "frobenius_error"),
                                       number_in(errors, "variance_captured")};
          }};
}

void enter_all(Contest& contest, const ComponentTask& task, const ComponentComparison& job,
               const PrivacyTarget& target) {
  using enum ComponentMethod;
  const auto enter = [&](const std::string& name, const PrivacyTarget& own,
                         ComponentMethod method) {
    contest.enter(name, [&] { return candidate(task, name, own, request_of(job, method)); });
  };
  if (job.table.ranks) contest.leave_out(centered_name, "ranks are about their medians");
  else contest.enter(centered_name, [&] { return centered_candidate(task, target, job); });
  for (const ComponentMethod method : {exponential, gaussian_orthogonal_ensemble, analyze_gauss})
    enter(name_of(method), target, method);
  if (job.table.ranks) contest.leave_out(name_of(wishart), "there is no bound on it for ranks");
  else enter(name_of(wishart), target, wishart);
  if (target.delta > 0.0) enter("pure-exponential", {target.epsilon, 0.0}, exponential);
  enter(name_of(joint), target, joint);
  if (job.components < task.from.dimension()) enter(name_of(adaptive), target, adaptive);
  else contest.leave_out(name_of(adaptive), "there is no gap after all directions");
}

ComponentTask read(const ComponentComparison& job, Progress& progress) {
  ComponentRows from(job.table);
  SecondMoments moments = from.moments(job.table, progress);
  ComponentBasis truth = component_basis(from.normalized(moments), 1.0);
  return {std::move(from), std::move(moments), std::move(truth)};
}

Reply run(const ComponentComparison& job, Progress& progress) {
  job.confidential.require("errors on a data set tell about its rows");
  const PrivacyTarget target = job.budget.target();
  Contest contest({{"spectral_error", "spectral error"},
                   {"frobenius_error", "Frobenius error"},
                   {"captured", "variance captured"}},
                  job.contest);
  const ComponentTask task = read(job, progress);
  enter_all(contest, task, job, target);
  contest.run(progress);
  Reply reply;
  reply.say(fmt::format(
      "{}\n{} of {} principal components, ({}, {})-differentially private, {} trials each:\n",
      confidential_heading, job.components, task.from.dimension(), target.epsilon, target.delta,
      contest.trials()));
  reply.tell("confidential", true).tell("trials", contest.trials());
  reply.tell("dimension", task.from.dimension()).tell("components", job.components);
  contest.tell(
      reply,
      fmt::format("Errors are squared norms of U U^T - V V^T, U the true components: 0 is best; in "
                  "the spectral norm 1,\nin Frobenius' {} is worst, and what a run that finds "
                  "nothing counts as. The variance captured is\nTr V^T S V over Tr U^T S U. Not "
                  "proved: joint for more than one component (an approximate\nsampler), adaptive "
                  "(right in the limit of many dimensions). The default of release components is "
                  "centered,\nabout private means: its truth is about the mean, that of the others "
                  "about the origin.\n{}",
                  2.0 * job.components,
                  task.in_vain == 0
                      ? ""
                      : fmt::format("Runs of adaptive that found nothing: {}.\n", task.in_vain)));
  return reply;
}

}  // namespace

JobKind component_comparison() {
  return job_kind<ComponentComparison>(
      "compare components", "errors of private principal components of one data set",
      "  modicum compare components examples/genotypes.csv --exclude region --range-of-all 0:2 \\\n"
      "    --components 2 --epsilon 1 --delta 1e-6 --confidential");
}

}  // namespace modicum
