#include "interfaces/pages/report_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/cells/number_text.h"
#include "interfaces/pages/html_page.h"
#include "modicum/interfaces/chart.h"

namespace modicum {
namespace {

std::vector<double> list_of(const Eigen::VectorXd& values) {
  return {values.begin(), values.end()};
}

// What the script needs: all of it follows from the report.
Value page_numbers(const WrittenReport& written) {
  const PublishableReport& report = written.report;
  const ObjectiveRelease& release = report.release();
  const IntegerClip clip(written.rows.row_norm_bound);
  const auto& margins = report.margins();
  const auto& free = report.free_margins();
  Value vectors = Value::list();
  for (Eigen::Index i = 0; i < report.eigenvectors().cols(); ++i)
    vectors.push_back(list_of(report.eigenvectors().col(i)));
  const ReportNoise& noise = report.settings().noise;
  const auto& promise = written.promise;
  return {
      {"intercept", written.rows.intercept},
      {"features", features_json(written.rows)},
      {"response", response_json(written.response)},
      {"grid", clip.grid()},
      {"radius", clip.inner_radius(written.rows.names.size())},
      {"loss", release.loss.name()},
      {"loss_parameter", release.loss.parameter()},
      {"regularization", release.regularization},
      {"standard_deviation", release.standard_deviation},
      {"coefficients", list_of(release.coefficients)},
      {"gradient", list_of(report.released().gradient)},
      {"shrinkage", margins.shrinkage},
      {"margin_euclidean", margins.euclidean},
      {"slope_arithmetic", report.arithmetic().slope},
      {"curvature_arithmetic", report.arithmetic().curvature},
      {"margin_absolute", margins.absolute ? Value(*margins.absolute) : Value(nullptr)},
      {"free_euclidean", free ? Value(free->euclidean) : Value(nullptr)},
      {"free_absolute", free && free->absolute ? Value(*free->absolute) : Value(nullptr)},
      {"floor", report.floor()},
      {"matrix_margin", report.matrix_margin()},
      {"eigenvalues", list_of(report.eigenvalues())},
      {"eigenvectors", std::move(vectors)},
      {"delta", promise ? Value(promise->together.delta) : Value(nullptr)},
      {"noise",
       {{"gradient", noise.gradient}, {"matrix", noise.matrix}, {"eigenvalue", noise.eigenvalue}}}};
}

std::string field(const std::string& name, const std::string& remark) {
  return fmt::format(
      "<label><span>{}{}</span><input inputmode=\"decimal\" autocomplete=\"off\"></label>\n",
      html_text(one_line(name, 200)),
      remark.empty() ? "" : fmt::format(" <small>({})</small>", html_text(remark)));
}

std::string form(const WrittenReport& written) {
  std::string out = "<form id=\"record\">\n";
  for (std::size_t i = written.rows.intercept ? 1 : 0; i < written.rows.names.size(); ++i) {
    const std::string& name = written.rows.names[i];
    const auto range = written.rows.ranges.find(name);
    out += field(name,
                 range == written.rows.ranges.end()
                     ? ""
                     : fmt::format("counted from {} to {}", range->second.low, range->second.high));
  }
  if (const auto* label = std::get_if<LabelRule>(&written.response))
    out += field(label->column,
                 fmt::format("what counts is whether it is above {}", label->threshold));
  else {
    const auto& target = std::get<TargetRule>(written.response);
    out += field(target.column,
                 fmt::format("counted from {} to {}", target.range.low, target.range.high));
  }
  return out +
         "<button type=\"submit\">What did this record lose?</button>\n</form>\n"
         "<div id=\"answer\" class=\"answer\" hidden></div>\n";
}

std::string coverage_words(const PublishableReport::Settings& settings) {
  const std::string chance = fmt::format("{}", settings.failure);
  switch (settings.coverage) {
    case Coverage::one_record:
      return fmt::format(
          "For a record that was chosen without looking at what was released, the bound fails with "
          "probability at most {}.",
          chance);
    case Coverage::all_rows:
      return fmt::format(
          "With probability at least 1 - {} the bounds hold for all records of the data at once, "
          "provided that there are no more than {}.",
          chance, *settings.largest_rows);
    case Coverage::everyone:
      break;
  }
  return fmt::format(
      "With probability at least 1 - {} the bounds hold for all possible records, at once.",
      chance);
}

// The larger bound of both responses at the end of their range, for a record in the middle of all
// ranges but for one feature.
double bound_with(const WrittenReport& written, std::size_t feature, double place) {
  RowBlock row = RowBlock::Zero(1, written.rows.dimension());
  if (written.rows.intercept) row(0, 0) = 1.0;
  row(0, static_cast<Eigen::Index>(feature)) = place;
  const IntegerClip clip(written.rows.row_norm_bound);
  clip.apply(row);
  const Eigen::VectorXd x = clip.grid() * row.row(0).transpose();
  return std::max(written.report.at(x, -1.0, Membership::inside).bound,
                  written.report.at(x, 1.0, Membership::inside).bound);
}

// Values at public points are public. Features without a range have no middle.
std::string picture(const WrittenReport& written) {
  constexpr std::size_t most_curves = 6;
  constexpr int steps = 40;
  Chart chart;
  chart.title = "The bound for made-up records";
  chart.horizontal.label = "one feature, from the low end of its range (-1) to the high end (1)";
  chart.vertical.label = "epsilon at most";
  for (std::size_t i = written.rows.intercept ? 1 : 0;
       i < written.rows.names.size() && chart.series.size() < most_curves; ++i) {
    if (!written.rows.ranges.contains(written.rows.names[i])) continue;
    Series curve;
    curve.label = one_line(written.rows.names[i], 40);
    for (int step = -steps; step <= steps; ++step) {
      curve.x.push_back(static_cast<double>(step) / steps);
      curve.y.push_back(bound_with(written, i, curve.x.back()));
    }
    chart.series.push_back(std::move(curve));
  }
  if (chart.series.empty()) return "";
  double highest = 0.0;
  for (const Series& curve : chart.series)
    highest = std::max(highest, *std::max_element(curve.y.begin(), curve.y.end()));
  chart.vertical.range = {0.0, std::max(1.25 * highest, 1e-9)};
  return fmt::format(
      "<h2>For comparison</h2>\n<p class=\"note\">The larger of the bounds for both answers, for "
      "made-up records that are in the data and have every feature but one in the middle of its "
      "range.</p>\n{}",
      render_svg(chart));
}

// What everybody is promised, by all that was released.
std::string guarantee(const WrittenReport& written) {
  const auto pair = [](const PrivacyTarget& target) {
    return fmt::format("({}, {})", target.epsilon, target.delta);
  };
  if (!written.promise)
    return fmt::format(
        "Coefficients were released from data about people, with noise that keeps everybody's loss "
        "of privacy within {}. This report costs nothing besides.",
        pair(written.released));
  const ReportPromise& promise = *written.promise;
  return fmt::format(
      "Coefficients, and numbers for this report, were released from data about people, with noise "
      "that keeps everybody's loss of privacy within {} in all. The coefficients alone are within "
      "{}; the numbers of the report cost at most mu = {}, which is epsilon = {} at delta = {}.",
      pair(promise.together), pair(written.released), rounded_up(promise.mu, 4),
      rounded_up(promise.epsilon, 4), promise.together.delta);
}

}  // namespace

std::string report_page(const WrittenReport& written) {
  const PublishableReport::Settings& settings = written.report.settings();
  const std::string body = fmt::format(
      "<p>{} A record may have lost far less. Type in a record to see a bound on what it lost, if "
      "it was one of the data and if it was not. The page works without a network; nothing leaves "
      "this browser.</p>\n{}\n<h2>What is promised</h2>\n<p>{} Report: {}.</p>\n"
      "<p class=\"note\">The loss of a record is the logarithm of the ratio between the "
      "probability densities of the released coefficients with the record and without it. "
      "The page itself may be published. A bound that it computes tells about the record: it is "
      "for the owner of the record alone.</p>\n{}"
      "<script type=\"application/json\" id=\"report\">{}</script>\n<script>\n{}</script>\n",
      guarantee(written), form(written), coverage_words(settings), to_string(settings.kind),
      picture(written), json_in_html(page_numbers(written)), report_page_script);
  return html_page("What did my record lose?", body);
}

}  // namespace modicum
