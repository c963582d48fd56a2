// Noise on the integers, as it is described.
#pragma once

#include "release/descriptions/mechanisms.h"

namespace modicum::described {

struct DiscreteGaussian {
  static constexpr const char* name = "discrete_gaussian";
  double sigma = 0.0, sensitivity = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct DiscreteLaplace {
  static constexpr const char* name = "discrete_laplace";
  double scale = 0.0, sensitivity = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

/// The name that some libraries have for it.
struct Geometric : DiscreteLaplace {
  static constexpr const char* name = "geometric";
};

struct AnyIntegerNoise {
  static constexpr const char* name = "integer_noise";
  std::vector<double> probabilities = {};
  double first = 0.0, sensitivity = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

}  // namespace modicum::described
