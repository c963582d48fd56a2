// Noise of trainings, as it is described: mixtures, truncated, shuffled and allocated batches,
// correlated noise.
#pragma once

#include "modicum/mechanisms/correlated_noise.h"
#include "modicum/mechanisms/subsampled.h"
#include "release/descriptions/mechanisms.h"

namespace modicum::described {

struct MixtureOfGaussians {
  static constexpr const char* name = "mixture_of_gaussians";
  double standard_deviation = 0.0;
  std::vector<double> sensitivities = {}, probabilities = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct TruncatedGaussian {
  static constexpr const char* name = "truncated_subsampled_gaussian";
  TruncatedBatches plan = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

/// One epoch of shuffled batches of a fixed size: each record in one of them.
struct ShuffledGaussian {
  static constexpr const char* name = "shuffled_gaussian";
  Gaussian noise = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

/// One epoch of batches to which each record is allocated by itself.
struct AllocatedGaussian {
  static constexpr const char* name = "allocated_gaussian";
  Gaussian noise = {};
  double batches = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct MatrixMechanism {
  static constexpr const char* name = "matrix_mechanism";
  Eigen::MatrixXd strategy = {};
  std::vector<double> coefficients = {};
  std::optional<double> rounds = {}, participations = {}, separation = {}, sampling_rate = {};
  double noise_multiplier = 0.0;
  bool cyclic = false;
  std::vector<std::vector<double>> patterns = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct TreeAggregation {
  static constexpr const char* name = "tree_aggregation";
  double noise_multiplier = 0.0;
  std::vector<double> step_counts = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

}  // namespace modicum::described
