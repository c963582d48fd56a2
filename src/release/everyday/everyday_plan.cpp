#include <algorithm>
#include <cmath>
#include <map>

#include "modicum/mechanisms/discovered_groups.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/discovery_mechanism.h"
#include "release/descriptions/mechanisms.h"
#include "release/everyday/discovery.h"
#include "release/everyday/everyday_layout.h"
#include "release/everyday/everyday_sensitivity.h"
#include "release/everyday/everyday_terms.h"
#include "release/everyday/grouped_rows.h"
#include "release/everyday/whole_counts.h"

namespace modicum {
const char* to_string(Everyday statistic) {
  switch (statistic) {
    case Everyday::count:
      return "count";
    case Everyday::sum:
      return "sum";
    case Everyday::mean:
      return "mean";
    case Everyday::variance:
      return "variance";
    case Everyday::standard_deviation:
      return "standard deviation";
  }
  return "";
}

double delta_for_discovery(const PrivacyTarget& target, double releases) {
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, but discovered groups need one: a new group may be shown");
  return 0.5 * target.delta / releases;
}

PrivacyLoss loss_of_terms(const EverydayTerms& terms, double sensitivity) {
  PrivacyLoss loss = gaussian_mechanism(terms.standard_deviation, sensitivity);
  if (terms.new_group_probability > 0.0)
    loss.compose(PrivacyLoss::infinite_with_probability(terms.new_group_probability));
  return loss;
}

Value description_of_terms(const EverydayTerms& terms, double sensitivity, Adjacency neighbors) {
  Value noise = for_neighbors(neighbors, described::description_of(described::Gaussian{
                                             terms.standard_deviation, sensitivity}));
  if (!(terms.new_group_probability > 0.0)) return noise;
  return described::composition_of(
      {std::move(noise), for_neighbors(neighbors, described::description_of(described::Approximate{
                                                      0.0, terms.new_group_probability}))});
}

const char* to_string(CountNoise noise) {
  switch (noise) {
    case CountNoise::gaussian:
      return "gaussian";
    case CountNoise::discrete_gaussian:
      return "discrete_gaussian";
    case CountNoise::discrete_laplace:
      return "discrete_laplace";
    case CountNoise::optimal:
      return "optimal";
  }
  return "";
}

namespace {

// The parameters that all such certificates begin with.
Certificate begun_certificate(const char* mechanism, const PrivacyTarget& target,
                              const ProfilePoint& achieved, Everyday statistic,
                              const EverydayQuestion& question) {
  Certificate certificate(mechanism, target, achieved);
  certificate.set("statistic", to_string(statistic));
  describe_question(certificate, question);
  std::string intervals = "for the noise alone: not for what clamping to bounds has changed";
  if (question.unit) intervals += ", nor for rows of a person that are not kept";
  if (question.groups.discovered()) intervals += ", nor for how groups come to be shown";
  certificate.set("intervals", intervals);
  certificate.theorem = "docs/derivations/everyday.md";
  return certificate;
}

double grid_of(Everyday statistic, const EverydayQuestion& question, double standard_deviation,
               double sensitivity, const ProfilePoint& achieved) {
  const EverydayLayout layout(statistic, question.columns.size(), true);
  return plan_gaussian_noise(standard_deviation, static_cast<double>(layout.size()), sensitivity,
                             layout.grid(), achieved)
      .grid;
}

EverydayPlan plan_whole_numbers(const PrivacyTarget& target, Everyday statistic,
                                EverydayQuestion question) {
  everyday_sensitivity(statistic, question);  // refuses what makes no sense
  const WholeCounts counts = calibrate_whole_counts(target, statistic, question);
  const auto dimension = static_cast<double>(question.groups.size());
  const double deviation = std::sqrt(whole_noise_error(counts.noise, {}));
  Certificate certificate =
      begun_certificate("integer_noise", target, counts.achieved, statistic, question);
  certificate.set("noise", to_string(question.noise));
  certificate.set("dimension", dimension);
  certificate.set("sensitivity", counts.sensitivity);
  certificate.set("standard_deviation", deviation);
  certificate.attained = true;
  describe_arithmetic(certificate, Exactness::exact, 1.0);
  describe_loss(certificate, description_of_whole_counts(counts, question.neighbors));
  VectorNoisePlan noise =
      plan_gaussian_noise(deviation, dimension, counts.sensitivity, 1.0, counts.achieved);
  noise.grid = 1.0;
  const double weight = row_count_weight(statistic, question);
  return {statistic, std::move(question), noise, weight, {}, counts, std::move(certificate)};
}

}  // namespace

EverydayPlan plan_everyday(const PrivacyTarget& target, Everyday statistic,
                           EverydayQuestion question) {
  if (question.noise != CountNoise::gaussian)
    return plan_whole_numbers(target, statistic, std::move(question));
  const double sensitivity = everyday_sensitivity(statistic, question);
  const bool discovered = question.groups.discovered();
  if (discovered) delta_for_discovery(target);  // there must be one
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, which Gaussian noise cannot meet");
  const Calibration found = smallest_noise(
      [&](double noise) { return gaussian_mechanism(noise, sensitivity); }, target, sensitivity);
  EverydayTerms terms{found.parameter};
  ProfilePoint achieved = found.achieved;
  if (discovered) {
    // Where a person is in groups of others the noise is what counts, elsewhere the threshold.
    const GroupNumbers numbers = group_numbers(
        statistic, question, terms.standard_deviation,
        grid_of(statistic, question, terms.standard_deviation, sensitivity, achieved));
    terms.shown_from = discovery_threshold(numbers, target);
    const DiscoveryWays ways = discovery_ways(numbers, *terms.shown_from);
    achieved =
        profile(discovered_groups(terms.standard_deviation, ways.sensitivities, ways.probabilities),
                target.epsilon, Accuracy::certified);
  }
  require_achieved(target, achieved);
  return plan_everyday(target, achieved, terms, statistic, std::move(question));
}

EverydayPlan plan_everyday(const PrivacyTarget& target, const ProfilePoint& achieved,
                           const EverydayTerms& terms, Everyday statistic,
                           EverydayQuestion question) {
  const double weight = row_count_weight(statistic, question);
  const bool discovered = question.groups.discovered();
  const EverydayLayout layout(statistic, question.columns.size(), discovered);
  const std::size_t groups = discovered ? 1 : question.groups.size();
  const double dimension = static_cast<double>(groups * layout.size());
  const VectorNoisePlan noise =
      plan_gaussian_noise(terms.standard_deviation, dimension,
                          everyday_sensitivity(statistic, question), layout.grid(), achieved);
  Certificate certificate = begun_certificate("gaussian", target, achieved, statistic, question);
  certificate.set(discovered ? "dimension_of_a_group" : "dimension", dimension);
  certificate.set("sensitivity", noise.sensitivity);
  certificate.set("standard_deviation", terms.standard_deviation);
  if (weight > 0.0 && statistic != Everyday::count) certificate.set("count_weight", weight);
  std::optional<double> shown_from = terms.shown_from;
  Value loss = description_of_terms(terms, noise.sensitivity, question.neighbors);
  if (discovered) {
    const GroupNumbers numbers =
        group_numbers(statistic, question, terms.standard_deviation, noise.grid);
    if (!shown_from) {
      shown_from = discovery_threshold(numbers, terms.new_group_probability);
    } else {
      const DiscoveryWays ways = discovery_ways(numbers, *shown_from);
      loss = for_neighbors(question.neighbors,
                           described::description_of(described::DiscoveredGroups{
                               terms.standard_deviation, ways.sensitivities, ways.probabilities}));
    }
    certificate.set("threshold", *shown_from / weight);
    certificate.set("new_group_probability",
                    new_group_probability(numbers, *shown_from, numbers.rows));
  }
  certificate.attained = statistic == Everyday::count && !discovered;
  describe_arithmetic(certificate, Exactness::exact, noise.grid);
  describe_loss(certificate, std::move(loss));
  return {statistic, std::move(question), noise, weight, shown_from, {}, std::move(certificate)};
}

namespace {

// The numbers of each group that is there, by its number or its name.
template <class Map, class Key>
void add_rows(const GroupTotals& totals, const EverydayLayout& layout, const GroupedBlock& block,
              const std::vector<Key>& keys, Map& found) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    std::vector<Integer128>& own = found[keys[i]];
    own.resize(layout.size());
    layout.add(totals, block.numbers, static_cast<Eigen::Index>(i), own.data());
  }
}

using Cells = std::map<std::vector<std::string>, std::vector<Integer128>>;

WholeSums read_discovered(const Table& table, const GroupTotals& totals, const ReadOptions& options,
                          RandomSource* choosing) {
  const EverydayLayout layout(totals);
  Cells all;
  for_each_grouped_block(table, totals.question, options, choosing, [&](const GroupedBlock& block) {
    Cells found;
    add_rows(totals, layout, block, block.cells, found);
    return [&all, &layout, found = std::move(found)] {
      for (const auto& [cell, entries] : found) {
        std::vector<Integer128>& own = all[cell];
        own.resize(layout.size());
        for (std::size_t j = 0; j < entries.size(); ++j) own[j] += entries[j];
      }
    };
  });
  return {{}, std::move(all)};
}

EverydaySums accumulate_discovered(const Table& table, const EverydayPlan& plan,
                                   const ReadOptions& options, RandomSource* choosing) {
  const EverydayLayout layout(plan);
  const WholeSums found = grouped_sums_over(table, plan.question, question_of(plan), 0, [&] {
    return read_discovered(table, GroupTotals(plan), options, choosing);
  });
  EverydaySums sums{layout.grid(), {}};
  for (const auto& [cell, entries] : found.groups) {
    if (cell.size() != plan.question.groups.columns.size() || entries.size() != layout.size())
      throw Error("gathered pieces answer for other groups; nothing is released");
    sums.groups.push_back(joined_name(cell));
    sums.entries.insert(sums.entries.end(), entries.begin(), entries.end());
  }
  return sums;
}

WholeSums read_groups(const Table& table, const GroupTotals& totals, const ReadOptions& options,
                      RandomSource* choosing) {
  const EverydayLayout layout(totals);
  std::vector<Integer128> sums(totals.question.groups.size() * layout.size(), 0);
  for_each_grouped_block(table, totals.question, options, choosing, [&](const GroupedBlock& block) {
    // Of the groups that are there; the sums of whole numbers do not depend on the order.
    std::unordered_map<std::size_t, std::vector<Integer128>> found;
    add_rows(totals, layout, block, block.groups, found);
    return [&sums, &layout, found = std::move(found)] {
      for (const auto& [group, entries] : found)
        for (std::size_t j = 0; j < entries.size(); ++j)
          sums[group * layout.size() + j] += entries[j];
    };
  });
  return {std::move(sums)};
}

}  // namespace

Value question_of(const EverydayPlan& plan) {
  return Value{{"sums", "groups"},
               {"question", to_value(plan.question)},
               {"statistic", static_cast<int>(plan.statistic)},
               {"count_weight", plan.count_weight},
               {"whole", plan.whole.has_value()}};
}

EverydaySums accumulate_everyday(const Table& table, const EverydayPlan& plan,
                                 const ReadOptions& options, RandomSource* choosing) {
  if (plan.question.groups.discovered())
    return accumulate_discovered(table, plan, options, choosing);
  const EverydayLayout layout(plan);
  return {layout.grid(),
          grouped_sums_over(
              table, plan.question, question_of(plan), plan.question.groups.size() * layout.size(),
              [&] { return read_groups(table, GroupTotals(plan), options, choosing); })
              .entries};
}

WholeSums answer_groups(const Table& table, const Value& asked, const ReadOptions& options,
                        RandomSource& choosing) {
  const std::int64_t statistic = asked.at("statistic").whole();
  if (statistic < 0 || statistic > static_cast<std::int64_t>(Everyday::standard_deviation))
    throw Error("a question names a statistic that is not known");
  const GroupTotals totals(static_cast<Everyday>(statistic),
                           everyday_question_in(asked.at("question")),
                           require_finite("count weight", asked.at("count_weight").number()),
                           asked.at("whole").boolean());
  if (totals.question.groups.discovered())
    return read_discovered(table, totals, options, &choosing);
  return read_groups(table, totals, options, &choosing);
}

}  // namespace modicum
