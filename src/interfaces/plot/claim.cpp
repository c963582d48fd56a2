// plot claim: the delta that is claimed and the delta that is true, against epsilon.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "interfaces/plot/picture.h"
#include "interfaces/plot/plot.h"
#include "modicum/auditing/claims.h"

namespace modicum {
namespace {

// The claims that can be drawn.
Choices<const Claim*> claims_with_curves() {
  Choices<const Claim*> choices;
  for (const Claim& claim : published_claims())
    if (claim.curve) choices.push_back({claim.name, &claim});
  return choices;
}

struct ClaimPlot : PlotJob {
  std::optional<const Claim*> claim = {};
  std::optional<double> epsilon_from = {}, epsilon_to = {};
  double points = 40.0;

  void fields(Fields& fields) {
    fields
        .choice("claim", claim, claims_with_curves(),
                "which claim, of those with a curve over epsilon; audit claim tells about them")
        .positional()
        .required();
    fields.add("epsilon_from", epsilon_from, "left end");
    fields.add("epsilon_to", epsilon_to, "right end");
    add_points(fields, points);
    place.fields(fields);
    certified_field(fields);
  }
};

// What is smaller has no place in the picture.
constexpr double smallest_claim_shown = 1e-12;
// An enclosure that is wider than this, relative to its upper end, looks like a band.
constexpr double visible_width = 0.2;

double drawable(double delta, const std::vector<double>& before) {
  return delta == 0.0 && !before.empty() && before.back() > far_below ? far_below : delta;
}

// From the smallest to the largest delta, in whole decades: at most 1, at least 1e-12.
std::pair<double, double> delta_range(const std::vector<Series>& curves) {
  double largest = smallest_claim_shown, smallest = 1.0;
  for (const Series& series : curves)
    for (const double delta : series.y) {
      largest = std::max(largest, delta);
      if (delta >= smallest_claim_shown) smallest = std::min(smallest, delta);
    }
  const double top = std::min(1.0, 3.0 * largest);
  return {std::min(std::max(smallest / 3.0, smallest_claim_shown), 0.1 * top), top};
}

Value row(double epsilon, const ClaimCase& one) {
  return {{"epsilon", epsilon},
          {"claimed_delta", one.claimed},
          {"delta", one.truth},
          {"verdict", to_string(one.verdict)}};
}

Picture drawn(const ClaimPlot& plot, Progress& progress) {
  const Claim& claim = **plot.claim;
  const ClaimCurve& curve = *claim.curve;
  const auto [from, to] =
      require_ends("epsilon_from", plot.epsilon_from.value_or(curve.epsilon_from), "epsilon_to",
                   plot.epsilon_to.value_or(curve.epsilon_to));
  const std::vector<double> epsilons = even_steps(from, to, point_count(plot.points));
  progress.begin("auditing");
  Series claimed{"claimed", epsilons, {}, {}, {}}, truth{"true", epsilons, {}, {}, {}};
  Picture result;
  double widest = 0.0;
  for (const double epsilon : epsilons) {
    progress.report(claimed.y.size(), epsilons.size());
    const ClaimCase one = curve.at(epsilon, plot.accuracy());
    claimed.y.push_back(drawable(one.claimed, claimed.y));
    truth.y.push_back(drawable(one.truth.upper(), truth.y));
    truth.y_lower.push_back(one.truth.lower());
    truth.y_upper.push_back(one.truth.upper());
    widest = std::max(widest, one.truth.relative_width());
    result.rows.push_back(row(epsilon, one));
  }
  if (widest > visible_width) truth.label = "true, at most (shaded: not known)";
  result.chart.title = plot.place.title_or(fmt::format("Claim {}: {}", claim.name, curve.fixed));
  result.chart.series = {std::move(claimed), std::move(truth)};
  result.chart.horizontal = {"epsilon", AxisScale::linear, std::pair{from, to}};
  result.chart.vertical = {"delta", AxisScale::logarithmic, delta_range(result.chart.series)};
  return result;
}

}  // namespace

std::vector<JobKind> claim_plots() {
  return {job_kind<ClaimPlot>("plot claim",
                              "what a published claim says and what is true, against epsilon",
                              "  modicum plot claim classical-gaussian --output claim.svg")};
}

}  // namespace modicum
