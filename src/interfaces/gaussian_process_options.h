// What the commands about Gaussian processes share: their options, and what these say together.
#pragma once

#include "interfaces/release_options.h"
#include "modicum/release/gaussian_process_release.h"

namespace modicum {

/// --target, --queries, --kernel, its numbers and --intercept: all but columns and ranges.
void add_gaussian_process_options(CLI::App& command, ReleaseOptions& options);

/// A table, the public points, and what is asked for. Reads no rows. Throws UsageError and
/// InvalidParameter, naming options.
struct GaussianProcessInput {
  explicit GaussianProcessInput(const ReleaseOptions& options);
  GaussianProcessRequest request;
  Table table;
  RowRule rule;  ///< the target last
  PublicRows rows;
  RowBlock points;  ///< in coordinates
};

}  // namespace modicum
