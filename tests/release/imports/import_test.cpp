#include "modicum/release/import.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "modicum/mechanisms/discrete.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/subsampled.h"

namespace modicum::testing::import_test {
namespace {

constexpr Adjacency add_remove = Adjacency::add_remove, replace_one = Adjacency::replace_one,
                    zero_out = Adjacency::zero_out;

double delta_of(std::string_view text, double epsilon, Adjacency adjacency = add_remove) {
  return profile(describe(import_description(text, adjacency).description).loss, epsilon)
      .delta()
      .upper();
}
double delta_of(const PrivacyLoss& loss, double epsilon) {
  return profile(loss, epsilon).delta().upper();
}
std::string refusal(std::string_view text, Adjacency adjacency = add_remove,
                    bool symmetric = false) {
  try {
    import_description(text, adjacency, symmetric);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Import, EventsAreTheMechanismsTheyName) {
  EXPECT_EQ(delta_of("GaussianDpEvent(noise_multiplier=2.0)", 0.5),
            delta_of(gaussian_mechanism(2.0, 1.0), 0.5));
  EXPECT_EQ(delta_of("GaussianDpEvent(noise_multiplier=2.0)", 0.5, replace_one),
            delta_of(gaussian_mechanism(2.0, 2.0), 0.5));
  EXPECT_EQ(delta_of("LaplaceDpEvent(noise_multiplier=2.0)", 0.25, zero_out),
            delta_of(laplace_mechanism(2.0, 1.0), 0.25));
  EXPECT_EQ(delta_of("DiscreteLaplaceDpEvent(noise_parameter=0.5, sensitivity=3)", 0.25),
            delta_of(discrete_laplace(2.0, 3.0), 0.25));
  EXPECT_EQ(delta_of("DiscreteGaussianDpEvent(sigma=4.0, sensitivity=1, dimension=1)", 0.25),
            delta_of(discrete_gaussian(4.0, 1.0), 0.25));
  EXPECT_EQ(delta_of("PoissonSampledDpEvent(sampling_probability=0.1, "
                     "event=GaussianDpEvent(noise_multiplier=1.0))",
                     0.5),
            delta_of(subsampled_gaussian(1.0, 1.0, 0.1), 0.5));
  EXPECT_EQ(delta_of("PoissonSampledDpEvent(sampling_probability=0.1, "
                     "event=GaussianDpEvent(noise_multiplier=1.0))",
                     0.5, replace_one),
            delta_of(replaced_subsampled_gaussian(1.0, 2.0, 0.1), 0.5));
  EXPECT_EQ(delta_of("SampledWithoutReplacementDpEvent(source_dataset_size=40, sample_size=10, "
                     "event=GaussianDpEvent(noise_multiplier=1.0))",
                     0.5, replace_one),
            delta_of(batched_gaussian(1.0, 2.0, 0.25), 0.5));
  EXPECT_EQ(delta_of("NoOpDpEvent()", 0.0), 0.0);
}

TEST(Import, UnknownDimensionsAreConcentrated) {
  const Value found =
      import_description("DiscreteGaussianDpEvent(sigma=4.0, sensitivity=2.0, dimension=None)",
                         add_remove)
          .description;
  EXPECT_EQ(found.at("mechanism").text(), "zcdp");
  EXPECT_EQ(found.at("rho").number(), 0.125);
}

TEST(Import, CompositionsAreCompositions) {
  const char* text =
      "ComposedDpEvent(events=[SelfComposedDpEvent(event=PoissonSampledDpEvent("
      "sampling_probability=0.01, event=GaussianDpEvent(noise_multiplier=1.0)), count=1000), "
      "LaplaceDpEvent(noise_multiplier=10.0), NoOpDpEvent()])";
  PrivacyLoss truth = subsampled_gaussian(1.0, 1.0, 0.01).repeated(1000.0);
  truth.compose(laplace_mechanism(10.0, 1.0));
  const auto found = import_description(text, add_remove);
  EXPECT_EQ(found.format, "event of dp_accounting");
  EXPECT_NEAR(profile(describe(found.description).loss, 1.5, Accuracy::fast).delta().upper(),
              profile(truth, 1.5, Accuracy::fast).delta().upper(), 1e-15);
  // Repeating what is repeated multiplies.
  EXPECT_EQ(delta_of("SelfComposedDpEvent(count=3, event=SelfComposedDpEvent("
                     "count=4, event=GaussianDpEvent(noise_multiplier=8.0)))",
                     0.5),
            delta_of(gaussian_mechanism(8.0, 1.0).repeated(12.0), 0.5));
}

// Twice on the same sample is once with less noise; rounding goes to the safe side.
TEST(Import, SeveralAnswersAboutOneSample) {
  const double found = delta_of(
      "PoissonSampledDpEvent(sampling_probability=0.1, event=SelfComposedDpEvent("
      "count=4, event=GaussianDpEvent(noise_multiplier=2.0)))",
      0.5);
  EXPECT_NEAR(found, delta_of(subsampled_gaussian(1.0, 1.0, 0.1), 0.5), 1e-15);
  EXPECT_NEAR(delta_of("PoissonSampledDpEvent(sampling_probability=0.1, "
                       "event=EpsilonDeltaDpEvent(epsilon=1.0, delta=0.001))",
                       10.0),
              1e-4, 1e-18);
}

TEST(Import, HistoriesOfOpacus) {
  PrivacyLoss truth = subsampled_gaussian(1.0, 1.0, 0.01).repeated(10.0);
  truth.compose(gaussian_mechanism(4.0, 1.0));
  const double delta = delta_of(truth, 0.5);
  EXPECT_EQ(delta_of("[(1.0, 0.01, 10), (4.0, 1.0, 1)]", 0.5), delta);
  EXPECT_EQ(delta_of("{\"history\": [[1.0, 0.01, 10], [4.0, 1, 1]], \"mechanism\": \"rdp\"}", 0.5),
            delta);
  EXPECT_EQ(delta_of("[(np.float64(1.0), 0.01, 10), (4.0, 1.0, 1), (1.0, 0.0, 5)]", 0.5), delta);
}

// One loss on a grid: randomized response with epsilon = 0.5, as a library would store it.
TEST(Import, LossDistributions) {
  const double likely = 1.0 / (1.0 + std::exp(-0.5));
  const std::string masses =
      "[" + fmt::format("{}", 1.0 - likely) + ", 0, 0, 0, " + fmt::format("{}", likely) + "]";
  const std::string function =
      R"({"min_key": -2, "discretization_interval": 0.25, "infinity_mass": 0.0, "values": )" +
      masses + "}";
  const std::string camel =
      R"({"minKey": "-2", "discretizationInterval": 0.25, "values": )" + masses + "}";
  const auto delta = [](const Value& description) {
    return profile(describe(description).loss, 0.2);
  };
  const ProfilePoint one = delta(
      import_description(R"({"pessimistic_pmf": )" + function + "}", add_remove, true).description);
  EXPECT_NEAR(one.forward.upper(), likely * -std::expm1(-0.3), 1e-15);
  EXPECT_EQ(one.forward.upper(), one.reverse.upper());
  EXPECT_EQ(
      delta(
          import_description(R"({"pessimisticPmf": )" + camel + "}", add_remove, true).description)
          .forward.upper(),
      one.forward.upper());
  const ProfilePoint two =
      delta(import_description(
                R"({"pmf_remove": )" + function +
                    R"(, "pmf_add": {"min_key": 0, "values": [0.75], "infinity_mass": 0.25}})",
                add_remove)
                .description);
  EXPECT_EQ(two.forward.upper(), one.forward.upper());
  EXPECT_EQ(two.reverse.upper(), 0.25);
  EXPECT_NE(refusal(R"({"pessimistic_pmf": )" + function + "}").find("symmetric"),
            std::string::npos);
}

TEST(Import, OtherEventsHaveDescriptions) {
  for (const char* text :
       {"EpsilonDeltaDpEvent(epsilon=1.0, delta=0.0)", "ZCDpEvent(rho=0.1, xi=0.0)",
        "ZCDpEvent(rho=0.1, xi=0.5)", "ExponentialMechanismDpEvent(epsilon=0.5)",
        "PermuteAndFlipDpEvent(epsilon=0.5)",
        "MixtureOfGaussiansDpEvent(standard_deviation=1.0, sensitivities=[0.0, 1.0, 2.0], "
        "sampling_probs=[0.5, 0.25, 0.25])",
        "SingleEpochTreeAggregationDpEvent(noise_multiplier=2.0, step_counts=[4, 8])",
        "SingleEpochTreeAggregationDpEvent(noise_multiplier=2.0, step_counts=8)",
        "TruncatedSubsampledGaussianDpEvent(dataset_size=100, sampling_probability=0.1, "
        "truncated_batch_size=15, noise_multiplier=1.0)",
        "RepeatAndSelectDpEvent(event=GaussianDpEvent(noise_multiplier=2.0), mean=10.0, shape=1.0)",
        "RepeatAndSelectDpEvent(event=GaussianDpEvent(noise_multiplier=2.0), mean=10.0, shape=inf)",
        "{\"class_name\": \"GaussianDpEvent\", \"module_name\": \"m\", \"noise_multiplier\": 1}"}) {
    const double delta = delta_of(text, 0.25);
    EXPECT_GT(delta, 0.0) << text;
    EXPECT_LT(delta, 1.0) << text;
  }
  EXPECT_GT(
      delta_of("RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=5)", 0.25, zero_out),
      0.0);
}

TEST(Import, RefusesByName) {
  EXPECT_NE(refusal("NonPrivateDpEvent()").find("NonPrivateDpEvent"), std::string::npos);
  EXPECT_NE(refusal("UnsupportedDpEvent()").find("UnsupportedDpEvent"), std::string::npos);
  EXPECT_NE(refusal("ComposedDpEvent(events=[GaussianDpEvent(noise_multiplier=1), Other()])")
                .find("events[1].class_name is Other"),
            std::string::npos)
      << refusal("ComposedDpEvent(events=[GaussianDpEvent(noise_multiplier=1), Other()])");
  for (const char* bad :
       {"GaussianDpEvent(noise_multiplier=0.0)",
        "GaussianDpEvent(noise_multiplier=-1)",
        "GaussianDpEvent()",
        "GaussianDpEvent(noise_multiplier='1')",
        "GaussianDpEvent(noise_multiplier=1, other=2)",
        "SelfComposedDpEvent(count=2)",
        "SelfComposedDpEvent(count=1.5, event=GaussianDpEvent(noise_multiplier=1))",
        "PoissonSampledDpEvent(sampling_probability=1.5, event=NoOpDpEvent())",
        "PoissonSampledDpEvent(sampling_probability=0.5, event=ZCDpEvent(rho=1.0))",
        "ComposedDpEvent(events=3)",
        "RandomizedResponseDpEvent(noise_parameter=0.5, num_buckets=5)",
        "SampledWithoutReplacementDpEvent(source_dataset_size=4, sample_size=2, "
        "event=GaussianDpEvent(noise_multiplier=1))",
        "[]",
        "[(1.0, 0.01)]",
        "[(0.0, 0.01, 1)]",
        "[(1.0, 2.0, 1)]",
        "[(1.0, 0.1, 0)]",
        "[(1.0, 0.1, 1.5)]",
        "[('a', 0.1, 1)]",
        "3",
        "{\"other\": 1}",
        "{}"})
    EXPECT_NE(refusal(bad), "") << bad;
  EXPECT_NE(refusal("SampledWithoutReplacementDpEvent(source_dataset_size=2, sample_size=4, "
                    "event=GaussianDpEvent(noise_multiplier=1))",
                    replace_one),
            "");
}

}  // namespace
}  // namespace modicum::testing::import_test
