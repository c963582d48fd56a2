// What DuckDB hands out as columns of a table: nothing is copied.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "data/columns_in_memory.h"
#include "data/queries/duckdb_library.h"

namespace modicum::data {

/// Takes the chunk, and gives it back when nobody uses the columns any more.
std::shared_ptr<const ColumnsInMemory> columns_of_chunk(
    void* chunk, const std::vector<DuckDbStatement::Column>& columns,
    const std::vector<std::string>& names);

}  // namespace modicum::data
