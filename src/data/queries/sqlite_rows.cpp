// A table of an SQLite database, read by SQLite's own library: DuckDB has no reader for it inside.
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "data/cells/cell_text.h"
#include "data/cells/number_text.h"
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
    require_table(source.table);
    // Of columns that are computed when they are read, a cell may fail.
    prepare("SELECT name, hidden = 2 FROM pragma_table_xinfo(?1, 'main') WHERE hidden <> 1");
    bind(source.table);
    while (step()) {
      names_.push_back(text_at(0));
      if (::sqlite3_column_int(statement_, 1) != 0) computed_.push_back(names_.back());
    }
    from_ = fmt::format("FROM main.{} AS t", quoted_name(source.table));
    need(names_, false);
  }
  ~SqliteTextRows() override { close(); }
  SqliteTextRows(const SqliteTextRows&) = delete;
  SqliteTextRows& operator=(const SqliteTextRows&) = delete;

  const std::vector<std::string>& names() const override { return names_; }
  void need(const std::vector<std::string>& columns) override { need(columns, true); }
  bool next(Row& row) override {
    if (!step()) return false;
    row.assign(names_.size(), std::nullopt);
    for (std::size_t i = 0; i < places_.size(); ++i) row[places_[i]] = cell(static_cast<int>(i));
    return true;
  }

 private:
  // Not the rows of a view, which may be made of many, nor those that some module makes up, nor
  // what it keeps for them: the tables whose names begin with that of a virtual one.
  void require_table(const std::string& table) {
    prepare(
        "SELECT (SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage > 0 AND name "
        "= ?1), (SELECT count(*) FROM sqlite_master WHERE type = 'table' AND rootpage = 0 AND "
        "lower(substr(?1, 1, length(name) + 1)) = lower(name || '_'))");
    bind(table);
    if (!step()) fail();
    const bool there = ::sqlite3_column_int(statement_, 0) == 1,
               kept = ::sqlite3_column_int(statement_, 1) != 0;
    if (there && !kept) return;
    close();
    throw UsageError(fmt::format(
        "`query` names {}, which is not a table of the database itself{}", in_quotes(table),
        there ? ": its name begins with that of a virtual table, which keeps its own "
                "data in such tables, made of many rows"
              : " (a row of a view may be made of many)"));
  }
  void need(const std::vector<std::string>& columns, bool read) {
    places_ = places_among(names_, columns);
    std::string list;
    for (const std::size_t place : places_) {
      const std::string& name = names_[place];
      if (read && std::find(computed_.begin(), computed_.end(), name) != computed_.end()) {
        close();
        throw UsageError(fmt::format(
            "`query` uses {}, a column that SQLite computes when it is read, which may fail for a "
            "row: compute it in the query, or store it",
            in_quotes(name)));
      }
      list += (list.empty() ? "t." : ", t.") + quoted_name(name);
    }
    prepare(fmt::format("SELECT {} {}", list.empty() ? "NULL" : list, from_));
  }
  void bind(const std::string& text) {
    ::sqlite3_bind_text(statement_, 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  bool step() {
    const int status = ::sqlite3_step(statement_);
    if (status != SQLITE_ROW && status != SQLITE_DONE) fail();
    return status == SQLITE_ROW;
  }
  std::string text_at(int i) const {
    const auto* const text = reinterpret_cast<const char*>(::sqlite3_column_text(statement_, i));
    return text == nullptr
               ? ""
               : std::string(text, static_cast<std::size_t>(::sqlite3_column_bytes(statement_, i)));
  }
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
        text = text_at(i);
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

  std::string path_, from_;
  ::sqlite3* database_ = nullptr;
  ::sqlite3_stmt* statement_ = nullptr;
  std::vector<std::string> names_, computed_;
  std::vector<std::size_t> places_;
};

}  // namespace

std::unique_ptr<TextRows> sqlite_text_rows(const QuerySource& source) {
  return std::make_unique<SqliteTextRows>(source);
}

}  // namespace modicum::data
