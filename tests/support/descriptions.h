// Mechanisms as the reference tables describe them.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/mechanisms/spherical.h"
#include "modicum/mechanisms/subsampled.h"
#include "support/reference_files.h"

namespace modicum::testing {

/// {"mechanism": name, parameters, "count": optional}, or {"compose": [descriptions]}.
inline PrivacyLoss described(const nlohmann::json& description) {
  if (description.contains("compose")) {
    PrivacyLoss total;
    for (const auto& part : description.at("compose")) total.compose(described(part));
    return total;
  }
  const auto number = [&](const char* name) { return description.at(name).get<double>(); };
  const auto single = [&]() -> PrivacyLoss {
    const std::string name = description.at("mechanism");
    if (name == "gaussian")
      return gaussian_mechanism(number("standard_deviation"), number("sensitivity"));
    if (name == "gaussian_dp") return gaussian_differential_privacy(number("mu"));
    if (name == "gaussian_spectrum")
      return PrivacyLoss::gaussian(spectrum_from(description.at("components")));
    if (name == "random_projection")
      return random_projection(number("columns"), number("leverage"));
    if (name == "laplace") return laplace_mechanism(number("scale"), number("sensitivity"));
    if (name == "randomized_response") return randomized_response(number("truth_probability"));
    if (name == "pure") return pure_guarantee(number("epsilon"));
    if (name == "approximate") return approximate_guarantee(number("epsilon"), number("delta"));
    if (name == "subsampled_gaussian")
      return subsampled_gaussian(number("standard_deviation"), number("sensitivity"),
                                 number("sampling_rate"));
    if (name == "subsampled_laplace")
      return subsampled_laplace(number("scale"), number("sensitivity"), number("sampling_rate"));
    if (name == "bounded_range") return bounded_range(number("range"));
    if (name == "spherical_generalized_gamma")
      return spherical_mechanism(
          {number("dimension"), number("alpha"), number("beta"), number("p")},
          number("sensitivity"));
    throw std::invalid_argument("unknown mechanism " + name);
  };
  return single().repeated(description.value("count", 1.0));
}

}  // namespace modicum::testing
