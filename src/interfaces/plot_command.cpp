// plot: curves and comparisons as SVG pictures.
#include <fmt/format.h>

#include <cmath>

#include "release/read_file.h"
#include "interfaces/plot.h"

namespace modicum {
namespace {

constexpr double fewest_points = 2, most_points = 10000;

}  // namespace

void add_picture_place(CLI::App& command, PictureRequest& request) {
  command.add_option("--output", request.output, "SVG file to write, - for standard output")
      ->type_name("PATH")
      ->required();
  command.add_option("--title", request.title, "title of the picture")->type_name("TEXT");
}

void require_picture_place(const PictureRequest& request) {
  if (!request.output.ends_with(".svg") && request.output != "-")
    throw InvalidParameter("--output", fmt::format("\"{}\"", request.output),
                           "must end in .svg, or be - for standard output");
  if (request.output == "-" && request.flags.json)
    throw UsageError("--json needs --output to be a file: both would go to standard output");
}

void add_picture_options(CLI::App& command, PictureRequest& request) {
  add_picture_place(command, request);
  add_common_flags(command, request.flags);
}

std::string picture(const PictureRequest& request, const std::function<Picture()>& make) {
  require_picture_place(request);
  const Picture made = make();
  std::string svg = render_svg(made.chart);
  if (request.output == "-") return svg;
  write_file(request.output, svg);
  if (!request.flags.json) return fmt::format("{} written\n", request.output);
  Value names = Value::list();
  for (const Series& series : made.chart.series) names.push_back(series.label);
  Value result{{"output", request.output}, {"curves", std::move(names)}};
  if (!made.rows.is_null()) result["rows"] = made.rows;
  return json_line(result);
}

void add_points_option(CLI::App& command, std::string& text) {
  command.add_option("--points", text, fmt::format("points of each curve, {} by default", text))
      ->type_name("NUMBER");
}

std::size_t point_count(const std::string& text) {
  const double points = parse_number("--points", text);
  if (!(points >= fewest_points && points <= most_points && points == std::floor(points)))
    throw InvalidParameter("--points", points, "must be a whole number from 2 to 10000");
  return static_cast<std::size_t>(points);
}

void add_numbers_option(CLI::App& command, const std::string& name, std::vector<std::string>& texts,
                        const std::string& help) {
  command.add_option(name, texts, fmt::format("{}; by default {}", help, fmt::join(texts, " ")))
      ->type_name("NUMBER");
}

std::vector<double> parse_numbers(const std::string& name, const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) numbers.push_back(parse_number(name, text));
  return numbers;
}

std::vector<double> even_steps(double from, double to, std::size_t count) {
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(std::lerp(from, to, static_cast<double>(i) / static_cast<double>(count - 1)));
  return result;
}

void add_plot_command(CLI::App& program, CommandResult& output) {
  CLI::App* plot =
      add_command(program, "plot", "curves as SVG pictures",
                  "  modicum plot profile first.json second.json --output profile.svg");
  plot->require_subcommand(1);
  add_curve_plots(*plot, output);
  add_noise_plots(*plot, output);
  add_leverage_plot(*plot, output);
  add_claim_plot(*plot, output);
  add_component_plots(*plot, output);
  add_projection_plot(*plot, output);
}

}  // namespace modicum
