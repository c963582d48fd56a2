// A table made by a query: SELECT expressions FROM one table WHERE condition, over Parquet, CSV,
// lines of JSON, SQLite or PostgreSQL. Rows are treated one by one, and none can make it fail:
// docs/sources.md tells what there is, and why. Needs DuckDB's library at run time.
//
//     TableFiles files;
//     files.queried = queried_rows("select age, wage from 'people.parquet' where year = 2024");
//     const Table table(files);
#pragma once

#include <memory>
#include <string>

#include "modicum/data/table.h"

namespace modicum {

/// `files` says how CSV files look; those that it names, if any, are what the query calls `rows`. A
/// path in the query is relative to `folder` if it is there, or nowhere. Throws UsageError for a
/// query that does not treat rows one by one, with the part of it that is to blame, UnreadableFile
/// where DuckDB or a file is not there.
std::shared_ptr<const data::QueriedRows> queried_rows(const std::string& query,
                                                      const TableFiles& files = {},
                                                      const std::string& folder = "");

/// Whether it reads from `rows`, a table that is given beside it. Throws as above.
bool reads_given_table(const std::string& query);

}  // namespace modicum
