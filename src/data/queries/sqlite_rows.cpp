// A table of an SQLite database, read by SQLite's own library: DuckDB has no reader for it inside.
#include <fmt/format.h>
#include <sqlite3.h>

#include "data/cell_text.h"
#include "data/number_text.h"
#include "data/queries/text_rows.h"
#include "modicum/data/fields.h"

namespace modicum::data {
namespace {

class SqliteTextRows final : public TextRows {
 public:
  explicit SqliteTextRows(const QuerySource& source) : path_(source.place) {
    constexpr int patience = 10000;  // milliseconds
    if (::sqlite3_open_v2(path_.c_str(), &database_, SQLITE_OPEN_READONLY, nullptr) != SQLITE_OK)
      fail();
    ::sqlite3_busy_timeout(database_, patience);
    // Not the rows of a view, which may be made of many, nor those that some module makes up.
    prepare(
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name = ?1");
    ::sqlite3_bind_text(statement_, 1, source.table.data(), static_cast<int>(source.table.size()),
                        SQLITE_STATIC);
    if (::sqlite3_step(statement_) != SQLITE_ROW) fail();
    if (::sqlite3_column_int(statement_, 0) != 1) {
      close();
      throw UsageError(
          fmt::format("`query` names {}, which is no table of the database itself (a "
                      "view is none: its rows may be made of many)",
                      in_quotes(source.table)));
    }
    prepare(fmt::format("SELECT * FROM main.{}", quoted_name(source.table)));
    for (int i = 0; i < ::sqlite3_column_count(statement_); ++i)
      names_.emplace_back(::sqlite3_column_name(statement_, i));
  }
  ~SqliteTextRows() override { close(); }
  SqliteTextRows(const SqliteTextRows&) = delete;
  SqliteTextRows& operator=(const SqliteTextRows&) = delete;

  const std::vector<std::string>& names() const override { return names_; }
  bool next(Row& row) override {
    const int status = ::sqlite3_step(statement_);
    if (status == SQLITE_DONE) return false;
    if (status != SQLITE_ROW) fail();
    row.resize(names_.size());
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = cell(static_cast<int>(i));
    return true;
  }

 private:
  void prepare(const std::string& text) {
    ::sqlite3_finalize(statement_);
    statement_ = nullptr;
    if (::sqlite3_prepare_v2(database_, text.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
      fail();
  }
  // Every cell has a type of its own.
  std::optional<std::string> cell(int i) const {
    std::string text;
    switch (::sqlite3_column_type(statement_, i)) {
      case SQLITE_INTEGER:
        text = fmt::format("{}", ::sqlite3_column_int64(statement_, i));
        break;
      case SQLITE_FLOAT:
        text = text_of_number(::sqlite3_column_double(statement_, i));
        break;
      case SQLITE_TEXT:
        text.assign(reinterpret_cast<const char*>(::sqlite3_column_text(statement_, i)),
                    static_cast<std::size_t>(::sqlite3_column_bytes(statement_, i)));
        break;
      default:
        break;
    }
    if (text.empty()) return std::nullopt;
    return text;
  }
  void close() {
    ::sqlite3_finalize(statement_);
    ::sqlite3_close(database_);
    statement_ = nullptr;
    database_ = nullptr;
  }
  [[noreturn]] void fail() {
    close();
    throw UnreadableFile(fmt::format("{}: cannot be read as an SQLite database", path_));
  }

  std::string path_;
  ::sqlite3* database_ = nullptr;
  ::sqlite3_stmt* statement_ = nullptr;
  std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<TextRows> sqlite_text_rows(const QuerySource& source) {
  return std::make_unique<SqliteTextRows>(source);
}

}  // namespace modicum::data
