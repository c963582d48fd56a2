#include "modicum/release/classical_comparison.h"

#include <algorithm>

#include "modicum/mechanisms/gaussian.h"

namespace modicum {
namespace {

// Of the description of the loss.
const ParameterValue* entry(const Certificate& certificate, const std::string& key) {
  const auto found = std::ranges::find(certificate.loss, key, &Parameter::name);
  return found == certificate.loss.end() ? nullptr : &found->value;
}

double number(const Certificate& certificate, const std::string& key) {
  return std::get<double>(*entry(certificate, key));
}

}  // namespace

std::optional<double> classical_noise_ratio(const Certificate& certificate) {
  const auto [epsilon, delta] = std::pair{certificate.target.epsilon, certificate.target.delta};
  const ParameterValue* const mechanism = entry(certificate, "mechanism");
  if (mechanism == nullptr || !(epsilon > 0.0 && epsilon <= 1.0 && delta > 0.0)) return {};
  const std::string& name = std::get<std::string>(*mechanism);
  const bool gaussian = name == "gaussian";
  if (!gaussian && name != "covariance_release") return {};
  // What is drawn may be more than what the loss tells of: the parameter counts.
  const ParameterValue* const drawn = certificate.find("standard_deviation");
  if (drawn == nullptr) return {};
  const double bound = number(certificate, gaussian ? "sensitivity" : "row_norm_bound");
  return classical_gaussian_deviation(epsilon, delta, gaussian ? bound : bound * bound) /
         std::get<double>(*drawn);
}

}  // namespace modicum
