// calibrate objective: the noise of objective perturbation, beside what earlier theorems ask for.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "interfaces/calibrate/noise_certificate.h"
#include "interfaces/command.h"
#include "interfaces/data_commands.h"
#include "data/number_text.h"
#include "interfaces/wording.h"
#include "modicum/mechanisms/objective_perturbation.h"

namespace modicum {
namespace {

struct ObjectiveRequest {
  NumberOptions numbers;
  std::string loss;
  CommonFlags flags;

  PrivacyTarget target() const { return {numbers.at("--epsilon"), numbers.at("--delta")}; }
  double count() const { return numbers.at("--count"); }
  ObjectiveBounds bounds() const {
    return {numbers.at("--lipschitz"), numbers.at("--smoothness"), numbers.at("--regularization"),
            signs()};
  }

 private:
  SlopeSigns signs() const {
    if (loss.empty()) return SlopeSigns::both;
    const auto known = slope_signs_of(loss);
    if (!known)
      throw InvalidParameter(
          "--loss", in_quotes(loss),
          fmt::format("must be one of: {}", fmt::join(objective_loss_names(), ", ")));
    return *known;
  }
};

Certificate certificate_of(const Calibration& found, const ObjectiveRequest& request) {
  const ObjectiveBounds bounds = request.bounds();
  Certificate certificate("objective_perturbation", request.target(), found.achieved);
  certificate.parameters = {{"standard_deviation", found.parameter},
                            {"lipschitz", bounds.lipschitz},
                            {"smoothness", bounds.smoothness},
                            {"regularization", bounds.regularization},
                            {"count", request.count()}};
  if (!request.loss.empty()) certificate.set("loss", request.loss);
  certificate.attained = false;
  certificate.adjacency = "add or remove one record";
  certificate.assumptions = {
      fmt::format(
          "every record's loss is a convex function f of x^T theta with |f'| |x| at most {} "
          "and f'' |x|^2 at most {}",
          bounds.lipschitz, bounds.smoothness),
      fmt::format("what is minimized is the sum of the losses, {}/2 |theta|^2 over all "
                  "coefficients, a public convex function, and b^T theta, over all of the space; "
                  "each number of b is normal with the standard deviation named",
                  bounds.regularization),
      "the exact minimizer is released; how it is computed and rounded, and how b is sampled, is "
      "not covered"};
  if (bounds.signs == SlopeSigns::one)
    certificate.assumptions.push_back("f' has one sign for each record, whatever theta is");
  if (request.count() > 1.0)
    certificate.assumptions.push_back(
        fmt::format("{} releases, each with fresh noise", request.count()));
  certificate.theorem = "docs/derivations/objective-perturbation.md";
  certificate.time = std::chrono::system_clock::now();
  return certificate;
}

std::string in_words(const std::optional<double>& value) {
  return value ? fmt::format("{:.7g}", *value) : "cannot meet the target";
}

std::string for_people(const Certificate& certificate, double deviation,
                       const std::optional<PublishedObjectiveNoise>& published) {
  const PrivacyTarget& target = certificate.target;
  std::vector<std::vector<std::string>> rows{{"standard deviation", fmt::format("{}", deviation)}};
  if (published) {
    rows.push_back({"by the theorem of 2023", in_words(published->redberg_koskela_wang)});
    std::string classical = in_words(published->kifer_smith_thakurta);
    if (published->least_regularization)
      classical += fmt::format(", with a regularization of {:.7g} or more",
                               *published->least_regularization);
    rows.push_back({"by the theorem of 2012", classical});
  }
  rows.push_back(
      {fmt::format("delta at epsilon {}", target.epsilon), at_most(certificate.achieved.delta())});
  return fmt::format(
      "The least noise that makes objective perturbation ({}, {})-differentially "
      "private:\n\n{}\n{}",
      target.epsilon, target.delta, table(rows), proof_with_assumptions(certificate));
}

Value or_null(const std::optional<double>& value) { return value ? Value(*value) : Value(nullptr); }

std::string answer(const ObjectiveRequest& request) {
  const ProgressLine progress("calibrating");
  const Calibration found =
      calibrate_objective_perturbation(request.target(), request.bounds(), request.count());
  const Certificate certificate = certificate_of(found, request);
  // The theorems are about one release.
  std::optional<PublishedObjectiveNoise> published;
  if (request.count() == 1.0)
    published = published_objective_noise(request.target(), request.bounds());
  if (!request.flags.json) return for_people(certificate, found.parameter, published);
  Value result{{"standard_deviation", found.parameter}};
  if (published) {
    result["published_standard_deviation"] = or_null(published->redberg_koskela_wang);
    result["classical_standard_deviation"] = or_null(published->kifer_smith_thakurta);
    result["classical_least_regularization"] = or_null(published->least_regularization);
  }
  result["delta"] = to_json(found.achieved.delta());
  result["certificate"] = to_json(certificate);
  return json_line(result);
}

}  // namespace

void add_objective_calibration(CLI::App& calibrate, CommandResult& output) {
  CLI::App* command = add_command(
      calibrate, "objective", "standard deviation of the noise of objective perturbation",
      "  modicum calibrate objective --epsilon 1 --delta 1e-6 --lipschitz 1 --smoothness 0.25 "
      "--regularization 10 --loss logistic");
  const auto request = std::make_shared<ObjectiveRequest>();
  NumberOptions& numbers = request->numbers;
  numbers.add(*command, "--epsilon", "privacy loss bound, at least 0");
  numbers.add(*command, "--delta", "above 0 and below 1");
  numbers.add(*command, "--lipschitz",
              "largest norm of the gradient of one record's loss, above 0");
  numbers.add(*command, "--smoothness",
              "largest second derivative of one record's loss times its squared norm, at least 0");
  numbers.add(*command, "--regularization", "lambda of lambda/2 |theta|^2, above 0");
  numbers.add(*command, "--count", "number of releases, 1 by default", "1");
  command->add_option(
      "--loss", request->loss,
      fmt::format("{}; any convex one where not given", fmt::join(objective_loss_names(), ", ")));
  add_proved_flags(*command, request->flags);
  command->callback([&output, request] {
    std::ranges::replace(request->loss, '-', '_');
    output = answer(*request);
  });
}

}  // namespace modicum
