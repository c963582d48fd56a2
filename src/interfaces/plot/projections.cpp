// plot projections: the rows of a table along two components, for the holder of the data.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "interfaces/component_file.h"
#include "interfaces/component_options.h"
#include "release/read_file.h"
#include "interfaces/label_groups.h"
#include "data/number_text.h"
#include "interfaces/plot.h"
#include "interfaces/wording.h"
#include "modicum/release/row_scores.h"

namespace modicum {
namespace {

constexpr Eigen::Index axes = 2;
constexpr std::size_t most_groups = 12;

struct ProjectionRequest : PictureRequest {
  ComponentOptions options;
  std::string components, label;
  bool align = false;
};

void require_own_file(const ProjectionRequest& request) {
  require_picture_place(request);
  if (request.output == "-") return;
  require_place("--output", request.output);
  request.options.refuse_data_file("--output", request.output);
  if (!request.components.empty() && same_file(request.components, request.output))
    throw InvalidParameter("--output", in_quotes(request.output),
                           "must not be the file of --components");
}

Eigen::MatrixXd given_components(const ProjectionRequest& request, const ComponentTable& from) {
  const ComponentFile file = read_components(request.components);
  require_components_of("--components", file, from.rule.names());
  if (file.values.cols() < axes)
    throw InvalidParameter("--components", fmt::format("a file with {} column", file.values.cols()),
                           "must have two at least, one for each axis");
  return file.values;
}

// The columns along which the rows are drawn.
Eigen::MatrixXd directions(const ProjectionRequest& request, const ComponentTable& from) {
  if (from.dimension() < axes)
    throw InvalidParameter("the number of columns used", from.dimension(), "must be at least 2");
  const auto truth = [&](Eigen::Index count) {
    return top_components(normalized(from, from.moments(request.options)), count);
  };
  if (request.components.empty()) return truth(axes);
  const Eigen::MatrixXd given = given_components(request, from);
  if (!request.align) return given.leftCols(axes);
  return turned_towards(given, truth(given.cols())).leftCols(axes);
}

RowScores scores(const ProjectionRequest& request, const ComponentTable& from) {
  const Eigen::MatrixXd along = directions(request, from);
  ScoredRows rows{request.options.scaling(), from.rows.row_norm_bound, {}};
  if (!request.label.empty()) rows.label = request.label;
  ProgressLine progress("reading");
  RowScores result =
      score_rows(from.table, from.rule, rows, along, request.options.read_options(progress));
  if (result.values.rows() == 0)
    throw UnreadableFile(
        fmt::format("{}: no row has a number in every column that is used; --exclude leaves "
                    "columns out",
                    fmt::join(request.options.files(), ", ")));
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

std::string usual_title(const ProjectionRequest& request) {
  const auto slash = request.components.find_last_of('/') + 1;  // npos + 1 is 0
  const std::string which =
      request.components.empty()
          ? "their principal components"
          : fmt::format("the components in {}{}", request.components.substr(slash),
                        request.align ? ", turned" : "");
  return fmt::format("Rows along {}{}", which,
                     request.label.empty() ? "" : ", by " + request.label);
}

Chart drawn(const ProjectionRequest& request, const RowScores& scores,
            const std::vector<LabelGroup>& groups) {
  const auto axis = [&](Eigen::Index index) {
    return Axis{fmt::format("component {} ({:.1f} % of the squares)", index + 1,
                            100.0 * share_of_squares(scores, index)),
                AxisScale::linear,
                {}};
  };
  Chart chart{request.title_or(usual_title(request)), axis(0), axis(1), {}};
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

std::string in_json(const ProjectionRequest& request, const RowScores& scores,
                    const std::vector<LabelGroup>& groups) {
  Value categories = Value::list(), extents = Value::list();
  if (!request.label.empty())
    for (const LabelGroup& group : groups)
      categories.push_back({{"label", group.name}, {"rows", group.members.size()}});
  for (Eigen::Index i = 0; i < axes; ++i)
    extents.push_back({{"component", i + 1},
                       {"lower", scores.values.col(i).minCoeff()},
                       {"upper", scores.values.col(i).maxCoeff()},
                       {"share_of_squares", share_of_squares(scores, i)}});
  return json_line({{"confidential", true},
                    {"output", request.output},
                    {"rows", scores.values.rows()},
                    {"aligned", request.align},
                    {"categories", std::move(categories)},
                    {"axes", std::move(extents)}});
}

std::string in_words(const ProjectionRequest& request, const RowScores& scores,
                     const std::vector<LabelGroup>& groups) {
  std::string out = fmt::format("{}\n{} written: {} rows\n", confidential_heading, request.output,
                                scores.values.rows());
  if (request.label.empty()) return out;
  std::vector<std::vector<std::string>> cells{{request.label, "rows"}};
  for (const LabelGroup& group : groups)
    cells.push_back({one_line(group.name, 60), fmt::format("{}", group.members.size())});
  return out + "\n" + table(cells);
}

std::string answer(ProjectionRequest& request) {
  require_confidential(request.options, "every row is in the picture");
  request.flags.json = request.options.given("--json");
  if (request.align && request.components.empty())
    throw UsageError("--align must not be given without --components");
  require_own_file(request);
  const ComponentTable from(request.options, request.label);
  const RowScores found = scores(request, from);
  const std::vector<LabelGroup> groups = groups_of(found);
  std::string svg = render_svg(drawn(request, found, groups));
  if (request.output == "-") return svg;
  write_file(request.output, svg, FileAccess::owner_only);
  return request.flags.json ? in_json(request, found, groups) : in_words(request, found, groups);
}

}  // namespace

void add_projection_plot(CLI::App& plot, CommandResult& output) {
  CLI::App* command = add_command(
      plot, "projections", "the rows of a table along two of its components",
      "  modicum plot projections examples/genotypes.csv --label region --range-of-all 0:2 \\\n"
      "    --components components.csv --align --output rows.svg --confidential");
  const auto request = std::make_shared<ProjectionRequest>();
  ComponentOptions& options = request->options;
  options.add_data_to(*command);
  options.add_scaling_to(*command);
  command->get_option("--confidential")
      ->description("required: every row is in the picture, for the holder of the data only");
  command
      ->add_option("--components", request->components,
                   "as `release components` writes them; the first two are the axes. Without it\n"
                   "those of the rows themselves")
      ->type_name("PATH");
  command
      ->add_option("--label", request->label,
                   "a column of words or numbers that tells which color a row has; no coordinate\n"
                   "unless it is selected")
      ->type_name("NAME");
  command->add_flag("--align", request->align,
                    "turn the components within their span as near to those of the rows as they\n"
                    "go, so that pictures can be compared");
  add_picture_place(*command, *request);
  command->callback([&output, request] { output = answer(*request); });
}

}  // namespace modicum
