// calibrate: least noise that meets a privacy target. Here noise that is added to answers; what is
// calibrated to the norm of rows is in calibrate_matrix.cpp, objective perturbation in
// calibrate_objective.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "interfaces/certificate.h"
#include "interfaces/command.h"
#include "interfaces/data_commands.h"
#include "interfaces/wording.h"
#include "modicum/calibration/calibrate.h"
#include "modicum/mechanisms/spherical.h"
#include "modicum/mechanisms/subsampled.h"

namespace modicum {
namespace {

// A number that one mechanism needs besides those that all need.
struct OwnNumber {
  std::string option, help, example;
};

// One additive mechanism: how its noise is found, named and explained.
struct NoiseKind {
  std::string command, what, mechanism, parameter, parameter_words, distance, error_words, theorem;
  std::vector<OwnNumber> own_numbers;
  Calibration (*calibrate)(const PrivacyTarget&, const NumberOptions&);
  double (*mean_squared_error)(double parameter, const NumberOptions&);
  void (*qualify)(Certificate&, const NumberOptions&);  // says what else is assumed; may be absent
};

struct CalibrateRequest {
  NumberOptions numbers;
  CommonFlags flags;
};

constexpr const char* euclidean = "Euclidean distance";
constexpr const char* of_each_number = "each number of each answer";
constexpr const char* of_the_vector = "the whole vector of each answer";
const OwnNumber dimension{"--dimension", "how many numbers an answer has", "10"};

void qualify_sampling(Certificate& certificate, const NumberOptions& numbers) {
  certificate.adjacency = fmt::format(
      "adding or removing one record, which moves a sum that it is part of by at most {} in {}",
      numbers.at("--sensitivity"), euclidean);
  certificate.assumptions.front() =
      fmt::format("one record moves a sum that it is part of by at most {} in {}",
                  numbers.at("--sensitivity"), euclidean);
  certificate.assumptions.push_back(
      fmt::format("for each answer each record is drawn with probability {}, independently of the "
                  "others, and nothing else tells who was drawn",
                  numbers.at("--sampling-rate")));
}

const std::vector<NoiseKind>& noise_kinds() {
  static const std::vector<NoiseKind> kinds{
      {"gaussian",
       "standard deviation of Gaussian noise",
       "gaussian",
       "standard_deviation",
       "standard deviation",
       euclidean,
       of_each_number,
       "docs/derivations/gaussian-spectrum.md",
       {},
       [](const PrivacyTarget& target, const NumberOptions& numbers) {
         return calibrate_gaussian(target, numbers.at("--sensitivity"), numbers.at("--count"));
       },
       [](double deviation, const NumberOptions&) { return deviation * deviation; },
       nullptr},
      {"laplace",
       "scale of Laplace noise",
       "laplace",
       "scale",
       "scale",
       "distance",
       of_each_number,
       "docs/derivations/atoms.md",
       {},
       [](const PrivacyTarget& target, const NumberOptions& numbers) {
         return calibrate_laplace(target, numbers.at("--sensitivity"), numbers.at("--count"));
       },
       [](double scale, const NumberOptions&) { return 2.0 * scale * scale; },
       nullptr},
      {"l2",
       "scale of l2 noise, density proportional to exp(-|x| / scale)",
       "l2",
       "scale",
       "scale",
       euclidean,
       of_the_vector,
       "docs/derivations/spherical.md",
       {dimension},
       [](const PrivacyTarget& target, const NumberOptions& numbers) {
         return calibrate_l2(target, numbers.at("--dimension"), numbers.at("--sensitivity"),
                             numbers.at("--count"));
       },
       [](double scale, const NumberOptions& numbers) {
         return SphericalNoise::l2(numbers.at("--dimension"), scale).mean_squared_error();
       },
       nullptr},
      {"spherical",
       "beta of spherical noise, radius with density proportional to r^alpha exp(-beta r^p)",
       "spherical_generalized_gamma",
       "beta",
       "beta",
       euclidean,
       of_the_vector,
       "docs/derivations/spherical.md",
       {dimension,
        {"--alpha", "power of the radius, above -1 and at most dimension - 1", "9"},
        {"--p", "power of the radius in the exponent, above 0", "1.5"}},
       [](const PrivacyTarget& target, const NumberOptions& numbers) {
         return calibrate_spherical(target, numbers.at("--dimension"), numbers.at("--alpha"),
                                    numbers.at("--p"), numbers.at("--sensitivity"),
                                    numbers.at("--count"));
       },
       [](double beta, const NumberOptions& numbers) {
         return SphericalNoise(numbers.at("--dimension"), numbers.at("--alpha"), beta,
                               numbers.at("--p"))
             .mean_squared_error();
       },
       nullptr},
      {"subsampled-gaussian",
       "standard deviation of Gaussian noise on sums over samples of the records",
       "subsampled_gaussian",
       "standard_deviation",
       "standard deviation",
       euclidean,
       of_each_number,
       "docs/derivations/subsampled.md",
       {{"--sampling-rate", "probability that a record is drawn, above 0 and at most 1", "0.01"}},
       [](const PrivacyTarget& target, const NumberOptions& numbers) {
         return calibrate_subsampled_gaussian(target, numbers.at("--sensitivity"),
                                              numbers.at("--sampling-rate"), numbers.at("--count"));
       },
       [](double deviation, const NumberOptions&) { return deviation * deviation; },
       qualify_sampling},
  };
  return kinds;
}

// --sampling-rate is "sampling_rate" in a description.
std::string key_of(const std::string& option) {
  std::string key = option.substr(2);
  std::ranges::replace(key, '-', '_');
  return key;
}

std::string for_people(const NoiseKind& kind, const Certificate& certificate, double parameter,
                       double error, double count) {
  const PrivacyTarget& target = certificate.target;
  // The parameter in full: rounded down it would no longer be safe.
  return fmt::format(
      "The least noise that makes {} ({}, {})-differentially private:\n\n{}\n{}",
      count == 1.0 ? "one answer" : fmt::format("{} answers together", count), target.epsilon,
      target.delta,
      table({{kind.parameter_words, fmt::format("{}", parameter)},
             {"mean squared error", fmt::format("{:.7g} ({})", error, kind.error_words)},
             {fmt::format("delta at epsilon {}", target.epsilon),
              at_most(certificate.achieved.delta())}}),
      proof_with_assumptions(certificate));
}

std::string answer(const NoiseKind& kind, const CalibrateRequest& request) {
  const NumberOptions& numbers = request.numbers;
  const PrivacyTarget target(numbers.at("--epsilon"), numbers.at("--delta"));
  const Progress progress("calibrating");
  const Calibration found = kind.calibrate(target, numbers);
  const double error = kind.mean_squared_error(found.parameter, numbers);
  std::vector<Parameter> parameters;
  for (const OwnNumber& number : kind.own_numbers)
    parameters.push_back({key_of(number.option), numbers.at(number.option)});
  parameters.push_back({kind.parameter, found.parameter});
  const double count = numbers.at("--count");
  Certificate certificate = noise_certificate(
      {kind.mechanism, parameters, numbers.at("--sensitivity"), count, kind.distance, kind.theorem},
      target, found.achieved);
  if (kind.qualify != nullptr) kind.qualify(certificate, numbers);
  if (!request.flags.json) return for_people(kind, certificate, found.parameter, error, count);
  return json_line({{kind.parameter, found.parameter},
                    {"mean_squared_error", error},
                    {"delta", to_json(found.achieved.delta())},
                    {"certificate", to_json(certificate)}});
}

std::string example_of(const NoiseKind& kind) {
  std::string own;
  for (const OwnNumber& number : kind.own_numbers)
    own += fmt::format(" {} {}", number.option, number.example);
  return fmt::format("  modicum calibrate {}{} --epsilon 1 --delta 1e-6 --sensitivity 1",
                     kind.command, own);
}

void add_noise_kind(CLI::App& parent, CommandResult& output, const NoiseKind& kind) {
  CLI::App* command = add_command(parent, kind.command, kind.what, example_of(kind));
  const auto request = std::make_shared<CalibrateRequest>();
  NumberOptions& numbers = request->numbers;
  for (const OwnNumber& number : kind.own_numbers)
    numbers.add(*command, number.option, number.help);
  numbers.add(*command, "--epsilon", "privacy loss bound, at least 0");
  numbers.add(*command, "--delta", "at least 0 and below 1");
  numbers.add(*command, "--sensitivity",
              "largest distance of the answers on neighboring data sets");
  numbers.add(*command, "--count", "number of answers, 1 by default", "1");
  add_proved_flags(*command, request->flags);
  command->callback([&output, &kind, request] { output = answer(kind, *request); });
}

}  // namespace

void add_calibrate_command(CLI::App& program, CommandResult& output) {
  CLI::App* calibrate =
      add_command(program, "calibrate", "least noise that meets a privacy target",
                  "  modicum calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1");
  calibrate->require_subcommand(1);
  for (const NoiseKind& kind : noise_kinds()) add_noise_kind(*calibrate, output, kind);
  add_matrix_calibrations(*calibrate, output);
  add_objective_calibration(*calibrate, output);
  add_component_calibration(*calibrate, output);
}

}  // namespace modicum
