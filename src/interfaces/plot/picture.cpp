#include "interfaces/plot/picture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "data/cells/number_text.h"

namespace modicum {

void PicturePlace::fields(Fields& fields, bool required) {
  Field& place = fields.add("output", output, "SVG file to write, - for standard output");
  place.shown_as("PATH").is_required = required;
  place.is_text_place = true;
  fields.add("title", title, "title of the picture");
}

void PicturePlace::require() const {
  if (!output.ends_with(".svg") && !shown())
    throw InvalidParameter("output", in_quotes(output),
                           "must end in .svg, or be - for standard output");
  if (!shown()) require_writable(output);
}

void PicturePlace::draw(const Chart& chart, Reply& reply, FileAccess access) const {
  std::string svg = render_svg(chart);
  if (!shown()) return write_file(output, svg, access);
  reply.tell("picture", svg);  // for callers that do not print
  reply.text = std::move(svg);
}

void PlotJob::certified_field(Fields& fields) {
  fields.add("certified", certified, "proved bounds instead of estimates");
}

Reply told(const PicturePlace& place, const Picture& picture, FileAccess access) {
  Reply reply;
  place.draw(picture.chart, reply, access);
  std::vector<std::string> names;
  for (const Series& series : picture.chart.series) names.push_back(series.label);
  reply.tell("output", place.output).tell("curves", names);
  if (!picture.rows.is_null()) reply.tell("rows", picture.rows);
  return reply.say(fmt::format("{} written\n", place.output));
}

void add_points(Fields& fields, double& points) {
  fields.add("points", points, fmt::format("points of each curve, {} by default", points));
}

std::size_t point_count(double points) {
  if (!(points >= 2.0 && points <= 10000.0 && points == std::floor(points)))
    throw InvalidParameter("points", points, "must be a whole number from 2 to 10000");
  return static_cast<std::size_t>(points);
}

void add_numbers(Fields& fields, const std::string& name, std::vector<double>& numbers,
                 const std::string& help) {
  fields.add(name, numbers, fmt::format("{}; by default {}", help, fmt::join(numbers, " ")));
}

std::vector<double> even_steps(double from, double to, std::size_t count) {
  std::vector<double> result;
  for (std::size_t i = 0; i < count; ++i)
    result.push_back(std::lerp(from, to, static_cast<double>(i) / static_cast<double>(count - 1)));
  return result;
}

std::pair<double, double> require_ends(const char* from_name, double from, const char* to_name,
                                       double to) {
  require_non_negative(from_name, from);
  require_non_negative(to_name, to);
  if (!(to > from))
    throw InvalidParameter(to_name, to, fmt::format("must be above `{}`, {}", from_name, from));
  return {from, to};
}

}  // namespace modicum
