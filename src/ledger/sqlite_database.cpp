// A ledger in one file.
#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <map>

#include "ledger/database.h"
#include "modicum/data/unreadable_file.h"

namespace modicum {
namespace {

class SqliteDatabase final : public Database {
 public:
  SqliteDatabase(const std::string& path, OpenStore how, std::chrono::milliseconds patience)
      : path_(path) {
    const int make = how == OpenStore::or_make_new ? SQLITE_OPEN_CREATE : 0;
    const int code = ::sqlite3_open_v2(path.c_str(), &connection_,
                                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | make, nullptr);
    if (code != SQLITE_OK) {
      ::sqlite3_close(connection_);
      std::error_code none;
      if (how == OpenStore::existing && !std::filesystem::exists(path, none)) refuse_missing(path);
      throw UnreadableFile(fmt::format("the ledger {} cannot be opened: {}", shown_store(path),
                                       ::sqlite3_errstr(code)));
    }
    ::sqlite3_busy_timeout(connection_, static_cast<int>(patience.count()));
    try {
      // What is committed is on the disk, and stays there.
      ask("PRAGMA synchronous = FULL");
      if (how == OpenStore::or_make_new) ask("PRAGMA journal_mode = WAL");
    } catch (...) {
      close();
      throw;
    }
  }
  ~SqliteDatabase() override { close(); }
  SqliteDatabase(const SqliteDatabase&) = delete;
  SqliteDatabase& operator=(const SqliteDatabase&) = delete;

  std::vector<Row> ask(const std::string& statement, const Row& values) override {
    sqlite3_stmt*& prepared = prepared_[statement];
    if (prepared == nullptr)
      check(::sqlite3_prepare_v2(connection_, statement.c_str(), -1, &prepared, nullptr));
    struct Finished {
      sqlite3_stmt* statement;
      ~Finished() {
        ::sqlite3_reset(statement);
        ::sqlite3_clear_bindings(statement);
      }
    } const finished{prepared};
    for (std::size_t i = 0; i < values.size(); ++i)
      bind(prepared, static_cast<int>(i) + 1, values[i]);
    std::vector<Row> rows;
    int code = SQLITE_ROW;
    while ((code = ::sqlite3_step(prepared)) == SQLITE_ROW) rows.push_back(row_of(prepared));
    if (code != SQLITE_DONE) fail(code);
    return rows;
  }

 protected:
  void begin_change() override { ask("BEGIN IMMEDIATE", {}); }
  void begin_look() override { ask("BEGIN", {}); }
  std::string table_query() const override {
    return "SELECT name FROM sqlite_master WHERE type = 'table' AND name = $1";
  }

 private:
  void close() {
    for (const auto& [text, statement] : prepared_) ::sqlite3_finalize(statement);
    ::sqlite3_close(connection_);
  }
  void ask(const char* statement) { ask(std::string(statement), {}); }
  void bind(sqlite3_stmt* statement, int place, const Cell& value) const {
    check(value ? ::sqlite3_bind_text(statement, place, value->data(),
                                      static_cast<int>(value->size()), SQLITE_TRANSIENT)
                : ::sqlite3_bind_null(statement, place));
  }
  static Row row_of(sqlite3_stmt* statement) {
    Row row;
    for (int i = 0; i < ::sqlite3_column_count(statement); ++i) {
      if (::sqlite3_column_type(statement, i) == SQLITE_NULL) {
        row.emplace_back();
        continue;
      }
      // The same letters, but no search finds them.
      if (::sqlite3_column_type(statement, i) == SQLITE_BLOB)
        throw Error("the ledger has bytes in place of text: it was changed");
      const auto* text = reinterpret_cast<const char*>(::sqlite3_column_text(statement, i));
      row.emplace_back(
          std::string(text, static_cast<std::size_t>(::sqlite3_column_bytes(statement, i))));
    }
    return row;
  }
  void check(int code) const {
    if (code != SQLITE_OK) fail(code);
  }
  Error unwritten(const std::string& why) const {
    return Error(fmt::format("the ledger {} cannot be written: {}; nothing was changed",
                             shown_store(path_), why));
  }
  [[noreturn]] void fail(int code) const {
    const std::string said = ::sqlite3_errmsg(connection_);
    switch (code & 0xff) {
      case SQLITE_BUSY:
      case SQLITE_LOCKED:
        throw Error(fmt::format("the ledger {} is held by another process; nothing was changed",
                                shown_store(path_)));
      case SQLITE_READONLY:
      case SQLITE_FULL:
        throw unwritten(said);
      case SQLITE_NOTADB:
      case SQLITE_CORRUPT:
      case SQLITE_CANTOPEN:
      case SQLITE_IOERR:
        switch (::sqlite3_extended_errcode(connection_)) {
          case SQLITE_IOERR_WRITE:
          case SQLITE_IOERR_FSYNC:
          case SQLITE_IOERR_TRUNCATE:
          case SQLITE_IOERR_SHMSIZE:
          case SQLITE_IOERR_SHMOPEN:
            throw unwritten(said);
          default:
            break;
        }
        throw UnreadableFile(
            fmt::format("the ledger {} cannot be read: {}", shown_store(path_), said));
      default:
        throw Error(fmt::format("the ledger {} failed: {}", shown_store(path_), said));
    }
  }

  std::string path_;
  sqlite3* connection_ = nullptr;
  std::map<std::string, sqlite3_stmt*> prepared_ = {};  // what was asked once is often asked again
};

}  // namespace

std::unique_ptr<Database> open_sqlite(const std::string& path, OpenStore how,
                                      std::chrono::milliseconds patience) {
  return std::make_unique<SqliteDatabase>(path, how, patience);
}

}  // namespace modicum
