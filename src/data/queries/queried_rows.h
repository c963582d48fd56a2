// The rows that a query makes, or those of Parquet files as they are.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/files/pieces.h"
#include "data/queries/row_query.h"
#include "modicum/data/table.h"

namespace modicum::data {

class TextRows;

/// Whether the files are Parquet: by the first bytes of the first if they are no row's, without a
/// header by its name.
bool are_parquet(const TableFiles& files);

class QueriedRows {
 public:
  /// `files` says how CSV files look; its paths are Parquet files where there is no query, and what
  /// a query calls `rows` where there is one. Throws UsageError for a query that does not treat
  /// rows one by one, UnreadableFile where DuckDB or a file is not there. A path in the query is
  /// relative to `folder` if it is there, or nowhere.
  QueriedRows(std::string query, TableFiles files, const std::string& folder = "");
  ~QueriedRows();

  const std::vector<std::string>& names() const { return query_.names; }
  /// Of the files; nothing for a server.
  const std::vector<std::string>& paths() const { return files_.paths; }
  std::uint64_t bytes() const;
  const std::string& text() const { return text_; }
  const FileAssumptions& assumptions() const { return assumptions_; }
  /// Throws UsageError where it is not known what is a malformed row.
  void require_readable(BadRows bad_rows) const;
  /// A new pass over all rows, in which only these columns are made.
  std::unique_ptr<PieceReader> open(const ReadOptions& options,
                                    const std::vector<bool>& wanted) const;

 private:
  enum class Form { parquet, lines, csv, database };
  void settle_source(const std::string& folder);
  void settle_paths(const std::string& folder);
  void settle_parquet(const Value* parsed);
  void settle_texts(DuckDbSession& session, const Value& parsed);
  std::unique_ptr<TextRows> text_rows(BadRows bad_rows) const;
  std::vector<std::string> readable() const;

  std::string text_;
  TableFiles files_;
  QuerySource source_ = {};
  Form form_ = Form::parquet;
  RowQuery query_ = {};
  std::string from_;
  FileAssumptions assumptions_ = {};
};

}  // namespace modicum::data
