// calibrate objective: the noise of objective perturbation, beside what earlier theorems ask for.
#include <fmt/format.h>

#include <chrono>

#include "interfaces/calibrate/calibrate.h"
#include "modicum/release/budget.h"
#include "modicum/release/certificate.h"
#include "release/certificates/certificate_json.h"
#include "release/descriptions/mechanisms.h"

namespace modicum {
namespace {

Choices<std::string> named_objectives() {
  Choices<std::string> choices;
  for (const std::string_view name : objective_loss_names())
    choices.push_back({std::string(name), std::string(name)});
  return choices;
}

struct ObjectiveJob {
  PrivacyBudget budget = {};
  described::ObjectivePerturbation mechanism = {};  // all but its noise
  double count = 1.0;

  void fields(Fields& fields) {
    budget.fields(fields, "above 0 and below 1");
    fields
        .add("lipschitz", mechanism.lipschitz,
             "largest norm of the gradient of one record's loss, above 0")
        .required();
    fields
        .add("smoothness", mechanism.smoothness,
             "largest second derivative of one record's loss times its squared norm, at least 0")
        .required();
    fields.add("regularization", mechanism.regularization, "lambda of lambda/2 |theta|^2, above 0")
        .required();
    fields.add("count", count, "number of releases, 1 by default").synonym("steps");
    fields.choice("loss", mechanism.objective, named_objectives(),
                  "of one record; any convex one where not given");
  }
};

std::vector<std::string> assumptions(const ObjectiveBounds& bounds, double count) {
  std::vector<std::string> all{
      fmt::format("every record's loss is a convex function f of x^T theta with |f'| |x| at most "
                  "{} and f'' |x|^2 at most {}",
                  bounds.lipschitz, bounds.smoothness),
      fmt::format("what is minimized is the sum of the losses, {}/2 |theta|^2 over all "
                  "coefficients, a public convex function, and b^T theta, over all of the space; "
                  "each number of b is normal with the standard deviation named",
                  bounds.regularization),
      "the exact minimizer is released; how it is computed and rounded, and how b is sampled, is "
      "not covered"};
  if (bounds.signs == SlopeSigns::one)
    all.push_back("f' has one sign for each record, whatever theta is");
  if (bounds.tie == CurvatureTie::logistic)
    all.push_back("the loss of a record is log(1 + exp(-y x^T theta)), or a multiple of it");
  if (bounds.tie == CurvatureTie::log_cosh)
    all.push_back(
        "the loss of a record is t^2 log cosh((x^T theta - y)/t): f'' falls as 1 - (f'/t)^2");
  if (count > 1.0) all.push_back(fmt::format("{} releases, each with fresh noise", count));
  return all;
}

Certificate certificate_of(const ObjectiveJob& job, const Calibration& found) {
  described::ObjectivePerturbation mechanism = job.mechanism;
  mechanism.standard_deviation = found.parameter;
  Certificate certificate(mechanism.name, job.budget.target(), found.achieved);
  certificate.parameters = {{"standard_deviation", mechanism.standard_deviation},
                            {"lipschitz", mechanism.lipschitz},
                            {"smoothness", mechanism.smoothness},
                            {"regularization", mechanism.regularization},
                            {"count", job.count}};
  if (mechanism.objective) certificate.set("loss", *mechanism.objective);
  certificate.attained = false;
  certificate.adjacency = "add or remove one record";
  certificate.assumptions = assumptions(mechanism.bounds(), job.count);
  certificate.theorem = "docs/derivations/objective-perturbation.md";
  certificate.loss = description_of(mechanism, job.count);
  certificate.time = std::chrono::system_clock::now();
  return certificate;
}

std::string in_words(const std::optional<double>& value) {
  return value ? fmt::format("{:.7g}", *value) : "cannot meet the target";
}

void add_published(Reply& reply, const PublishedObjectiveNoise& published) {
  reply.add("published_standard_deviation", "by the theorem of 2023",
            published.redberg_koskela_wang, in_words(published.redberg_koskela_wang));
  std::string classical = in_words(published.kifer_smith_thakurta);
  if (published.least_regularization)
    classical +=
        fmt::format(", with a regularization of {:.7g} or more", *published.least_regularization);
  reply.add("classical_standard_deviation", "by the theorem of 2012",
            published.kifer_smith_thakurta, classical);
  reply.tell("classical_least_regularization", published.least_regularization);
}

Reply run(const ObjectiveJob& job, Progress& progress) {
  progress.begin("calibrating");
  const PrivacyTarget target = job.budget.target();
  const ObjectiveBounds bounds = job.mechanism.bounds();
  const Calibration found = calibrate_objective_perturbation(target, bounds, job.count);
  const Certificate certificate = certificate_of(job, found);
  Reply reply;
  reply.say(fmt::format(
      "The least noise that makes objective perturbation ({}, {})-differentially private:\n",
      target.epsilon, target.delta));
  reply.add("standard_deviation", "standard deviation", found.parameter);
  // The theorems are about one release.
  if (job.count == 1.0) add_published(reply, published_objective_noise(target, bounds));
  reply.add("delta", fmt::format("delta at epsilon {}", target.epsilon), found.achieved.delta());
  reply.tell("certificate", to_json(certificate));
  return reply.say(proof_with_assumptions(certificate));
}

}  // namespace

JobKind objective_calibration() {
  return job_kind<ObjectiveJob>(
      "calibrate objective", "standard deviation of the noise of objective perturbation",
      "  modicum calibrate objective --epsilon 1 --delta 1e-6 --lipschitz 1 --smoothness 0.25 \\\n"
      "    --regularization 10 --loss logistic");
}

}  // namespace modicum
