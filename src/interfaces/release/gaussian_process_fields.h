// What the jobs about Gaussian processes share: the table, the public points, the prior, and what
// is promised. `release gaussian-process` and `audit mechanism gaussian-process` hold
// GaussianProcessFields among their own fields:
//
//   model.table_fields(fields);   // FILE and what it looks like
//   ...                           // the target, the output
//   model.model_fields(fields);   // columns, ranges, the points, the kernel and its numbers
//
// and then make GaussianProcessRows of them, which reads the public points and none of the rows.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "modicum/release/gaussian_process_release.h"
#include "modicum/release/table_source.h"

namespace modicum {

/// Public points at hand, in the units of the table.
struct QueryPoints {
  RowBlock values;
  std::vector<std::string> names = {};  ///< of the columns; none: they stand for the features
};

/// The covariance of two points depends on their distance.
struct DistanceKernel {
  PriorKernel shape;
  std::optional<double> length_scale = {};
  void fields(Fields& fields);
};
/// It is their inner product, which only a bound on their norms bounds.
struct LinearKernel {
  std::optional<double> row_norm_bound = {};
  bool intercept = false;
  void fields(Fields& fields);
};
using KernelChoice = std::variant<DistanceKernel, LinearKernel>;

struct GaussianProcessFields {
  TableSource source = {};
  RowChoice choice = {};
  std::string target = {};
  Input<QueryPoints> queries = {};
  KernelChoice kernel = DistanceKernel{PriorKernel::rbf};
  double largest_rows = 0.0, noise_variance = 0.0, amplitude = 1.0;
  std::optional<double> target_bound = {};

  void table_fields(Fields& fields) { source.fields(fields); }
  void model_fields(Fields& fields);
};

/// A table, the public points, and what is asked for. Reads no rows. Throws UsageError,
/// InvalidParameter, UnreadableFile.
struct GaussianProcessRows {
  explicit GaussianProcessRows(const GaussianProcessFields& asked);
  Table table;
  RowRule rule;  ///< the target last
  PublicRows rows;
  RowBlock points;  ///< in coordinates
  GaussianProcessRequest request;
};

}  // namespace modicum
