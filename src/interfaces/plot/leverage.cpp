// plot leverage: how much more leverage the exact profile of a random projection allows.
#include <fmt/format.h>

#include <algorithm>

#include "interfaces/plot/picture.h"
#include "interfaces/plot/plot.h"
#include "modicum/mechanisms/random_projection.h"

namespace modicum {
namespace {

struct LeveragePlot : PlotJob {
  double delta = 1e-6;
  std::vector<double> columns{50, 100, 200, 500};
  std::vector<double> epsilons{0.1, 0.15, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5};

  void fields(Fields& fields) {
    fields.add("delta", delta, "above 0 and below 1, 1e-6 by default");
    add_numbers(fields, "columns", columns, "columns of the projection");
    add_numbers(fields, "epsilon", epsilons, "privacy loss bounds");
    place.fields(fields);
    certified_field(fields);
  }
};

Picture drawn(const LeveragePlot& plot, Progress& progress) {
  std::vector<double> epsilons = plot.epsilons;
  std::ranges::sort(epsilons);
  progress.begin("searching");
  Picture result;
  for (const double columns : plot.columns) {
    Series series{fmt::format("{} columns", columns), {}, {}, {}, {}, Drawing::line_with_dots};
    for (const double epsilon : epsilons) {
      progress.report(result.rows.size(), plot.columns.size() * epsilons.size());
      const PrivacyTarget target(require_positive("epsilon", epsilon), plot.delta);
      const double exact = largest_leverage(target, columns, plot.accuracy());
      const double earlier = singular_value_leverage(target, columns);
      series.x.push_back(epsilon);
      series.y.push_back(exact / earlier);
      result.rows.push_back({{"columns", columns},
                             {"epsilon", epsilon},
                             {"leverage", exact},
                             {"singular_value_leverage", earlier},
                             {"factor", exact / earlier}});
    }
    result.chart.series.push_back(std::move(series));
  }
  result.chart.title = plot.place.title_or(fmt::format(
      "Allowable leverage: exact over least-singular-value bound, delta {}", plot.delta));
  result.chart.horizontal = {"epsilon", AxisScale::logarithmic, {}};
  if (epsilons.front() < epsilons.back())
    result.chart.horizontal.range = std::pair{0.95 * epsilons.front(), 1.05 * epsilons.back()};
  result.chart.vertical = {"improvement factor", AxisScale::linear, {}};
  return result;
}

}  // namespace

std::vector<JobKind> leverage_plots() {
  return {job_kind<LeveragePlot>(
      "plot leverage",
      "leverage that a random projection may have, over what an earlier bound allows",
      "  modicum plot leverage --columns 50 500 --delta 1e-6 --output leverage.svg")};
}

}  // namespace modicum
