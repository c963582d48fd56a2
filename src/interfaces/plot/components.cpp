// plot components: what is predicted of private principal components, against beta.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "interfaces/eigenvalue_file.h"
#include "interfaces/plot.h"
#include "interfaces/release_options.h"
#include "modicum/mechanisms/principal_components.h"

namespace modicum {
namespace {

struct ComponentPlotRequest : PictureRequest {
  std::string eigenvalues, quantity = "mu", points = "200";
  std::vector<std::string> components{"1"};
  std::optional<std::string> from, to;
  NumberOptions numbers;
};

enum class Quantity { mu, spectral, frobenius };

Quantity quantity_of(const ComponentPlotRequest& request) {
  static const Choices<Quantity> all{
      {"mu", Quantity::mu}, {"spectral", Quantity::spectral}, {"frobenius", Quantity::frobenius}};
  return chosen("--quantity", request.quantity, all);
}

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

std::vector<ComponentSpectrum> spectra(const ComponentPlotRequest& request) {
  const std::vector<double> eigenvalues = read_eigenvalues(request.eigenvalues);
  std::vector<ComponentSpectrum> result;
  for (const double components : parse_numbers("--components", request.components))
    result.emplace_back(eigenvalues, request.numbers.at("--rows"), components);
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

std::pair<double, double> range_of(const ComponentPlotRequest& request,
                                   const std::vector<ComponentSpectrum>& all, Quantity quantity) {
  const auto end = [](const char* name, const std::optional<std::string>& text, double usual) {
    return text ? require_non_negative(name, parse_number(name, *text)) : usual;
  };
  const double from = end("--from", request.from, 0.0);
  const double to = end("--to", request.to, std::max(usual_end(all, quantity), 1.5 * from));
  if (!(to > from))
    throw InvalidParameter("--to", to, fmt::format("must be above --from, {}", from));
  return {from, to};
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

Picture component_picture(const ComponentPlotRequest& request) {
  const Quantity quantity = quantity_of(request);
  const std::size_t points = point_count(request.points);
  const std::vector<ComponentSpectrum> all = spectra(request);
  const auto range = range_of(request, all, quantity);
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
                             {request.quantity, series.y.back()}});
    }
    if (series.x.empty() && !is_tie(spectrum))
      series.label = fmt::format("k = {}: beyond the picture", spectrum.components());
    result.chart.series.push_back(std::move(series));
  }
  result.chart.title = request.title_or(
      fmt::format("{} dimensions, {} rows: predicted in the limit of many dimensions",
                  all.front().dimension(), all.front().rows()));
  result.chart.horizontal = {"beta", AxisScale::linear, range};
  result.chart.vertical = {axis_label(quantity), AxisScale::linear,
                           std::pair{0.0, largest > 0.0 ? 1.05 * largest : 1.0}};
  return result;
}

}  // namespace

void add_component_plots(CLI::App& plot, CommandResult& output) {
  CLI::App* command = add_command(
      plot, "components", "predicted privacy and error of principal components against beta",
      "  modicum plot components --eigenvalues examples/eigenvalues.json --rows 2500 \\\n"
      "    --components 1 2 3 --output mu.svg\n"
      "The picture is as confidential as the eigenvalues.");
  const auto request = std::make_shared<ComponentPlotRequest>();
  command
      ->add_option("--eigenvalues", request->eigenvalues,
                   "JSON list of all eigenvalues of the normalized covariance, largest first")
      ->type_name("FILE")
      ->required();
  request->numbers.add(*command, "--rows", "number of rows, public");
  add_numbers_option(*command, "--components", request->components,
                     "numbers of components, a curve for each");
  command
      ->add_option("--quantity", request->quantity,
                   "mu (the default), with its plateau; or spectral, or frobenius: the error")
      ->type_name("WORD");
  command->add_option("--from", request->from, "left end, 0 by default")->type_name("NUMBER");
  command->add_option("--to", request->to, "right end, by default beyond all plateaus")
      ->type_name("NUMBER");
  add_points_option(*command, request->points);
  add_picture_options(*command, *request);
  command->callback([&output, request] {
    output = picture(*request, [&] { return component_picture(*request); });
  });
}

}  // namespace modicum
