#include "interfaces/release/everyday_fields.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/cells/number_text.h"
#include "release/everyday/grouped_rows.h"

namespace modicum {
namespace {

// At commas outside quotation marks, which are taken off.
std::vector<std::string> listed(const std::string& text) {
  std::vector<std::string> parts{""};
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) parts.emplace_back();
    else parts.back() += c;
  }
  if (quoted)
    throw InvalidParameter("categories", in_quotes(text), "must close its quotation marks");
  return parts;
}

double edge_in(const std::string& text) {
  const auto value = read_number(text);
  if (!value || !fits_double(*value, text))
    throw InvalidParameter("edges", in_quotes(text), "must be numbers with commas between them");
  return *value;
}

// One list, of the column that it names or the only one there is.
template <class Read>
void take_list(const char* field, const std::string& text, const std::vector<std::string>& columns,
               std::vector<std::optional<Bins>>& bins, const Read& read) {
  const std::size_t equals = text.find('=');
  const auto named = std::find(columns.begin(), columns.end(), text.substr(0, equals));
  const bool names_one = equals != std::string::npos && named != columns.end();
  if (!names_one && columns.size() != 1)
    throw UsageError(fmt::format(
        "`{}` must begin with the name of a column that makes groups, as in COLUMN=A,B", field));
  const auto place = names_one ? static_cast<std::size_t>(named - columns.begin()) : 0;
  if (bins[place])
    throw UsageError(
        fmt::format("`{}`: the column {} must have one list only", field, columns[place]));
  bins[place] = read(names_one ? text.substr(equals + 1) : text);
}

constexpr Everyday statistic_of(EverydayKind kind) {
  switch (kind) {
    case EverydayKind::sum:
      return Everyday::sum;
    case EverydayKind::mean:
      return Everyday::mean;
    case EverydayKind::variance:
      return Everyday::variance;
    case EverydayKind::standard_deviation:
      return Everyday::standard_deviation;
    default:
      return Everyday::count;
  }
}

bool counts_rows(EverydayKind kind) {
  return kind == EverydayKind::count || kind == EverydayKind::histogram;
}

}  // namespace

const Choices<EverydayKind>& everyday_words() {
  static const Choices<EverydayKind> words{{"count", EverydayKind::count},
                                           {"sum", EverydayKind::sum},
                                           {"mean", EverydayKind::mean},
                                           {"variance", EverydayKind::variance},
                                           {"standard_deviation", EverydayKind::standard_deviation},
                                           {"quantile", EverydayKind::quantile},
                                           {"median", EverydayKind::median},
                                           {"minimum", EverydayKind::minimum},
                                           {"maximum", EverydayKind::maximum},
                                           {"histogram", EverydayKind::histogram}};
  return words;
}

void GroupChoice::bin_fields(Fields& fields) {
  fields
      .add("categories", categories,
           "public values of a column, with commas between them; COLUMN=A,B where there are\n"
           "several columns. Rows with other values are dropped")
      .shown_as("LIST");
  fields
      .add("edges", edges,
           "public edges of intervals of a column, rising, with commas; COLUMN=0,10,20 where\n"
           "there are several columns")
      .shown_as("LIST");
  fields.add("discover", discover,
             "take the groups of columns without a list from the rows: only those are shown\n"
             "whose noisy number of rows reaches a threshold");
}

void GroupChoice::fields(Fields& fields) {
  fields.add("by", by, "columns whose values make groups: one number for each of them")
      .shown_as("COLUMN");
  bin_fields(fields);
}

Groups GroupChoice::groups(const Table& table, const std::vector<std::string>& columns) const {
  std::vector<std::optional<Bins>> bins(columns.size());
  for (const std::string& text : categories)
    take_list("categories", text, columns, bins,
              [](const std::string& list) { return Bins::of_categories(listed(list)); });
  for (const std::string& text : edges)
    take_list("edges", text, columns, bins, [](const std::string& list) {
      std::vector<double> numbers;
      for (const std::string& each : listed(list)) numbers.push_back(edge_in(each));
      return Bins::of_edges(std::move(numbers));
    });
  Groups found{columns, {}};
  for (std::size_t i = 0; i < columns.size(); ++i)  // of booleans all are known
    if (const auto all = table.all_categories(table.index_of("by", columns[i]));
        !bins[i] && !all.empty())
      bins[i] = Bins::of_categories(all);
  if (discover && std::all_of(bins.begin(), bins.end(), [](const auto& own) { return own; }))
    throw UsageError("`discover` must not be given where no column is without a list");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!bins[i] && discover) bins[i] = Bins{};
    if (!bins[i])
      throw UsageError(fmt::format(
          "`categories` or `edges` must be given for the column {}: which groups there are is "
          "public, and is not taken from the rows unless `discover` is given",
          columns[i]));
    found.bins.push_back(*std::move(bins[i]));
  }
  return found;
}

void NumberChoice::fields(Fields& fields) {
  fields.add("select", select, "columns of numbers").shown_as("COLUMN").required();
  fields.add("bounds", bounds, "public bounds of a column, to which its values are clamped")
      .synonym("range");
  fields.add("bounds_of_all", bounds_of_all, "public bounds of the columns without their own")
      .synonym("range_of_all");
}

std::vector<Range> NumberChoice::ranges() const {
  for (const auto& [column, range] : bounds)
    if (std::find(select.begin(), select.end(), column) == select.end())
      throw UsageError(fmt::format("`bounds`: {} is no column that is selected", column));
  std::vector<Range> found;
  for (const std::string& column : select) {
    const auto own = bounds.find(column);
    if (own == bounds.end() && !bounds_of_all)
      throw UsageError(
          fmt::format("`bounds` must be given for {}, as in {}=0:100: values are "
                      "clamped to them, and they must not come from the data",
                      column, column));
    found.push_back(own == bounds.end() ? *bounds_of_all : own->second);
  }
  return found;
}

void ProtectionChoice::fields(Fields& fields) {
  static const Choices<Adjacency> words{
      {"add_remove", Adjacency::add_remove, "one of them has one row more"},
      {"replace", Adjacency::replace_one,
       "one row is replaced by another; the number of rows is public"},
      {"replace_one", Adjacency::replace_one, "the same"}};
  fields.choice("neighbors", neighbors, words, "which tables are neighbors, add_remove by default");
  fields
      .add("unit", unit,
           "column that says whose row it is: all rows of one person are protected together;\n"
           "rows without a value are dropped")
      .shown_as("COLUMN");
  fields.add("unit_rows", unit_rows,
             "how many rows of each person are kept at most, at random; 1 by default");
  fields.add("unit_groups", unit_groups,
             "in how many groups at most; in as many as rows are kept by default");
}

std::optional<PersonRule> ProtectionChoice::person() const {
  if (!unit && (unit_rows || unit_groups))
    throw UsageError("`unit` is missing, but must be given with `unit_rows` or `unit_groups`");
  if (!unit) return std::nullopt;
  return PersonRule{*unit, unit_rows.value_or(1.0), unit_groups};
}

void EverydayPart::fields(Fields& fields) {
  if (kind == EverydayKind::histogram) {
    fields.add("select", numbers.select, "the column, or several for a cross table")
        .shown_as("COLUMN")
        .required();
    groups.bin_fields(fields);
  } else {
    if (kind != EverydayKind::count) numbers.fields(fields);
    groups.fields(fields);
  }
  if (kind == EverydayKind::quantile)
    fields.add("level", level, "of the quantiles, between 0 and 1; 0.5, the median, by default");
  if (kind == EverydayKind::minimum || kind == EverydayKind::maximum)
    fields.add(
        "level", level,
        kind == EverydayKind::minimum
            ? "share of the rows below it, 0.01 by default: the value of a single row is never told"
            : "share of the rows up to it, 0.99 by default: the value of a single row is never "
              "told");
  if (is_quantile() || kind == EverydayKind::sum)
    fields.add("integers", integers,
               kind == EverydayKind::sum ? "the numbers are whole, and so is their sum"
                                         : "the numbers are whole, and so is a quantile");
  fields.add("confidence", confidence, "of the intervals, 0.95 by default");
}

bool EverydayPart::is_quantile() const {
  return kind == EverydayKind::quantile || kind == EverydayKind::median ||
         kind == EverydayKind::minimum || kind == EverydayKind::maximum;
}

std::vector<double> EverydayPart::levels() const {
  if (!level.empty()) return level;
  return {kind == EverydayKind::minimum ? 0.01 : kind == EverydayKind::maximum ? 0.99 : 0.5};
}

void EverydayPart::noise_field(Fields& fields) {
  if (!counts_rows(kind) && kind != EverydayKind::sum) return;
  static const Choices<CountNoise> words{
      {"optimal", CountNoise::optimal, "of least squared error among all on the integers"},
      {"gaussian", CountNoise::gaussian, "which composes best"},
      {"discrete_gaussian", CountNoise::discrete_gaussian, "the same on the integers"},
      {"discrete_laplace", CountNoise::discrete_laplace, "geometric"},
      {"laplace", CountNoise::discrete_laplace, "another word for it"}};
  fields.choice(
      "noise", noise, words,
      kind == EverydayKind::sum
          ? "gaussian by default; for the sum of one column with `integers` optimal, or\n"
            "another on the integers"
          : "optimal by default; gaussian where a ledger pays, groups are discovered, or a\n"
            "neighbor moves several numbers");
  if (kind == EverydayKind::sum) return;
  fields.add("integers", integers,
             "whole numbers in any case: discrete-gaussian where gaussian would be the default");
}

void EverydayPart::weight_field(Fields& fields) {
  fields.add("weight", weight, "share of the budget among the releases, 1 by default");
}

ReleaseRequest EverydayPart::request(const Table& table, const TableSource& source,
                                     const ProtectionChoice& protection) const {
  EverydayQuestion question{
      groups.groups(table, kind == EverydayKind::histogram ? numbers.select : groups.by), {}, {}};
  if (!counts_rows(kind)) {
    question.columns = numbers.select;
    question.ranges = numbers.ranges();
    for (const std::string& column : question.columns)
      table.require_numbers(table.index_of("select", column));
  }
  question.integers = integers;
  question.level = confidence;
  question.neighbors = protection.neighbors;
  question.unit = protection.person();
  if (question.unit) table.index_of("unit", question.unit->column);
  question.bad_rows = source.bad_rows();
  question.files = table.assumptions();
  for (const std::string& column : question.groups.columns) table.index_of("by", column);
  question.noise = noise.value_or(CountNoise::gaussian);
  if (is_quantile()) return QuantileRequest{std::move(question), levels(), weight};
  return StatisticRequest{statistic_of(kind), std::move(question), weight};
}

const EverydayQuestion& question_of(const ReleaseRequest& request) {
  return std::visit([](const auto& own) -> const EverydayQuestion& { return own.question; },
                    request);
}

std::vector<ColumnUse> uses_of(const Table& table, const EverydayQuestion& question) {
  std::vector<ColumnUse> uses;
  for (std::size_t i = 0; i < question.groups.columns.size(); ++i)
    uses.push_back({table.index_of("by", question.groups.columns[i]), "category",
                    question.groups.bins[i].size() == 0
                        ? "any value: groups whose noisy number of rows is small are not shown"
                    : question.groups.bins[i].edges.empty()
                        ? "one of the categories, else the row is dropped"
                        : "a number between the edges, else the row is dropped"});
  for (std::size_t j = 0; j < question.columns.size(); ++j)
    uses.push_back({table.index_of("select", question.columns[j]), "number",
                    fmt::format("a number, clamped to [{}, {}]", question.ranges[j].low,
                                question.ranges[j].high),
                    question.ranges[j]});
  if (question.unit)
    uses.push_back({table.index_of("unit", question.unit->column), "unit",
                    fmt::format("whose row it is: at most {} of each are kept, at random",
                                question.unit->rows)});
  return uses;
}

Diagnostics diagnosed_rows(const Table& table, const EverydayQuestion& question,
                           const ReadOptions& options) {
  const GroupedColumns columns(table, question);
  return diagnose_dropped_rows(table, columns.numbers, options, columns.categories);
}

}  // namespace modicum
