// report budget: what a report would be like, planned without any data.
#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "interfaces/report/question.h"
#include "interfaces/report/report.h"
#include "release/reports/report_outlook.h"

namespace modicum {
namespace {

struct BudgetJob {
  ReportQuestion question = {};
  void fields(Fields& fields) { question.fields(fields, true); }
};

Value to_value(const PrivacyTarget& total, const ReportOutlook& outlook) {
  const ReportPlan& plan = outlook.plan;
  const ReportNoise& noise = plan.settings.noise;
  const PublishedReportCost& published = outlook.published;
  return {
      {"method", to_string(plan.settings.kind)},
      {"target", tree_of(total)},
      {"coefficients", tree_of(plan.from.target)},
      {"delta", plan.certificate.achieved.delta()},
      {"mu", plan.mu},
      {"noise",
       {{"gradient", noise.gradient}, {"matrix", noise.matrix}, {"eigenvalue", noise.eigenvalue}}},
      {"third_term",
       {{"with_gradient", outlook.half_width_with},
        {"without_gradient", outlook.half_width_without}}},
      {"matrix_margin", outlook.matrix_margin},
      {"regularization", plan.from.regularization},
      {"report_epsilon", published.exact},
      {"published_epsilons",
       {{"gradient", published.gradient},
        {"matrix", published.matrix},
        {"eigenvalue", published.eigenvalue}}}};
}

// The paper's epsilons are added, each at the whole of delta.
std::string published_words(const PublishedReportCost& cost) {
  std::string words =
      fmt::format("{} + {}", rounded_up(cost.gradient, 4), rounded_up(cost.matrix, 4));
  if (cost.eigenvalue > 0.0) words += " + " + rounded_up(cost.eigenvalue, 4);
  return words;
}

void say(Reply& reply, const PrivacyTarget& total, const ReportOutlook& outlook) {
  const ReportPlan& plan = outlook.plan;
  const ReportNoise& noise = plan.settings.noise;
  const auto number = [](double value) { return fmt::format("{:.7g}", value); };
  reply.say(
      fmt::format("The noise of a report that is ({}, {})-differentially private together with the "
                  "coefficients\n(method: {}):\n",
                  total.epsilon, total.delta, to_string(plan.settings.kind)));
  reply.show({"mu of the report, at most", rounded_up(plan.mu)});
  reply.show({"noise on the gradient (sigma 2)", number(noise.gradient)});
  reply.show({"noise on the matrix (sigma 3)", number(noise.matrix)});
  if (noise.eigenvalue > 0.0)
    reply.show({"noise on its least eigenvalue (sigma 4)", number(noise.eigenvalue)});
  reply.show({fmt::format("epsilon of the report alone at delta {}", total.delta),
              rounded_up(outlook.published.exact, 4)});
  reply.show({"as published, each at that delta", published_words(outlook.published)});
  reply.show({"third term of the worst record, +-", rounded_up(outlook.half_width_with, 4)});
  reply.show({"the same without the gradient, +-", rounded_up(outlook.half_width_without, 4)});
  reply.show({"margin of the matrix (tau sigma 3)", rounded_up(outlook.matrix_margin, 4)});
  reply.show({"regularization (lambda)", number(plan.from.regularization)});
  reply.say(fmt::format(
      "The noisy matrix sharpens the first term in directions in which the data add more than its "
      "margin.\nAs published, Algorithm 2 needs lambda to be twice the margin: here it {}.\nNo "
      "data "
      "were read.\n",
      plan.from.regularization >= 2.0 * outlook.matrix_margin ? "is" : "is not"));
}

Reply run(const BudgetJob& job, Progress& progress) {
  const ReportRequest request = job.question.request();
  if (request.kind == ReportKind::data_independent)
    throw InvalidParameter("method", to_string(request.kind),
                           "must be data-dependent or adaptive: the other costs nothing");
  const std::optional<PrivacyTarget> total = job.question.total();
  const ReleasedObjective from = job.question.source.load();
  progress.begin("calibrating");
  const ReportOutlook outlook = report_outlook(from, *total, request);
  Reply reply;
  const Value all = to_value(*total, outlook);
  for (const auto& [key, value] : all.members()) reply.tell(key, value);
  say(reply, *total, outlook);
  return reply;
}

}  // namespace

std::vector<JobKind> report_budgets() {
  return {job_kind<BudgetJob>(
      "report budget", "the noise of a report that a budget allows, without any data",
      "  modicum report budget --release fit.csv --method adaptive --epsilon 2 --delta 2e-6")};
}

}  // namespace modicum
