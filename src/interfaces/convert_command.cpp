// convert: what one kind of guarantee implies in the terms of another.
#include <fmt/format.h>

#include <memory>

#include "interfaces/command.h"
#include "interfaces/json_output.h"
#include "interfaces/number_text.h"
#include "interfaces/wording.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/privacy/conversions.h"

namespace modicum {
namespace {

struct Converted {
  Json json;
  std::string sentence;
};

struct GivenNumber {
  std::string option, help;
};

struct Conversion {
  std::string command, what, example;
  std::vector<GivenNumber> given;
  Converted (*convert)(const NumberOptions&);
};

struct ConvertRequest {
  NumberOptions numbers;
  CommonFlags flags;
};

// "(1.234568, 1e-06)-differentially private".
std::string private_in_words(const std::string& epsilon, double delta) {
  return fmt::format("({}, {})-differentially private", epsilon, delta);
}

Converted from_renyi(const NumberOptions& given) {
  const double order = given.at("--order"), divergence = given.at("--divergence");
  const double delta = given.at("--delta");
  const double epsilon = epsilon_from_renyi(order, divergence, delta);
  return {{{"epsilon", epsilon},
           {"delta", delta},
           {"from", {{"order", order}, {"divergence", divergence}}}},
          fmt::format("A Renyi divergence of order {} of at most {} makes a mechanism {}.", order,
                      divergence, private_in_words(rounded_up(epsilon), delta))};
}

Converted from_zcdp(const NumberOptions& given) {
  const double rho = given.at("--rho"), delta = given.at("--delta");
  const double epsilon = epsilon_from_zcdp(rho, delta);
  return {{{"epsilon", epsilon}, {"delta", delta}, {"from", {{"rho", rho}}}},
          fmt::format("Zero-concentrated differential privacy with rho {} makes a mechanism {}.",
                      rho, private_in_words(rounded_up(epsilon), delta))};
}

Converted from_gaussian(const NumberOptions& given) {
  const double mu = given.at("--mu"), delta = given.at("--delta");
  const Answer epsilon = epsilon_at(gaussian_differential_privacy(mu), delta, Accuracy::certified);
  const double rho = zcdp_from_gaussian(mu);
  return {
      {{"epsilon", to_json(epsilon.value)}, {"delta", delta}, {"rho", rho}, {"from", {{"mu", mu}}}},
      fmt::format("Gaussian differential privacy with mu {} makes a mechanism {},\nand "
                  "zero-concentrated with rho {}. Neither can be improved.",
                  mu, private_in_words(at_most(epsilon.value), delta), rounded_up(rho))};
}

Converted from_pure(const NumberOptions& given) {
  const double epsilon = given.at("--epsilon"), rho = zcdp_from_pure(epsilon);
  return {{{"rho", rho}, {"from", {{"epsilon", epsilon}}}},
          fmt::format("Pure differential privacy with epsilon {} makes a mechanism "
                      "zero-concentrated with rho {}.",
                      epsilon, rounded_up(rho))};
}

Converted from_sampling(const NumberOptions& given) {
  const PrivacyTarget guarantee(given.at("--epsilon"), given.at("--delta"));
  const double rate = given.at("--sampling-rate");
  const PrivacyTarget amplified = amplified_by_sampling(guarantee, rate);
  return {{{"epsilon", amplified.epsilon},
           {"delta", amplified.delta},
           {"from",
            {{"epsilon", guarantee.epsilon}, {"delta", guarantee.delta}, {"sampling_rate", rate}}}},
          fmt::format("What is ({}, {})-differentially private on a sample, in which each record "
                      "takes part\nwith probability {}, is ({}, {})-differentially private, where "
                      "neighbors differ by\nadding or removing a record.",
                      guarantee.epsilon, guarantee.delta, rate, rounded_up(amplified.epsilon),
                      rounded_up(amplified.delta))};
}

const GivenNumber delta{"--delta", "above 0 and below 1"};

const std::vector<Conversion>& conversions() {
  static const std::vector<Conversion> known{
      {"renyi",
       "epsilon from a Renyi divergence",
       "--order 8 --divergence 0.5 --delta 1e-6",
       {{"--order", "above 1"}, {"--divergence", "bound on it, at least 0"}, delta},
       from_renyi},
      {"zcdp",
       "epsilon from zero-concentrated differential privacy",
       "--rho 0.1 --delta 1e-6",
       {{"--rho", "at least 0"}, delta},
       from_zcdp},
      {"gaussian-dp",
       "epsilon and rho from Gaussian differential privacy",
       "--mu 0.5 --delta 1e-6",
       {{"--mu", "at least 0"}, delta},
       from_gaussian},
      {"pure",
       "rho from pure differential privacy",
       "--epsilon 1",
       {{"--epsilon", "at least 0"}},
       from_pure},
      {"sampling",
       "epsilon and delta of a mechanism that sees a sample",
       "--epsilon 1 --delta 1e-6 --sampling-rate 0.01",
       {{"--epsilon", "on the sample, at least 0"},
        {"--delta", "on the sample, at least 0 and below 1"},
        {"--sampling-rate", "probability that a record is drawn, above 0 and at most 1"}},
       from_sampling},
  };
  return known;
}

std::string answer(const Conversion& conversion, const ConvertRequest& request) {
  const Converted converted = conversion.convert(request.numbers);
  if (request.flags.json) return json_line(converted.json);
  return converted.sentence + "\nProved; the numbers are rounded up.\n";
}

void add_conversion(CLI::App& parent, CommandResult& output, const Conversion& conversion) {
  CLI::App* command =
      add_command(parent, conversion.command, conversion.what,
                  fmt::format("  modicum convert {} {}", conversion.command, conversion.example));
  const auto request = std::make_shared<ConvertRequest>();
  for (const GivenNumber& number : conversion.given)
    request->numbers.add(*command, number.option, number.help);
  add_proved_flags(*command, request->flags);
  command->callback([&output, &conversion, request] { output = answer(conversion, *request); });
}

}  // namespace

void add_convert_command(CLI::App& program, CommandResult& output) {
  CLI::App* convert = add_command(program, "convert", "one kind of guarantee into another",
                                  "  modicum convert zcdp --rho 0.1 --delta 1e-6");
  convert->require_subcommand(1);
  for (const Conversion& conversion : conversions()) add_conversion(*convert, output, conversion);
}

}  // namespace modicum
