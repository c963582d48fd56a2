// calibrate: least noise that meets a privacy target.
#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "interfaces/certificate.h"
#include "interfaces/command.h"
#include "interfaces/wording.h"
#include "modicum/calibration/calibrate.h"

namespace modicum {
namespace {

// One additive mechanism: how its noise is found, named and explained.
struct NoiseKind {
  std::string command, what, mechanism, parameter, parameter_words, distance, theorem;
  Calibration (*calibrate)(const PrivacyTarget&, double sensitivity, double count, Mode);
  double (*mean_squared_error)(double parameter);
};

struct CalibrateRequest {
  std::string epsilon, delta, sensitivity, count = "1";
  CommonFlags flags;
};

// The library's functions have a default mode, so they are called by name.
const NoiseKind gaussian_noise{
    "gaussian",
    "standard deviation of Gaussian noise",
    "gaussian",
    "standard_deviation",
    "standard deviation",
    "Euclidean distance",
    "docs/derivations/gaussian-spectrum.md",
    [](const PrivacyTarget& target, double sensitivity, double count, Mode mode) {
      return calibrate_gaussian(target, sensitivity, count, mode);
    },
    [](double deviation) { return deviation * deviation; }};

const NoiseKind laplace_noise{
    "laplace",
    "scale of Laplace noise",
    "laplace",
    "scale",
    "scale",
    "distance",
    "docs/derivations/atoms.md",
    [](const PrivacyTarget& target, double sensitivity, double count, Mode mode) {
      return calibrate_laplace(target, sensitivity, count, mode);
    },
    [](double scale) { return 2.0 * scale * scale; }};

std::vector<std::string> assumptions(const NoiseKind& kind, double sensitivity, double count) {
  std::vector<std::string> result{
      fmt::format("the answers on neighbouring data sets differ by at most {} in {}", sensitivity,
                  kind.distance),
      "the noise has exactly the continuous law named, independent of the data; how it is sampled "
      "and rounded is not covered"};
  if (count > 1.0)
    result.push_back(
        fmt::format("{} answers, each with fresh noise of this size; later questions "
                    "may depend on earlier answers",
                    count));
  return result;
}

std::string for_people(const NoiseKind& kind, const Certificate& certificate, double parameter,
                       double error, double count) {
  const ProfilePoint& achieved = certificate.achieved;
  std::string out =
      fmt::format("The least noise that makes {} ({}, {})-differentially private:\n\n",
                  count == 1.0 ? "one answer" : fmt::format("{} answers together", count),
                  certificate.target.epsilon, certificate.target.delta);
  // The parameter in full: rounded down it would no longer be safe.
  out += table({{kind.parameter_words, fmt::format("{}", parameter)},
                {"mean squared error", fmt::format("{:.7g} (each number of each answer)", error)},
                {fmt::format("delta at epsilon {}", certificate.target.epsilon),
                 at_most(achieved.delta())}});
  out += "\nProved, provided that\n";
  for (const std::string& assumption : certificate.assumptions)
    out += fmt::format("  - {}\n", assumption);
  return out;
}

std::string answer(const NoiseKind& kind, const CalibrateRequest& request) {
  const PrivacyTarget target(parse_number("--epsilon", request.epsilon),
                             parse_number("--delta", request.delta));
  const double sensitivity = parse_number("--sensitivity", request.sensitivity);
  const double count = parse_number("--count", request.count);
  const Progress progress("calibrating");
  const Calibration found = kind.calibrate(target, sensitivity, count, Mode::certified);
  const double error = kind.mean_squared_error(found.parameter);
  const Certificate certificate{
      kind.mechanism,
      {{kind.parameter, found.parameter}, {"sensitivity", sensitivity}, {"count", count}},
      target,
      found.achieved,
      fmt::format("two data sets whose answers differ by at most {} in {}", sensitivity,
                  kind.distance),
      assumptions(kind, sensitivity, count),
      kind.theorem,
      std::chrono::system_clock::now()};
  if (!request.flags.json) return for_people(kind, certificate, found.parameter, error, count);
  return json_line({{kind.parameter, found.parameter},
                    {"mean_squared_error", error},
                    {"delta", to_json(found.achieved.delta())},
                    {"certificate", to_json(certificate)}});
}

void add_noise_kind(CLI::App& parent, std::string& output, const NoiseKind& kind) {
  CLI::App* command = add_command(
      parent, kind.command, kind.what,
      fmt::format("  modicum calibrate {} --epsilon 1 --delta 1e-6 --sensitivity 1", kind.command));
  const auto request = std::make_shared<CalibrateRequest>();
  const auto add_number = [&](const char* name, std::string& place, const char* help) {
    return command->add_option(name, place, help)->type_name("NUMBER");
  };
  add_number("--epsilon", request->epsilon, "privacy loss bound, at least 0")->required();
  add_number("--delta", request->delta, "at least 0 and below 1")->required();
  add_number("--sensitivity", request->sensitivity,
             "largest distance of the answers on neighbouring data sets")
      ->required();
  add_number("--count", request->count, "number of answers, 1 by default");
  command->add_flag("--json", request->flags.json, "print one JSON object");
  CLI::Option* fast =
      command->add_flag("--fast", request->flags.fast, "no effect: a calibration ends in a proof");
  command->add_flag("--certified", request->flags.certified, "no effect: it always is")
      ->excludes(fast);
  command->callback([&output, &kind, request] { output = answer(kind, *request); });
}

}  // namespace

void add_calibrate_command(CLI::App& program, std::string& output) {
  CLI::App* calibrate =
      add_command(program, "calibrate", "least noise that meets a privacy target",
                  "  modicum calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1");
  calibrate->require_subcommand(1);
  add_noise_kind(*calibrate, output, gaussian_noise);
  add_noise_kind(*calibrate, output, laplace_noise);
}

}  // namespace modicum
