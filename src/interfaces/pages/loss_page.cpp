#include "interfaces/pages/loss_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "interfaces/pages/html_page.h"

namespace modicum {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

// From the least to the largest of the values above 0, over six powers of ten at most.
struct Extent {
  double low, high;
};
Extent extent_of(std::vector<double> values) {
  double high = 0.0, low = std::numeric_limits<double>::infinity();
  for (const double value : values) {
    if (!(value > 0.0)) continue;
    high = std::max(high, value);
    low = std::min(low, value);
  }
  if (high == 0.0) return {0.1, 1.0};
  return {std::max(low, 1e-6 * high) / 1.1, 1.1 * high};
}

std::vector<double> sizes_of(const Eigen::VectorXd& values) {
  std::vector<double> sizes;
  for (const double value : values) sizes.push_back(std::abs(value));
  return sizes;
}

// Points that stand alone are dots: gaps between them.
Series dots(const std::string& label, const std::vector<double>& x, const std::vector<double>& y) {
  Series series;
  series.label = label;
  for (std::size_t i = 0; i < x.size(); ++i) {
    series.x.insert(series.x.end(), {x[i], nothing});
    series.y.insert(series.y.end(), {y[i], nothing});
  }
  return series;
}

// Records with nearly the same bound together: median of their losses, and a band of most.
Series bands(const std::vector<double>& bounds, const std::vector<double>& sizes) {
  constexpr std::size_t groups = 40;
  std::vector<std::size_t> order(bounds.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return bounds[a] < bounds[b]; });
  Series series;
  series.label = "median loss, and from 5 % to 95 %";
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t first = group * order.size() / groups,
                      last = (group + 1) * order.size() / groups;
    std::vector<double> part;
    for (std::size_t i = first; i < last; ++i) part.push_back(sizes[order[i]]);
    std::sort(part.begin(), part.end());
    series.x.push_back(bounds[order[(first + last) / 2]]);
    series.y.push_back(quantile(part, 0.5));
    series.y_lower.push_back(quantile(part, 0.05));
    series.y_upper.push_back(quantile(part, 0.95));
  }
  return series;
}

std::string part_of_page(const std::string& heading, const RecordLosses& losses,
                         const LossPage& page) {
  std::vector<std::vector<std::string>> rows =
      summary_rows(summarize(losses, page.worst_case.epsilon));
  rows.insert(rows.begin(), {"", "epsilon_1"});
  std::string out = fmt::format("<h2>{}</h2>\n{}", heading, html_table(rows));
  if (losses.signed_losses.size() == 0) return out + "<p>There are no records to draw.</p>\n";
  return out + render_svg(loss_histogram(losses, page.worst_case)) +
         render_svg(bound_against_truth(losses));
}

}  // namespace

std::vector<std::vector<std::string>> summary_rows(const LossSummary& summary) {
  const auto number = [](double value) {
    return std::isnan(value) ? std::string("none") : fmt::format("{:.4g}", value);
  };
  return {{"records", fmt::format("{}", summary.rows)},
          {"largest loss", number(summary.largest)},
          {"99 % of them at most", number(summary.quantile_99)},
          {"90 % of them at most", number(summary.quantile_90)},
          {"median", number(summary.median)},
          {"mean", number(summary.mean)},
          {"share below a tenth of the worst case", number(summary.share_below_a_tenth)},
          {"median of the data-independent bound", number(summary.median_bound)},
          {"share above that bound", number(summary.share_above_bound)}};
}

Chart loss_histogram(const RecordLosses& losses, const PrivacyTarget& worst_case) {
  constexpr std::size_t bins = 40;
  const std::vector<double> sizes = sizes_of(losses.signed_losses);
  std::vector<double> shown = sizes;
  shown.push_back(worst_case.epsilon);
  const Extent extent = extent_of(shown);
  const double width = std::log(extent.high / extent.low) / static_cast<double>(bins);
  std::vector<double> counts(bins, 0.0);
  for (const double size : sizes) {
    const double place = size > extent.low ? std::log(size / extent.low) / width : 0.0;
    ++counts[std::min(static_cast<std::size_t>(place), bins - 1)];
  }
  Series steps;
  steps.label = "records";
  for (std::size_t i = 0; i < bins; ++i)
    for (const std::size_t edge : {i, i + 1}) {
      steps.x.push_back(extent.low * std::exp(width * static_cast<double>(edge)));
      steps.y.push_back(counts[i]);
      steps.y_lower.push_back(0.0);
      steps.y_upper.push_back(counts[i]);
    }
  const double highest = std::max(1.0, *std::max_element(counts.begin(), counts.end()));
  Chart chart;
  chart.title = "What the records lost";
  chart.horizontal = {"epsilon_1 (all smaller ones are in the first bar)", AxisScale::logarithmic,
                      std::pair{extent.low, extent.high}};
  chart.vertical = {"records", AxisScale::linear, std::pair{0.0, 1.3 * highest}};
  chart.series.push_back(std::move(steps));
  Series mark;
  mark.label = fmt::format("worst case: {} at delta {}", worst_case.epsilon, worst_case.delta);
  mark.x = {worst_case.epsilon, worst_case.epsilon};
  mark.y = {0.0, 1.3 * highest};
  chart.series.push_back(std::move(mark));
  return chart;
}

Chart bound_against_truth(const RecordLosses& losses) {
  constexpr std::size_t most_dots = 1000;
  const std::vector<double> sizes = sizes_of(losses.signed_losses),
                            bounds = sizes_of(losses.bounds);
  const Extent across = extent_of(bounds), down = extent_of(sizes);
  Chart chart;
  chart.title = "Losses and their data-independent bounds";
  chart.horizontal = {"bound", AxisScale::logarithmic, std::pair{across.low, across.high}};
  chart.vertical = {"epsilon_1", AxisScale::logarithmic,
                    std::pair{down.low, 3.0 * std::max(down.high, across.high)}};
  chart.series.push_back(sizes.size() <= most_dots ? dots("records", bounds, sizes)
                                                   : bands(bounds, sizes));
  Series equal;
  equal.label = "loss = bound";
  equal.x = equal.y = {across.low, across.high};
  chart.series.push_back(std::move(equal));
  return chart;
}

std::string loss_page(const LossPage& page) {
  std::string body = fmt::format(
      "<p class=\"confidential\">CONFIDENTIAL: everything on this page depends on the data without "
      "any noise. It is for the holder of the data only.</p>\n<p>The loss of a record is the "
      "logarithm of the ratio between the probability densities of the released coefficients with "
      "the record and without it; epsilon_1 is its absolute value. The release promises epsilon = "
      "{} at delta = {} to everybody. The bound is that of the data-independent report, which "
      "fails for a record with probability at most {}.</p>\n",
      page.worst_case.epsilon, page.worst_case.delta, page.failure);
  body += part_of_page("Records of the data", page.inside, page);
  if (page.outside)
    body += part_of_page("Records outside the data, had they been added", *page.outside, page);
  return html_page("Losses of records", body);
}

}  // namespace modicum
