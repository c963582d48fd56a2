// calibrate components: the beta of private principal components from eigenvalues, what it gives in
// the limit, and what is proved beside it.
#include <fmt/format.h>

#include <memory>

#include "interfaces/data_commands.h"
#include "interfaces/eigenvalue_file.h"
#include "interfaces/wording.h"
#include "modicum/mechanisms/exponential_components.h"
#include "modicum/mechanisms/principal_components.h"

namespace modicum {
namespace {

struct Request {
  std::string eigenvalues, mu, epsilon, delta;
  NumberOptions numbers;
  CommonFlags flags;

  ComponentSpectrum spectrum() const {
    return {read_eigenvalues(eigenvalues), numbers.at("--rows"), numbers.at("--components")};
  }
  std::optional<PrivacyTarget> target() const {
    const auto by_mu = optional_number("--mu", mu);
    const auto bound = optional_number("--epsilon", epsilon),
               failure = optional_number("--delta", delta);
    if (by_mu && bound) throw UsageError("--epsilon must not be given with --mu");
    if (!by_mu && !(bound && failure))
      throw UsageError("--mu is missing, but must be given, or --epsilon and --delta");
    if (!bound) return {};
    return PrivacyTarget(*bound, *failure);
  }
};

/// What is proved for any data at this beta.
struct Proved {
  double replacing, adding;  ///< pure epsilon
  std::optional<ComponentGuarantee>
      at;  ///< the delta that was given, one direction after the other
};

struct Calibrated {
  ComponentSpectrum spectrum;
  AsymptoticCalibration found;
  PrivacyPlateau plateau;
  PredictedUtility utility;
  Proved proved;

  bool in_plateau() const { return found.beta <= plateau.to; }
};

Calibrated answer_of(const Request& request) {
  const ComponentSpectrum spectrum = request.spectrum();
  const auto target = request.target();
  const auto delta = optional_number("--delta", request.delta);
  const double mu = target ? 0.0 : *optional_number("--mu", request.mu);
  const AsymptoticCalibration found = target
                                          ? largest_beta(spectrum, *target)
                                          : AsymptoticCalibration{largest_beta(spectrum, mu), mu};
  const auto p = static_cast<double>(spectrum.dimension());
  const auto k = static_cast<double>(spectrum.components());
  const double range = component_range(found.beta, p, spectrum.rows());
  Proved proved{pure_epsilon_of_replacing(found.beta, p, spectrum.rows()), range, {}};
  if (delta) proved.at = component_guarantee(range, k, *delta);
  return {spectrum, found, *privacy_plateau(spectrum), predicted_utility(spectrum, found.beta),
          proved};
}

std::string in_json(const Calibrated& answer) {
  Value result{{"beta", answer.found.beta},
              {"mu", answer.found.mu},
              {"mu_minimum", answer.plateau.mu},
              {"plateau", answer.in_plateau()},
              {"plateau_from", answer.plateau.from},
              {"plateau_to", answer.plateau.to},
              {"predicted_error",
               {{"spectral", answer.utility.spectral}, {"frobenius", answer.utility.frobenius}}},
              {"overlaps", answer.utility.overlaps},
              {"guarantee", "asymptotic"},
              {"pure_epsilon", answer.proved.replacing},
              {"pure_epsilon_add_remove", answer.proved.adding}};
  if (const auto& at = answer.proved.at)
    result["proved"] = {{"delta", at->delta}, {"epsilon", at->epsilon}, {"zcdp", at->zcdp}};
  return json_line(result);
}

std::string plateau_in_words(const Calibrated& answer) {
  const PrivacyPlateau& plateau = answer.plateau;
  return fmt::format(
      "The privacy plateau: for every beta from {:.7g} to {:.7g} mu is {:.7g}. Less than {:.7g} "
      "means worse\ncomponents and no more privacy, and no beta that shows all of them has a "
      "smaller mu.\n{}",
      plateau.from, plateau.to, plateau.mu, plateau.to,
      answer.in_plateau() ? "This beta is the end of the plateau.\n" : "");
}

std::string proof_in_words(const Proved& proved) {
  std::vector<std::vector<std::string>> rows{
      {"replacing a row", fmt::format("epsilon {:.7g}", proved.replacing)},
      {"adding or removing one", fmt::format("epsilon {:.7g}", proved.adding)}};
  if (proved.at)
    rows.push_back(
        {"one direction after the other",
         fmt::format("epsilon {:.7g} at delta {}", proved.at->epsilon, proved.at->delta)});
  return "Proved at this beta, for any data of any size:\n\n" + table(rows);
}

std::string in_words(const Calibrated& answer) {
  std::vector<std::vector<std::string>> rows{
      {"beta", fmt::format("{}", answer.found.beta)},
      {"mu", fmt::format("{:.7g}", answer.found.mu)},
      {"squared spectral error", fmt::format("{:.5g}", answer.utility.spectral)},
      {"squared Frobenius error", fmt::format("{:.5g}", answer.utility.frobenius)}};
  for (std::size_t i = 0; i < answer.utility.overlaps.size(); ++i)
    rows.push_back({fmt::format("overlap with component {}", i + 1),
                    fmt::format("{:.5g}", answer.utility.overlaps[i])});
  return fmt::format(
      "{} of {} components of {} rows, in the limit of many dimensions (asymptotic, not "
      "proved):\n\n{}\n{}\n{}\nAs confidential as the eigenvalues: where these come from the data, "
      "so does beta.\n",
      answer.spectrum.components(), answer.spectrum.dimension(), answer.spectrum.rows(),
      table(rows), plateau_in_words(answer), proof_in_words(answer.proved));
}

}  // namespace

void add_component_calibration(CLI::App& calibrate, CommandResult& output) {
  CLI::App* command = add_command(
      calibrate, "components", "noise of private principal components, from eigenvalues",
      "  modicum calibrate components --eigenvalues examples/eigenvalues.json --rows 2500 \\\n"
      "    --components 2 --mu 1");
  const auto request = std::make_shared<Request>();
  command
      ->add_option("--eigenvalues", request->eigenvalues,
                   "JSON list of all eigenvalues of the normalized covariance, largest first")
      ->type_name("FILE")
      ->required();
  request->numbers.add(*command, "--rows", "number of rows");
  request->numbers.add(*command, "--components", "number of components");
  command->add_option("--mu", request->mu, "of Gaussian differential privacy in the limit")
      ->type_name("NUMBER");
  command->add_option("--epsilon", request->epsilon, "in place of --mu, with --delta")
      ->type_name("NUMBER");
  command
      ->add_option("--delta", request->delta,
                   "at least 0 and below 1; with --mu, where to tell the proved epsilon")
      ->type_name("NUMBER");
  add_proved_flags(*command, request->flags);
  command->callback([&output, request] {
    const Calibrated answer = answer_of(*request);
    output = request->flags.json ? in_json(answer) : in_words(answer);
  });
}

}  // namespace modicum
