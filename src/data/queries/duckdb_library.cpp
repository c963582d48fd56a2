#include "data/queries/duckdb_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "data/cells/number_text.h"
#include "modicum/data/unreadable_file.h"

namespace modicum::data {
namespace {

constexpr const char* library_name = "libduckdb.so";

std::string folder_of_user() {
  const auto variable = [](const char* name) -> std::string {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  if (const std::string data = variable("XDG_DATA_HOME"); data.starts_with('/'))
    return data + "/modicum";
  const std::string home = variable("HOME");
  return home.starts_with('/') ? home + "/.local/share/modicum" : "";
}

[[noreturn]] void refuse_library(const std::string& why) {
  throw UnreadableFile(
      fmt::format("{}; scripts/get_duckdb.sh fetches it, and MODICUM_DUCKDB may name the file "
                  "{} (docs/sources.md)",
                  why, library_name));
}

void* loaded_library() {
  const auto load = [](const std::string& path) {
    return ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  };
  if (const char* const named = std::getenv("MODICUM_DUCKDB"); named != nullptr && *named != '\0') {
    if (void* const library = load(named)) return library;
    refuse_library(
        fmt::format("{} (MODICUM_DUCKDB) cannot be loaded as DuckDB", one_line(named, 200)));
  }
  if (const std::string folder = folder_of_user(); !folder.empty())
    if (void* const library = load(folder + "/" + library_name)) return library;
  if (void* const library = load(library_name)) return library;
  refuse_library("Parquet files, databases and queries are read by DuckDB, which is not here");
}

template <class Function>
void find_function(void* library, const char* name, Function& to) {
  void* const found = ::dlsym(library, fmt::format("duckdb_{}", name).c_str());
  if (found == nullptr)
    refuse_library(fmt::format("the DuckDB that is here has no duckdb_{}: it is too old", name));
  to = reinterpret_cast<Function>(found);
}

DuckDbFunctions loaded_functions() {
  void* const library = loaded_library();
  DuckDbFunctions all{};
#define MODICUM_FIND(name) find_function(library, #name, all.name)
  MODICUM_FIND(library_version);
  MODICUM_FIND(create_config);
  MODICUM_FIND(set_config);
  MODICUM_FIND(destroy_config);
  MODICUM_FIND(open_ext);
  MODICUM_FIND(close);
  MODICUM_FIND(connect);
  MODICUM_FIND(disconnect);
  MODICUM_FIND(interrupt);
  MODICUM_FIND(query_progress);
  MODICUM_FIND(free);
  MODICUM_FIND(query);
  MODICUM_FIND(destroy_result);
  MODICUM_FIND(result_error);
  MODICUM_FIND(prepare);
  MODICUM_FIND(destroy_prepare);
  MODICUM_FIND(bind_varchar_length);
  MODICUM_FIND(execute_prepared);
  MODICUM_FIND(execute_prepared_streaming);
  MODICUM_FIND(prepared_statement_column_count);
  MODICUM_FIND(prepared_statement_column_name);
  MODICUM_FIND(prepared_statement_column_logical_type);
  MODICUM_FIND(get_type_id);
  MODICUM_FIND(decimal_width);
  MODICUM_FIND(decimal_scale);
  MODICUM_FIND(create_logical_type);
  MODICUM_FIND(destroy_logical_type);
  MODICUM_FIND(fetch_chunk);
  MODICUM_FIND(destroy_data_chunk);
  MODICUM_FIND(data_chunk_get_size);
  MODICUM_FIND(data_chunk_set_size);
  MODICUM_FIND(data_chunk_get_vector);
  MODICUM_FIND(vector_get_data);
  MODICUM_FIND(vector_get_validity);
  MODICUM_FIND(vector_ensure_validity_writable);
  MODICUM_FIND(vector_assign_string_element_len);
  MODICUM_FIND(vector_size);
  MODICUM_FIND(validity_set_row_invalid);
  MODICUM_FIND(create_table_function);
  MODICUM_FIND(destroy_table_function);
  MODICUM_FIND(table_function_set_name);
  MODICUM_FIND(table_function_set_extra_info);
  MODICUM_FIND(table_function_set_bind);
  MODICUM_FIND(table_function_set_init);
  MODICUM_FIND(table_function_set_function);
  MODICUM_FIND(register_table_function);
  MODICUM_FIND(bind_get_extra_info);
  MODICUM_FIND(bind_add_result_column);
  MODICUM_FIND(init_set_max_threads);
  MODICUM_FIND(function_get_extra_info);
  MODICUM_FIND(function_set_error);
#undef MODICUM_FIND
  return all;
}

std::string quoted(std::string_view text, char mark) {
  std::string result(1, mark);
  for (const char each : text) {
    result += each;
    if (each == mark) result += mark;
  }
  return result + mark;
}

[[noreturn]] void refuse_settings() {
  refuse_library("DuckDB cannot be confined to the files of the query: it is another version");
}

}  // namespace

std::string quoted_name(std::string_view name) { return quoted(name, '"'); }
std::string quoted_text(std::string_view text) { return quoted(text, '\''); }

const DuckDbFunctions& duckdb() {
  static const DuckDbFunctions functions = loaded_functions();
  return functions;
}

DuckDbSession::DuckDbSession(const std::vector<std::string>& files, unsigned threads) {
  const DuckDbFunctions& own = duckdb();
  void* config = nullptr;
  bool good = own.create_config(&config) == 0;
  const auto set = [&](const char* name, const std::string& value) {
    good = good && own.set_config(config, name, value.c_str()) == 0;
  };
  if (threads > 0) set("threads", fmt::format("{}", threads));
  set("autoinstall_known_extensions", "false");
  set("autoload_known_extensions", "false");
  set("allow_community_extensions", "false");
  set("allow_persistent_secrets", "false");
  set("enable_external_file_cache", "false");
  set("preserve_insertion_order", "true");
  set("temp_directory", "");
  char* message = nullptr;
  good = good && own.open_ext(nullptr, &database_, config, &message) == 0;
  if (message != nullptr) own.free(message);
  own.destroy_config(&config);
  good = good && own.connect(database_, &connection_) == 0;
  std::string list;
  for (const std::string& file : files) list += (list.empty() ? "" : ", ") + quoted_text(file);
  // Progress is asked for, never printed; numbers are as IEEE 754 has them whatever the default is;
  // threads have room to read ahead of the rows whose turn it is.
  for (const std::string& statement :
       {fmt::format("SET allowed_paths = [{}]", list), std::string("SET TimeZone = 'UTC'"),
        std::string("SET ieee_floating_point_ops = true"),
        std::string("SET streaming_buffer_size = '64MB'"),
        std::string("SET enable_progress_bar = true"),
        std::string("SET enable_progress_bar_print = false"),
        std::string("SET enable_external_access = false"),
        std::string("SET lock_configuration = true")})
    good = good && run(statement);
  if (!good) {
    if (connection_ != nullptr) own.disconnect(&connection_);
    if (database_ != nullptr) own.close(&database_);
    refuse_settings();
  }
}

DuckDbSession::~DuckDbSession() {
  duckdb().disconnect(&connection_);
  duckdb().close(&database_);
}

bool DuckDbSession::run(const std::string& statement) {
  DuckDbResult result{};
  const bool good = duckdb().query(connection_, statement.c_str(), &result) == 0;
  duckdb().destroy_result(&result);
  return good;
}

std::string DuckDbSession::text_of(const std::string& statement, const std::string& argument) {
  const DuckDbFunctions& own = duckdb();
  const DuckDbStatement prepared(*this, statement);
  DuckDbResult result{};
  std::string text;
  if (prepared &&
      own.bind_varchar_length(prepared.handle(), 1, argument.data(), argument.size()) == 0 &&
      own.execute_prepared(prepared.handle(), &result) == 0) {
    if (void* chunk = own.fetch_chunk(result)) {
      void* const vector = own.data_chunk_get_vector(chunk, 0);
      const std::uint64_t* const there = own.vector_get_validity(vector);
      const auto* const cell = static_cast<const DuckDbText*>(own.vector_get_data(vector));
      if (own.data_chunk_get_size(chunk) == 1 && (there == nullptr || (*there & 1) != 0))
        text.assign(cell->begin(), cell->size);
      own.destroy_data_chunk(&chunk);
    }
  }
  own.destroy_result(&result);
  return text;
}

DuckDbStatement::DuckDbStatement(DuckDbSession& session, const std::string& statement)
    : good_(duckdb().prepare(session.connection(), statement.c_str(), &statement_) == 0) {}

DuckDbStatement::~DuckDbStatement() { duckdb().destroy_prepare(&statement_); }

std::vector<DuckDbStatement::Column> DuckDbStatement::columns() const {
  const DuckDbFunctions& own = duckdb();
  std::vector<Column> all;
  for (std::uint64_t i = 0; i < own.prepared_statement_column_count(statement_); ++i) {
    const char* const name = own.prepared_statement_column_name(statement_, i);
    void* type = own.prepared_statement_column_logical_type(statement_, i);
    Column column{name == nullptr ? "" : name, own.get_type_id(type)};
    own.free(const_cast<char*>(name));
    if (column.type == DuckDbType::decimal) {
      column.width = own.decimal_width(type);
      column.scale = own.decimal_scale(type);
    }
    own.destroy_logical_type(&type);
    all.push_back(std::move(column));
  }
  return all;
}

}  // namespace modicum::data
