// The tables of tests/reference.
#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/gaussian_spectrum.h"
#include "test_paths.h"

namespace modicum::testing {

inline nlohmann::json read_reference(const std::string& name) {
  const std::string path = std::string(MODICUM_REFERENCE_DIR) + "/" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  return nlohmann::json::parse(file);
}

/// One list of a table that has several; by value, so that a loop may run over it.
inline nlohmann::json read_reference(const std::string& name, const std::string& list) {
  return read_reference(name).at(list);
}

/// From a list of {"mean", "variance_ratio", "multiplicity"}.
inline GaussianSpectrum spectrum_from(const nlohmann::json& components) {
  GaussianSpectrum spectrum;
  for (const auto& component : components)
    spectrum.add(GaussianSpectrum::component(component.at("mean"), component.at("variance_ratio"),
                                             component.at("multiplicity")));
  return spectrum;
}

/// From "mean1" and "covariance1", or the same with 2.
inline GaussianDistribution distribution_from(const nlohmann::json& entry,
                                              const std::string& index) {
  const auto& mean = entry.at("mean" + index);
  const auto& covariance = entry.at("covariance" + index);
  const auto size = static_cast<long>(mean.size());
  GaussianDistribution result{Eigen::VectorXd(size), Eigen::MatrixXd(size, size)};
  for (long i = 0; i < size; ++i) {
    result.mean(i) = mean.at(i).get<double>();
    for (long j = 0; j < size; ++j) result.covariance(i, j) = covariance.at(i).at(j).get<double>();
  }
  return result;
}

}  // namespace modicum::testing
