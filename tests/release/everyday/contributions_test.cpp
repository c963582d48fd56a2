#include "release/everyday/contributions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "support/seeded_source.h"
#include "support/temporary_folder.h"

namespace modicum::contributions_test {
namespace {

GroupedBlock block_of(const std::vector<std::pair<std::string, std::size_t>>& rows) {
  GroupedBlock block;
  block.numbers.resize(static_cast<Eigen::Index>(rows.size()), 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    block.persons.push_back(rows[i].first);
    block.groups.push_back(rows[i].second);
    block.numbers(static_cast<Eigen::Index>(i), 0) = static_cast<double>(i);
  }
  return block;
}

TEST(Contributions, KeepsAsManyRowsAndGroupsAsAreAllowed) {
  std::vector<std::pair<std::string, std::size_t>> rows;
  for (std::size_t i = 0; i < 60; ++i) rows.emplace_back(i % 3 ? "anna" : "bert", i % 7);
  rows.emplace_back("carl", 2);
  const std::vector<GroupedBlock> blocks{block_of(rows), block_of({{"anna", 9}})};
  testing::SeededSource source(2);
  for (const double most : {1.0, 4.0, 100.0})
    for (const double groups : {1.0, 3.0}) {
      const GroupedBlock kept = bounded_contributions(blocks, {"id", most, groups}, source);
      ASSERT_EQ(kept.numbers.rows(), static_cast<Eigen::Index>(kept.groups.size()));
      EXPECT_LE(kept.groups.size(), 3 * most);
      EXPECT_GE(kept.groups.size(), most == 1.0 ? 3U : 5U);
      // Whose row it was is told by its number: carl has the last one of the first block.
      std::map<std::string, std::set<std::size_t>> seen;
      for (std::size_t i = 0; i < kept.groups.size(); ++i) {
        if (kept.groups[i] == 9) continue;
        const auto place = static_cast<std::size_t>(kept.numbers(static_cast<Eigen::Index>(i), 0));
        seen[rows[place].first].insert(kept.groups[i]);
      }
      EXPECT_TRUE(seen.contains("carl"));
      for (const auto& [person, own] : seen) EXPECT_LE(own.size(), groups) << person;
    }
}

// Out of 5 rows 2 are kept, each pair alike: a chi-square test with 9 degrees of freedom at a
// false-alarm rate of 1e-6 (46).
TEST(Contributions, EveryChoiceOfRowsIsAsLikely) {
  const std::vector<GroupedBlock> blocks{
      block_of({{"anna", 0}, {"anna", 0}, {"anna", 0}, {"anna", 0}, {"anna", 0}})};
  testing::SeededSource source(4);
  std::map<std::set<double>, double> seen;
  constexpr int draws = 10000;
  for (int i = 0; i < draws; ++i) {
    const GroupedBlock kept = bounded_contributions(blocks, {"id", 2.0, {}}, source);
    ++seen[{kept.numbers(0, 0), kept.numbers(1, 0)}];
  }
  double statistic = 0.0;
  for (const auto& [pair, count] : seen)
    statistic += std::pow(count - draws / 10.0, 2.0) / (draws / 10.0);
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_LT(statistic, 46.0);
}

// Groups come first: one with a single row is as likely as one with nine. 2000 draws: beyond 5
// deviations once in 10^6.
TEST(Contributions, GroupsAreChosenBeforeRows) {
  std::vector<std::pair<std::string, std::size_t>> rows(9, {"anna", 0});
  rows.emplace_back("anna", 1);
  const std::vector<GroupedBlock> blocks{block_of(rows)};
  testing::SeededSource source(4);
  int second = 0;
  for (int i = 0; i < 2000; ++i)
    second += bounded_contributions(blocks, {"id", 1.0, 1.0}, source).groups[0] == 1;
  EXPECT_NEAR(second, 1000, 5.0 * std::sqrt(500.0));
}

class PersonTest : public ::testing::Test {
 protected:
  Table table(const std::string& rows) {
    TableFiles files;
    files.paths = {folder_.write(std::to_string(++tables_) + ".csv", "person,town,wage\n" + rows)};
    return Table(files);
  }
  testing::TemporaryFolder folder_;
  int tables_ = 0;
};

// Persons with one row or many, in one town or in all.
TEST_F(PersonTest, OnePersonMovesTheNumbersByTheSensitivityAtMost) {
  const std::string others = "a,Ulm,10\nb,Bern,20\n,Ulm,30\n";
  std::vector<std::string> persons{""};
  for (const char* wages : {"0", "60", "90"})
    for (const bool moves : {false, true}) {
      std::string own;
      for (int i = 0; i < 8; ++i)
        own += std::string("c,") + (moves && i % 2 ? "Bern," : "Ulm,") + wages + "\n";
      persons.push_back(own);
    }
  testing::SeededSource source(6);
  for (const Adjacency neighbors : {Adjacency::add_remove, Adjacency::replace_one})
    for (const Everyday statistic :
         {Everyday::count, Everyday::sum, Everyday::mean, Everyday::variance}) {
      EverydayQuestion question{{{"town"}, {Bins::of_categories({"Ulm", "Bern"})}}, {}, {}};
      if (statistic != Everyday::count)
        question.columns = {"wage"}, question.ranges = {Range(0, 60)};
      question.unit = PersonRule{"person", 5.0, {}};
      question.neighbors = neighbors;
      const EverydayPlan plan = plan_everyday({1.0, 1e-6}, statistic, question);
      std::vector<EverydaySums> sums;
      for (const std::string& own : persons)
        sums.push_back(accumulate_everyday(table(others + own), plan, {}, &source));
      double largest = 0.0;
      for (std::size_t i = 0; i < sums.size(); ++i)
        for (std::size_t j = 0; j < (neighbors == Adjacency::add_remove ? 1 : sums.size()); ++j) {
          double square = 0.0;
          for (std::size_t e = 0; e < sums[i].entries.size(); ++e)
            square += std::pow(
                static_cast<double>(sums[i].entries[e] - sums[j].entries[e]) * sums[i].grid, 2.0);
          largest = std::max(largest, std::sqrt(square));
        }
      EXPECT_LE(largest, plan.noise.sensitivity) << to_string(statistic);
      if (neighbors == Adjacency::add_remove) {
        EXPECT_GE(largest, plan.noise.sensitivity * (1.0 - 1e-8)) << to_string(statistic);
      }
    }
}

TEST_F(PersonTest, CertificateNamesTheUnit) {
  EverydayQuestion question{{}, {}, {}};
  question.unit = PersonRule{"person", 3.0, {}};
  const Certificate certificate = plan_everyday({1.0, 1e-6}, Everyday::count, question).certificate;
  EXPECT_EQ(certificate.adjacency, "add or remove all rows with one value of person");
  EXPECT_EQ(std::get<double>(*certificate.find("sensitivity")), 3.0);
  EXPECT_EQ(std::get<double>(*certificate.find("unit_rows")), 3.0);
  for (const std::string& each : certificate.assumptions)
    EXPECT_EQ(each.find("one row at most"), std::string::npos);
}

TEST_F(PersonTest, QuantilesDivideByTheRowsOfAPerson) {
  EverydayQuestion question{{}, {"wage"}, {Range(0, 60)}};
  const double alone = plan_quantiles({1.0, 1e-6}, question, {0.5}).rank_error;
  question.unit = PersonRule{"person", 4.0, {}};
  const QuantilePlan plan = plan_quantiles({1.0, 1e-6}, question, {0.5});
  EXPECT_NEAR(plan.rank_error, 4.0 * alone, 1e-9 * alone);
  testing::SeededSource source(6);
  std::string rows;
  for (int i = 0; i < 20; ++i) rows += "a,Ulm,10\n";
  EXPECT_EQ(collect_quantiles(table(rows + "b,Ulm,20\n"), plan, {}, &source).points[0].size(), 5U);
}

TEST_F(PersonTest, RefusesWhatMakesNoSense) {
  for (const PersonRule& rule :
       {PersonRule{"person", 0.0, {}}, PersonRule{"person", 1.5, {}}, PersonRule{"person", 2e9, {}},
        PersonRule{"person", 2.0, 0.0}, PersonRule{"person", std::nan(""), {}},
        PersonRule{"wage", 1.0, {}}}) {
    EverydayQuestion question{{}, {"wage"}, {Range(0, 60)}};
    question.unit = rule;
    EXPECT_THROW(plan_everyday({1.0, 1e-6}, Everyday::mean, question), InvalidParameter);
  }
  EverydayQuestion question{{}, {}, {}};
  question.unit = PersonRule{"person", 1.0, {}};
  const EverydayPlan plan = plan_everyday({1.0, 1e-6}, Everyday::count, question);
  EXPECT_THROW(accumulate_everyday(table("a,Ulm,1\n"), plan), Error);
}

}  // namespace
}  // namespace modicum::contributions_test
