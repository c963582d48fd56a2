#include "ledger/domination.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/data/json.h"
#include "modicum/privacy/profile.h"
#include "modicum/release/description.h"

namespace modicum::domination_test {
namespace {

const std::vector<std::string> kinds{
    "{\"mechanism\": \"gaussian_dp\", \"mu\": 0.5}",
    "{\"mechanism\": \"gaussian\", \"standard_deviation\": 2, \"sensitivity\": 1}",
    "{\"mechanism\": \"gaussian\", \"standard_deviation\": 2.001, \"sensitivity\": 1}",
    "{\"mechanism\": \"laplace\", \"scale\": 2, \"sensitivity\": 1}",
    "{\"mechanism\": \"laplace\", \"scale\": 3, \"sensitivity\": 1}",
    "{\"mechanism\": \"discrete_laplace\", \"scale\": 3, \"sensitivity\": 1}",
    "{\"mechanism\": \"discrete_laplace\", \"scale\": 4, \"sensitivity\": 1}",
    "{\"mechanism\": \"pure\", \"epsilon\": 0.5}",
    "{\"mechanism\": \"approximate\", \"epsilon\": 1, \"delta\": 0.01}",
    "{\"mechanism\": \"bounded_range\", \"range\": 0.4}",
    "{\"mechanism\": \"bounded_range\", \"range\": 0.5}",
    "{\"mechanism\": \"randomized_response\", \"truth_probability\": 0.6}",
    "{\"compose\": [{\"mechanism\": \"gaussian_dp\", \"mu\": 0.7}, {\"mechanism\": "
    "\"approximate\", \"epsilon\": 0, \"delta\": 0.001}]}"};

// Whatever is said to dominate does so at every epsilon that is looked at.
TEST(Domination, IsNeverClaimedWhereAProfileIsLarger) {
  int claimed = 0;
  for (const std::string& item : kinds)
    for (const std::string& release : kinds) {
      const Value one = parse_json(item), other = parse_json(release);
      if (!dominates(one, other)) continue;
      ++claimed;
      const PrivacyLoss large = describe(one, Accuracy::certified).loss,
                        small = describe(other, Accuracy::certified).loss;
      for (const double epsilon : {0.0, 0.05, 0.2, 0.4, 0.5, 0.9, 1.0, 1.5, 3.0}) {
        const ProfilePoint most = profile(large, epsilon, Accuracy::certified),
                           own = profile(small, epsilon, Accuracy::certified);
        EXPECT_LE(own.forward.lower(), most.forward.upper()) << item << release << epsilon;
        EXPECT_LE(own.reverse.lower(), most.reverse.upper()) << item << release << epsilon;
      }
    }
  EXPECT_GE(claimed, 30);
}

TEST(Domination, IsKnownWhereItMatters) {
  const auto known = [](int item, int release) {
    return dominates(parse_json(kinds[static_cast<std::size_t>(item)]),
                     parse_json(kinds[static_cast<std::size_t>(release)]));
  };
  EXPECT_TRUE(known(0, 2));
  EXPECT_FALSE(known(2, 0));
  EXPECT_TRUE(known(3, 4));
  EXPECT_FALSE(known(4, 3));
  EXPECT_TRUE(known(7, 3));
  EXPECT_TRUE(known(8, 0));
  EXPECT_TRUE(known(10, 9));
  EXPECT_FALSE(known(9, 10));
  EXPECT_TRUE(known(12, 0));
  EXPECT_FALSE(known(0, 12));
  const std::string replaced = "\"adjacency\": \"replace_one\"}";
  const std::string other =
      "{\"mechanism\": \"gaussian\", \"standard_deviation\": 9, \"sensitivity\": 1, " + replaced;
  EXPECT_FALSE(dominates(parse_json(kinds[0]), parse_json(other)));
}

}  // namespace
}  // namespace modicum::domination_test
