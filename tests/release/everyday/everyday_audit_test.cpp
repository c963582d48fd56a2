// Everyday statistics are audited as any program would be: by all that they release on two
// neighbors. Each has a broken twin, which claims as much and was calibrated for less; the audit
// must tell the two apart. A false alarm has a chance of 1e-6 in each audit.
#include <gtest/gtest.h>

#include <functional>

#include "modicum/auditing/black_box.h"
#include "modicum/release/everyday_release.h"
#include "modicum/release/joint_release.h"
#include "support/seeded_source.h"
#include "support/temporary_folder.h"

namespace modicum::testing::everyday_audit_test {
namespace {

const PrivacyTarget claim(0.5, 1e-3), kept_by_the_twin(8.0, 0.3);

using Output = std::vector<double>;
using DrawOutput = std::function<Output(bool with, RandomSource& source)>;

struct EverydaySubject {
  std::string name;
  std::function<DrawOutput(const PrivacyTarget& calibrated_for)> make;
};
void PrintTo(const EverydaySubject& subject, std::ostream* out) { *out << subject.name; }

// A few rows, and some more.
Table table_of_rows(const std::string& name, const std::string& more) {
  static TemporaryFolder kept;
  TableFiles files;
  files.paths = {kept.write(
      name + ".csv", "region,wage,person\nnorth,10,1\nnorth,30,2\nsouth,25,3\nsouth,,4\n" + more)};
  return Table(files);
}

// The record is at the end of its range.
Table rows(bool with) {
  return table_of_rows(with ? "with" : "without", with ? "north,60,5\n" : "");
}

Groups regions() { return {{"region"}, {Bins::of_categories({"north", "south"})}}; }

EverydayQuestion question(Groups groups, bool numbers) {
  EverydayQuestion asked{std::move(groups), {}, {}};
  if (numbers) asked.columns = {"wage"}, asked.ranges = {Range(0, 60)};
  return asked;
}

// All that is published: the numbers, and the counts in the certificate.
Output published(const Released& released) {
  Output all;
  for (const double value : released.values.reshaped())
    if (!std::isnan(value)) all.push_back(value);
  if (const ParameterValue* counts = released.certificate.find("released_counts"))
    for (const double count : std::get<std::vector<double>>(*counts)) all.push_back(count);
  return all;
}

EverydaySubject statistic(Everyday kind, bool grouped) {
  std::string name = std::string(to_string(kind)) + (grouped ? "_by_region" : "");
  std::replace(name.begin(), name.end(), ' ', '_');
  return {name, [=](const PrivacyTarget& target) -> DrawOutput {
            const EverydayPlan plan = plan_everyday(
                target, kind, question(grouped ? regions() : Groups{}, kind != Everyday::count));
            return
                [plan, with_sums = accumulate_everyday(rows(true), plan),
                 sums = accumulate_everyday(rows(false), plan)](bool with, RandomSource& source) {
                  return published(release_everyday(plan, with ? with_sums : sums, source));
                };
          }};
}

EverydaySubject count_with(CountNoise noise) {
  std::string name = std::string("count_with_") + to_string(noise);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == ' '; }, '_');
  return {name, [noise](const PrivacyTarget& target) -> DrawOutput {
            EverydayQuestion asked = question(regions(), false);
            asked.noise = noise;
            const EverydayPlan plan = plan_everyday(target, Everyday::count, asked);
            return
                [plan, with_sums = accumulate_everyday(rows(true), plan),
                 sums = accumulate_everyday(rows(false), plan)](bool with, RandomSource& source) {
                  return published(release_everyday(plan, with ? with_sums : sums, source));
                };
          }};
}

// The record is another one, in another group and at the other end.
EverydaySubject replaced() {
  return {"mean_of_replaced_rows", [](const PrivacyTarget& target) -> DrawOutput {
            EverydayQuestion asked = question(regions(), true);
            asked.neighbors = Adjacency::replace_one;
            const EverydayPlan plan = plan_everyday(target, Everyday::mean, asked);
            const auto sums_of = [&](const char* name, const char* record) {
              return accumulate_everyday(table_of_rows(name, record), plan);
            };
            return [plan, with_sums = sums_of("first", "north,60,5\n"),
                    sums = sums_of("second", "south,0,5\n")](bool with, RandomSource& source) {
              return published(release_everyday(plan, with ? with_sums : sums, source));
            };
          }};
}

// A person with three rows, of which two are kept.
EverydaySubject person() {
  return {"sum_of_persons", [](const PrivacyTarget& target) -> DrawOutput {
            EverydayQuestion asked = question({}, true);
            asked.unit = PersonRule{"person", 2.0, {}};
            const EverydayPlan plan = plan_everyday(target, Everyday::sum, asked);
            const auto sums_of = [&](const char* name, const char* record) {
              SeededSource choosing(8103);
              return accumulate_everyday(table_of_rows(name, record), plan, {}, &choosing);
            };
            return [plan, with_sums = sums_of("many", "north,60,5\nnorth,60,5\nsouth,60,5\n"),
                    sums = sums_of("none", "")](bool with, RandomSource& source) {
              return published(release_everyday(plan, with ? with_sums : sums, source));
            };
          }};
}

EverydaySubject quantiles() {
  return {"quantiles", [](const PrivacyTarget& target) -> DrawOutput {
            const QuantilePlan plan = plan_quantiles(target, question({}, true), {0.5, 0.9});
            return
                [plan, with_values = collect_quantiles(rows(true), plan),
                 values = collect_quantiles(rows(false), plan)](bool with, RandomSource& source) {
                  return published(release_quantiles(plan, with ? with_values : values, source));
                };
          }};
}

EverydaySubject whole_sums() {
  return {"sum_of_whole_numbers", [](const PrivacyTarget& target) -> DrawOutput {
            EverydayQuestion asked = question({}, true);
            asked.integers = true;
            asked.noise = CountNoise::optimal;
            const EverydayPlan plan = plan_everyday(target, Everyday::sum, asked);
            return
                [plan, with_sums = accumulate_everyday(rows(true), plan),
                 sums = accumulate_everyday(rows(false), plan)](bool with, RandomSource& source) {
                  return published(release_everyday(plan, with ? with_sums : sums, source));
                };
          }};
}

// The record is alone in a group that nobody knew of: whether it is shown.
EverydaySubject discovered_medians() {
  return {"medians_of_discovered_groups", [](const PrivacyTarget& target) -> DrawOutput {
            const QuantilePlan plan =
                plan_quantiles(target, question({{"region"}, {Bins{}}}, true), {0.5});
            const Table fresh = table_of_rows("fresh", "west,60,5\n");
            return [plan, with_values = collect_quantiles(fresh, plan),
                    values = collect_quantiles(rows(false), plan)](bool with,
                                                                   RandomSource& source) -> Output {
              const Released released =
                  release_quantiles(plan, with ? with_values : values, source);
              const auto& names = released.row_names;
              return {static_cast<double>(std::count(names.begin(), names.end(), "west"))};
            };
          }};
}

EverydaySubject several() {
  return {"several", [](const PrivacyTarget& target) -> DrawOutput {
            const JointPlan plan =
                plan_joint(target, {StatisticRequest{Everyday::count, question(regions(), false)},
                                    StatisticRequest{Everyday::mean, question({}, true), 2.0}});
            return [plan, with_sums = accumulate_joint(rows(true), plan),
                    sums = accumulate_joint(rows(false), plan)](bool with, RandomSource& source) {
              return published(release_joint(plan, with ? with_sums : sums, source));
            };
          }};
}

std::vector<EverydaySubject> subjects() {
  return {statistic(Everyday::count, false),
          statistic(Everyday::count, true),
          count_with(CountNoise::discrete_gaussian),
          count_with(CountNoise::discrete_laplace),
          count_with(CountNoise::optimal),
          statistic(Everyday::sum, false),
          statistic(Everyday::mean, false),
          statistic(Everyday::mean, true),
          statistic(Everyday::variance, false),
          statistic(Everyday::standard_deviation, false),
          quantiles(),
          whole_sums(),
          discovered_medians(),
          several(),
          replaced(),
          person()};
}

BlackBoxAudit audit(const DrawOutput& draw, std::uint64_t seed) {
  constexpr int samples = 2000;
  constexpr double confidence = 1.0 - 1e-6;
  SeededSource source(seed);
  Samples with, without;
  for (int i = 0; i < samples; ++i)
    for (const bool which : {true, false}) (which ? with : without).add(draw(which, source));
  return audit_samples(with, without, claim, confidence, source);
}

class EverydayAudit : public ::testing::TestWithParam<EverydaySubject> {};

TEST_P(EverydayAudit, FindsNothingInTheRelease) {
  const BlackBoxAudit found = audit(GetParam().make(claim), 8101);
  EXPECT_EQ(found.verdict, BlackBoxVerdict::not_refuted) << found.epsilon_lower_bound;
}

TEST_P(EverydayAudit, CatchesTheBrokenTwin) {
  const BlackBoxAudit found = audit(GetParam().make(kept_by_the_twin), 8102);
  EXPECT_EQ(found.verdict, BlackBoxVerdict::violated) << found.epsilon_lower_bound;
}

INSTANTIATE_TEST_SUITE_P(Statistics, EverydayAudit, ::testing::ValuesIn(subjects()),
                         [](const auto& subject) { return subject.param.name; });

}  // namespace
}  // namespace modicum::testing::everyday_audit_test
