// report budget: what a report would be like, planned without any data.
#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "interfaces/command.h"
#include "interfaces/json_output.h"
#include "data/number_text.h"
#include "interfaces/release_source.h"
#include "interfaces/report_options.h"
#include "interfaces/wording.h"

namespace modicum {
namespace {

struct BudgetRequest {
  ReportQuestion question;
  NumberOptions numbers;
  bool json = false;
};

/// All of it follows from public numbers.
struct BudgetAnswer {
  PrivacyTarget total;
  ReportPlan plan;
  PublishedReportCost published;  ///< for the worst record
  double half_width_with, half_width_without;
  double matrix_margin;
};

// Margins do not depend on what is released, so a report on nothing tells them.
PublishableReport empty_report(const ReleasedObjective& from,
                               const PublishableReport::Settings& settings) {
  PublishableReport::Released released;
  if (settings.kind != ReportKind::data_independent) {
    const Eigen::Index d = from.coefficients.size();
    released = {Eigen::VectorXd::Zero(d), Eigen::MatrixXd::Zero(d, d), 0.0};
  }
  return {from.law(), settings, std::move(released)};
}

// Of the third term, for a record with the largest slope: |g|_1 is at most sqrt d |g|_2.
double half_width(const ReleasedObjective& from, const PublishableReport& report) {
  const auto& margins = report.margins();
  double margin = margins.euclidean;
  if (margins.absolute)
    margin = std::min(margin,
                      *margins.absolute * std::sqrt(static_cast<double>(from.coefficients.size())));
  const double deviation = from.noise.standard_deviation;
  return margin / deviation * (from.law().bounds().lipschitz / deviation);
}

BudgetAnswer answer_of(const BudgetRequest& request) {
  const ReportRequest asked = request.question.request();
  if (asked.kind == ReportKind::data_independent)
    throw InvalidParameter("--method", to_string(asked.kind),
                           "must be data-dependent or adaptive: the other costs nothing");
  const PrivacyTarget total(request.numbers.at("--epsilon"), request.numbers.at("--delta"));
  const ReleasedObjective from = request.question.released();
  ReportPlan plan = planned([&] { return plan_report_release(from, total, asked); });
  PublishableReport::Settings free = plan.settings;
  free.kind = ReportKind::data_independent;
  free.noise = {};
  const PublishableReport report = empty_report(from, plan.settings);
  const ObjectiveBounds bounds = from.law().bounds();
  const PublishedReportCost published =
      published_report_cost(plan.settings.noise, bounds.lipschitz, bounds.smoothness, total.delta);
  return {total,
          std::move(plan),
          published,
          half_width(from, report),
          half_width(from, empty_report(from, free)),
          report.matrix_margin()};
}

std::string in_json(const BudgetAnswer& answer) {
  const ReportNoise& noise = answer.plan.settings.noise;
  return json_line(
      {{"method", to_string(answer.plan.settings.kind)},
       {"target", {{"epsilon", answer.total.epsilon}, {"delta", answer.total.delta}}},
       {"delta", to_json(answer.plan.certificate.achieved.delta())},
       {"mu", answer.plan.mu},
       {"noise",
        {{"gradient", noise.gradient}, {"matrix", noise.matrix}, {"eigenvalue", noise.eigenvalue}}},
       {"third_term",
        {{"with_gradient", answer.half_width_with},
         {"without_gradient", answer.half_width_without}}},
       {"matrix_margin", answer.matrix_margin},
       {"regularization", answer.plan.from.regularization},
       {"report_epsilon", answer.published.exact},
       {"published_epsilons",
        {{"gradient", answer.published.gradient},
         {"matrix", answer.published.matrix},
         {"eigenvalue", answer.published.eigenvalue}}}});
}

// The paper's epsilons are added, each at the whole of delta.
std::string published_words(const PublishedReportCost& cost) {
  std::string words =
      fmt::format("{} + {}", rounded_up(cost.gradient, 4), rounded_up(cost.matrix, 4));
  if (cost.eigenvalue > 0.0) words += " + " + rounded_up(cost.eigenvalue, 4);
  return words;
}

std::string in_words(const BudgetAnswer& answer) {
  const ReportNoise& noise = answer.plan.settings.noise;
  const auto number = [](double value) { return fmt::format("{:.7g}", value); };
  const double lambda = answer.plan.from.regularization;
  std::vector<std::vector<std::string>> rows{
      {"mu of the report, at most", rounded_up(answer.plan.mu)},
      {"noise on the gradient (sigma 2)", number(noise.gradient)},
      {"noise on the matrix (sigma 3)", number(noise.matrix)}};
  if (noise.eigenvalue > 0.0)
    rows.push_back({"noise on its least eigenvalue (sigma 4)", number(noise.eigenvalue)});
  rows.push_back({fmt::format("epsilon of the report alone at delta {}", answer.total.delta),
                  rounded_up(answer.published.exact, 4)});
  rows.push_back({"as published, each at that delta", published_words(answer.published)});
  rows.push_back({"third term of the worst record, +-", rounded_up(answer.half_width_with, 4)});
  rows.push_back({"the same without the gradient, +-", rounded_up(answer.half_width_without, 4)});
  rows.push_back({"margin of the matrix (tau sigma 3)", rounded_up(answer.matrix_margin, 4)});
  rows.push_back({"regularization (lambda)", number(lambda)});
  return fmt::format(
      "The noise of a report that is ({}, {})-differentially private together with the "
      "coefficients\n(method: {}):\n\n{}\nThe noisy matrix sharpens the first term in directions "
      "in which the data add more than its margin.\nAs published, Algorithm 2 needs lambda to be "
      "twice the margin: here it {}.\nNo data were read.\n",
      answer.total.epsilon, answer.total.delta, to_string(answer.plan.settings.kind), table(rows),
      lambda >= 2.0 * answer.matrix_margin ? "is" : "is not");
}

}  // namespace

void add_report_budget_command(CLI::App& report, CommandResult& output) {
  CLI::App* command = add_command(
      report, "budget", "the noise of a report that a budget allows, without any data",
      "  modicum report budget --release fit.csv --method adaptive --epsilon 2 --delta 2e-6");
  const auto request = std::make_shared<BudgetRequest>();
  request->question.add_to(*command);
  request->numbers.add(*command, "--epsilon",
                       "what coefficients and report together may cost, at least 0");
  request->numbers.add(*command, "--delta", "above 0 and below 1");
  command->add_flag("--json", request->json, "print one JSON object");
  command->callback([&output, request] {
    const BudgetAnswer answer = answer_of(*request);
    output = request->json ? in_json(answer) : in_words(answer);
  });
}

}  // namespace modicum
