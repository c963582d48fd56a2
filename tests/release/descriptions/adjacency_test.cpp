// Neighbors, samples and what else descriptions of today's accountants say.
#include <gtest/gtest.h>

#include <string>

#include "modicum/mechanisms/discrete.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/mechanisms/zero_concentrated.h"
#include "modicum/privacy/profile.h"
#include "modicum/release/description.h"

namespace modicum::adjacency_test {
namespace {

std::string refused(const std::string& text) {
  try {
    parse_description(text, "");
  } catch (const InvalidDescription& error) {
    return error.what();
  }
  return "accepted";
}

double delta_of(const std::string& text, double epsilon = 0.5) {
  return profile(parse_description(text, "").loss, epsilon).delta().upper();
}
double delta_of(const PrivacyLoss& loss, double epsilon = 0.5) {
  return profile(loss, epsilon).delta().upper();
}

const std::string steps =
    R"("mechanism": "subsampled_gaussian", "standard_deviation": 1, "sensitivity": 2, "sampling_rate": 0.1)";

TEST(Adjacency, ChoosesTheLossOfASample) {
  EXPECT_EQ(delta_of("{" + steps + "}"), delta_of(subsampled_gaussian(1.0, 2.0, 0.1)));
  EXPECT_EQ(delta_of("{" + steps + R"(, "adjacency": "add_remove", "sampling": "poisson"})"),
            delta_of(subsampled_gaussian(1.0, 2.0, 0.1)));
  EXPECT_EQ(delta_of("{" + steps + R"(, "adjacency": "zero_out"})"),
            delta_of(subsampled_gaussian(1.0, 2.0, 0.1)));
  EXPECT_EQ(delta_of("{" + steps + R"(, "adjacency": "replace_one"})"),
            delta_of(replaced_subsampled_gaussian(1.0, 2.0, 0.1)));
  for (const std::string adjacency : {"replace_one", "zero_out"}) {
    const std::string text =
        "{" + steps + R"(, "sampling": "without_replacement", "adjacency": ")" + adjacency + "\"}";
    EXPECT_EQ(delta_of(text), delta_of(batched_gaussian(1.0, 2.0, 0.1)));
    EXPECT_TRUE(parse_description(text, "").loss.is_upper_bound());
  }
}

TEST(Adjacency, NoiseMultiplierIsInUnitsOfTheNorm) {
  EXPECT_EQ(
      delta_of(R"({"mechanism": "gaussian", "noise_multiplier": 3, "adjacency": "replace_one"})"),
      delta_of(gaussian_mechanism(3.0, 2.0)));
  EXPECT_EQ(delta_of(R"({"mechanism": "gaussian", "noise_multiplier": 3})"),
            delta_of(gaussian_mechanism(3.0, 1.0)));
  EXPECT_EQ(
      delta_of(R"({"mechanism": "subsampled_gaussian", "noise_multiplier": 1, "sampling_rate": 0.1,
                         "sampling": "without_replacement", "adjacency": "zero_out"})"),
      delta_of(batched_gaussian(1.0, 2.0, 0.1)));
}

TEST(Adjacency, RefusesWhatIsNotProved) {
  EXPECT_NE(refused("{" + steps + R"(, "sampling": "without_replacement"})")
                .find("replace_one or zero_out"),
            std::string::npos);
  EXPECT_NE(refused(R"({"mechanism": "subsampled_laplace", "scale": 1, "sensitivity": 1,
                        "sampling_rate": 0.1, "adjacency": "replace_one"})")
                .find("no bound is proved"),
            std::string::npos);
  EXPECT_NE(refused("{" + steps + R"(, "adjacency": "both"})"), "accepted");
  EXPECT_NE(refused("{" + steps + R"(, "sampling": "shuffled"})"), "accepted");
}

TEST(Adjacency, PartsOfACompositionMustAgree) {
  const std::string one = R"({"mechanism": "gaussian", "standard_deviation": 1, "sensitivity": 1)";
  const std::string mixed =
      R"({"compose": [)" + one + "}, " + one + R"(, "adjacency": "replace_one"}]})";
  EXPECT_NE(refused(mixed).find("one kind of neighbors"), std::string::npos) << refused(mixed);
  const std::string same = R"({"compose": [)" + one + R"(, "adjacency": "replace_one"}, )" + one +
                           R"(, "adjacency": "replace_one"}]})";
  EXPECT_EQ(parse_description(same, "").adjacency, Adjacency::replace_one);
}

TEST(DescribedNoise, OnTheIntegers) {
  EXPECT_EQ(delta_of(R"({"mechanism": "discrete_gaussian", "sigma": 4, "sensitivity": 1})"),
            delta_of(discrete_gaussian(4.0, 1.0)));
  EXPECT_EQ(delta_of(R"({"mechanism": "discrete_laplace", "scale": 2, "sensitivity": 3})"),
            delta_of(discrete_laplace(2.0, 3.0)));
  EXPECT_NE(refused(R"({"mechanism": "discrete_gaussian", "sigma": 4, "sensitivity": 0.5})"),
            "accepted");
}

// All rho of a description are one.
TEST(DescribedNoise, ZeroConcentratedGuaranteesAddUp) {
  const double sum = delta_of(R"({"compose": [{"mechanism": "zcdp", "rho": 0.125, "count": 2},
                                  {"compose": [{"mechanism": "zcdp", "rho": 0.25}]}], "count": 2})");
  EXPECT_NEAR(sum / delta_of(zero_concentrated(1.0)), 1.0, 1e-12);
  EXPECT_NE(refused(R"({"mechanism": "zcdp", "rho": -1})"), "accepted");
}

}  // namespace
}  // namespace modicum::adjacency_test
