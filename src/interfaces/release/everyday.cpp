// release count, sum, mean, variance, standard-deviation, quantile, histogram: in the units of the
// file, by group, with intervals.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "data/counted.h"
#include "interfaces/release/everyday_fields.h"
#include "interfaces/release/everyday_warnings.h"
#include "interfaces/release/release.h"
#include "release/everyday/whole_counts.h"

namespace modicum {
namespace {

// Beyond it hardly any noise is left, and the search for the least of all finds no doubles for it.
constexpr double most_epsilon = 300.0;

struct EverydayJob {
  EverydayPart part = {};
  TableRelease release = {};
  ProtectionChoice protection = {};

  void fields(Fields& fields) {
    release.fields(fields);
    part.fields(fields);
    part.noise_field(fields);
    protection.fields(fields);
  }
  ReleaseRequest request(const Table& table) const {
    ReleaseRequest found = part.request(table, release.source, protection);
    auto* own = std::get_if<StatisticRequest>(&found);
    const bool counts = own && own->statistic == Everyday::count;
    if (counts && part.integers && part.noise == CountNoise::gaussian)
      throw UsageError("`integers` must not be given with the `noise` gaussian");
    if (own == nullptr || part.noise) return found;
    if (least_noise_is_best() && is_least_on_integers(own->statistic, own->question))
      own->question.noise = CountNoise::optimal;
    else if (counts && part.integers) own->question.noise = CountNoise::discrete_gaussian;
    return found;
  }

 private:
  // Gaussian noise costs least of a ledger, and is what mu and rho are about, where there is a
  // delta.
  bool least_noise_is_best() const {
    const ReleaseBudget& budget = release.budget;
    if (!budget.given() || budget.standard_deviation) return false;
    const PrivacyTarget target = budget.gaussian_target();
    const bool gaussian = !budget.epsilon || release.place.payer.pays();
    return (target.delta == 0.0 || !gaussian) && target.epsilon <= most_epsilon;
  }
};

std::string what_of(const std::string& statistic, const EverydayQuestion& question) {
  std::string words = "the " + statistic;
  words += question.columns.empty() ? " of the rows"
                                    : fmt::format(" of {}", fmt::join(question.columns, ", "));
  if (!question.groups.columns.empty())
    words += fmt::format(" by {}, {}", fmt::join(question.groups.columns, ", "),
                         question.groups.discovered() ? "discovered groups"
                                                      : counted(question.groups.size(), "group"));
  return words;
}

// Of each number that is released, where it is that number with noise.
double noise_in_units(const EverydayPlan& plan) {
  const double deviation = plan.noise.standard_deviation.value();
  if (plan.statistic == Everyday::count || plan.whole) return deviation;
  if (plan.statistic != Everyday::sum || plan.question.columns.size() != 1)
    throw UsageError(
        "`standard_deviation` must be given only for counts and the sum of one column: other "
        "numbers are made of several with noise");
  const Range& range = plan.question.ranges.front();
  return deviation * std::max(std::abs(range.low), std::abs(range.high));
}

// How many rows were dropped, and what would have been released without noise.
Diagnostics diagnosed(const TableSource& source, const Table& table,
                      const EverydayQuestion& question, const std::vector<std::string>& names,
                      const Eigen::VectorXd& truth, Progress& progress) {
  Diagnostics all = diagnosed_rows(table, question, source.read_options(progress));
  for (Eigen::Index i = 0; i < truth.size(); ++i)
    all.push_back({fmt::format("true_{}", names[static_cast<std::size_t>(i)]), truth[i]});
  return all;
}

EverydayPlan plan_of(const StatisticRequest& request, const TableRelease& release) {
  const auto plan_at = [&](const PrivacyTarget& target) {
    return plan_everyday(target, request.statistic, request.question);
  };
  return planned_with_noise(release.budget, plan_at, noise_in_units);
}

QuantilePlan plan_of(const QuantileRequest& request, const TableRelease& release) {
  return planned_within(release.budget, [&](const PrivacyTarget& target) {
    return plan_quantiles(target, request.question, request.levels);
  });
}

Outcome drawn(const EverydayPlan& plan, const TableSource& source, const Table& table,
              RandomSource& random, Progress& progress) {
  const EverydaySums sums =
      accumulate_everyday(table, plan, source.read_options(progress), &random);
  Released released = release_everyday(plan, sums, random);
  std::vector<std::string> warnings = warnings_of(plan, released);
  return {std::move(released), what_of(to_string(plan.statistic), plan.question),
          [&source, table, plan, sums](const Released&, Progress& again) {
            return diagnosed(source, table, plan.question, everyday_names(plan, sums),
                             everyday_truth(plan, sums), again);
          },
          std::move(warnings)};
}

Outcome drawn(const QuantilePlan& plan, const TableSource& source, const Table& table,
              RandomSource& random, Progress& progress) {
  const auto values = std::make_shared<const QuantileValues>(
      collect_quantiles(table, plan, source.read_options(progress), &random));
  Released released = release_quantiles(plan, *values, random);
  std::vector<std::string> warnings = warnings_of(plan, released);
  return {std::move(released), what_of("quantile", plan.question),
          [&source, table, plan, values](const Released&, Progress& again) {
            return diagnosed(source, table, plan.question, quantile_names(plan, *values),
                             quantile_truth(plan, *values), again);
          },
          std::move(warnings)};
}

Reply explained(const EverydayJob& job) {
  const Table table = job.release.source.open();
  return explained(job.release.source, table, uses_of(table, question_of(job.request(table))));
}

// Groups of any size, and what their numbers would be good for.
std::vector<ExpectedNoise> expected_of(const EverydayPlan& plan) {
  return expected_noise(plan, {100.0, 1000.0, 10000.0});
}
std::vector<ExpectedNoise> expected_of(const QuantilePlan&) { return {}; }

Planned planned(const EverydayJob& job, Progress& progress) {
  const TableSource& source = job.release.source;
  const Table table = source.open();
  const ReleaseRequest request = job.request(table);
  progress.begin("calibrating");
  return std::visit(
      [&](const auto& own) -> Planned {
        const auto plan = plan_of(own, job.release);
        return {plan.certificate,
                [&source, table, plan](RandomSource& random, Progress& reading) {
                  reading.begin("reading");
                  return drawn(plan, source, table, random, reading);
                },
                expected_of(plan), plan.question.level};
      },
      request);
}

}  // namespace

std::vector<JobKind> everyday_releases() {
  const std::string budget = " \\\n    --epsilon 1 --delta 1e-6 --output answer.csv";
  const std::string wages =
      "  modicum release {} examples/wages.csv --select wage --bounds "
      "wage=0:60";
  const auto of_wages = [&](const char* word) {
    return fmt::format(fmt::runtime(wages), word) + budget;
  };
  const auto kind = [](EverydayKind which, const char* name, const char* what,
                       std::string example) {
    return job_kind(name, what, std::move(example), "", EverydayJob{{which}});
  };
  return {
      kind(EverydayKind::count, "release count", "how many rows there are, overall or by group",
           "  modicum release count examples/visits.csv --by region --categories "
           "north,south,east,west" +
               budget),
      kind(EverydayKind::sum, "release sum", "sums of columns, overall or by group",
           of_wages("sum")),
      kind(EverydayKind::mean, "release mean", "means of columns, overall or by group",
           of_wages("mean") + " --by schooling --edges 0,10,14,20"),
      kind(EverydayKind::variance, "release variance",
           "variances of columns (of the rows: divided by their number)", of_wages("variance")),
      kind(EverydayKind::standard_deviation, "release standard-deviation",
           "standard deviations of columns, overall or by group", of_wages("standard-deviation")),
      kind(EverydayKind::quantile, "release quantile", "medians and other quantiles of columns",
           of_wages("quantile") + " --level 0.25 0.5 0.75"),
      kind(EverydayKind::median, "release median", "medians of columns", of_wages("median")),
      kind(EverydayKind::minimum, "release minimum",
           "near the smallest values: a low quantile of columns, 0.01 by default",
           of_wages("minimum")),
      kind(EverydayKind::maximum, "release maximum",
           "near the largest values: a high quantile of columns, 0.99 by default",
           of_wages("maximum")),
      kind(EverydayKind::histogram, "release histogram",
           "how many rows fall into public bins of a column, or of several",
           "  modicum release histogram examples/wages.csv --select age --edges "
           "18,30,40,50,70" +
               budget)};
}

}  // namespace modicum
