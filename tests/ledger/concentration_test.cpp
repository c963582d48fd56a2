#include "modicum/ledger/concentration.h"

#include <gtest/gtest.h>

#include <cmath>

#include "modicum/data/json.h"
#include "modicum/privacy/profile.h"
#include "modicum/release/description.h"

namespace modicum::concentration_test {
namespace {

std::optional<Reading> rho_of(const std::string& text) {
  return concentration_of(parse_json(text));
}

TEST(Concentration, IsThatOfItsParts) {
  EXPECT_EQ(rho_of("{\"mechanism\": \"zcdp\", \"rho\": 0.125}")->upper(), 0.125);
  EXPECT_EQ(rho_of("{\"mechanism\": \"zcdp\", \"rho\": 0.125, \"count\": 3}")->upper(), 0.375);
  EXPECT_NEAR(rho_of("{\"mechanism\": \"gaussian_dp\", \"mu\": 0.5, \"steps\": 2}")->upper(), 0.25,
              1e-15);
  EXPECT_NEAR(rho_of("{\"mechanism\": \"pure\", \"epsilon\": 0.5}")->upper(), 0.125, 1e-15);
  EXPECT_NEAR(
      rho_of("{\"mechanism\": \"discrete_gaussian\", \"sigma\": 4, \"sensitivity\": 2}")->upper(),
      0.125, 1e-15);
  EXPECT_NEAR(rho_of("{\"compose\": [{\"mechanism\": \"zcdp\", \"rho\": 0.1}, {\"mechanism\": "
                     "\"laplace\", \"scale\": 2, \"sensitivity\": 1}], \"count\": 2}")
                  ->upper(),
              0.45, 1e-15);
}

TEST(Concentration, IsNotClaimedWhereItIsNotKnown) {
  for (const char* text :
       {"{\"mechanism\": \"random_projection\", \"columns\": 300, \"leverage\": 0.02}",
        "{\"mechanism\": \"approximate\", \"epsilon\": 0.5, \"delta\": 1e-9}",
        "{\"mechanism\": \"tabulated\", \"file\": \"loss.csv\"}",
        "{\"compose\": [{\"mechanism\": \"zcdp\", \"rho\": 0.1}, {\"mechanism\": "
        "\"random_projection\", \"columns\": 300, \"leverage\": 0.02}]}"})
    EXPECT_FALSE(rho_of(text)) << text;
}

// Renyi divergences of these losses by another way are never above rho times the order.
TEST(Concentration, BoundsTheDivergences) {
  for (const char* text :
       {"{\"mechanism\": \"laplace\", \"scale\": 2, \"sensitivity\": 1}",
        "{\"mechanism\": \"randomized_response\", \"truth_probability\": 0.75}",
        "{\"mechanism\": \"gaussian\", \"standard_deviation\": 3, \"sensitivity\": 1, \"count\": "
        "4}",
        "{\"mechanism\": \"discrete_laplace\", \"scale\": 2, \"sensitivity\": 1}"}) {
    const double rho = rho_of(text)->upper();
    const PrivacyLoss loss = describe(parse_json(text)).loss;
    for (const double order : {1.01, 1.5, 2.0, 5.0, 30.0})
      EXPECT_LE(renyi_divergence(loss, order).value.lower(), rho * order * (1.0 + 1e-12)) << text;
  }
}

}  // namespace
}  // namespace modicum::concentration_test
