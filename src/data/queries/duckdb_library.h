// DuckDB, which reads Parquet and runs queries: a library that is loaded when it is first needed,
// so that nothing depends on it. Of its C interface, which is stable, what is called is declared
// here.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace modicum::data {

/// What its functions take and give. Handles are pointers to what only it knows.
struct DuckDbResult {
  std::uint64_t counts[3];
  void *columns, *error, *rows;
};
struct DuckDbProgress {
  double percentage;
  std::uint64_t rows_processed, total_rows;
};
/// A text of up to 12 bytes is here, a longer one behind the pointer.
struct DuckDbText {
  std::uint32_t size;
  char start[4];
  const char* bytes;
  const char* begin() const { return size <= 12 ? start : bytes; }
};
static_assert(sizeof(DuckDbText) == 16);

enum class DuckDbType : std::int32_t {
  boolean = 1,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float4,
  float8,
  timestamp,
  date,
  time,
  interval,
  int128,
  text,
  bytes,
  decimal,
  timestamp_s,
  timestamp_ms,
  timestamp_ns,
  enumeration,
  list,
  structure,
  map,
  uuid,
  timestamp_tz = 31,
  uint128 = 32,
};

struct DuckDbFunctions {
  const char* (*library_version)();
  int (*create_config)(void**);
  int (*set_config)(void*, const char*, const char*);
  void (*destroy_config)(void**);
  int (*open_ext)(const char*, void**, void*, char**);
  void (*close)(void**);
  int (*connect)(void*, void**);
  void (*disconnect)(void**);
  void (*interrupt)(void*);
  DuckDbProgress (*query_progress)(void*);
  void (*free)(void*);
  int (*query)(void*, const char*, DuckDbResult*);
  void (*destroy_result)(DuckDbResult*);
  const char* (*result_error)(DuckDbResult*);
  int (*prepare)(void*, const char*, void**);
  void (*destroy_prepare)(void**);
  int (*bind_varchar_length)(void*, std::uint64_t, const char*, std::uint64_t);
  int (*execute_prepared)(void*, DuckDbResult*);
  int (*execute_prepared_streaming)(void*, DuckDbResult*);
  std::uint64_t (*prepared_statement_column_count)(void*);
  const char* (*prepared_statement_column_name)(void*, std::uint64_t);
  void* (*prepared_statement_column_logical_type)(void*, std::uint64_t);
  DuckDbType (*get_type_id)(void*);
  std::uint8_t (*decimal_width)(void*);
  std::uint8_t (*decimal_scale)(void*);
  void* (*create_logical_type)(DuckDbType);
  void (*destroy_logical_type)(void**);
  void* (*fetch_chunk)(DuckDbResult);
  void (*destroy_data_chunk)(void**);
  std::uint64_t (*data_chunk_get_size)(void*);
  void (*data_chunk_set_size)(void*, std::uint64_t);
  void* (*data_chunk_get_vector)(void*, std::uint64_t);
  void* (*vector_get_data)(void*);
  std::uint64_t* (*vector_get_validity)(void*);
  void (*vector_ensure_validity_writable)(void*);
  void (*vector_assign_string_element_len)(void*, std::uint64_t, const char*, std::uint64_t);
  std::uint64_t (*vector_size)();
  void (*validity_set_row_invalid)(std::uint64_t*, std::uint64_t);
  void* (*create_table_function)();
  void (*destroy_table_function)(void**);
  void (*table_function_set_name)(void*, const char*);
  void (*table_function_set_extra_info)(void*, void*, void (*)(void*));
  void (*table_function_set_bind)(void*, void (*)(void*));
  void (*table_function_set_init)(void*, void (*)(void*));
  void (*table_function_set_function)(void*, void (*)(void*, void*));
  int (*register_table_function)(void*, void*);
  void* (*bind_get_extra_info)(void*);
  void (*bind_add_result_column)(void*, const char*, void*);
  void (*init_set_max_threads)(void*, std::uint64_t);
  void* (*function_get_extra_info)(void*);
  void (*function_set_error)(void*, const char*);
};

/// Looks for it once: in the file that the environment variable MODICUM_DUCKDB names and nowhere
/// else, or in the folder of the user's data, or where the system has its libraries. Throws
/// UnreadableFile, which says how to get it.
const DuckDbFunctions& duckdb();

/// A database in memory that can read `files` and nothing else: no other file, no network, no
/// extension, no temporary file, and no setting can be changed any more.
class DuckDbSession {
 public:
  DuckDbSession(const std::vector<std::string>& files, unsigned threads);
  ~DuckDbSession();
  DuckDbSession(const DuckDbSession&) = delete;
  DuckDbSession& operator=(const DuckDbSession&) = delete;

  void* connection() const { return connection_; }
  /// Of the only row and column. What goes wrong is not told: it may be data.
  std::string text_of(const std::string& statement, const std::string& argument);
  bool run(const std::string& statement);

 private:
  void *database_ = nullptr, *connection_ = nullptr;
};

/// A statement whose types are known and that has read nothing yet.
class DuckDbStatement {
 public:
  DuckDbStatement(DuckDbSession& session, const std::string& statement);
  ~DuckDbStatement();
  DuckDbStatement(const DuckDbStatement&) = delete;
  DuckDbStatement& operator=(const DuckDbStatement&) = delete;
  /// False, if it is none.
  explicit operator bool() const { return good_; }
  void* handle() const { return statement_; }

  struct Column {
    std::string name;
    DuckDbType type;
    int width = 0, scale = 0;  // of decimals
    bool operator==(const Column&) const = default;
  };
  std::vector<Column> columns() const;

 private:
  void* statement_ = nullptr;
  bool good_ = false;
};

/// A name, a text in a statement.
std::string quoted_name(std::string_view name);
std::string quoted_text(std::string_view text);

}  // namespace modicum::data
