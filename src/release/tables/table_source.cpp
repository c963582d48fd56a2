#include "modicum/release/table_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_set>

#include "data/cells/number_text.h"
#include "data/files/file_patterns.h"
#include "data/queries/queried_rows.h"
#include "modicum/data/query.h"
#include "modicum/release/gather.h"
#include "release/gather/piece_files.h"

namespace modicum {
namespace {

char separator_in(const std::string& text) {
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1)
    throw InvalidParameter("separator", in_quotes(text), "must be one character, or tab");
  return text.front();
}

double whole_number(const char* name, double value, double least, double most) {
  if (!(value >= least && value <= most && value == std::floor(value)))
    throw InvalidParameter(name, value,
                           fmt::format("must be a whole number from {} to {}", least, most));
  return value;
}

// "joined=month", or "joined" for years.
void take_date(const std::string& text, std::map<std::string, DateUnit>& dates) {
  const std::size_t equals = text.rfind('=');
  const std::string unit = equals == std::string::npos ? "years" : text.substr(equals + 1);
  std::vector<std::string> words;
  for (int i = 0; i <= static_cast<int>(DateUnit::weekday); ++i)
    words.emplace_back(to_string(static_cast<DateUnit>(i)));
  const auto own = static_cast<DateUnit>(place_of_word("dates", unit, words));
  if (!dates.emplace(text.substr(0, equals), own).second)
    throw UsageError(fmt::format("`dates` must name {} once", in_quotes(text.substr(0, equals))));
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A table of one column, whose name would be several with another separator, was hardly meant.
void refuse_missed_separator(const Table& table) {
  if (table.columns().size() == 1 &&
      table.columns().front().find_first_of(";\t|") != std::string::npos)
    throw UsageError(
        "`separator` is a comma by default, which leaves the header whole, but it has a semicolon, "
        "a tab or a bar: give the `separator` that is meant");
}

}  // namespace

Field& TableSource::files_field(Fields& fields, const std::string& name, const std::string& help) {
  Field& table = fields.add(name, files.paths, help);
  table.kind = FieldKind::input;
  table.target = this;
  return table;
}

Field& TableSource::matrix_field(Fields& fields) {
  return files_field(fields, "table",
                     "data: CSV, CSV in gzip, NPY or Parquet; several, or patterns")
      .positional()
      .required();
}

void TableSource::header_field(Fields& fields) {
  fields.add("header", files.header_declared, "the first line is a header, whatever it says");
}

void TableSource::names_fields(Fields& fields) {
  fields
      .add("names", files.names,
           "names of all columns, for files that have none: NPY, or with `no_header`")
      .shown_as("NAME");
  fields.add("no_header", no_header_, "the first line is data; columns are 1, 2, ...");
  header_field(fields);
}

void TableSource::fields(Fields& fields, bool required) {
  matrix_field(fields).is_required = required;
  query_field(fields);
  names_fields(fields);
  fields.add("fields", fields_,
             "without a header: how many fields a row has; else as many as the first line\n"
             "has, which the certificate then assumes to be public");
  fields.add("multiline", files.multiline,
             "fields in quotes may contain line breaks; rows are then not lines, and one\n"
             "row's quote can swallow others");
  fields.add("separator", separator_, "between fields, a comma by default; or tab")
      .shown_as("CHARACTER");
  fields.add("public_shape", files.public_shape,
             "how many fields the first row has, and which of them are numbers, is public: a\n"
             "table that does not fit is refused before anything is spent");
  fields.add("strict", strict,
             "stop at a malformed row instead of dropping it; that a run stops is not private");
  rule_fields(fields);
  fields.add("threads", threads, "as many as there are cores by default");
}

void TableSource::query_field(Fields& fields) {
  Field& field =
      fields.add("query", query_,
                 "in place of the table: columns, expressions and a condition for each row of one\n"
                 "table, such as \"select age, wage from 'people.parquet' where year = 2024\", of\n"
                 "Parquet, CSV, lines of JSON (.jsonl), SQLite or PostgreSQL; beside a table, of\n"
                 "its rows: \"select age, wage from rows\"; needs DuckDB");
  field.shown_as("SELECT");
  field.set = [set = field.set, &fields](const Value& given) {
    set(given);
    if (Field* const table = fields.find("table")) table->is_required = false;
  };
}

void TableSource::gathering_fields(Fields& fields) {
  Field* const table = fields.find("table");
  GatheringFields& own = gathering;
  const auto in_place_of_table = [table] {
    if (table != nullptr) table->is_required = false;
  };
  Field gathered{"gathered", FieldKind::texts,
                 "sums of all pieces of the table, from `gather`, in place of the table itself",
                 [&own, in_place_of_table](const Value& given) {
                   own.gathered = given.is_text() ? std::vector{given.text()} : given.texts();
                   in_place_of_table();
                 },
                 [&own] { return own.gathered.empty() ? Value() : Value(own.gathered); }};
  gathered.placeholder = "FILE";
  gathered.takes_several = true;
  fields.custom(std::move(gathered));
  fields.add("pieces", own.pieces, "how many pieces there must be: with fewer nothing is released");
  Field command{"each_pass", FieldKind::text,
                "a command that gathers all pieces for the questions in the file {}, for releases\n"
                "that pass over the rows several times",
                [&own, in_place_of_table](const Value& given) {
                  own.each_pass = given.text();
                  in_place_of_table();
                },
                [&own] { return own.each_pass.empty() ? Value() : Value(own.each_pass); }};
  command.placeholder = "COMMAND";
  fields.custom(std::move(command));
  fields.add("persons_together", own.persons_together,
             "with `gathered` and `unit`: all rows of a person are in one piece, which the\n"
             "certificate then assumes");
  fields.add("gather", own.gather,
             "write the exact sums of this piece of a table to OUTPUT, in place of a release:\n"
             "as confidential as the rows");
  fields.add("piece", own.piece,
             "with `gather`: a name for the piece, from its content by default");
}

const std::shared_ptr<RowsElsewhere>& TableSource::pieces() const {
  if (files.elsewhere) return files.elsewhere;
  if (!pieces_) pieces_ = open_pieces_of(gathering);
  return pieces_;
}

BadRows TableSource::bad_rows() const {
  if (is_gathered()) return pieces()->shape().bad_rows;
  return strict || files.memory ? BadRows::refused : BadRows::dropped;
}

std::vector<std::string> TableSource::assumptions() const {
  if (!is_gathered()) return {};
  std::vector<std::string> all{
      "the table was read in pieces: each of its rows is in one of them, and in no other"};
  if (pieces()->persons_together()) all.emplace_back("all rows of one person are in one piece");
  return all;
}

std::string TableSource::piece_name() const {
  if (!gathering.piece.empty()) return "named " + gathering.piece;
  const std::vector<std::string>& paths = query_ ? queried()->paths() : files.paths;
  if (files.memory || files.columns || paths.empty())
    throw UsageError("`piece` is missing, but must be given for rows in memory, and on a server");
  return name_from_content(paths);
}

void TableSource::rule_fields(Fields& fields) {
  static const Choices<char> decimals{{"point", '.', "3.5"},
                                      {"comma", ',', "3,5; a semicolon is then between fields"}};
  static const Choices<MissingValues> missings{
      {"drop", MissingValues::dropped, "a row with an empty field in a column of categories"},
      {"category", MissingValues::category,
       "an empty field, NA, NaN or null there is the category \"missing\""}};
  static const Choices<DateOrder> orders{
      {to_string(DateOrder::year_first), DateOrder::year_first, "2020-07-31"},
      {to_string(DateOrder::day_first), DateOrder::day_first, "31.07.2020"},
      {to_string(DateOrder::month_first), DateOrder::month_first, "07/31/2020"}};
  FieldRules& rules = files.rules;
  fields.choice("decimal", rules.decimal, decimals, "the decimal mark, point by default");
  fields.choice("missing", rules.missing, missings,
                "what becomes of missing values, drop by default; where there must be a number,\n"
                "the row is dropped in any case");
  fields
      .add("booleans", rules.booleans,
           "columns of true and false, yes and no, t and f, y and n, or 1 and 0: as numbers\n"
           "1 and 0, as categories true and false")
      .shown_as("COLUMN");
  fields
      .add("dates", dates_,
           "columns of dates, and what is made of them: COLUMN=years, days (numbers), year,\n"
           "quarter, month, day, weekday (2020, 2020-Q3, 2020-07, 2020-07-31, friday)")
      .shown_as("COLUMN=UNIT");
  fields.choice("date_order", rules.date_order, orders, "how dates are written");
}

TableFiles TableSource::described(const std::vector<std::string>& paths) const {
  TableFiles all = files;
  for (const std::string& text : dates_) take_date(text, all.rules.dates);
  if (files.memory || files.columns) return all;
  if (files.header_declared && no_header_)
    throw UsageError("`header` must not be given with `no_header`");
  if (!no_header_ && fields_) throw UsageError("`fields` must not be given without `no_header`");
  all.paths = paths;
  all.header = !no_header_;
  all.separator = separator_in(separator_.value_or(files.rules.decimal == ',' ? ";" : ","));
  if (fields_) all.fields = static_cast<std::size_t>(whole_number("fields", *fields_, 1, 1000000));
  return all;
}

Table TableSource::open(const std::vector<std::string>& paths) const {
  if (is_gathered()) {
    require_plain("gathered sums");
    if (!files.paths.empty() || files.memory || files.columns)
      throw UsageError("`table` must not be given with `gathered`");
    if (gathering.gather) throw UsageError("`gather` must not be given with `gathered`");
    TableFiles elsewhere;
    elsewhere.elsewhere = pieces();
    return Table(elsewhere);
  }
  for (const auto& [name, given] : {std::pair{"pieces", gathering.pieces.has_value()},
                                    {"persons_together", gathering.persons_together}})
    if (given) throw UsageError(fmt::format("`{}` must not be given without `gathered`", name));
  if (!gathering.piece.empty() && !gathering.gather)
    throw UsageError("`piece` must not be given without `gather`");
  if (gathering.gather) {
    TableSource itself = *this;
    itself.gathering = {};
    const Table table = itself.open(paths);
    TableFiles asking;
    asking.elsewhere = asking_table({table.columns(), table.assumptions(), bad_rows()});
    return Table(asking);
  }
  thread_count();  // before anybody pays
  TableFiles all = described(paths);
  if (files.memory || files.columns) {
    require_plain("rows in memory");
    return Table(all);
  }
  if (query_) {
    if (files.public_shape) throw UsageError("`public_shape` must not be given with `query`");
    all.queried =
        paths == files.paths ? queried() : queried_rows(*query_, described(paths), query_folder);
    all.queried->require_readable(bad_rows());
  }
  Table table(all);
  if (table.assumptions().typed) refuse_csv_options();
  if (!separator_ && files.header_declared) refuse_missed_separator(table);
  return table;
}

std::shared_ptr<const data::QueriedRows> TableSource::queried() const {
  if (!queried_) queried_ = queried_rows(*query_, described(files.paths), query_folder);
  return queried_;
}

bool TableSource::queries_given_table() const { return query_ && reads_given_table(*query_); }

void TableSource::require_plain(const std::string& what) const {
  const bool in_memory = files.memory || files.columns;
  for (const auto& [name, given] :
       {std::pair{"no_header", no_header_},
        {"header", in_memory && files.header_declared},
        {"fields", fields_.has_value()},
        {"multiline", files.multiline},
        {"public_shape", files.public_shape},
        {"separator", separator_.has_value()},
        {"names", !in_memory && !files.names.empty()},
        {"query", query_.has_value()},
        {"strict", !in_memory && strict},
        {"threads", !in_memory && threads != 0.0},
        {"decimal", is_gathered() && files.rules.decimal != '.'},
        {"missing", is_gathered() && files.rules.missing != MissingValues::dropped},
        {"booleans", is_gathered() && !files.rules.booleans.empty()},
        {"dates", is_gathered() && !dates_.empty()}})
    if (given) throw UsageError(fmt::format("`{}` must not be given for {}", name, what));
}

void TableSource::refuse_csv_options() const {
  for (const auto& [name, given] : {std::pair{"no_header", no_header_},
                                    {"header", files.header_declared},
                                    {"fields", fields_.has_value()},
                                    {"multiline", files.multiline},
                                    {"public_shape", files.public_shape},
                                    {"separator", separator_.has_value()},
                                    {"names", !files.names.empty()}})
    if (given) throw UsageError(fmt::format("`{}` is for CSV files only", name));
}

unsigned TableSource::thread_count() const {
  return static_cast<unsigned>(whole_number("threads", threads, 0, 1024));
}

ReadOptions TableSource::read_options(Progress& progress) const {
  return {bad_rows(), thread_count(),
          [&progress](std::uint64_t done, std::uint64_t total) { progress.report(done, total); }};
}

void TableSource::refuse_overwriting(const std::string& field, const std::string& path) const {
  std::vector<std::string> paths = query_ ? queried()->paths() : data::expand_patterns(files.paths);
  if (gathering.each_pass.empty())
    for (const std::string& each : data::expand_patterns(gathering.gathered)) paths.push_back(each);
  for (const std::string& file : paths) {
    std::error_code none;
    if (std::filesystem::equivalent(file, path, none))
      throw InvalidParameter(field, in_quotes(path), "must not be one of the data files");
  }
}

void RowChoice::column_fields(Fields& fields) {
  fields.add("select", select, "the columns to use, all by default").shown_as("NAME");
  fields.add("exclude", exclude, "the columns not to use, none by default").shown_as("NAME");
  fields
      .add("range", ranges,
           "what is known of a column, NAME=LOW:HIGH; values are clamped to it and mapped\n"
           "onto [-1, 1]; may be repeated")
      .synonym("bounds");
  fields.add("range_of_all", range_of_all,
             "the same, LOW:HIGH, for every column that has none of its own");
}

void RowChoice::intercept_field(Fields& fields) {
  fields.add("intercept", intercept, "put a column of ones before the others");
}

void RowChoice::norm_field(Fields& fields) {
  fields.add("row_norm_bound", row_norm_bound,
             "rows that are longer are scaled down to it; needed unless every column has a range");
}

std::vector<std::string> RowChoice::columns(const Table& table) const {
  if (!select.empty() && !exclude.empty())
    throw UsageError("`exclude` must not be given with `select`");
  for (const std::string& name : exclude) table.index_of("exclude", name);
  if (!select.empty()) return select;
  const std::unordered_set<std::string> excluded(exclude.begin(), exclude.end());
  std::vector<std::string> used;
  for (const std::string& name : table.columns()) {
    if (excluded.contains(name)) continue;
    if (name.empty())
      throw UsageError(
          "`select` is missing, but must be given: the header has a column without a name");
    used.push_back(name);
  }
  if (used.empty()) throw UsageError("`exclude` leaves no column");
  return used;
}

std::vector<std::string> RowChoice::features(const Table& table, const std::string& target) const {
  table.index_of("target", target);
  if (contains(select, target))
    throw InvalidParameter("select", in_quotes(target), "must not be the target");
  std::vector<std::string> others = columns(table);
  std::erase(others, target);
  return others;
}

RowRule RowChoice::rule_of(const Table& table, const std::vector<std::string>& used,
                           std::map<std::string, Range> known) const {
  for (const auto& [name, range] : known) table.index_of("range", name);
  for (const std::string& name : used) {
    table.index_of("select", name);
    if (range_of_all) known.emplace(name, *range_of_all);
  }
  return {table, used, known, intercept};
}

RowRule RowChoice::rule(const Table& table, const std::string& target) const {
  if (target.empty()) return rule_of(table, columns(table), ranges);
  std::vector<std::string> used = features(table, target);
  used.push_back(target);
  return rule_of(table, used, ranges);
}

RowRule RowChoice::feature_rule(const Table& table, const std::string& target,
                                bool ranged_target) const {
  const std::vector<std::string> used = features(table, target);
  if (used.empty()) throw UsageError("`target` is the only column, but there must be a feature");
  std::map<std::string, Range> of_features = ranges;
  if (ranged_target) of_features.erase(target);
  return rule_of(table, used, of_features);
}

double RowChoice::norm_bound(const RowRule& rule) const {
  if (row_norm_bound) return IntegerClip(*row_norm_bound).row_norm_bound();
  if (!std::isfinite(rule.natural_norm_bound()))
    throw UsageError(
        "`row_norm_bound` is missing, but must be given unless every column has a `range`");
  return rule.natural_norm_bound();
}

Range RowChoice::range_of(const Table& table, const std::string& column) const {
  table.index_of("target", column);
  const auto found = ranges.find(column);
  if (found != ranges.end()) return found->second;
  if (range_of_all) return *range_of_all;
  throw UsageError(fmt::format("`range` is missing for {}, but must be given", in_quotes(column)));
}

}  // namespace modicum
