// DuckDB for tests, from where ./test puts it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "data/queries/duckdb_library.h"
#include "data/queries/query_cells.h"
#include "test_paths.h"

namespace modicum::testing {

/// Before the library is first used.
inline void find_duckdb() {
  ::setenv("MODICUM_DUCKDB", MODICUM_REFERENCE_DIR "/../../build/duckdb/libduckdb.so", 0);
}

/// A database that may do anything, to make files with.
class FreeDatabase {
 public:
  FreeDatabase() {
    find_duckdb();
    char* message = nullptr;
    EXPECT_EQ(data::duckdb().open_ext(nullptr, &database_, nullptr, &message), 0);
    EXPECT_EQ(data::duckdb().connect(database_, &connection_), 0);
  }
  ~FreeDatabase() {
    data::duckdb().disconnect(&connection_);
    data::duckdb().close(&database_);
  }
  FreeDatabase(const FreeDatabase&) = delete;
  FreeDatabase& operator=(const FreeDatabase&) = delete;
  void run(const std::string& statement) {
    data::DuckDbResult result{};
    const int status = data::duckdb().query(connection_, statement.c_str(), &result);
    EXPECT_EQ(status, 0) << data::duckdb().result_error(&result);
    data::duckdb().destroy_result(&result);
  }

 private:
  void *database_ = nullptr, *connection_ = nullptr;
};

using TextTable = std::vector<std::vector<std::string>>;

/// All rows, as cells tell them. Throws std::runtime_error where the statement fails.
inline TextTable rows_of(data::DuckDbSession& session, const std::string& statement) {
  const data::DuckDbFunctions& own = data::duckdb();
  const data::DuckDbStatement prepared(session, statement);
  if (!prepared) throw std::runtime_error("not prepared: " + statement);
  const auto columns = prepared.columns();
  data::DuckDbResult result{};
  TextTable rows;
  bool good = own.execute_prepared_streaming(prepared.handle(), &result) == 0;
  while (void* const chunk = good ? own.fetch_chunk(result) : nullptr) {
    const auto part =
        data::columns_of_chunk(chunk, columns, std::vector<std::string>(columns.size(), "x"));
    for (std::size_t i = 0; i < part->rows(); ++i) {
      auto& row = rows.emplace_back(columns.size());
      for (std::size_t j = 0; j < row.size(); ++j)
        part->batches().front().columns[j]->text(i, row[j]);
    }
  }
  good = good && own.result_error(&result) == nullptr;
  const char* const why = own.result_error(&result);
  const std::string words = why == nullptr ? "" : why;
  own.destroy_result(&result);
  if (!good) throw std::runtime_error(words + ": " + statement);
  return rows;
}

}  // namespace modicum::testing
