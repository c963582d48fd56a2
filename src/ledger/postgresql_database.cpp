// A ledger on a server. PostgreSQL's library brings twenty others with it, so it is loaded only
// when somebody asks for a server.
#include <dlfcn.h>
#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>

#include "data/cells/number_text.h"
#include "ledger/database.h"
#include "modicum/data/unreadable_file.h"

namespace modicum {
namespace {

struct Client {
  decltype(&::PQconnectdb) connect;
  decltype(&::PQfinish) finish;
  decltype(&::PQstatus) status;
  decltype(&::PQerrorMessage) error_message;
  decltype(&::PQexecParams) execute;
  decltype(&::PQresultStatus) result_status;
  decltype(&::PQresultErrorField) error_field;
  decltype(&::PQntuples) rows;
  decltype(&::PQnfields) columns;
  decltype(&::PQgetisnull) is_null;
  decltype(&::PQgetvalue) value;
  decltype(&::PQgetlength) length;
  decltype(&::PQclear) clear;
  decltype(&::PQcmdStatus) command_status;

  Client() {
    void* library = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    const auto find = [&](auto& function, const char* name) {
      if (library != nullptr)
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
      if (library == nullptr || function == nullptr)
        throw UnreadableFile("a ledger on a server needs libpq, version 5, which is not installed");
    };
    find(connect, "PQconnectdb");
    find(finish, "PQfinish");
    find(status, "PQstatus");
    find(error_message, "PQerrorMessage");
    find(execute, "PQexecParams");
    find(result_status, "PQresultStatus");
    find(error_field, "PQresultErrorField");
    find(rows, "PQntuples");
    find(columns, "PQnfields");
    find(is_null, "PQgetisnull");
    find(value, "PQgetvalue");
    find(length, "PQgetlength");
    find(clear, "PQclear");
    find(command_status, "PQcmdStatus");
  }
};

const Client& client() {
  static const Client loaded;
  return loaded;
}

// Where a password has characters in it that end it, parts of it would be taken for a host or a
// port, and shown in messages of the library.
void require_clear(const std::string& address) {
  const auto start = address.find("://");
  const auto end = std::min(address.find('?'), address.size());
  const auto at = start == std::string::npos ? start : address.rfind('@', end);
  const bool unclear =
      start == std::string::npos ||
      (at != std::string::npos && at > start + 3 &&
       address.substr(start + 3, at - start - 3).find_first_of("@/") != std::string::npos);
  if (unclear)
    throw InvalidParameter(
        "ledger", shown_store(address),
        "must be of the form postgresql://user:password@host/base, where @ and / "
        "in a password are written as %40 and %2F");
}

using Result = std::unique_ptr<PGresult, decltype(&::PQclear)>;

class PostgresqlDatabase final : public Database {
 public:
  PostgresqlDatabase(const std::string& address, std::chrono::milliseconds patience)
      : address_(shown_store(address)),
        connection_(client().connect(address.c_str()), client().finish) {
    if (client().status(connection_.get()) != CONNECTION_OK)
      throw UnreadableFile(
          fmt::format("the ledger {} cannot be reached{}", address_,
                      said().find(address) == std::string::npos ? ": " + said() : ""));
    // Others may have changed what the server does by default.
    send("SET synchronous_commit = on", {});
    send("SET client_min_messages = warning", {});
    send(fmt::format("SET lock_timeout = {}", patience.count()), {});
  }

  std::vector<Row> ask(const std::string& statement, const Row& values) override {
    const Result result = send(statement, values);
    std::vector<Row> rows(static_cast<std::size_t>(client().rows(result.get())));
    for (int i = 0; i < client().rows(result.get()); ++i)
      for (int k = 0; k < client().columns(result.get()); ++k) {
        Row& row = rows[static_cast<std::size_t>(i)];
        if (client().is_null(result.get(), i, k) != 0) row.emplace_back();
        else
          row.emplace_back(
              std::string(client().value(result.get(), i, k),
                          static_cast<std::size_t>(client().length(result.get(), i, k))));
      }
    return rows;
  }

 protected:
  // The lock comes before anything is read, so that those who waited see what the others did.
  void begin_change() override {
    if (!lockable_) lockable_ = has_table("modicum_ledger");
    send("BEGIN ISOLATION LEVEL SERIALIZABLE", {});
    if (!lockable_) return;  // it is being made
    try {
      send("LOCK TABLE modicum_ledger IN EXCLUSIVE MODE", {});
    } catch (...) {
      send("ROLLBACK", {});
      throw;
    }
  }
  void begin_look() override { send("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", {}); }
  std::string table_query() const override {
    return "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() "
           "AND table_name = $1";
  }

 private:
  Result send(const std::string& statement, const Row& values) {
    std::vector<const char*> texts;
    for (const Cell& value : values) texts.push_back(value ? value->c_str() : nullptr);
    Result result(
        client().execute(connection_.get(), statement.c_str(), static_cast<int>(values.size()),
                         nullptr, texts.data(), nullptr, nullptr, 0),
        client().clear);
    const ExecStatusType status = client().result_status(result.get());
    // A transaction that failed earlier is rolled back by COMMIT, which calls that no error.
    if (statement == "COMMIT" && status == PGRES_COMMAND_OK &&
        std::string_view(client().command_status(result.get())) != "COMMIT")
      throw Error(fmt::format("the ledger {} has changed nothing", address_));
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return result;
    const char* code = client().error_field(result.get(), PG_DIAG_SQLSTATE);
    fail(code == nullptr ? "" : code);
  }
  [[noreturn]] void fail(std::string_view code) const {
    const std::string message = fmt::format("the ledger {} failed: {}", address_, said());
    // A failed serialization, a deadlock, a number or a table that another made in between.
    if (code == "40001" || code == "40P01" || code == "23505" || code == "42P07")
      throw InTheWay(message);
    if (code == "55P03")
      throw Error(
          fmt::format("the ledger {} is held by another process; nothing was changed", address_));
    if (client().status(connection_.get()) != CONNECTION_OK) throw UnreadableFile(message);
    throw Error(message);
  }
  std::string said() const {
    std::string text = client().error_message(connection_.get());
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return one_line(text, 400);
  }

  std::string address_;
  bool lockable_ = false;
  std::unique_ptr<PGconn, decltype(&::PQfinish)> connection_;
};

}  // namespace

std::unique_ptr<Database> open_postgresql(const std::string& address,
                                          std::chrono::milliseconds patience) {
  require_clear(address);
  return std::make_unique<PostgresqlDatabase>(address, patience);
}

}  // namespace modicum
