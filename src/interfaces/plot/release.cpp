// plot release: released numbers with their intervals, from the files of the release.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/cells/number_text.h"
#include "interfaces/plot/picture.h"
#include "interfaces/plot/plot.h"
#include "interfaces/plot/released_table.h"

namespace modicum {
namespace {

struct ReleasePlot : PlotJob {
  std::string table = {}, certificate = {}, part = {};
  std::vector<std::string> select = {};

  void fields(Fields& fields) {
    fields.add("table", table, "numbers that were released: .csv or .json")
        .shown_as("FILE")
        .positional()
        .required();
    fields
        .add("certificate", certificate,
             "its certificate, FILE.certificate.json by default; the numbers must be those it\n"
             "was written for")
        .shown_as("PATH");
    fields.add("part", part, "of several releases under one budget: the one to draw, by its name")
        .shown_as("NAME");
    fields.add("select", select, "of several columns: those to draw").shown_as("COLUMN");
    place.fields(fields);
  }
};

// A number a group: in one series for each column and level.
struct Bar {
  std::string group, series;
  double value, lower, upper;
};

// The name of a row is "group: column: level", without what there is only one of.
std::vector<Bar> bars_of(const ReleasedTable& table, const ReleasePlot& plot) {
  const std::vector<std::string> columns = table.texts("columns");
  const std::vector<double> levels = table.numbers("levels");
  const bool grouped = table.has("by");
  const std::size_t width = std::max<std::size_t>(columns.size(), 1);
  const std::size_t depth = std::max<std::size_t>(levels.size(), 1);
  for (const std::string& name : plot.select)
    if (std::ranges::find(columns, name) == columns.end())
      throw InvalidParameter("select", in_quotes(name),
                             fmt::format("must be one of: {}", fmt::join(columns, ", ")));
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::size_t column = i / depth % width, level = i % depth;
    if (!plot.select.empty() &&
        std::ranges::find(plot.select, columns[column]) == plot.select.end())
      continue;
    std::string group = table.rows[i].name;
    const auto cut = [&](bool wanted, const std::string& ending) {
      if (wanted && group.ends_with(": " + ending)) group.resize(group.size() - ending.size() - 2);
    };
    if (depth > 1) cut(true, fmt::format("{}", levels[level]));
    if (grouped) cut(width > 1, columns.empty() ? "" : columns[column]);
    std::vector<std::string> series;
    if (grouped && width > 1) series.push_back(columns[column]);
    if (depth > 1) series.push_back(fmt::format("level {:.6g}", levels[level]));
    bars.push_back({group, fmt::format("{}", fmt::join(series, ", ")), table.rows[i].value,
                    table.rows[i].lower, table.rows[i].upper});
  }
  if (bars.empty()) throw InvalidParameter("table", "empty", "must have a row to draw");
  return bars;
}

std::vector<std::string> different(const std::vector<Bar>& bars, std::string Bar::*member) {
  std::vector<std::string> found;
  for (const Bar& bar : bars)
    if (std::ranges::find(found, bar.*member) == found.end()) found.push_back(bar.*member);
  return found;
}

// Under the bars: a line for each column of a group, shortened to the room, every few if there are
// many.
std::vector<std::vector<std::string>> labels_of(const std::vector<std::string>& groups,
                                                double width) {
  constexpr double character = 7.0, least_room = 5 * character;
  const double room = width / static_cast<double>(groups.size());
  const auto every = static_cast<std::size_t>(std::ceil(least_room / room));
  const auto longest = static_cast<std::size_t>(room * static_cast<double>(every) / character);
  std::vector<std::vector<std::string>> labels;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<std::string> lines;
    if (i % every == 0) {
      std::size_t start = 0;
      for (std::size_t comma = 0; comma != std::string::npos; start = comma + 2) {
        comma = groups[i].find(", ", start);
        const std::string line = groups[i].substr(start, comma - start);
        lines.push_back(
            line.size() <= longest ? line : one_line(line, std::max<std::size_t>(longest, 4) - 3));
      }
    }
    labels.push_back(std::move(lines));
  }
  return labels;
}

// Counts and sums tell by their length; means, variances and quantiles by where they are.
Drawing drawing_of(const std::string& statistic, std::size_t series) {
  const bool length = statistic == "count" || statistic == "sum" || statistic == "mean";
  return length && series == 1 ? Drawing::bars : Drawing::dots;
}

Picture drawn(const ReleasePlot& plot, Progress&) {
  const ReleasedTable table = read_released(plot.table, plot.certificate, plot.part);
  const std::vector<Bar> bars = bars_of(table, plot);
  const std::vector<std::string> groups = different(bars, &Bar::group);
  const std::vector<std::string> names = different(bars, &Bar::series);
  Picture result;
  result.rows = Value::list();
  for (std::size_t k = 0; k < names.size(); ++k) {
    Series series{names[k], {}, {}, {}, {}, drawing_of(table.statistic, names.size())};
    series.whiskers = true;
    for (const Bar& bar : bars) {
      if (bar.series != names[k]) continue;
      const auto place = std::ranges::find(groups, bar.group) - groups.begin() + 1;
      // Beside each other where there are several.
      const double aside =
          (static_cast<double>(k + 1) / static_cast<double>(names.size() + 1) - 0.5) *
          (names.size() > 1 ? 0.6 : 0.0);
      series.x.push_back(static_cast<double>(place) + aside);
      series.y.push_back(bar.value);
      series.y_lower.push_back(bar.lower);
      series.y_upper.push_back(bar.upper);
      Value row{{"group", bar.group}, {"value", bar.value}};
      if (!bar.series.empty()) row["series"] = bar.series;
      if (!std::isnan(bar.lower)) row["lower"] = bar.lower, row["upper"] = bar.upper;
      result.rows.push_back(std::move(row));
    }
    result.chart.series.push_back(std::move(series));
  }
  result.chart.title = plot.place.title_or(table.what());
  result.chart.width = std::clamp(static_cast<int>(120 + 60 * groups.size()), 720, 1400);
  result.chart.horizontal.categories = labels_of(groups, result.chart.width - 120.0);
  result.chart.horizontal.label = table.promise();
  result.chart.vertical.label = table.statistic == "count" ? "rows" : table.statistic;
  return result;
}

Reply run(const ReleasePlot& plot, Progress& progress) {
  plot.place.require();
  Reply reply = told(plot.place, drawn(plot, progress));
  const ReleasedTable table = read_released(plot.table, plot.certificate, plot.part);
  return reply.tell("promise", table.promise())
      .say(fmt::format("Drawn from released numbers alone: {}.\n", table.promise()));
}

}  // namespace

std::vector<JobKind> release_plots() {
  return {job_kind<ReleasePlot>(
      "plot release", "released counts, means and the like, with their intervals",
      "  modicum plot release wages-by-schooling.csv --output wages.svg")};
}

}  // namespace modicum
