// optimize: which noise of a family has the least error for a privacy target.
#include <fmt/format.h>

#include <memory>

#include "interfaces/calibrate/noise_certificate.h"
#include "interfaces/command.h"
#include "interfaces/wording.h"
#include "modicum/mechanisms/spherical_optimum.h"

namespace modicum {
namespace {

struct OptimizeRequest {
  NumberOptions numbers;
  bool advantage = false;
  const CLI::Option* delta = nullptr;
  CommonFlags flags;
};

// The optimum for a delta that was given, or that was sought.
struct Optimum {
  PrivacyTarget target;
  SphericalOptimum found;
};

Optimum optimum_of(const OptimizeRequest& request) {
  const double dimension = request.numbers.at("--dimension");
  const double epsilon = request.numbers.at("--epsilon");
  const double sensitivity = request.numbers.at("--sensitivity");
  if (request.advantage) {
    const ProgressLine progress("looking for the largest advantage");
    const SphericalAdvantage best = largest_spherical_advantage(epsilon, dimension, sensitivity);
    return {{epsilon, best.delta}, best.optimum};
  }
  if (request.delta->count() == 0)
    throw UsageError("--delta is missing, but must be given, or --advantage instead");
  const PrivacyTarget target(epsilon, request.numbers.at("--delta"));
  const ProgressLine progress("optimizing");
  return {target, optimize_spherical(target, dimension, sensitivity)};
}

Certificate certificate_of(const Optimum& optimum, double sensitivity) {
  const SphericalNoise& noise = optimum.found.noise;
  return noise_certificate({"spherical_generalized_gamma",
                            {{"dimension", noise.dimension},
                             {"alpha", noise.alpha},
                             {"beta", noise.beta},
                             {"p", noise.p}},
                            sensitivity,
                            1.0,
                            "Euclidean distance",
                            "docs/derivations/spherical.md"},
                           optimum.target, optimum.found.achieved);
}

Value in_json(const Optimum& optimum, const Certificate& certificate, bool advantage) {
  const SphericalOptimum& found = optimum.found;
  Value result{{"alpha", found.noise.alpha},
              {"beta", found.noise.beta},
              {"p", found.noise.p},
              {"mean_squared_error", found.mean_squared_error},
              {"gaussian_mean_squared_error", found.gaussian_mean_squared_error},
              {"l2_mean_squared_error", found.l2_mean_squared_error},
              {"gain", found.gain()}};
  if (advantage) result["target_delta"] = optimum.target.delta;
  result["delta"] = to_json(found.achieved.delta());
  result["certificate"] = to_json(certificate);
  return result;
}

std::string for_people(const Optimum& optimum, const Certificate& certificate, bool advantage) {
  const SphericalOptimum& found = optimum.found;
  const PrivacyTarget& target = optimum.target;
  const auto in_full = [](double value) { return fmt::format("{}", value); };
  const auto error = [](double value) { return fmt::format("{:.7g}", value); };
  return fmt::format(
      "The spherical noise of least error found that makes one answer ({}, {})-differentially "
      "private:\n\n{}\n"
      "Errors are of the whole vector. The gain is over the better of Gaussian and l2. That no\n"
      "other alpha and p would do better is not proved; the guarantee is.{}\n\n{}",
      target.epsilon, target.delta,
      table(
          {{"alpha", in_full(found.noise.alpha)},
           {"beta", in_full(found.noise.beta)},
           {"p", in_full(found.noise.p)},
           {"mean squared error", error(found.mean_squared_error)},
           {"  of Gaussian noise", error(found.gaussian_mean_squared_error)},
           {"  of l2 noise", error(found.l2_mean_squared_error)},
           {"gain", fmt::format("{:.2f} %", 100.0 * found.gain())},
           {fmt::format("delta at epsilon {}", target.epsilon), at_most(found.achieved.delta())}}),
      advantage ? "\nAt this delta Gaussian and l2 noise have the same error." : "",
      proof_with_assumptions(certificate));
}

std::string answer(const OptimizeRequest& request) {
  const Optimum optimum = optimum_of(request);
  const Certificate certificate = certificate_of(optimum, request.numbers.at("--sensitivity"));
  return request.flags.json ? json_line(in_json(optimum, certificate, request.advantage))
                            : for_people(optimum, certificate, request.advantage);
}

}  // namespace

void add_optimize_command(CLI::App& program, CommandResult& output) {
  const std::string example =
      "  modicum optimize spherical --dimension 3 --epsilon 1 --delta 1e-5 --sensitivity 1";
  CLI::App* optimize =
      add_command(program, "optimize", "noise of least error for a privacy target", example);
  optimize->require_subcommand(1);
  CLI::App* command =
      add_command(*optimize, "spherical",
                  "alpha, beta and p of spherical noise, radius with density proportional to\n"
                  "r^alpha exp(-beta r^p)",
                  example +
                      "\n  modicum optimize spherical --dimension 3 --epsilon 0.1 --sensitivity 1 "
                      "--advantage");
  const auto request = std::make_shared<OptimizeRequest>();
  NumberOptions& numbers = request->numbers;
  numbers.add(*command, "--dimension", "how many numbers an answer has");
  numbers.add(*command, "--epsilon", "privacy loss bound, above 0");
  CLI::Option* delta = numbers.add(*command, "--delta", "above 0 and below 1")->required(false);
  numbers.add(*command, "--sensitivity",
              "largest Euclidean distance of the answers on neighboring data sets");
  command
      ->add_flag(
          "--advantage", request->advantage,
          "take the delta at which Gaussian and l2 noise have the same error, instead of --delta")
      ->excludes(delta);
  request->delta = delta;
  add_proved_flags(*command, request->flags);
  command->callback([&output, request] { output = answer(*request); });
}

}  // namespace modicum
