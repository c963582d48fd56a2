// plot components: what is predicted of private principal components, against beta.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "interfaces/calibrate/eigenvalues.h"
#include "interfaces/plot/picture.h"
#include "interfaces/plot/plot.h"
#include "interfaces/release/output.h"
#include "modicum/mechanisms/principal_components.h"

namespace modicum {
namespace {

enum class Quantity { mu, spectral, frobenius };

const Choices<Quantity>& quantities() {
  static const Choices<Quantity> all{
      {"mu", Quantity::mu, "of asymptotic Gaussian differential privacy, with its plateau"},
      {"spectral", Quantity::spectral, "the squared error in the spectral norm"},
      {"frobenius", Quantity::frobenius, "the squared error in the Frobenius norm"}};
  return all;
}

struct ComponentPlot : PlotJob {
  ConfidentialField confidential = {};
  EigenvalueSource eigenvalues = {};
  double rows = 0.0;
  std::vector<double> components{1};
  Quantity quantity = Quantity::mu;
  double from = 0.0;
  std::optional<double> to = {};
  double points = 200.0;

  void fields(Fields& fields) {
    eigenvalues.fields(fields).required();
    confidential.required_field(fields);
    fields.add("rows", rows, "number of rows, public").required();
    add_numbers(fields, "components", components, "numbers of components, a curve for each");
    fields.choice("quantity", quantity, quantities(), "what is drawn, mu by default")
        .shown_as("WORD");
    fields.add("from", from, "left end, 0 by default");
    fields.add("to", to, "right end, by default beyond all plateaus");
    add_points(fields, points);
    place.fields(fields);
  }
};

const char* axis_label(Quantity quantity) {
  switch (quantity) {
    case Quantity::mu:
      return "mu of asymptotic Gaussian differential privacy";
    case Quantity::spectral:
      return "predicted squared spectral error";
    case Quantity::frobenius:
      break;
  }
  return "predicted squared Frobenius error";
}

std::vector<ComponentSpectrum> spectra(const ComponentPlot& plot) {
  const std::vector<double> eigenvalues = plot.eigenvalues.load();
  std::vector<ComponentSpectrum> result;
  for (const double components : plot.components)
    result.emplace_back(eigenvalues, plot.rows, components);
  return result;
}

bool is_tie(const ComponentSpectrum& spectrum) { return !(spectrum.gap() > 0.0); }

// Far enough to see how a curve goes on: from where all components show, or the plateau ends.
double usual_end(const std::vector<ComponentSpectrum>& all, Quantity quantity) {
  double end = 0.0;
  for (const ComponentSpectrum& spectrum : all)
    if (const auto plateau = privacy_plateau(spectrum))
      end = std::max(end, quantity == Quantity::mu ? 3.0 * plateau->to : 8.0 * plateau->from);
  return end > 0.0 ? end : 1.0;
}

// Even steps, with the places where the curve turns.
std::vector<double> places(const ComponentSpectrum& spectrum, Quantity quantity,
                           std::pair<double, double> range, std::size_t points) {
  const auto [from, to] = range;
  std::vector<double> result = even_steps(from, to, points);
  const auto keep = [&, low = from, high = to](double beta) {
    if (beta > low && beta < high) result.push_back(beta);
  };
  const auto plateau = privacy_plateau(spectrum);
  if (quantity == Quantity::mu && plateau) {
    keep(std::nextafter(plateau->from, 2.0 * plateau->from));
    keep(plateau->to);
    std::erase_if(result, [&](double beta) { return !(beta > plateau->from); });
  } else {
    for (std::size_t i = 0; i < spectrum.components(); ++i) keep(spectrum.threshold(i));
  }
  std::sort(result.begin(), result.end());
  return result;
}

double value_at(const ComponentSpectrum& spectrum, double beta, Quantity quantity) {
  if (quantity == Quantity::mu) return predicted_mu(spectrum, beta).value();
  const PredictedUtility utility = predicted_utility(spectrum, beta);
  return quantity == Quantity::spectral ? utility.spectral : utility.frobenius;
}

std::string label_of(const ComponentSpectrum& spectrum, Quantity quantity) {
  const std::string name = fmt::format("k = {}", spectrum.components());
  if (spectrum.is_whole_space())
    return name +
           (quantity == Quantity::mu ? ": all directions, mu = 0" : ": all directions, no error");
  if (is_tie(spectrum)) return name + ": tied with the next, no prediction";
  if (quantity != Quantity::mu) return name;
  const PrivacyPlateau plateau = privacy_plateau(spectrum).value();
  return fmt::format("{}, plateau {:.3g} to {:.3g}", name, plateau.from, plateau.to);
}

Picture drawn(const ComponentPlot& plot, Progress&) {
  const Quantity quantity = plot.quantity;
  const std::size_t points = point_count(plot.points);
  const std::vector<ComponentSpectrum> all = spectra(plot);
  const auto range =
      require_ends("from", plot.from, "to",
                   plot.to.value_or(std::max(usual_end(all, quantity), 1.5 * plot.from)));
  Picture result;
  result.rows = Value::list();
  double largest = 0.0;
  for (const ComponentSpectrum& spectrum : all) {
    Series series{label_of(spectrum, quantity), {}, {}, {}, {}};
    if (!is_tie(spectrum)) series.x = places(spectrum, quantity, range, points);
    for (const double beta : series.x) {
      series.y.push_back(value_at(spectrum, beta, quantity));
      largest = std::max(largest, series.y.back());
      result.rows.push_back({{"components", spectrum.components()},
                             {"beta", beta},
                             {word_of(quantities(), quantity), series.y.back()}});
    }
    if (series.x.empty() && !is_tie(spectrum))
      series.label = fmt::format("k = {}: beyond the picture", spectrum.components());
    result.chart.series.push_back(std::move(series));
  }
  result.chart.title = plot.place.title_or(
      fmt::format("{} dimensions, {} rows: predicted in the limit of many dimensions",
                  all.front().dimension(), all.front().rows()));
  result.chart.horizontal = {"beta", AxisScale::linear, range};
  result.chart.vertical = {axis_label(quantity), AxisScale::linear,
                           std::pair{0.0, largest > 0.0 ? 1.05 * largest : 1.0}};
  return result;
}

Reply run(const ComponentPlot& plot, Progress& progress) {
  plot.confidential.require("the picture is as confidential as the eigenvalues");
  plot.place.require();
  Reply reply = told(plot.place, drawn(plot, progress), FileAccess::owner_only);
  return reply.tell("confidential", true).say(confidential_heading);
}

}  // namespace

std::vector<JobKind> component_plots() {
  return {job_kind<ComponentPlot>(
      "plot components", "predicted privacy and error of principal components against beta",
      "  modicum plot components --eigenvalues examples/eigenvalues.json --rows 2500 \\\n"
      "    --components 1 2 3 --output mu.svg --confidential")};
}

}  // namespace modicum
