// plot claim: the delta that is claimed and the delta that is true, against epsilon.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "interfaces/plot.h"
#include "modicum/auditing/claims.h"

namespace modicum {
namespace {

struct ClaimPlotRequest : PictureRequest {
  std::string name, points = "40";
  std::optional<std::string> epsilon_from, epsilon_to;
};

// What is smaller has no place in the picture.
constexpr double smallest_delta_shown = 1e-12;
// An enclosure that is wider than this, relative to its upper end, looks like a band.
constexpr double visible_width = 0.2;

const Claim& claim_with_curve(const std::string& name) {
  const Claim& claim = published_claim(name);
  if (claim.curve) return claim;
  std::string drawable;
  for (const Claim& other : published_claims())
    if (other.curve) drawable += (drawable.empty() ? "" : ", ") + other.name;
  throw InvalidParameter("claim", fmt::format("\"{}\"", name),
                         "must be one with a curve over epsilon: " + drawable);
}

std::vector<double> places(const ClaimPlotRequest& request, const ClaimCurve& curve) {
  const auto end = [](const char* name, const std::optional<std::string>& text, double usual) {
    return text ? require_non_negative(name, parse_number(name, *text)) : usual;
  };
  const double from = end("--epsilon-from", request.epsilon_from, curve.epsilon_from);
  const double to = end("--epsilon-to", request.epsilon_to, curve.epsilon_to);
  if (!(to > from))
    throw InvalidParameter("--epsilon-to", to,
                           fmt::format("must be above --epsilon-from, {}", from));
  return even_steps(from, to, point_count(request.points));
}

// A logarithmic axis has no place for the first zero after a curve: far below the picture.
double drawable(double delta, const std::vector<double>& before) {
  return delta == 0.0 && !before.empty() && before.back() > 1e-300 ? 1e-300 : delta;
}

// From the smallest to the largest delta, in whole decades: at most 1, at least 1e-12.
std::pair<double, double> delta_range(const std::vector<Series>& curves) {
  double largest = smallest_delta_shown, smallest = 1.0;
  for (const Series& series : curves)
    for (const double delta : series.y) {
      largest = std::max(largest, delta);
      if (delta >= smallest_delta_shown) smallest = std::min(smallest, delta);
    }
  const double top = std::min(1.0, 3.0 * largest);
  return {std::min(std::max(smallest / 3.0, smallest_delta_shown), 0.1 * top), top};
}

Value row(double epsilon, const ClaimCase& one) {
  return {{"epsilon", epsilon},
          {"claimed_delta", one.claimed},
          {"delta", to_json(one.truth)},
          {"verdict", to_string(one.verdict)}};
}

Picture claim_picture(const ClaimPlotRequest& request) {
  const Claim& claim = claim_with_curve(request.name);
  const ClaimCurve& curve = *claim.curve;
  const std::vector<double> epsilons = places(request, curve);
  ProgressLine progress("auditing");
  Series claimed{"claimed", epsilons, {}, {}, {}}, truth{"true", epsilons, {}, {}, {}};
  Picture result;
  double widest = 0.0;
  for (const double epsilon : epsilons) {
    progress.report(claimed.y.size(), epsilons.size());
    const ClaimCase one = curve.at(epsilon, request.accuracy());
    claimed.y.push_back(drawable(one.claimed, claimed.y));
    truth.y.push_back(drawable(one.truth.upper(), truth.y));
    truth.y_lower.push_back(one.truth.lower());
    truth.y_upper.push_back(one.truth.upper());
    widest = std::max(widest, one.truth.relative_width());
    result.rows.push_back(row(epsilon, one));
  }
  if (widest > visible_width) truth.label = "true, at most (shaded: not known)";
  result.chart.title = request.title_or(fmt::format("Claim {}: {}", claim.name, curve.fixed));
  result.chart.series = {std::move(claimed), std::move(truth)};
  result.chart.horizontal = {"epsilon", AxisScale::linear,
                             std::pair{epsilons.front(), epsilons.back()}};
  result.chart.vertical = {"delta", AxisScale::logarithmic, delta_range(result.chart.series)};
  return result;
}

}  // namespace

void add_claim_plot(CLI::App& plot, CommandResult& output) {
  CLI::App* command =
      add_command(plot, "claim", "what a published claim says and what is true, against epsilon",
                  "  modicum plot claim classical-gaussian --output claim.svg");
  const auto request = std::make_shared<ClaimPlotRequest>();
  command->add_option("NAME", request->name, "which claim; audit claim lists them")
      ->type_name("")
      ->required();
  command->add_option("--epsilon-from", request->epsilon_from, "left end")->type_name("NUMBER");
  command->add_option("--epsilon-to", request->epsilon_to, "right end")->type_name("NUMBER");
  add_points_option(*command, request->points);
  add_picture_options(*command, *request);
  command->callback(
      [&output, request] { output = picture(*request, [&] { return claim_picture(*request); }); });
}

}  // namespace modicum
