// What tests of component releases share.
#pragma once

#include <string>
#include <vector>

#include "modicum/release/component_release.h"
#include "release/small_tables.h"

namespace modicum::testing {

inline constexpr ComponentMethod component_methods[] = {
    ComponentMethod::exponential,   ComponentMethod::joint,
    ComponentMethod::adaptive,      ComponentMethod::gaussian_orthogonal_ensemble,
    ComponentMethod::analyze_gauss, ComponentMethod::wishart};

inline PublicRows coordinates(long dimension, double bound) {
  std::vector<std::string> names;
  for (long i = 0; i < dimension; ++i) names.push_back("c" + std::to_string(i));
  return {names, bound};
}

/// With the number of rows for the method that needs it.
inline ComponentRequest asking(double components, ComponentMethod method,
                               RowScaling scaling = RowScaling::separate) {
  ComponentRequest request{components, method, scaling};
  if (method == ComponentMethod::adaptive) request.rows = 1000.0;
  return request;
}

inline double number_in(const Certificate& certificate, const std::string& name) {
  return std::get<double>(*certificate.find(name));
}

inline std::string text_in(const Certificate& certificate, const std::string& name) {
  return std::get<std::string>(*certificate.find(name));
}

}  // namespace modicum::testing
