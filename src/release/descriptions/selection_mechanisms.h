// Mechanisms that select, as they are described.
#pragma once

#include "modicum/mechanisms/selection.h"
#include "release/descriptions/mechanisms.h"

namespace modicum::described {

/// Another description within this one; `moments` are not in its loss.
struct DescribedRun {
  Description whole = {};
  RenyiBounds moments = {};
};
DescribedRun describe_run(const Value& tree, const Setting& setting);

struct Exponential {
  static constexpr const char* name = "exponential";
  double epsilon = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct PermuteAndFlip {
  static constexpr const char* name = "permute_and_flip";
  double epsilon = 0.0;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct ReportNoisyMax {
  static constexpr const char* name = "report_noisy_max";
  SelectionNoise noise = SelectionNoise::laplace;
  double scale = 0.0, sensitivity = 0.0;
  bool monotone = false;
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

struct AboveThreshold {
  static constexpr const char* name = "sparse_vector";
  SparseVector plan = {};
  void fields(Fields& fields);
  PrivacyLoss loss(const Setting&) const;
  std::string label() const;
};

/// The best of a random number of runs of another description.
struct RepeatAndSelect {
  static constexpr const char* name = "repeat_and_select";
  Value repeated = {};
  Repetitions distribution = Repetitions::negative_binomial;
  double mean = 0.0;
  std::optional<double> shape = {};
  void fields(Fields& fields);
  DescribedRun run(const Setting&) const;
  RenyiBounds moments(const Setting&) const;
  /// Whom a run is about.
  std::optional<ProtectedUnit> unit(const Setting& setting) const {
    return run(setting).whole.unit;
  }
  std::string label() const;
};

}  // namespace modicum::described
