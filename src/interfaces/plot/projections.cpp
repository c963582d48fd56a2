// plot projections: the rows of a table along two components, for the holder of the data.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "data/cells/number_text.h"
#include "interfaces/plot/component_file.h"
#include "interfaces/plot/label_groups.h"
#include "interfaces/plot/picture.h"
#include "interfaces/plot/plot.h"
#include "interfaces/release/component_fields.h"
#include "interfaces/release/output.h"
#include "modicum/release/row_scores.h"

namespace modicum {
namespace {

constexpr Eigen::Index axes = 2;
constexpr std::size_t most_groups = 12;

struct ProjectionPlot {
  ComponentFields table = {};
  ConfidentialField confidential = {};
  Input<Eigen::MatrixXd> components = {};
  std::string label = {};
  bool align = false;
  PicturePlace place = {};

  void fields(Fields& fields) {
    table.table_fields(fields);
    confidential.required_field(fields);
    table.scaling_fields(fields);
    fields
        .input("components", components,
               "as `release components` writes them; the first two are the axes. Without it\n"
               "those of the rows themselves",
               [this](const Value& given) {
                 Fields one;
                 one.add("components", components.content.emplace(), "").set(given);
               })
        .shown_as("PATH");
    fields
        .add("label", label,
             "a column of words or numbers that colors the rows; not a coordinate\n"
             "unless it is selected")
        .shown_as("NAME");
    fields.add("align", align,
               "rotate the components within their span as close to those of the rows as\n"
               "possible, so that pictures can be compared");
    place.fields(fields);
  }
};

void require_own_file(const ProjectionPlot& plot) {
  plot.place.require();
  if (plot.place.shown()) return;
  const std::string& output = plot.place.output;
  plot.table.source.refuse_overwriting("output", output);
  if (!plot.components.path.empty() && same_file(plot.components.path, output))
    throw InvalidParameter("output", in_quotes(output), "must not be the file of `components`");
}

Eigen::MatrixXd given_components(const ProjectionPlot& plot, const ComponentRows& from) {
  const ComponentFile file = plot.components.content ? ComponentFile{{}, *plot.components.content}
                                                     : read_components(plot.components.path);
  require_components_of("components", file, from.rule.names());
  if (file.values.cols() < axes)
    throw InvalidParameter("components", fmt::format("a file with {} column", file.values.cols()),
                           "must have two at least, one for each axis");
  return file.values;
}

// The columns along which the rows are drawn.
Eigen::MatrixXd directions(const ProjectionPlot& plot, const ComponentRows& from,
                           Progress& progress) {
  if (from.dimension() < axes)
    throw InvalidParameter("the number of columns used", from.dimension(), "must be at least 2");
  const auto truth = [&](Eigen::Index count) {
    return top_components(from.normalized(from.moments(plot.table, progress)), count);
  };
  if (!plot.components.given()) return truth(axes);
  const Eigen::MatrixXd given = given_components(plot, from);
  if (!plot.align) return given.leftCols(axes);
  return turned_towards(given, truth(given.cols())).leftCols(axes);
}

RowScores scores(const ProjectionPlot& plot, const ComponentRows& from, Progress& progress) {
  const Eigen::MatrixXd along = directions(plot, from, progress);
  ScoredRows rows{plot.table.scaling(), from.rows.row_norm_bound, {}};
  if (!plot.label.empty()) rows.label = plot.label;
  progress.begin("reading");
  RowScores result =
      score_rows(from.table, from.rule, rows, along, plot.table.source.read_options(progress));
  if (result.values.rows() == 0)
    throw UnreadableFile(fmt::format(
        "{}: no row has a number in every column that is used; exclude those without numbers",
        fmt::join(plot.table.source.files.paths, ", ")));
  return result;
}

// One group for all rows where there are no labels.
std::vector<LabelGroup> groups_of(const RowScores& scores) {
  if (!scores.labels.empty()) return label_groups(scores.labels, most_groups);
  LabelGroup all;
  for (Eigen::Index i = 0; i < scores.values.rows(); ++i)
    all.members.push_back(static_cast<std::size_t>(i));
  return {all};
}

double share_of_squares(const RowScores& scores, Eigen::Index axis) {
  return scores.squared_lengths > 0.0
             ? scores.values.col(axis).squaredNorm() / scores.squared_lengths
             : 0.0;
}

std::string usual_title(const ProjectionPlot& plot) {
  const std::string which =
      !plot.components.given()
          ? "their principal components"
          : fmt::format(
                "the components{}{}",
                plot.components.path.empty()
                    ? ""
                    : " in " + std::filesystem::path(plot.components.path).filename().string(),
                plot.align ? ", turned" : "");
  return fmt::format("Rows along {}{}", which, plot.label.empty() ? "" : ", by " + plot.label);
}

Chart drawn(const ProjectionPlot& plot, const RowScores& scores,
            const std::vector<LabelGroup>& groups) {
  const auto axis = [&](Eigen::Index index) {
    return Axis{fmt::format("component {} ({:.1f} % of the squares)", index + 1,
                            100.0 * share_of_squares(scores, index)),
                AxisScale::linear,
                {}};
  };
  Chart chart{plot.place.title_or(usual_title(plot)), axis(0), axis(1), {}};
  chart.width = 760;
  chart.height = 600;
  for (const LabelGroup& group : groups) {
    Series series{group.name, {}, {}, {}, {}, Drawing::dots, group.rest};
    for (const std::size_t member : group.members) {
      series.x.push_back(scores.values(static_cast<Eigen::Index>(member), 0));
      series.y.push_back(scores.values(static_cast<Eigen::Index>(member), 1));
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

Reply told(const ProjectionPlot& plot, const RowScores& scores,
           const std::vector<LabelGroup>& groups) {
  const std::string& output = plot.place.output;
  Reply reply;
  reply.say(
      fmt::format("{}\n{} written: {} rows\n", confidential_heading, output, scores.values.rows()));
  reply.tell("confidential", true).tell("output", output);
  reply.tell("rows", scores.values.rows()).tell("aligned", plot.align);
  ReplyTable categories({plot.label, "rows"});
  for (const LabelGroup& group : groups)
    categories.add({{"label", group.name}, {"rows", group.members.size()}},
                   {one_line(group.name, 60), fmt::format("{}", group.members.size())});
  if (plot.label.empty()) reply.tell("categories", Value::list());
  else reply.add("categories", categories);
  Value extents = Value::list();
  for (Eigen::Index i = 0; i < axes; ++i)
    extents.push_back({{"component", i + 1},
                       {"lower", scores.values.col(i).minCoeff()},
                       {"upper", scores.values.col(i).maxCoeff()},
                       {"share_of_squares", share_of_squares(scores, i)}});
  return reply.tell("axes", std::move(extents));
}

Reply run(const ProjectionPlot& plot, Progress& progress) {
  plot.confidential.require("every row is in the picture");
  if (plot.align && !plot.components.given())
    throw UsageError("`align` must not be given without `components`");
  require_own_file(plot);
  const ComponentRows from(plot.table, plot.label);
  const RowScores found = scores(plot, from, progress);
  const std::vector<LabelGroup> groups = groups_of(found);
  Reply reply = told(plot, found, groups);
  plot.place.draw(drawn(plot, found, groups), reply, FileAccess::owner_only);
  return reply;
}

}  // namespace

std::vector<JobKind> projection_plots() {
  return {job_kind<ProjectionPlot>(
      "plot projections", "the rows of a table along two of its components",
      "  modicum plot projections examples/genotypes.csv --label region --range-of-all 0:2 \\\n"
      "    --components components.csv --align --output rows.svg --confidential")};
}

}  // namespace modicum
