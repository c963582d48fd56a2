#include "release/everyday/discovery.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/auditing/black_box.h"
#include "modicum/mechanisms/discovered_groups.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/privacy/profile.h"
#include "support/seeded_source.h"
#include "support/temporary_folder.h"

namespace modicum::discovery_test {
namespace {

double above(double x) { return 0.5 * std::erfc(x * M_SQRT1_2); }

// By the definition: the worst way to spread `left` rows over up to `groups` more groups, each with
// at most as many as the one before.
double least_log_hidden(double from, double deviation, int left, int groups, int most) {
  double least = 0.0;
  if (groups == 0) return least;
  for (int own = 1; own <= std::min(left, most); ++own)
    least = std::min(least, std::log1p(-above((from - own) / deviation)) +
                                least_log_hidden(from, deviation, left - own, groups - 1, own));
  return least;
}

GroupNumbers counted(double deviation, double grid, double weight, double rows, double groups) {
  return {deviation, grid, weight, rows, groups, 1.0, rows, false};
}

TEST(Discovery, ProbabilityIsThatOfTheWorstWayToSpreadRows) {
  for (const double deviation : {0.7, 4.0, 30.0})
    for (const double from : {3.0, 12.0, 40.0})
      for (const int rows : {1, 2, 5, 9})
        for (const int groups : {1, 2, 4, 9}) {
          const double expected =
              -std::expm1(least_log_hidden(from, deviation, rows, groups, rows));
          const double found =
              new_group_probability(counted(deviation, 0.0, 1.0, rows, groups), from, rows);
          EXPECT_GE(found, expected * (1.0 - 1e-9));
          EXPECT_LE(found, expected * (1.0 + 1e-9) + 1e-300)
              << from << " " << rows << " " << groups;
        }
}

// 1 + 4 * 4.7534: with it, ten rows of one person would show up in six of a thousand draws.
TEST(Discovery, ThresholdIsTheLeastThatIsProved) {
  const double one = discovery_threshold(counted(4.0, 0.0, 1.0, 1.0, 1.0), 1e-6);
  EXPECT_NEAR(one, 1.0 + 4.0 * 4.753424308822899, 1e-5);
  EXPECT_NEAR(new_group_probability(counted(4.0, 0.0, 1.0, 10.0, 1.0), one, 10.0), 0.0062, 1e-4);
  for (const double probability : {1e-300, 1e-12, 1e-6, 0.1, 0.9})
    for (const double rows : {1.0, 10.0}) {
      const GroupNumbers numbers = counted(4.0, 0x1p-20, 0.75, rows, 3.0);
      const double from = discovery_threshold(numbers, probability);
      const auto shown = [&](double at) { return new_group_probability(numbers, at, rows); };
      EXPECT_LE(shown(from), probability);
      EXPECT_GT(shown(from - 1e-5), probability);
    }
  for (const double probability : {0.0, 1.0, -1.0, std::nan("")})
    EXPECT_THROW(discovery_threshold(counted(4.0, 0.0, 1.0, 1.0, 1.0), probability),
                 InvalidParameter);
}

double gaussian_delta(double mu, double epsilon) {
  if (mu == 0.0) return 0.0;
  return above(epsilon / mu - mu / 2) - std::exp(epsilon) * above(epsilon / mu + mu / 2);
}

// By the definition: every number of rows in new groups, spread in every way.
double worst_delta(const GroupNumbers& numbers, double from, double epsilon) {
  double largest = 0.0;
  const int rows = static_cast<int>(numbers.rows), groups = static_cast<int>(numbers.groups);
  for (int fresh = 0; fresh <= rows; ++fresh) {
    const double moved = (rows - fresh) * numbers.sensitivity / rows +
                         (numbers.replaced ? fresh * numbers.row_alone : 0.0);
    const double hidden = fresh == 0
                              ? 0.0
                              : least_log_hidden(from - numbers.grid / 2,
                                                 numbers.standard_deviation, fresh, groups, fresh);
    const double shown = -std::expm1(hidden);
    largest = std::max(
        largest, shown + (1 - shown) * gaussian_delta(moved / numbers.standard_deviation, epsilon));
  }
  return largest;
}

TEST(Discovery, LossIsTheLargestOfAllWaysToShareOutRows) {
  for (const bool replaced : {false, true})
    for (const double rows : {1.0, 3.0, 9.0})
      for (const double groups : {1.0, 4.0}) {
        const GroupNumbers numbers{
            4.0, 1.0, 1.0, rows, groups, 1.0, replaced ? 1.5 * rows : rows, replaced};
        const double from = 1.0 + 4.0 * rows;
        const DiscoveryWays ways = discovery_ways(numbers, from);
        const PrivacyLoss loss = discovered_groups(4.0, ways.sensitivities, ways.probabilities);
        for (const double epsilon : {0.0, 0.1, 0.5, 1.0, 2.0, 5.0, 20.0}) {
          const double expected = worst_delta(numbers, from, epsilon);
          const double found = profile(loss, epsilon, Accuracy::certified).delta().upper();
          EXPECT_GE(found, expected * (1.0 - 1e-9)) << rows << " " << groups << " " << epsilon;
          EXPECT_LE(found, expected * (1.0 + 1e-7) + 1e-15)
              << rows << " " << groups << " " << epsilon;
        }
      }
}

// Of many rows blocks are taken, which only adds.
TEST(Discovery, ManyRowsAreBounded) {
  const GroupNumbers numbers{40.0, 1.0, 1.0, 100.0, 1.0, 1.0, 100.0, false};
  const DiscoveryWays ways = discovery_ways(numbers, 300.0);
  EXPECT_EQ(ways.sensitivities.size(), 33u);
  const PrivacyLoss loss = discovered_groups(40.0, ways.sensitivities, ways.probabilities);
  for (const double epsilon : {0.0, 1.0, 4.0, 9.0, 20.0})
    EXPECT_GE(profile(loss, epsilon, Accuracy::certified).delta().upper(),
              worst_delta(numbers, 300.0, epsilon) * (1.0 - 1e-9));
}

// Composed it is no less than each of its ways, and no more than all at once.
TEST(Discovery, ComposesBetweenItsWaysAndAllOfThemAtOnce) {
  const PrivacyLoss own = discovered_groups(4.0, {1.0, 0.0}, {0.0, 1e-6});
  PrivacyLoss loss = gaussian_mechanism(5.0, 1.0), least = loss, most = loss;
  loss.compose(own);
  least.compose(gaussian_mechanism(4.0, 1.0));
  most.compose(gaussian_mechanism(4.0, 1.0));
  most.compose(PrivacyLoss::infinite_with_probability(1e-6));
  for (const double epsilon : {0.1, 0.5, 1.0, 2.0}) {
    const double found = profile(loss, epsilon, Accuracy::certified).delta().upper();
    EXPECT_GE(found, profile(least, epsilon, Accuracy::certified).delta().lower());
    EXPECT_GE(found, 1e-6);
    EXPECT_LE(found, profile(most, epsilon, Accuracy::certified).delta().upper() * (1.0 + 1e-4));
  }
}

TEST(Discovery, RefusesWhatMakesNoSense) {
  EXPECT_THROW(discovered_groups(0.0, {1.0}, {0.1}), InvalidParameter);
  EXPECT_THROW(discovered_groups(1.0, {}, {}), InvalidParameter);
  EXPECT_THROW(discovered_groups(1.0, {1.0}, {0.1, 0.2}), InvalidParameter);
  EXPECT_THROW(discovered_groups(1.0, {std::nan("")}, {0.1}), InvalidParameter);
  EXPECT_THROW(discovered_groups(1.0, {1.0}, {1.5}), InvalidParameter);
}

class DiscoveryTest : public ::testing::Test {
 protected:
  Table table(const std::string& text) {
    TableFiles files;
    files.paths = {folder_.write(std::to_string(++tables_) + ".csv", text)};
    return Table(files);
  }
  static Groups towns() { return {{"town"}, {Bins{}}}; }
  testing::TemporaryFolder folder_;
  int tables_ = 0;
};

std::string lines(const std::string& line, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) text += line + "\n";
  return text;
}

TEST_F(DiscoveryTest, ShowsWhatManyShareAndNothingElse) {
  const Table rows = table("town,wage\n" + lines("Ulm,20", 300) + "Aa,1\n" + lines("Bern,40", 300));
  testing::SeededSource source(1);
  for (const Everyday statistic : {Everyday::count, Everyday::sum, Everyday::mean}) {
    EverydayQuestion question{towns(), {}, {}};
    if (statistic != Everyday::count) question = {towns(), {"wage"}, {Range(0, 60)}};
    const EverydayPlan plan = plan_everyday({1.0, 1e-6}, statistic, question);
    const EverydaySums sums = accumulate_everyday(rows, plan);
    EXPECT_EQ(everyday_names(plan, sums), (std::vector<std::string>{"Aa", "Bern", "Ulm"}));
    // A town of one is shown once in 10^6 draws; one of 300 is hidden never.
    for (int i = 0; i < 100; ++i) {
      const Released released = release_everyday(plan, sums, source);
      ASSERT_EQ(released.row_names, (std::vector<std::string>{"Bern", "Ulm"}));
      if (statistic == Everyday::mean) {
        EXPECT_NEAR(released.values(1, 0), 20.0, 12.0);
      }
    }
    EXPECT_EQ(everyday_truth(plan, sums).size(), 3);
  }
}

TEST_F(DiscoveryTest, LossIsThatOfTheNoiseAndAnAtom) {
  for (const Adjacency neighbors : {Adjacency::add_remove, Adjacency::replace_one}) {
    EverydayQuestion question{towns(), {}, {}};
    question.neighbors = neighbors;
    const PrivacyTarget target{1.0, 1e-6};
    const EverydayPlan plan = plan_everyday(target, Everyday::count, question);
    const Description found = describe(plan.certificate.loss);
    EXPECT_EQ(found.adjacency, neighbors);
    EXPECT_LE(profile(found.loss, 1.0).delta().upper(), target.delta);
    EXPECT_NEAR(epsilon_at(found.loss, target.delta).value.upper(), 1.0, 1e-6);
    // Beyond any epsilon the new group is left, in both directions.
    EXPECT_NEAR(profile(found.loss, 300.0).forward.upper(), 1e-6,
                neighbors == Adjacency::add_remove ? 1e-11 : 5e-7);
    EXPECT_EQ(profile(found.loss, 300.0).reverse.upper(),
              profile(found.loss, 300.0).forward.upper());
    // Nothing is lost of the noise: where nobody is alone in a group it is that of public groups.
    question.groups = {{"town"}, {Bins::of_categories({"Ulm", "Bern"})}};
    EXPECT_EQ(*plan.noise.standard_deviation,
              *plan_everyday(target, Everyday::count, question).noise.standard_deviation);
    EXPECT_NEAR(plan.noise.sensitivity, neighbors == Adjacency::add_remove ? 1.0 : std::sqrt(2.0),
                1e-12);
  }
}

// 10^4 draws: the number that shows the group is beyond 5 deviations once in 10^6.
TEST_F(DiscoveryTest, NewGroupsAreShownWithTheProbabilityOfTheCertificate) {
  const Table one = table("town\nUlm\n");
  const EverydayPlan plan =
      plan_everyday({1.0, 0.2}, Everyday::count, EverydayQuestion{towns(), {}, {}});
  const EverydaySums sums = accumulate_everyday(one, plan);
  testing::SeededSource source(3);
  int shown = 0;
  for (int i = 0; i < 10000; ++i) shown += release_everyday(plan, sums, source).values.rows() > 0;
  EXPECT_NEAR(shown, 2000, 5.0 * 40.0);
}

TEST_F(DiscoveryTest, NoRowsAreNoGroups) {
  const Table none = table("town\n");
  const EverydayPlan plan =
      plan_everyday({1.0, 1e-6}, Everyday::count, EverydayQuestion{towns(), {}, {}});
  testing::SeededSource source(3);
  const Released released = release_everyday(plan, accumulate_everyday(none, plan), source);
  EXPECT_EQ(released.values.rows(), 0);
  EXPECT_EQ(encode(released, OutputFormat::csv), "name,value,lower,upper\n");
}

TEST_F(DiscoveryTest, SomeColumnsMayBePublic) {
  const Table rows = table("town,age\n" + lines("Ulm,20", 200) + lines("Ulm,50", 200) +
                           lines("Bern,50", 200) + lines("Bern,90", 200));
  const EverydayPlan plan = plan_everyday(
      {1.0, 1e-6}, Everyday::count,
      EverydayQuestion{{{"town", "age"}, {Bins{}, Bins::of_edges({0, 40, 80})}}, {}, {}});
  EXPECT_EQ(accumulate_everyday(rows, plan).groups,
            (std::vector<std::string>{"Bern, 40:80", "Ulm, 0:40", "Ulm, 40:80"}));
}

TEST_F(DiscoveryTest, NeedsADelta) {
  EXPECT_THROW(plan_everyday({1.0, 0.0}, Everyday::count, EverydayQuestion{towns(), {}, {}}),
               CalibrationFailed);
  EXPECT_THROW(
      plan_quantiles({1.0, 0.0}, EverydayQuestion{towns(), {"wage"}, {Range(0, 1)}}, {0.5}),
      CalibrationFailed);
}

// A town of one is shown once in 2 10^6 draws; one of 300 is hidden never.
TEST_F(DiscoveryTest, QuantilesAreOfTheGroupsThatACountShows) {
  const Table rows = table("town,wage\n" + lines("Ulm,20", 300) + "Aa,1\n" + lines("Bern,40", 300));
  const PrivacyTarget target{1.0, 1e-6};
  for (const Adjacency neighbors : {Adjacency::add_remove, Adjacency::replace_one}) {
    EverydayQuestion question{towns(), {"wage"}, {Range(0, 60)}};
    question.neighbors = neighbors;
    const QuantilePlan plan = plan_quantiles(target, question, {0.25, 0.5});
    const Description found = describe(plan.certificate.loss);
    EXPECT_EQ(found.adjacency, neighbors);
    EXPECT_LE(profile(found.loss, 1.0).delta().upper(), target.delta);
    EXPECT_NEAR(epsilon_at(found.loss, target.delta).value.upper(), 1.0, 1e-6);
    const QuantileValues values = collect_quantiles(rows, plan);
    EXPECT_EQ(values.groups, (std::vector<std::string>{"Aa", "Bern", "Ulm"}));
    EXPECT_EQ(quantile_truth(plan, values).size(), 6);
    testing::SeededSource source(4);
    for (int i = 0; i < 20; ++i) {
      const Released released = release_quantiles(plan, values, source);
      ASSERT_EQ(released.row_names,
                (std::vector<std::string>{"Bern: 0.25", "Bern: 0.5", "Ulm: 0.25", "Ulm: 0.5"}));
      EXPECT_NEAR(released.values(1, 0), 40.0, 1.0);  // beyond once in 10^12 draws
      EXPECT_EQ(std::get<std::vector<double>>(*released.certificate.find("released_counts")).size(),
                2u);
    }
  }
}

// 4000 draws with a probability of 0.05: the number is beyond 5 deviations once in 10^6.
TEST_F(DiscoveryTest, QuantilesOfNewGroupsAreShownWithTheProbabilityOfTheCertificate) {
  const Table one = table("town,wage\nUlm,20\n");
  const QuantilePlan plan =
      plan_quantiles({1.0, 0.1}, EverydayQuestion{towns(), {"wage"}, {Range(0, 60)}}, {0.5});
  EXPECT_NEAR(std::get<double>(*plan.certificate.find("new_group_probability")), 0.05, 1e-6);
  const QuantileValues values = collect_quantiles(one, plan);
  testing::SeededSource source(5);
  int shown = 0;
  for (int i = 0; i < 4000; ++i) shown += release_quantiles(plan, values, source).values.rows() > 0;
  EXPECT_NEAR(shown, 200, 5.0 * 14.0);
}

// A person with ten rows in a town of their own. The twin has the threshold for one row; noise is
// for ten in both. Of 3000 draws the audit finds a claim violated that is kept once in 10^4 times.
TEST_F(DiscoveryTest, ThresholdsForPersonsAreAuditedBesideABrokenTwin) {
  const PrivacyTarget claim{0.5, 0.05};
  EverydayQuestion question{towns(), {}, {}};
  question.unit = PersonRule{"person", 10.0, {}};
  const EverydayPlan plan = plan_everyday(claim, Everyday::count, question);
  EverydayPlan twin = plan;
  twin.shown_from = *plan.shown_from - 3.0 * *plan.noise.standard_deviation;
  const auto verdict = [&](const EverydayPlan& audited) {
    testing::SeededSource source(9);
    Samples with, without;
    for (int i = 0; i < 3000; ++i) {
      const Released released = release_everyday(audited, {1.0, {10}, {"Ulm"}}, source);
      with.add(std::vector<double>{static_cast<double>(released.values.rows())});
      without.add(std::vector<double>{0.0});
    }
    return audit_samples(with, without, claim, 0.9999, source).verdict;
  };
  EXPECT_EQ(verdict(plan), BlackBoxVerdict::not_refuted);
  EXPECT_EQ(verdict(twin), BlackBoxVerdict::violated);
}

}  // namespace
}  // namespace modicum::discovery_test
