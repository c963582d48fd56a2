// What a release gives out: a table of numbers, and the certificate that goes with it.
#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

#include "modicum/data/gram.h"
#include "modicum/release/certificate.h"

namespace modicum {

struct Released {
  std::vector<std::string> row_names, column_names;
  Eigen::MatrixXd values;
  Certificate certificate;
  bool has_gaps = false;  ///< NaN stands for no number: empty in CSV, null in JSON
};

enum class OutputFormat {
  csv,   ///< a header line; the names of the rows in a first column "name"
  npy,   ///< the values only: doubles, rows one after the other
  json,  ///< {"rows": [..], "columns": [..], "values": [[..], ..]}
};

/// By the ending of the path. Throws InvalidParameter.
OutputFormat format_of(const std::string& path);
/// Throws Error: nothing may be released then.
void require_finite_values(const Released& released);
/// The bytes of the file; numbers are read back as they are. Throws Error where one is not finite.
std::string encode(const Released& released, OutputFormat format);

/// What is public about the rows that a release is made from.
struct PublicRows {
  std::vector<std::string> names;            ///< of the coordinates
  std::vector<double> centers, scales;       ///< value = center + scale * coordinate
  std::map<std::string, Range> ranges = {};  ///< to which values are clamped first
  double row_norm_bound;
  BadRows bad_rows = BadRows::dropped;
  FileAssumptions files;   ///< from the table that the rule was made for
  bool intercept = false;  ///< the first coordinate is a column of ones

  /// Throws InvalidParameter unless rows can be clipped to the bound (IntegerClip).
  PublicRows(const RowRule& rule, double row_norm_bound, BadRows bad_rows);
  /// Coordinates in the units of the file.
  PublicRows(std::vector<std::string> names, double row_norm_bound);

  Eigen::Index dimension() const { return static_cast<Eigen::Index>(names.size()); }

  /// Throws InvalidParameter unless these sums were made from such rows: as wide, clipped to the
  /// same bound, and each taken with this probability. Every release asks this first.
  void require_same(const IntegerGram& gram, double sampling_rate = 1.0) const;
  void require_same(const IntegerSum& sum) const;
  /// Throws InvalidParameter unless rows made by this rule are such: of these names and ranges.
  void require_same(const RowRule& rule) const;
};

}  // namespace modicum
