#include "data/queries/queried_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "data/cells/number_text.h"
#include "data/csv/byte_stream.h"
#include "data/files/file_patterns.h"
#include "data/queries/query_cells.h"
#include "data/queries/text_rows.h"
#include "modicum/data/fields.h"
#include "modicum/data/query.h"

namespace modicum::data {
namespace {

using Columns = std::vector<DuckDbStatement::Column>;

std::string parquet_scan(const std::vector<std::string>& paths) {
  std::string list;
  for (const std::string& path : paths) list += (list.empty() ? "" : ", ") + quoted_text(path);
  return fmt::format(
      "read_parquet([{}], hive_partitioning = false, union_by_name = false, filename = false)",
      list);
}

// Other types in another file would have to be cast, which may fail.
Columns columns_of_parquet(DuckDbSession& session, const std::vector<std::string>& paths) {
  Columns all;
  for (const std::string& path : paths) {
    // No rows: what the file tells of them all, such as its latest moment, may be beyond DuckDB.
    const DuckDbStatement statement(
        session, fmt::format("SELECT * FROM {} WHERE false", parquet_scan({path})));
    if (!statement)
      throw UnreadableFile(fmt::format("{}: is no Parquet file that can be read", path));
    if (&path == &paths.front()) all = statement.columns();
    else if (statement.columns() != all)
      throw InvalidParameter("data file", path,
                             "must have the same columns, of the same types, as " + paths.front());
  }
  return all;
}

bool ends_as_lines(const std::string& path) {
  for (const char* ending : {".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"})
    if (path.ends_with(ending)) return true;
  return false;
}

std::string start_of(const std::string& path, std::size_t bytes) {
  std::string start(bytes, '\0');
  start.resize(OpenFile(path).read(start.data(), start.size()));
  return start;
}

// What the ending says. The first bytes of a file without a header are those of a row, which must
// not decide how the others are read.
enum class Ending { text, lines, parquet, sqlite, other };

Ending ending_of(const std::string& path) {
  const auto ends = [&](std::initializer_list<const char*> endings) {
    return std::ranges::any_of(endings, [&](const char* each) { return path.ends_with(each); });
  };
  if (ends_as_lines(path)) return Ending::lines;
  if (ends({".csv", ".csv.gz", ".tsv", ".tsv.gz"})) return Ending::text;
  if (ends({".parquet"})) return Ending::parquet;
  if (ends({".db", ".sqlite", ".sqlite3"})) return Ending::sqlite;
  return Ending::other;
}

// One pass.
class QueryReader final : public PieceReader {
 public:
  QueryReader(const std::vector<std::string>& readable, unsigned threads,
              std::unique_ptr<TextRows> rows, const std::string& sql,
              const std::vector<std::string>& names, std::uint64_t bytes)
      : names_(names), bytes_(bytes), session_(readable, threads) {
    if (rows) fed_ = std::make_unique<FedRows>(session_, std::move(rows));
    statement_ = std::make_unique<DuckDbStatement>(session_, sql);
    // What DuckDB says of a problem may quote cells. Without rows there is none but in the types.
    if (!*statement_) {
      const DuckDbStatement empty(session_, fmt::format("SELECT * FROM ({}) WHERE false", sql));
      if (empty) fail();
      throw UsageError("`query` mixes types that do not go together");
    }
    columns_ = statement_->columns();
    if (duckdb().execute_prepared_streaming(statement_->handle(), &result_) != 0) fail();
  }
  ~QueryReader() override {
    duckdb().interrupt(session_.connection());
    duckdb().destroy_result(&result_);
  }
  QueryReader(const QueryReader&) = delete;
  QueryReader& operator=(const QueryReader&) = delete;

  const std::vector<std::string>& columns() const override { return names_; }
  bool has_names() const override { return true; }
  std::unique_ptr<Piece> next() override {
    void* const chunk = duckdb().fetch_chunk(result_);
    if (chunk == nullptr) {
      if (duckdb().result_error(&result_) != nullptr) fail();
      if (fed_) fed_->rethrow();
      return nullptr;
    }
    const auto rows = columns_of_chunk(chunk, columns_, names_);
    auto piece = piece_of_columns(rows, before_);
    before_ += rows->rows();
    const double percentage = duckdb().query_progress(session_.connection()).percentage;
    if (percentage > 0.0)
      piece->file_position = static_cast<std::uint64_t>(static_cast<double>(bytes_) *
                                                        std::min(percentage / 100.0, 1.0));
    return piece;
  }

 private:
  [[noreturn]] void fail() {
    if (fed_) fed_->rethrow();
    throw UnreadableFile("the rows of the query cannot be read to their end");
  }

  std::vector<std::string> names_;
  std::uint64_t bytes_, before_ = 0;
  DuckDbSession session_;
  std::unique_ptr<FedRows> fed_;
  std::unique_ptr<DuckDbStatement> statement_;
  Columns columns_;
  DuckDbResult result_{};
};

}  // namespace

bool are_parquet(const TableFiles& files) {
  if (files.paths.empty()) return false;
  const std::string& first = files.paths.front();
  return files.header ? start_of(first, 4) == "PAR1" : first.ends_with(".parquet");
}

QueriedRows::QueriedRows(std::string query, TableFiles files, const std::string& folder)
    : text_(std::move(query)), files_(std::move(files)) {
  if (text_.empty()) {
    assumptions_.typed = true;
    settle_parquet(nullptr);
    return;
  }
  DuckDbSession session({}, 1);
  const Value parsed = parsed_query(session, text_);
  source_ = source_of_query(parsed);
  settle_source(folder);
  if (form_ == Form::parquet) settle_parquet(&parsed);
  else settle_texts(session, parsed);
  assumptions_.query = text_;
  assumptions_.query_rule = query_.rule();
  assumptions_.typed = form_ != Form::csv;
}

QueriedRows::~QueriedRows() = default;

// The table that is given beside, or the files that the query names.
void QueriedRows::settle_paths(const std::string& folder) {
  std::error_code none;
  const bool of_rows =
      source_.kind != QuerySource::Kind::postgresql && source_.place == given_table;
  if (!files_.paths.empty()) {
    if (!of_rows)
      throw UsageError(
          "`query` must read from rows where a table is given beside it: select ... from rows");
    files_.paths = expand_patterns(files_.paths);
    source_.place = files_.paths.front();
    return;
  }
  if (!folder.empty()) {
    const std::string beside = (std::filesystem::path(folder) / source_.place).string();
    if (std::filesystem::exists(beside, none) || !std::filesystem::exists(source_.place, none))
      source_.place = beside;
  }
  if (of_rows && !std::filesystem::exists(source_.place, none))
    throw UsageError("`query` reads from rows, the table that is given beside it: none is given");
  files_.paths = expand_patterns({source_.place});
}

// Which files there are, and of which form.
void QueriedRows::settle_source(const std::string& folder) {
  if (source_.kind == QuerySource::Kind::postgresql) {
    if (!files_.paths.empty())
      throw UsageError("`query` reads a table of a server: no other table must be given");
    form_ = Form::database;
    return;
  }
  settle_paths(folder);
  for (const std::string& path : files_.paths) {
    const Ending ending = ending_of(path);
    const bool unsaid = ending == Ending::other;
    if (source_.kind == QuerySource::Kind::sqlite) {
      if ((!unsaid && ending != Ending::sqlite) || start_of(path, 15) != "SQLite format 3")
        throw UnreadableFile(fmt::format("{}: is no SQLite database", path));
      form_ = Form::database;
      continue;
    }
    const std::string start = unsaid && files_.header ? start_of(path, 15) : "";
    if (ending == Ending::sqlite || start == "SQLite format 3")
      throw UsageError(
          "`query` reads a table of an SQLite database as sqlite_scan('file', 'table')");
    const bool parquet = ending == Ending::parquet || start.starts_with("PAR1");
    const Form form = parquet ? Form::parquet : ending == Ending::lines ? Form::lines : Form::csv;
    if (&path != &files_.paths.front() && form != form_)
      throw InvalidParameter("data file", path,
                             "must be of the same form as " + files_.paths.front());
    form_ = form;
  }
  if (form_ == Form::database && files_.paths.size() != 1)
    throw UsageError("`query` reads one database, not several");
}

std::vector<std::string> QueriedRows::readable() const {
  std::vector<std::string> paths;
  if (form_ != Form::parquet) return paths;
  for (const std::string& path : files_.paths) {
    std::error_code problem;
    const std::string whole = std::filesystem::canonical(path, problem).string();
    if (problem) throw UnreadableFile(fmt::format("{}: cannot be read", path));
    if (whole.find_first_of("*?[") != std::string::npos)
      throw InvalidParameter("data file", path, "must have no *, ? or [ in its name");
    paths.push_back(whole);
  }
  return paths;
}

void QueriedRows::settle_parquet(const Value* parsed) {
  const std::vector<std::string> paths = readable();
  DuckDbSession session(paths, 1);
  const Columns columns = columns_of_parquet(session, paths);
  query_ = parsed == nullptr ? query_of_all(columns)
                             : checked_query(*parsed, source_, &columns, cast_in(session));
  from_ = parquet_scan(paths);
}

void QueriedRows::settle_texts(DuckDbSession& session, const Value& parsed) {
  const std::unique_ptr<TextRows> rows = text_rows(BadRows::dropped);
  if (form_ == Form::lines) {
    query_ = checked_query(parsed, source_, nullptr, cast_in(session));
    // A line that is no object is dropped; nothing may fail in any order of evaluation.
    const std::string object = "CASE WHEN json_valid(f1) THEN f1 END";
    for (const std::string& name : query_.used(std::vector<bool>(query_.names.size(), true)))
      from_ += fmt::format("{}json_extract_string({}, {}) AS {}", from_.empty() ? "" : ", ", object,
                           quoted_text(fmt::format("$.\"{}\"", name)), quoted_name(name));
    from_ = fmt::format("(SELECT {} FROM modicum_rows() WHERE json_type({}) = 'OBJECT')",
                        from_.empty() ? "1" : from_, object);
    return;
  }
  for (const std::string& path : files_.paths) {
    if (form_ != Form::csv) break;
    const FileAssumptions own = open_pieces(path, files_)->assumptions();
    assumptions_.multiline |= own.multiline;
    assumptions_.width_of_first_line |= own.width_of_first_line;
    assumptions_.header |= own.header;
  }
  Columns columns;
  std::set<std::string> seen;
  for (const std::string& name : rows->names()) {
    if (name.empty() || !seen.insert(name).second)
      throw UsageError("`query` needs columns that all have names, and different ones");
    from_ += fmt::format("{}f{} AS {}", from_.empty() ? "" : ", ", columns.size() + 1,
                         quoted_name(name));
    columns.push_back({name, DuckDbType::text});
  }
  query_ = checked_query(parsed, source_, &columns, cast_in(session));
  from_ = fmt::format("(SELECT {} FROM modicum_rows())", from_);
}

std::unique_ptr<TextRows> QueriedRows::text_rows(BadRows bad_rows) const {
  switch (form_) {
    case Form::parquet:
      return nullptr;
    case Form::lines:
      return line_text_rows(files_.paths);
    case Form::csv:
      return csv_text_rows(files_, bad_rows);
    case Form::database:
      break;
  }
  if (source_.kind == QuerySource::Kind::sqlite) return sqlite_text_rows(source_);
  return postgresql_text_rows(source_);
}

std::uint64_t QueriedRows::bytes() const {
  std::uint64_t all = 0;
  for (const std::string& path : files_.paths) all += OpenFile(path).size();
  return all;
}

void QueriedRows::require_readable(BadRows bad_rows) const {
  if (form_ == Form::lines && bad_rows == BadRows::refused)
    throw UsageError("`strict` must not be given for lines of JSON");
}

std::unique_ptr<PieceReader> QueriedRows::open(const ReadOptions& options,
                                               const std::vector<bool>& wanted) const {
  require_readable(options.bad_rows);
  std::string sql;
  for (std::size_t i = 0; i < query_.columns.size(); ++i)
    sql += fmt::format("{}{} AS c{}", sql.empty() ? "SELECT " : ", ",
                       wanted[i] ? query_.columns[i] : "CAST(NULL AS VARCHAR)", i + 1);
  sql += " FROM " + from_;
  if (!query_.condition.empty()) sql += " WHERE " + query_.condition;
  std::unique_ptr<TextRows> rows = text_rows(options.bad_rows);
  if (rows) rows->need(query_.used(wanted));
  return std::make_unique<QueryReader>(readable(), options.threads, std::move(rows), sql,
                                       query_.names, bytes());
}

}  // namespace modicum::data

namespace modicum {

std::shared_ptr<const data::QueriedRows> queried_rows(const std::string& query,
                                                      const TableFiles& files,
                                                      const std::string& folder) {
  if (query.empty()) throw UsageError("`query` must be one SELECT statement: it is empty");
  return std::make_shared<const data::QueriedRows>(query, files, folder);
}

bool reads_given_table(const std::string& query) {
  data::DuckDbSession session({}, 1);
  const data::QuerySource source = data::source_of_query(data::parsed_query(session, query));
  return source.kind != data::QuerySource::Kind::postgresql && source.place == data::given_table;
}

}  // namespace modicum
