// Where rows come from and what is made of each: what every job that reads a table is asked.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modicum/data/fields.h"
#include "modicum/data/rows.h"
#include "modicum/release/progress.h"
#include "modicum/release/released.h"

namespace modicum {

namespace data {
class QueriedRows;
}

/// A table in pieces: sums of them that were gathered elsewhere, or are to be.
struct GatheringFields {
  std::vector<std::string> gathered = {};  ///< files of pieces, or patterns
  std::optional<double> pieces = {};       ///< how many there must be
  std::string each_pass = {};              ///< a command that gathers all pieces once more
  bool persons_together = false;
  bool gather = false;     ///< what the table adds up to is wanted in place of a release
  std::string piece = {};  ///< its name; from the content of the files by default

  bool adds_pieces() const { return !gathered.empty() || !each_pass.empty(); }
};

/// Files, rows in memory, what a query makes, or pieces elsewhere.
struct TableSource {
  TableFiles files = {};  ///< of these paths and memory are set by fields()
  bool strict = false;    ///< a malformed row ends the run; always so for rows in memory
  double threads = 0.0;
  std::string query_folder = {};  ///< where files are that a query names, if they are there
  GatheringFields gathering = {};

  /// The files are required unless told otherwise.
  void fields(Fields& fields, bool required = true);
  /// For releases: sums in place of rows. After the others.
  void gathering_fields(Fields& fields);
  /// The file alone, for what is no table of rows.
  Field& matrix_field(Fields& fields);
  /// The same under another name.
  Field& files_field(Fields& fields, const std::string& name, const std::string& help);
  /// Where names come from: the first line, or `names`.
  void names_fields(Fields& fields);
  void header_field(Fields& fields);
  void query_field(Fields& fields);

  /// What fields mean.
  void rule_fields(Fields& fields);

  bool given() const {
    return files.memory || files.columns || files.elsewhere || gathering.adds_pieces() || query_ ||
           !files.paths.empty();
  }
  /// Whether the query is of `rows`, a table beside it. Throws as open().
  bool queries_given_table() const;
  /// Whether sums of pieces are there in place of rows.
  bool is_gathered() const { return files.elsewhere || gathering.adds_pieces(); }
  /// Throws UsageError, InvalidParameter, UnreadableFile.
  Table open() const { return open(files.paths); }
  /// Other files that look as these do.
  Table open(const std::vector<std::string>& paths) const;
  BadRows bad_rows() const;
  /// What the certificate of a release from pieces assumes. Nothing for other tables.
  std::vector<std::string> assumptions() const;
  /// The name of the table as a piece of another. Throws UsageError where rows in memory have none.
  std::string piece_name() const;
  ReadOptions read_options(Progress& progress) const;
  /// Throws UsageError if anything was said about how files look or are read, but whether they have
  /// a header; `what` is there in place of a table in files.
  void require_plain(const std::string& what) const;
  /// Throws InvalidParameter, naming the field, if the path is one of the files.
  void refuse_overwriting(const std::string& field, const std::string& path) const;

  /// Of a table that is gathered.
  const std::shared_ptr<RowsElsewhere>& pieces() const;

 private:
  unsigned thread_count() const;
  TableFiles described(const std::vector<std::string>& paths) const;
  std::shared_ptr<const data::QueriedRows> queried() const;
  void refuse_csv_options() const;

  std::optional<std::string> query_ = {};
  mutable std::shared_ptr<const data::QueriedRows> queried_ = nullptr;  // once it was asked for
  mutable std::shared_ptr<RowsElsewhere> pieces_ = {};                  // read once
  bool no_header_ = false;
  std::vector<std::string> dates_ = {};
  std::optional<std::string> separator_ = {};
  std::optional<double> fields_ = {};
};

/// Which columns, and how they are scaled and bounded.
struct RowChoice {
  std::vector<std::string> select = {}, exclude = {};
  std::map<std::string, Range> ranges = {};
  std::optional<Range> range_of_all = {};
  bool intercept = false;
  std::optional<double> row_norm_bound = {};

  // Each adds some of the fields.
  void column_fields(Fields& fields);
  void intercept_field(Fields& fields);
  void norm_field(Fields& fields);
  /// All of them.
  void fields(Fields& fields) {
    column_fields(fields);
    norm_field(fields);
    intercept_field(fields);
  }

  /// Those selected, or all but those excluded. Throws UsageError where both are given.
  std::vector<std::string> columns(const Table& table) const;
  /// The same, with `target` as the last.
  RowRule rule(const Table& table, const std::string& target = "") const;
  /// The same without the target, which may have a range of its own where `ranged_target`.
  RowRule feature_rule(const Table& table, const std::string& target,
                       bool ranged_target = false) const;
  /// The bound, or what the ranges make of it. Throws UsageError where there is neither.
  double norm_bound(const RowRule& rule) const;
  /// The range of a column that must have one, its own or that of all. Throws UsageError.
  Range range_of(const Table& table, const std::string& column) const;

 private:
  std::vector<std::string> features(const Table& table, const std::string& target) const;
  RowRule rule_of(const Table& table, const std::vector<std::string>& columns,
                  std::map<std::string, Range> ranges) const;
};

/// A table with what is public about its rows.
struct OpenedTable {
  /// `target`, if there is one, is the last of the columns.
  OpenedTable(const TableSource& source, const RowChoice& choice, const std::string& target = "")
      : table(source.open()),
        rule(choice.rule(table, target)),
        rows(rule, choice.norm_bound(rule), source.bad_rows()) {}
  Table table;
  RowRule rule;
  PublicRows rows;
};

}  // namespace modicum
