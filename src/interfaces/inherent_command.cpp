// audit inherent: what projection and least squares give away on one data set without any noise.
#include <fmt/format.h>

#include <memory>

#include "interfaces/data_commands.h"
#include "data/number_text.h"
#include "interfaces/plot.h"
#include "interfaces/wording.h"
#include "modicum/release/inherent.h"

namespace modicum {
namespace {

struct InherentRequest {
  ReleaseOptions options;
  std::vector<std::string> epsilons{"0.25", "0.5", "1", "2", "4"};
};

struct InherentPoint {
  double epsilon, projection;
  std::optional<double> least_squares;
};

Value in_json(const InherentPrivacy& privacy, double columns,
             const std::vector<InherentPoint>& points) {
  Value result{{"confidential", true},
              {"rows", privacy.rows},
              {"dimension", privacy.dimension},
              {"rank", privacy.rank},
              {"leverage", privacy.leverage}};
  if (const auto& regression = privacy.regression)
    result["regression"] = {
        {"set_leverage", regression->leverage},
        {"set_residual", regression->residual},
        {"solution_sensitivity", number_or_null(regression->solution_sensitivity)},
        {"undominated_pairs", regression->worst.size()}};
  result["columns"] = columns;
  Value rows = Value::list();
  for (const InherentPoint& point : points) {
    Value& row = rows.push_back({{"epsilon", point.epsilon}, {"projection_delta", point.projection}});
    if (point.least_squares) row["least_squares_delta"] = *point.least_squares;
  }
  result["points"] = std::move(rows);
  return result;
}

std::string facts(const InherentPrivacy& privacy) {
  const auto number = [](double value) { return fmt::format("{:.7g}", value); };
  std::vector<std::vector<std::string>> rows{{"rows", number(privacy.rows)},
                                             {"coordinates", number(privacy.dimension)},
                                             {"rank", number(privacy.rank)},
                                             {"largest leverage", rounded_up(privacy.leverage)}};
  if (const auto& regression = privacy.regression) {
    rows.push_back({"largest leverage in the features", rounded_up(regression->leverage)});
    rows.push_back({"largest share of the squared residual", rounded_up(regression->residual)});
    rows.push_back(
        {"largest move of the solution by a row", rounded_up(regression->solution_sensitivity)});
  }
  return table(rows);
}

std::string curve(const std::vector<InherentPoint>& points) {
  const bool regression = points.front().least_squares.has_value();
  std::vector<std::vector<std::string>> rows{{"epsilon", "delta of a projection"}};
  if (regression) rows.front().emplace_back("delta of approximate least squares");
  for (const InherentPoint& point : points) {
    rows.push_back({fmt::format("{}", point.epsilon), rounded_up(point.projection)});
    if (regression) rows.back().push_back(rounded_up(*point.least_squares));
  }
  return table(rows);
}

std::string for_people(const InherentPrivacy& privacy, double columns,
                       const std::vector<InherentPoint>& points) {
  return fmt::format(
      "{}\nThis data set and its neighbors by one of its own rows:\n\n{}\nWithout any noise, with "
      "{} columns:\n\n{}\nEstimated in double arithmetic. A guarantee relative to this set is none "
      "to the\npublic: which data sets are in it is private.{}\n",
      confidential_heading, facts(privacy), columns, curve(points),
      privacy.regression ? " The delta of approximate least\nsquares holds in the limit of many "
                           "columns."
                         : "");
}

std::string answer(const InherentRequest& request) {
  const ReleaseOptions& options = request.options;
  require_confidential(options,
                       "the set of this data set and its neighbors is private itself, so that "
                       "nothing here may be published");
  const double columns =
      require_count("--columns", parse_number("--columns", options.word("--columns")));
  const std::vector<double> epsilons = parse_numbers("--epsilon", request.epsilons);
  for (const double epsilon : epsilons) require_non_negative("--epsilon", epsilon);
  const std::string& target = options.word("--target");
  const Table table = options.table();
  const RowRule rule = options.row_rule(table, target);
  ProgressLine progress("reading");
  const InherentPrivacy privacy =
      analyze_inherent(table, rule, !target.empty(), options.read_options(progress));
  std::vector<InherentPoint> points;
  for (const double epsilon : epsilons) {
    points.push_back({epsilon, inherent_projection_delta(privacy, columns, epsilon), {}});
    if (privacy.regression)
      points.back().least_squares = inherent_least_squares_delta(privacy, columns, epsilon);
  }
  return options.given("--json") ? json_line(in_json(privacy, columns, points))
                                 : for_people(privacy, columns, points);
}

}  // namespace

void add_inherent_command(CLI::App& audit, CommandResult& output) {
  CLI::App* command = add_command(
      audit, "inherent", "what sketches of one data set give away without any noise",
      "  modicum audit inherent examples/wages.csv --target wage --columns 1000 --confidential");
  const auto request = std::make_shared<InherentRequest>();
  ReleaseOptions& options = request->options;
  add_report_options(*command, options);
  options.add_word(*command, "--columns", "columns of the sketch", "");
  command->get_option("--columns")->type_name("NUMBER")->required();
  options.add_word(*command, "--target", "the column to be predicted: least squares, too", "");
  add_numbers_option(*command, "--epsilon", request->epsilons, "privacy loss bounds");
  command->callback([&output, request] { output = answer(*request); });
}

}  // namespace modicum
