// Regressions by objective perturbation, read back from what `release` has written of them.
#pragma once

#include <string>
#include <vector>

#include "modicum/data/fields.h"
#include "modicum/release/number_table.h"
#include "modicum/release/report_release.h"

namespace modicum {

/// A release in memory: what its two files hold.
struct ReleaseContent {
  NumberTable numbers;
  Value certificate;
};

/// Its file and that of its certificate, or what is in them.
struct ReleaseSource {
  Input<ReleaseContent> release = {};
  std::string certificate = {};  ///< else beside the release

  void fields(Fields& fields);
  /// Of files that are read.
  std::vector<std::string> paths() const;
  /// Throws InvalidParameter for a certificate that belongs to other numbers or to another
  /// mechanism, InvalidDescription for one that is not as it was written, UnreadableFile for files
  /// that cannot be read.
  ReleasedObjective load() const;
  /// Of any release: its certificate, and its numbers, which must be those that it was written for.
  /// Throw as load(); numbers are read from CSV and JSON.
  Value certificate_tree() const;
  NumberTable numbers() const;

 private:
  std::string certificate_path() const;
};

/// The rows of a table as the release saw them. Both must outlive them. Throws InvalidParameter
/// where the table has other columns.
LabeledRows rows_of(const Table& table, const ReleasedObjective& from);
LabeledRows rows_of(const Table& table, const PublicRows& features, const ResponseRule& response);

}  // namespace modicum
