// convert: what one kind of guarantee implies in the terms of another.
#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "interfaces/job.h"
#include "interfaces/wording.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/privacy/conversions.h"

namespace modicum {
namespace {

constexpr const char* delta_help = "above 0 and below 1";

Reply converted(const Value& numbers, const std::string& sentence) {
  Reply reply;
  for (const auto& [key, value] : numbers.members()) reply.tell(key, value);
  return reply.say(sentence + "\nProved; the numbers are rounded up.\n");
}

// "(1.234568, 1e-06)-differentially private".
std::string private_in_words(const std::string& epsilon, double delta) {
  return fmt::format("({}, {})-differentially private", epsilon, delta);
}

struct RenyiGuarantee {
  double order = 0.0, divergence = 0.0, delta = 0.0;
  void fields(Fields& fields) {
    fields.add("order", order, "above 1").required();
    fields.add("divergence", divergence, "bound on it, at least 0").required();
    fields.add("delta", delta, delta_help).required();
  }
};

Reply run(const RenyiGuarantee& given, Progress&) {
  const auto& [order, divergence, delta] = given;
  const double epsilon = epsilon_from_renyi(order, divergence, delta);
  return converted({{"epsilon", epsilon},
                    {"delta", delta},
                    {"from", {{"order", order}, {"divergence", divergence}}}},
                   fmt::format("A Renyi divergence of order {} of at most {} makes a mechanism {}.",
                               order, divergence, private_in_words(rounded_up(epsilon), delta)));
}

struct ConcentratedGuarantee {
  double rho = 0.0, delta = 0.0;
  void fields(Fields& fields) {
    fields.add("rho", rho, "at least 0").required();
    fields.add("delta", delta, delta_help).required();
  }
};

Reply run(const ConcentratedGuarantee& given, Progress&) {
  const auto& [rho, delta] = given;
  const double epsilon = epsilon_from_zcdp(rho, delta);
  return converted(
      {{"epsilon", epsilon}, {"delta", delta}, {"from", {{"rho", rho}}}},
      fmt::format("Zero-concentrated differential privacy with rho {} makes a mechanism {}.", rho,
                  private_in_words(rounded_up(epsilon), delta)));
}

struct GaussianGuarantee {
  double mu = 0.0, delta = 0.0;
  void fields(Fields& fields) {
    fields.add("mu", mu, "at least 0").required();
    fields.add("delta", delta, delta_help).required();
  }
};

Reply run(const GaussianGuarantee& given, Progress&) {
  const auto& [mu, delta] = given;
  const Answer epsilon = epsilon_at(gaussian_differential_privacy(mu), delta, Accuracy::certified);
  const double rho = zcdp_from_gaussian(mu);
  return converted(
      {{"epsilon", epsilon.value}, {"delta", delta}, {"rho", rho}, {"from", {{"mu", mu}}}},
      fmt::format("Gaussian differential privacy with mu {} makes a mechanism {},\nand "
                  "zero-concentrated with rho {}. Neither can be improved.",
                  mu, private_in_words(at_most(epsilon.value), delta), rounded_up(rho)));
}

struct PureGuarantee {
  double epsilon = 0.0;
  void fields(Fields& fields) { fields.add("epsilon", epsilon, "at least 0").required(); }
};

Reply run(const PureGuarantee& given, Progress&) {
  const double rho = zcdp_from_pure(given.epsilon);
  return converted({{"rho", rho}, {"from", {{"epsilon", given.epsilon}}}},
                   fmt::format("Pure differential privacy with epsilon {} makes a mechanism "
                               "zero-concentrated with rho {}.",
                               given.epsilon, rounded_up(rho)));
}

struct GuaranteeOnSample {
  double epsilon = 0.0, delta = 0.0, sampling_rate = 0.0;
  void fields(Fields& fields) {
    fields.add("epsilon", epsilon, "on the sample, at least 0").required();
    fields.add("delta", delta, "on the sample, at least 0 and below 1").required();
    fields
        .add("sampling_rate", sampling_rate,
             "probability that a record is drawn, above 0 and at most 1")
        .required();
  }
};

Reply run(const GuaranteeOnSample& given, Progress&) {
  const auto& [epsilon, delta, rate] = given;
  const PrivacyTarget amplified = amplified_by_sampling({epsilon, delta}, rate);
  return converted(
      {{"epsilon", amplified.epsilon},
       {"delta", amplified.delta},
       {"from", {{"epsilon", epsilon}, {"delta", delta}, {"sampling_rate", rate}}}},
      fmt::format("What is ({}, {})-differentially private on a sample, in which each record "
                  "takes part\nwith probability {}, is ({}, {})-differentially private, where "
                  "neighbors differ by\nadding or removing a record.",
                  epsilon, delta, rate, rounded_up(amplified.epsilon),
                  rounded_up(amplified.delta)));
}

template <class Guarantee>
JobKind kind(const std::string& name, const std::string& what, const std::string& example) {
  return job_kind<Guarantee>("convert " + name, what,
                             fmt::format("  modicum convert {} {}", name, example));
}

}  // namespace

std::vector<JobKind> convert_jobs() {
  return {
      {"convert", "one kind of guarantee into another",
       "  modicum convert zcdp --rho 0.1 --delta 1e-6"},
      kind<RenyiGuarantee>("renyi", "epsilon from a Renyi divergence",
                           "--order 8 --divergence 0.5 --delta 1e-6"),
      kind<ConcentratedGuarantee>("zcdp", "epsilon from zero-concentrated differential privacy",
                                  "--rho 0.1 --delta 1e-6"),
      kind<GaussianGuarantee>("gaussian-dp", "epsilon and rho from Gaussian differential privacy",
                              "--mu 0.5 --delta 1e-6"),
      kind<PureGuarantee>("pure", "rho from pure differential privacy", "--epsilon 1"),
      kind<GuaranteeOnSample>("sampling", "epsilon and delta of a mechanism that sees a sample",
                              "--epsilon 1 --delta 1e-6 --sampling-rate 0.01")};
}

}  // namespace modicum
