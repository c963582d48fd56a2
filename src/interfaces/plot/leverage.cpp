// plot leverage: how much more leverage the exact profile of a random projection allows.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "interfaces/plot.h"
#include "modicum/mechanisms/random_projection.h"

namespace modicum {
namespace {

struct LeverageRequest : PictureRequest {
  NumberOptions numbers;
  std::vector<std::string> columns{"50", "100", "200", "500"};
  std::vector<std::string> epsilons{"0.1", "0.15", "0.2", "0.3", "0.5", "0.7",
                                    "1",   "1.5",  "2",   "3",   "4",   "5"};
};

Picture leverage_picture(const LeverageRequest& request) {
  const double delta = request.numbers.at("--delta");
  auto epsilons = parse_numbers("--epsilon", request.epsilons);
  std::ranges::sort(epsilons);
  ProgressLine progress("searching");
  Picture result;
  for (const double columns : parse_numbers("--columns", request.columns)) {
    Series series{fmt::format("{} columns", columns), {}, {}, {}, {}, Drawing::line_with_dots};
    for (const double epsilon : epsilons) {
      progress.report(result.rows.size(), request.columns.size() * epsilons.size());
      const PrivacyTarget target(require_positive("--epsilon", epsilon), delta);
      const double exact = largest_leverage(target, columns, request.accuracy());
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
  result.chart.title = request.title_or(
      fmt::format("Allowable leverage: exact over least-singular-value bound, delta {}", delta));
  result.chart.horizontal = {"epsilon", AxisScale::logarithmic, {}};
  if (epsilons.front() < epsilons.back())
    result.chart.horizontal.range = std::pair{0.95 * epsilons.front(), 1.05 * epsilons.back()};
  result.chart.vertical = {"improvement factor", AxisScale::linear, {}};
  return result;
}

}  // namespace

void add_leverage_plot(CLI::App& plot, CommandResult& output) {
  CLI::App* command =
      add_command(plot, "leverage",
                  "leverage that a random projection may have, over what an earlier bound allows",
                  "  modicum plot leverage --columns 50 500 --delta 1e-6 --output leverage.svg");
  const auto request = std::make_shared<LeverageRequest>();
  request->numbers.add(*command, "--delta", "above 0 and below 1, 1e-6 by default", "1e-6");
  add_numbers_option(*command, "--columns", request->columns, "columns of the projection");
  add_numbers_option(*command, "--epsilon", request->epsilons, "privacy loss bounds");
  add_picture_options(*command, *request);
  command->callback([&output, request] {
    output = picture(*request, [&] { return leverage_picture(*request); });
  });
}

}  // namespace modicum
