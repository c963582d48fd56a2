// Rows of texts that a query reads from somewhere other than a Parquet file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/queries/row_query.h"
#include "modicum/data/table.h"

namespace modicum::data {

class TextRows {
 public:
  using Row = std::vector<std::optional<std::string>>;
  virtual ~TextRows() = default;
  virtual const std::vector<std::string>& names() const = 0;
  /// Before the first row: of these columns alone cells are made. Throws UsageError for one that
  /// some row may make fail.
  virtual void need(const std::vector<std::string>&) {}
  /// False at the end. What is empty is nothing, as in a file. Throws UnreadableFile.
  virtual bool next(Row& row) = 0;
};

/// CSV files, as they look.
std::unique_ptr<TextRows> csv_text_rows(const TableFiles& files, BadRows bad_rows);
/// Lines as they are, in a column `line`; those beyond 64 MB are dropped.
std::unique_ptr<TextRows> line_text_rows(const std::vector<std::string>& paths);
/// A table of a database. A view is refused (UsageError): its rows may be made of many; so is what
/// SQLite keeps for a virtual table, and a server's database that is not in UTF-8.
std::unique_ptr<TextRows> sqlite_text_rows(const QuerySource& source);
std::unique_ptr<TextRows> postgresql_text_rows(const QuerySource& source);

/// Where these columns are among the names, in the order of the names.
std::vector<std::size_t> places_among(const std::vector<std::string>& names,
                                      const std::vector<std::string>& columns);

/// What a database cannot hold as text is nothing.
bool is_utf8(std::string_view text);

/// To be read as the table modicum_rows(). What it throws is kept.
class FedRows {
 public:
  FedRows(DuckDbSession& session, std::unique_ptr<TextRows> rows);
  ~FedRows();
  FedRows(const FedRows&) = delete;
  FedRows& operator=(const FedRows&) = delete;
  void rethrow() const;

 private:
  struct Feed;
  std::unique_ptr<Feed> feed_;
};

}  // namespace modicum::data
