// Sketches of a table: D^T G with Gaussian G, over a ridge.
//
// Every release goes the same way, and nothing comes back: a plan, made from public knowledge
// alone, with the whole certificate in it; one pass over the data, in whole numbers; a draw.
#pragma once

#include <optional>

#include "modicum/data/gram.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/release/released.h"

namespace modicum {

enum class ProjectionMethod {
  projection,            ///< over the ridge of calibrate_projection
  subsampled,            ///< of a sample of the rows
  propose_test_release,  ///< over what a private bound on the least eigenvalue leaves missing
  relative,              ///< without a ridge, if a declared set of databases needs none
  singular_value,        ///< over the ridge of [Sheffet2019]
  additive,              ///< by a matrix that may be known, plus noise
};

struct ProjectionRequest {
  ProjectionMethod method = ProjectionMethod::projection;
  std::optional<double> columns;           ///< of the sketch; else default_sketch_columns
  std::optional<double> sampling_rate;     ///< subsampled: required
  std::optional<double> set_leverage;      ///< relative: required
  std::optional<double> eigenvalue_noise;  ///< propose_test_release
  std::optional<double> failure;           ///< propose_test_release
};

/// max(10 dimension, 100).
double default_sketch_columns(Eigen::Index dimension);

struct ProjectionPlan {
  PublicRows rows;
  double columns;
  double ridge;          ///< of propose_test_release: not known yet
  double sampling_rate;  ///< 1: every row
  double grid;           ///< of the released numbers
  std::optional<ProposeTestRelease> test;
  Certificate certificate;
};

/// Throws InvalidParameter for what the method needs and is not given, or is given and does not
/// need; CalibrationFailed where the target cannot be met.
ProjectionPlan plan_projection(const PrivacyTarget& target, const PublicRows& rows,
                               const ProjectionRequest& request);

/// The pass over the data that the plan asks for.
IntegerGram accumulate(const ProjectionPlan& plan, const Table& table, const RowRule& rule,
                       RandomSource& source, const ReadOptions& options = {});

/// One row for each coordinate, one column for each of the sketch: independent N(0, C), C the Gram
/// matrix with the ridge. The matrix G is never formed: with C = L L^T, L G' has the same law.
Released release_projection(const ProjectionPlan& plan, const IntegerGram& gram,
                            RandomSource& source);

}  // namespace modicum
