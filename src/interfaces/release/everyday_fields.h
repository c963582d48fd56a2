// What is asked about an everyday statistic, alone or as one release of a job file.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "interfaces/release/explanation.h"
#include "modicum/data/fields.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/joint_release.h"
#include "modicum/release/table_source.h"

namespace modicum {

enum class EverydayKind {
  count,
  sum,
  mean,
  variance,
  standard_deviation,
  quantile,
  median,
  minimum,
  maximum,
  histogram
};
const Choices<EverydayKind>& everyday_words();

/// Groups. "north,south" belongs to the one column; "region=north,south" names it. Columns without
/// a list are discovered, if that is asked for.
struct GroupChoice {
  std::vector<std::string> by = {}, categories = {}, edges = {};
  bool discover = false;

  void bin_fields(Fields& fields);
  void fields(Fields& fields);
  /// Throws UsageError, InvalidParameter.
  Groups groups(const Table& table, const std::vector<std::string>& columns) const;
};

/// Columns of numbers with their bounds.
struct NumberChoice {
  std::vector<std::string> select = {};
  std::map<std::string, Range> bounds = {};
  std::optional<Range> bounds_of_all = {};

  void fields(Fields& fields);
  /// Of the selected columns. Throws UsageError.
  std::vector<Range> ranges() const;
};

/// Whom a release protects: the same for all releases of a job file.
struct ProtectionChoice {
  Adjacency neighbors = Adjacency::add_remove;
  std::optional<std::string> unit = {};
  std::optional<double> unit_rows = {}, unit_groups = {};
  void fields(Fields& fields);
  /// Throws UsageError.
  std::optional<PersonRule> person() const;
};

/// One statistic. Its fields are those that its kind has.
struct EverydayPart {
  EverydayKind kind = EverydayKind::count;
  GroupChoice groups = {};
  NumberChoice numbers = {};
  std::vector<double> level = {};
  bool integers = false;
  std::optional<CountNoise> noise = {};
  double confidence = 0.95;
  double weight = 1.0;  ///< among the releases of a job file

  void fields(Fields& fields);
  void weight_field(Fields& fields);
  void noise_field(Fields& fields);
  bool is_quantile() const;
  std::vector<double> levels() const;
  /// Throws UsageError, InvalidParameter.
  ReleaseRequest request(const Table& table, const TableSource& source,
                         const ProtectionChoice& protection) const;
};

const EverydayQuestion& question_of(const ReleaseRequest& request);
/// What becomes of the columns that a question uses.
std::vector<ColumnUse> uses_of(const Table& table, const EverydayQuestion& question);
/// How many rows can be read for it, and why others cannot.
Diagnostics diagnosed_rows(const Table& table, const EverydayQuestion& question,
                           const ReadOptions& options);

}  // namespace modicum
