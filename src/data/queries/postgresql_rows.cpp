// A table of a PostgreSQL server, read row by row by its own library, which is loaded when somebody
// asks for it: DuckDB has no reader for it inside.
#include <dlfcn.h>
#include <fmt/format.h>
#include <libpq-fe.h>

#include <array>

#include "data/cells/cell_text.h"
#include "data/cells/number_text.h"
#include "data/queries/text_rows.h"
#include "modicum/data/fields.h"

namespace modicum::data {
namespace {

struct TableClient {
  decltype(&::PQconnectdb) connect;
  decltype(&::PQfinish) finish;
  decltype(&::PQstatus) status;
  decltype(&::PQexec) run;
  decltype(&::PQexecParams) execute;
  decltype(&::PQsendQuery) send;
  decltype(&::PQsetSingleRowMode) row_by_row;
  decltype(&::PQgetResult) next;
  decltype(&::PQresultStatus) result_status;
  decltype(&::PQntuples) rows;
  decltype(&::PQnfields) columns;
  decltype(&::PQfname) name;
  decltype(&::PQftype) type;
  decltype(&::PQgetisnull) is_null;
  decltype(&::PQgetvalue) value;
  decltype(&::PQgetlength) length;
  decltype(&::PQclear) clear;

  TableClient() {
    void* const library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    const auto find = [&](auto& function, const char* symbol) {
      if (library != nullptr)
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, symbol));
      if (library == nullptr || function == nullptr)
        throw UnreadableFile("a table on a server needs libpq, version 5, which is not installed");
    };
    find(connect, "PQconnectdb");
    find(finish, "PQfinish");
    find(status, "PQstatus");
    find(run, "PQexec");
    find(execute, "PQexecParams");
    find(send, "PQsendQuery");
    find(row_by_row, "PQsetSingleRowMode");
    find(next, "PQgetResult");
    find(result_status, "PQresultStatus");
    find(rows, "PQntuples");
    find(columns, "PQnfields");
    find(name, "PQfname");
    find(type, "PQftype");
    find(is_null, "PQgetisnull");
    find(value, "PQgetvalue");
    find(length, "PQgetlength");
    find(clear, "PQclear");
  }
};

const TableClient& table_client() {
  static const TableClient loaded;
  return loaded;
}

// 2020-07-02 12:00:00: of the years 1 to 9999. Nothing where it is infinite, or BC.
std::string within_years(std::string text) {
  const bool plain = text.size() >= 10 && text[4] == '-' && !text.ends_with("BC") &&
                     text.find_first_not_of("0123456789") == 4;
  return plain ? text : "";
}

// A cell of this type, as a file would have it.
std::string text_of_cell(::Oid type, std::string text) {
  switch (type) {
    case 16:  // bool
      return text == "t" ? "true" : "false";
    case 17:  // bytea
      return "";
    case 700:  // float4, float8: in as few digits as tell them apart
    case 701: {
      const std::optional<double> number = read_number(text);
      return number ? text_of_number(*number) : "";
    }
    case 1700:  // numeric
      return text_of_decimal(text);
    case 1082:  // date
      return within_years(std::move(text));
    case 1114:  // timestamp
      return text_of_moment(within_years(std::move(text)));
    case 1184:  // the same in UTC
      text = within_years(std::move(text));
      return text_of_moment(text.substr(0, text.rfind('+')));
    default:
      return text;
  }
}

class PostgresqlTextRows final : public TextRows {
 public:
  explicit PostgresqlTextRows(const QuerySource& source) {
    if (source.place.find("password") != std::string::npos ||
        (source.place.find("://") != std::string::npos &&
         source.place.find('@') != std::string::npos &&
         source.place.find(':', source.place.find("://") + 3) < source.place.find('@')))
      throw UsageError(
          "`query` must hold no password, since certificates quote it: PGPASSFILE or PGPASSWORD "
          "tells it");
    connection_ = table_client().connect(source.place.c_str());
    if (table_client().status(connection_) != CONNECTION_OK) fail("cannot be reached");
    // The rows that are there now, all of them or none: policies may hide some by looking at
    // others.
    for (const char* command :
         {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", "SET LOCAL row_security = off",
          "SET LOCAL datestyle = 'ISO, YMD'", "SET LOCAL timezone = 'UTC'",
          "SET LOCAL extra_float_digits = 1", "SET LOCAL search_path = pg_catalog",
          "SET LOCAL client_encoding = 'UTF8'"})
      run(command);
    require_unicode();
    require_table(source);
    from_ = fmt::format("FROM {}.{} AS t", quoted_name(source.schema), quoted_name(source.table));
    ::PGresult* const shape = run(fmt::format("SELECT * {} LIMIT 0", from_).c_str(), false);
    for (int i = 0; i < table_client().columns(shape); ++i) {
      names_.emplace_back(table_client().name(shape, i));
      types_.push_back(table_client().type(shape, i));
    }
    table_client().clear(shape);
    PostgresqlTextRows::need(names_);
  }
  ~PostgresqlTextRows() override { table_client().finish(connection_); }
  PostgresqlTextRows(const PostgresqlTextRows&) = delete;
  PostgresqlTextRows& operator=(const PostgresqlTextRows&) = delete;

  const std::vector<std::string>& names() const override { return names_; }
  void need(const std::vector<std::string>& columns) override {
    places_ = places_among(names_, columns);
    std::string list;
    for (const std::size_t place : places_)
      list += (list.empty() ? "t." : ", t.") + quoted_name(names_[place]);
    statement_ = fmt::format("SELECT {} {}", list.empty() ? "NULL" : list, from_);
  }
  bool next(Row& row) override {
    const TableClient& own = table_client();
    if (!sent_ &&
        (own.send(connection_, statement_.c_str()) == 0 || own.row_by_row(connection_) == 0))
      fail("cannot be read");
    sent_ = true;
    ::PGresult* const result = own.next(connection_);
    if (result == nullptr) return false;
    const auto status = own.result_status(result);
    const bool there = status == PGRES_SINGLE_TUPLE && own.rows(result) == 1;
    if (there) {
      row.assign(names_.size(), std::nullopt);
      for (std::size_t i = 0; i < places_.size(); ++i)
        row[places_[i]] = cell(result, static_cast<int>(i), types_[places_[i]]);
    }
    own.clear(result);
    if (there) return true;
    if (status != PGRES_TUPLES_OK) fail("cannot be read to its end");
    return false;
  }

 private:
  static std::optional<std::string> cell(const ::PGresult* result, int i, ::Oid type) {
    const TableClient& own = table_client();
    if (own.is_null(result, 0, i) != 0) return std::nullopt;
    std::string text = text_of_cell(
        type, {own.value(result, 0, i), static_cast<std::size_t>(own.length(result, 0, i))});
    if (text.empty()) return std::nullopt;
    return text;
  }
  ::PGresult* run(const char* command, bool forget = true) {
    ::PGresult* const result = table_client().run(connection_, command);
    const auto status = table_client().result_status(result);
    const bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (forget || !good) table_client().clear(result);
    if (!good) fail("cannot be read");
    return forget ? nullptr : result;
  }
  // From another encoding some row might not be translated.
  void require_unicode() {
    ::PGresult* const shown = run("SHOW server_encoding", false);
    const bool good = table_client().rows(shown) == 1 &&
                      std::string_view(table_client().value(shown, 0, 0)) == "UTF8";
    table_client().clear(shown);
    if (!good) fail("is not in the encoding UTF8, but must be: other text may have no translation");
  }
  // Not a view, whose rows may be made of many, nor a table of somewhere else, nor one that has
  // such a table among its parts.
  void require_table(const QuerySource& source) {
    const std::array<const char*, 2> values{source.schema.c_str(), source.table.c_str()};
    ::PGresult* const found = table_client().execute(
        connection_,
        "WITH RECURSIVE family(id) AS ("
        "SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE n.nspname = $1 AND c.relname = $2 "
        "UNION SELECT i.inhrelid FROM pg_inherits i JOIN family f ON i.inhparent = f.id) "
        "SELECT 1 FROM family f LEFT JOIN pg_class c ON c.oid = f.id "
        "HAVING count(*) > 0 AND bool_and(coalesce(c.relkind IN ('r', 'p'), false))",
        2, nullptr, values.data(), nullptr, nullptr, 0);
    const bool good = table_client().result_status(found) == PGRES_TUPLES_OK;
    const bool there = good && table_client().rows(found) == 1;
    table_client().clear(found);
    if (!good) fail("cannot be read");
    if (there) return;
    table_client().finish(connection_);
    connection_ = nullptr;
    throw UsageError(
        fmt::format("`query` names {}, which is not a table of the database itself "
                    "(a row of a view may be made of many; parts elsewhere may be views)",
                    in_quotes(source.schema + "." + source.table)));
  }
  [[noreturn]] void fail(const char* why) {
    table_client().finish(connection_);
    connection_ = nullptr;
    throw UnreadableFile(fmt::format("the database of the query {}", why));
  }

  ::PGconn* connection_ = nullptr;
  std::string from_, statement_;
  std::vector<std::string> names_;
  std::vector<::Oid> types_;
  std::vector<std::size_t> places_;
  bool sent_ = false;
};

}  // namespace

std::unique_ptr<TextRows> postgresql_text_rows(const QuerySource& source) {
  return std::make_unique<PostgresqlTextRows>(source);
}

}  // namespace modicum::data
