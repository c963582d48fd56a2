// What the calibrations of mechanisms of rows with a bounded norm share.
#pragma once

#include <string>
#include <vector>

#include "interfaces/command.h"
#include "modicum/release/certificate.h"

namespace modicum {

struct MatrixRequest {
  NumberOptions numbers;
  std::string method = "projection";
  std::string sampling_rate, eigenvalue_noise, failure, set_leverage;
  CommonFlags flags;

  PrivacyTarget target() const { return {numbers.at("--epsilon"), numbers.at("--delta")}; }
  double columns() const { return numbers.at("--columns"); }
  double features() const { return numbers.at("--features"); }
  double row_norm_bound() const { return numbers.at("--row-norm-bound"); }
};

/// A number of the answer.
struct Figure {
  std::string key, in_words;
  double value;
};

/// What was found, and what it rests on.
struct MatrixNoise {
  std::string heading;  // "The least ridge that makes ..."
  std::string mechanism;
  std::vector<Parameter> parameters;  // with the mechanism a description, where there is one
  std::vector<Figure> figures;
  ProfilePoint achieved;
  bool attained = true;
  std::string theorem = "docs/derivations/projection.md";
  Guarantee guarantee = Guarantee::proved;
  std::vector<std::string> assumptions = {};
};

/// Random projection, by one of several methods.
void add_projection_options(CLI::App& command, MatrixRequest& request);
MatrixNoise calibrate_projection_method(const MatrixRequest& request);

}  // namespace modicum
