#include "modicum/release/joint_release.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "modicum/numerics/errors.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/everyday/everyday_terms.h"
#include "release/everyday/grouped_rows.h"
#include "release/everyday/joint_noise.h"

namespace modicum {
namespace {

const EverydayQuestion& asked_of(const ReleaseRequest& request) {
  return std::visit([](const auto& own) -> const EverydayQuestion& { return own.question; },
                    request);
}

std::string unit_of(const ReleaseRequest& request) {
  const EverydayQuestion& question = asked_of(request);
  return question.unit ? question.unit->column : "";
}

void require_requests(const std::vector<ReleaseRequest>& requests) {
  if (requests.empty()) throw InvalidParameter("releases", "empty", "must have one at least");
  for (const ReleaseRequest& each : requests) {
    std::visit([](const auto& own) { require_positive("weight", own.weight); }, each);
    if (asked_of(each).neighbors != asked_of(requests.front()).neighbors)
      throw InvalidParameter("neighbors", "mixed", "must be the same for all releases");
    if (asked_of(each).noise != CountNoise::gaussian)
      throw InvalidParameter("noise", to_string(asked_of(each).noise),
                             "must be gaussian where several are released");
    if (unit_of(each) != unit_of(requests.front()))
      throw InvalidParameter("unit", "mixed", "must be the same for all releases");
  }
}

// What rows do not say where there is one level only.
std::string name_of_levels(const QuantileRequest& request) {
  if (request.levels.size() != 1) return "quantile";
  const double level = request.levels.front();
  return level == 0.5 ? "median" : fmt::format("{}-quantile", level);
}

std::vector<std::string> different_names(const std::vector<ReleaseRequest>& requests) {
  std::vector<std::string> names;
  for (const ReleaseRequest& each : requests) {
    const std::string name = name_of(each);
    std::string own = name;
    for (int i = 2; std::find(names.begin(), names.end(), own) != names.end(); ++i)
      own = fmt::format("{} ({})", name, i);
    names.push_back(own);
  }
  return names;
}

const Certificate& certificate_of(const std::variant<EverydayPlan, QuantilePlan>& part) {
  return std::visit([](const auto& own) -> const Certificate& { return own.certificate; }, part);
}

// Parameters of a part, by its place among the releases.
void describe_part(Certificate& certificate, std::size_t part,
                   const std::vector<Parameter>& parameters) {
  for (const Parameter& each : parameters)
    certificate.set(fmt::format("release_{}_{}", part + 1, each.name), each.value);
}

std::vector<std::string> row_names_of(const std::string& name, const EverydayQuestion& question,
                                      const std::vector<std::string>& own) {
  std::vector<std::string> names;
  for (const std::string& row : own) {
    const std::string only = question.columns.empty() ? "all" : question.columns.front();
    const bool said = question.groups.columns.empty() && question.columns.size() <= 1;
    if (said && row.starts_with(only)) names.push_back(name + row.substr(only.size()));
    else names.push_back(fmt::format("{}: {}", name, row));
  }
  return names;
}

}  // namespace

std::string name_of(const ReleaseRequest& request) {
  const auto* statistic = std::get_if<StatisticRequest>(&request);
  const EverydayQuestion& question = asked_of(request);
  std::string name = statistic ? to_string(statistic->statistic)
                               : name_of_levels(std::get<QuantileRequest>(request));
  if (!question.columns.empty()) name += fmt::format(" of {}", fmt::join(question.columns, ", "));
  if (!question.groups.columns.empty())
    name += fmt::format(" by {}", fmt::join(question.groups.columns, ", "));
  return name;
}

JointPlan plan_joint(const PrivacyTarget& target, std::vector<ReleaseRequest> requests) {
  require_requests(requests);
  const JointNoise noise = calibrate_joint_noise(target, requests);
  const std::string unit = unit_of(requests.front());
  JointPlan plan{{}, different_names(requests), Certificate("composition", target, noise.achieved)};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (auto* own = std::get_if<StatisticRequest>(&requests[i]))
      plan.parts.emplace_back(plan_everyday(target, noise.achieved,
                                            {noise.amounts[i], noise.new_group_probabilities[i]},
                                            own->statistic, std::move(own->question)));
    else
      plan.parts.emplace_back(plan_quantiles(
          target, noise.achieved, noise.amounts[i],
          std::move(std::get<QuantileRequest>(requests[i]).question),
          std::move(std::get<QuantileRequest>(requests[i]).levels), noise.counts[i]));
  }
  Certificate& certificate = plan.certificate;
  const Certificate& first = certificate_of(plan.parts.front());
  certificate.set("releases", plan.names);
  std::vector<double> weights;
  for (const ReleaseRequest& each : requests)
    weights.push_back(std::visit([](const auto& own) { return own.weight; }, each));
  certificate.set("weights", weights);
  for (std::size_t i = 0; i < plan.parts.size(); ++i)
    describe_part(certificate, i, certificate_of(plan.parts[i]).parameters);
  if (!unit.empty()) certificate.set("unit", unit);
  certificate.attained = false;
  certificate.arithmetic = first.arithmetic;
  certificate.adjacency = first.adjacency;
  certificate.bad_rows = first.bad_rows;
  certificate.assumptions = first.assumptions;
  certificate.theorem = "docs/derivations/everyday.md";
  if (target.delta > 0.0) describe_loss(certificate, noise.loss);
  else
    describe_loss(certificate,
                  for_neighbors(asked_of(requests.front()).neighbors,
                                described::description_of(described::Pure{target.epsilon})));
  return plan;
}

JointSums accumulate_joint(const Table& table, const JointPlan& plan, const ReadOptions& options,
                           RandomSource* choosing) {
  if (table.elsewhere()) {
    std::vector<Value> questions;
    for (const auto& part : plan.parts)
      questions.push_back(std::visit([](const auto& own) { return question_of(own); }, part));
    table.elsewhere()->expect(questions);
  }
  JointSums sums;
  for (const auto& part : plan.parts) {
    if (const auto* own = std::get_if<EverydayPlan>(&part))
      sums.emplace_back(accumulate_everyday(table, *own, options, choosing));
    else
      sums.emplace_back(collect_quantiles(table, std::get<QuantilePlan>(part), options, choosing));
  }
  return sums;
}

std::vector<Released> release_parts(const JointPlan& plan, const JointSums& sums,
                                    RandomSource& source) {
  std::vector<Released> parts;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    if (const auto* own = std::get_if<EverydayPlan>(&plan.parts[i]))
      parts.push_back(release_everyday(*own, std::get<EverydaySums>(sums[i]), source));
    else
      parts.push_back(release_quantiles(std::get<QuantilePlan>(plan.parts[i]),
                                        std::get<QuantileValues>(sums[i]), source));
  }
  return parts;
}

Released joined_parts(const JointPlan& plan, const std::vector<Released>& parts) {
  Released all{{}, {"value", "lower", "upper"}, Eigen::MatrixXd(0, 3), plan.certificate};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Released& own = parts[i];
    const EverydayQuestion& question = std::visit(
        [](const auto& part) -> const EverydayQuestion& { return part.question; }, plan.parts[i]);
    for (std::string& name : row_names_of(plan.names[i], question, own.row_names))
      all.row_names.push_back(std::move(name));
    all.values.conservativeResize(all.values.rows() + own.values.rows(), 3);
    all.values.bottomRows(own.values.rows()) = own.values;
    all.has_gaps = all.has_gaps || own.has_gaps;
    if (const ParameterValue* counts = own.certificate.find("released_counts"))
      describe_part(all.certificate, i, {{"released_counts", *counts}});
  }
  return all;
}

Released release_joint(const JointPlan& plan, const JointSums& sums, RandomSource& source) {
  return joined_parts(plan, release_parts(plan, sums, source));
}

std::vector<std::string> joint_names(const JointPlan& plan, const JointSums& sums) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const auto* statistic = std::get_if<EverydayPlan>(&plan.parts[i]);
    const auto* quantile = std::get_if<QuantilePlan>(&plan.parts[i]);
    const std::vector<std::string> own =
        statistic ? everyday_names(*statistic, std::get<EverydaySums>(sums[i]))
                  : quantile_names(*quantile, std::get<QuantileValues>(sums[i]));
    for (std::string& name :
         row_names_of(plan.names[i], statistic ? statistic->question : quantile->question, own))
      all.push_back(std::move(name));
  }
  return all;
}

Eigen::VectorXd joint_truth(const JointPlan& plan, const JointSums& sums) {
  Eigen::VectorXd all;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const auto* statistic = std::get_if<EverydayPlan>(&plan.parts[i]);
    const Eigen::VectorXd own = statistic
                                    ? everyday_truth(*statistic, std::get<EverydaySums>(sums[i]))
                                    : quantile_truth(std::get<QuantilePlan>(plan.parts[i]),
                                                     std::get<QuantileValues>(sums[i]));
    all.conservativeResize(all.size() + own.size());
    all.tail(own.size()) = own;
  }
  return all;
}

}  // namespace modicum
