// release count, sum, mean, variance, standard-deviation, quantile, histogram: in the units of the
// file, by group, with intervals.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/number_text.h"
#include "interfaces/release/release.h"
#include "modicum/release/everyday_release.h"

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

// Public groups. "north,south" belongs to the one column; "region=north,south" names it.
struct GroupChoice {
  std::vector<std::string> by = {}, categories = {}, edges = {};

  void bin_fields(Fields& fields) {
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
  }
  void fields(Fields& fields) {
    fields.add("by", by, "columns whose values make groups: one number for each of them")
        .shown_as("COLUMN");
    bin_fields(fields);
  }

  Groups groups(const std::vector<std::string>& columns) const {
    std::vector<std::optional<Bins>> bins(columns.size());
    for (const std::string& text : categories)
      take("categories", text, columns, bins,
           [](const std::string& list) { return Bins::of_categories(listed(list)); });
    for (const std::string& text : edges)
      take("edges", text, columns, bins, [](const std::string& list) {
        std::vector<double> numbers;
        for (const std::string& each : listed(list)) numbers.push_back(edge_in(each));
        return Bins::of_edges(std::move(numbers));
      });
    Groups found{columns, {}};
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (!bins[i])
        throw UsageError(fmt::format(
            "`categories` or `edges` must be given for the column {}: which groups there are is "
            "public, it is not taken from the rows",
            columns[i]));
      found.bins.push_back(*std::move(bins[i]));
    }
    return found;
  }

 private:
  template <class Read>
  static void take(const char* field, const std::string& text,
                   const std::vector<std::string>& columns, std::vector<std::optional<Bins>>& bins,
                   const Read& read) {
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
};

struct ConfidenceField {
  double confidence = 0.95;
  void fields(Fields& fields) {
    fields.add("confidence", confidence, "of the intervals, 0.95 by default");
  }
};

// Columns of numbers with their bounds.
struct NumberChoice {
  std::vector<std::string> select = {};
  std::map<std::string, Range> bounds = {};
  std::optional<Range> bounds_of_all = {};

  void fields(Fields& fields) {
    fields.add("select", select, "columns of numbers").shown_as("COLUMN").required();
    fields.add("bounds", bounds, "public bounds of a column, to which its values are clamped")
        .synonym("range");
    fields.add("bounds_of_all", bounds_of_all, "public bounds of the columns without their own")
        .synonym("range_of_all");
  }
  std::vector<Range> ranges() const {
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
};

// What the parts of a question have in common.
template <class Job>
EverydayQuestion question_of(const Job& job, const Table& table, Groups groups) {
  EverydayQuestion question{std::move(groups), {}, {}};
  if constexpr (requires { job.numbers; }) {
    question.columns = job.numbers.select;
    question.ranges = job.numbers.ranges();
    for (const std::string& column : question.columns)
      table.require_numbers(table.index_of("select", column));
  }
  if constexpr (requires { job.integers; }) question.integers = job.integers;
  question.level = job.confidence.confidence;
  question.bad_rows = job.release.source.bad_rows();
  question.files = table.assumptions();
  for (const std::string& column : question.groups.columns) table.index_of("by", column);
  return question;
}

template <Everyday which>
struct StatisticJob {
  TableRelease release = {};
  GroupChoice groups = {};
  NumberChoice numbers = {};
  ConfidenceField confidence = {};
  bool integers = false;

  void fields(Fields& fields) {
    release.fields(fields);
    numbers.fields(fields);
    groups.fields(fields);
    confidence.fields(fields);
    if constexpr (which == Everyday::sum)
      fields.add("integers", integers, "the numbers are whole, and so is their sum");
  }
  EverydayQuestion question(const Table& table) const {
    return question_of(*this, table, groups.groups(groups.by));
  }
};

struct CountJob {
  TableRelease release = {};
  GroupChoice groups = {};
  ConfidenceField confidence = {};

  void fields(Fields& fields) {
    release.fields(fields);
    groups.fields(fields);
    confidence.fields(fields);
  }
  EverydayQuestion question(const Table& table) const {
    return question_of(*this, table, groups.groups(groups.by));
  }
};

// The same, asked otherwise: the column first, then what it is crossed with.
struct HistogramJob {
  TableRelease release = {};
  GroupChoice groups = {};
  std::vector<std::string> select = {};
  ConfidenceField confidence = {};

  void fields(Fields& fields) {
    release.fields(fields);
    fields.add("select", select, "the column, or several for a cross table")
        .shown_as("COLUMN")
        .required();
    groups.bin_fields(fields);
    confidence.fields(fields);
  }
  EverydayQuestion question(const Table& table) const {
    return question_of(*this, table, groups.groups(select));
  }
};

struct QuantileJob {
  TableRelease release = {};
  GroupChoice groups = {};
  NumberChoice numbers = {};
  ConfidenceField confidence = {};
  std::vector<double> level = {0.5};
  bool integers = false;

  void fields(Fields& fields) {
    release.fields(fields);
    numbers.fields(fields);
    groups.fields(fields);
    fields.add("level", level, "of the quantiles, between 0 and 1; 0.5, the median, by default");
    fields.add("integers", integers, "the numbers are whole, and so is a quantile");
    confidence.fields(fields);
  }
  EverydayQuestion question(const Table& table) const {
    return question_of(*this, table, groups.groups(groups.by));
  }
};

constexpr Everyday statistic_of(const CountJob&) { return Everyday::count; }
constexpr Everyday statistic_of(const HistogramJob&) { return Everyday::count; }
template <Everyday which>
constexpr Everyday statistic_of(const StatisticJob<which>&) {
  return which;
}

std::string what_of(const std::string& statistic, const EverydayQuestion& question) {
  std::string words = "the " + statistic;
  words += question.columns.empty() ? " of the rows"
                                    : fmt::format(" of {}", fmt::join(question.columns, ", "));
  if (!question.groups.columns.empty())
    words += fmt::format(" by {}, {} groups", fmt::join(question.groups.columns, ", "),
                         question.groups.size());
  return words;
}

std::vector<std::size_t> number_places(const Table& table, const EverydayQuestion& question) {
  std::vector<std::size_t> places;
  for (const std::string& column : question.columns)
    places.push_back(table.index_of("select", column));
  return places;
}

// From released numbers alone, so that saying it tells nothing more.
std::vector<std::string> warnings_of(const EverydayPlan& plan, const Released& released) {
  const std::optional<std::size_t> empty = groups_like_empty(plan, released);
  if (!empty || *empty == 0) return {};
  if (plan.question.groups.columns.empty())
    return {
        "The noisy number of usable rows is compatible with none: check columns, separator and "
        "categories (`explain` tells what is done with them)."};
  return {fmt::format("In {} of {} groups the noisy number of usable rows is compatible with none.",
                      *empty, plan.question.groups.size())};
}

template <class Job>
requires requires(const Job& job) { statistic_of(job); }
Outcome drawn(const Job& job, RandomSource& random, Progress& progress) {
  const PrivacyTarget target = job.release.budget.target();
  const TableSource& source = job.release.source;
  const Table table = source.open();
  progress.begin("calibrating");
  const EverydayPlan plan = plan_everyday(target, statistic_of(job), job.question(table));
  progress.begin("reading");
  const EverydaySums sums = accumulate_everyday(table, plan, source.read_options(progress));
  Released released = release_everyday(plan, sums, random);
  std::vector<std::string> warnings = warnings_of(plan, released);
  return {std::move(released), what_of(to_string(plan.statistic), plan.question),
          [&source, table, plan, sums](const Released& shown, Progress& again) {
            Diagnostics all = diagnose_dropped_rows(table, number_places(table, plan.question),
                                                    source.read_options(again));
            const Eigen::VectorXd truth = everyday_truth(plan, sums);
            for (Eigen::Index i = 0; i < truth.size(); ++i)
              all.push_back(
                  {fmt::format("true_{}", shown.row_names[static_cast<std::size_t>(i)]), truth[i]});
            return all;
          },
          std::move(warnings)};
}

Outcome drawn(const QuantileJob& job, RandomSource& random, Progress& progress) {
  const PrivacyTarget target = job.release.budget.target();
  const TableSource& source = job.release.source;
  const Table table = source.open();
  progress.begin("calibrating");
  const QuantilePlan plan = plan_quantiles(target, job.question(table), job.level);
  progress.begin("reading");
  const auto values = std::make_shared<const QuantileValues>(
      collect_quantiles(table, plan, source.read_options(progress)));
  return {release_quantiles(plan, *values, random), what_of("quantile", plan.question),
          [&source, table, plan, values](const Released& shown, Progress& again) {
            Diagnostics all = diagnose_dropped_rows(table, number_places(table, plan.question),
                                                    source.read_options(again));
            const Eigen::VectorXd truth = quantile_truth(plan, *values);
            for (Eigen::Index i = 0; i < truth.size(); ++i)
              all.push_back(
                  {fmt::format("true_{}", shown.row_names[static_cast<std::size_t>(i)]), truth[i]});
            return all;
          }};
}

template <class Job>
requires requires(const Job& job, const Table& table) { job.question(table); }
Reply explained(const Job& job) {
  const Table table = job.release.source.open();
  const EverydayQuestion question = job.question(table);
  std::vector<ColumnUse> uses;
  for (std::size_t i = 0; i < question.groups.columns.size(); ++i)
    uses.push_back({table.index_of("by", question.groups.columns[i]), "category",
                    question.groups.bins[i].edges.empty()
                        ? "one of the categories, else the row is dropped"
                        : "a number between the edges, else the row is dropped"});
  for (std::size_t j = 0; j < question.columns.size(); ++j)
    uses.push_back({table.index_of("select", question.columns[j]), "number",
                    fmt::format("a number, clamped to [{}, {}]", question.ranges[j].low,
                                question.ranges[j].high),
                    question.ranges[j]});
  return explained(job.release.source, table, uses);
}

}  // namespace

std::vector<JobKind> everyday_releases() {
  const std::string budget = " \\\n    --epsilon 1 --delta 1e-6 --output answer.csv";
  const std::string wages =
      "  modicum release {} examples/wages.csv --select wage --bounds "
      "wage=0:60";
  const auto of_wages = [&](const char* word) {
    return fmt::format(fmt::runtime(wages), word) + budget;
  };
  return {job_kind<CountJob>("release count", "how many rows there are, in all or by group",
                             "  modicum release count examples/visits.csv --by region --categories "
                             "north,south,east,west" +
                                 budget),
          job_kind<StatisticJob<Everyday::sum>>(
              "release sum", "sums of columns, in all or by group", of_wages("sum")),
          job_kind<StatisticJob<Everyday::mean>>(
              "release mean", "means of columns, in all or by group",
              of_wages("mean") + " --by schooling --edges 0,10,14,20"),
          job_kind<StatisticJob<Everyday::variance>>(
              "release variance", "variances of columns (of the rows: divided by their number)",
              of_wages("variance")),
          job_kind<StatisticJob<Everyday::standard_deviation>>(
              "release standard-deviation", "standard deviations of columns, in all or by group",
              of_wages("standard-deviation")),
          job_kind<QuantileJob>("release quantile", "medians and other quantiles of columns",
                                of_wages("quantile") + " --level 0.25 0.5 0.75"),
          job_kind<HistogramJob>(
              "release histogram", "how many rows fall into public bins of a column, or of several",
              "  modicum release histogram examples/wages.csv --select age --edges "
              "18,30,40,50,70" +
                  budget)};
}

}  // namespace modicum
