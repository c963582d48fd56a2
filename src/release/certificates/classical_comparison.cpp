#include "modicum/release/classical_comparison.h"

#include "modicum/mechanisms/gaussian.h"

namespace modicum {
namespace {}  // namespace

std::optional<double> classical_noise_ratio(const Certificate& certificate) {
  const auto [epsilon, delta] = std::pair{certificate.target.epsilon, certificate.target.delta};
  const Value* const mechanism = certificate.loss.find("mechanism");
  if (mechanism == nullptr || !(epsilon > 0.0 && epsilon <= 1.0 && delta > 0.0)) return {};
  const std::string& name = mechanism->text();
  const bool gaussian = name == "gaussian";
  if (!gaussian && name != "covariance_release") return {};
  // What is drawn may be more than what the loss tells of: the parameter counts.
  const ParameterValue* const drawn = certificate.find("standard_deviation");
  if (drawn == nullptr) return {};
  const double bound = certificate.loss.at(gaussian ? "sensitivity" : "row_norm_bound").number();
  return classical_gaussian_deviation(epsilon, delta, gaussian ? bound : bound * bound) /
         std::get<double>(*drawn);
}

}  // namespace modicum
