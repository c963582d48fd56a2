#include "modicum/release/description.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/mechanisms/spherical.h"
#include "modicum/mechanisms/subsampled.h"
#include "modicum/mechanisms/tabulated.h"
#include "modicum/privacy/profile.h"
#include "release/certificates/read_file.h"
#include "support/temporary_folder.h"

namespace modicum::description_test {
namespace {

Description parsed(const std::string& text) { return parse_description(text, "test.json"); }

// The message of the refusal, which must be one line and name the source.
std::string refusal(const std::string& text, Accuracy accuracy = Accuracy::automatic) {
  try {
    parse_description(text, "test.json", accuracy);
  } catch (const InvalidDescription& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("test.json: ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.substr(std::min(message.size(), std::string("test.json: ").size()));
  }
  ADD_FAILURE() << "accepted: " << text.substr(0, 200);
  return "";
}

void expect_same_profile(const PrivacyLoss& a, const PrivacyLoss& b) {
  for (const double epsilon : {-0.5, 0.0, 0.3, 2.0}) {
    const ProfilePoint first = profile(a, epsilon), second = profile(b, epsilon);
    EXPECT_TRUE(first.forward.overlaps(second.forward)) << "forward at " << epsilon;
    EXPECT_TRUE(first.reverse.overlaps(second.reverse)) << "reverse at " << epsilon;
  }
}

constexpr const char* gaussian =
    R"({"mechanism": "gaussian", "standard_deviation": 2, "sensitivity": 1})";

TEST(Description, ReadsEveryMechanism) {
  expect_same_profile(parsed(gaussian).loss, gaussian_mechanism(2, 1));
  expect_same_profile(parsed(R"({"mechanism": "laplace", "scale": 2, "sensitivity": 1})").loss,
                      laplace_mechanism(2, 1));
  expect_same_profile(
      parsed(R"({"mechanism": "random_projection", "columns": 30, "leverage": 0.02})").loss,
      random_projection(30, 0.02));
  expect_same_profile(parsed(R"({"mechanism": "gaussian_dp", "mu": 0.5})").loss,
                      gaussian_differential_privacy(0.5));
  expect_same_profile(parsed(R"({"mechanism": "pure", "epsilon": 1})").loss, pure_guarantee(1));
  expect_same_profile(parsed(R"({"mechanism": "approximate", "epsilon": 1, "delta": 1e-6})").loss,
                      approximate_guarantee(1, 1e-6));
  expect_same_profile(
      parsed(R"({"mechanism": "randomized_response", "truth_probability": 0.75})").loss,
      randomized_response(0.75));
  GaussianSpectrum spectrum = GaussianSpectrum::component(0.1, 1.2, 3);
  spectrum.add(GaussianSpectrum::component(0.5, 0.7));
  expect_same_profile(parsed(R"({"mechanism": "gaussian_spectrum", "components": [
                                 {"mean": 0.1, "variance_ratio": 1.2, "multiplicity": 3},
                                 {"mean": 0.5, "variance_ratio": 0.7}]})")
                          .loss,
                      PrivacyLoss::gaussian(spectrum));
}

TEST(Description, ReadsLossesKnownByTheirLaws) {
  expect_same_profile(parsed(R"({"mechanism": "subsampled_gaussian", "standard_deviation": 2,
                                 "sensitivity": 1, "sampling_rate": 0.1})")
                          .loss,
                      subsampled_gaussian(2, 1, 0.1));
  expect_same_profile(parsed(R"({"mechanism": "subsampled_laplace", "scale": 2, "sensitivity": 1,
                                 "sampling_rate": 0.1})")
                          .loss,
                      subsampled_laplace(2, 1, 0.1));
  expect_same_profile(parsed(R"({"mechanism": "spherical_generalized_gamma", "dimension": 5,
                                 "alpha": 3, "beta": 0.5, "p": 1.5, "sensitivity": 1})")
                          .loss,
                      spherical_mechanism({5, 3, 0.5, 1.5}, 1));
  expect_same_profile(
      parsed(R"({"mechanism": "l2", "dimension": 5, "scale": 2, "sensitivity": 1})").loss,
      spherical_mechanism(SphericalNoise::l2(5, 2), 1));
  expect_same_profile(parsed(R"({"mechanism": "bounded_range", "range": 0.7})").loss,
                      bounded_range(0.7));
}

TEST(Description, ReadsReleasesOfTables) {
  expect_same_profile(parsed(R"({"mechanism": "projection_release", "columns": 30, "ridge": 50,
                                 "row_norm_bound": 2})")
                          .loss,
                      ridge_projection(30, 50, 2));
  expect_same_profile(parsed(R"({"mechanism": "least_squares", "columns": 100, "features": 3,
                                 "row_leverage": 0.01, "full_leverage": 0.03})")
                          .loss,
                      least_squares(100, 3, 0.01, 0.03));
  expect_same_profile(parsed(R"({"mechanism": "covariance_release", "standard_deviation": 7,
                                 "row_norm_bound": 3})")
                          .loss,
                      covariance_mechanism(7, 3));
  EXPECT_EQ(parsed(R"({"mechanism": "projection_release", "columns": 30, "ridge": 50,
                       "row_norm_bound": 2, "count": 2})")
                .label,
            "projection, 30 columns, ridge 50, row norm bound 2, 2 times");
}

// What a composition needs: above the pairs of neighbors at every epsilon, and close to the worst.
TEST(Description, AReleaseOfLeastSquaresDominatesItsPairs) {
  if (MODICUM_INSTRUMENTED) GTEST_SKIP() << "takes minutes";
  const PrivacyLoss all = parsed(R"({"mechanism": "least_squares_release", "columns": 10,
                                     "features": 2, "ridge": 3, "row_norm_bound": 1})")
                              .loss;
  const std::vector<double> epsilons{0.0, 0.5, 1.0, 2.0};
  std::vector<double> bounds;
  for (const double epsilon : epsilons) bounds.push_back(profile(all, epsilon).delta().upper());
  double largest = 0.0;
  for (const double share : {0.0, 0.3, 0.5, 0.7, 1.0}) {
    const double full = 0.25 * (1.0 - 1e-12);
    const PrivacyLoss pair =
        parsed(fmt::format(R"({{"mechanism": "least_squares", "columns": 10, "features": 2,
                               "row_leverage": {}, "full_leverage": {}}})",
                           share * full, full))
            .loss;
    for (std::size_t i = 0; i < epsilons.size(); ++i)
      EXPECT_GE(bounds[i], profile(pair, epsilons[i]).delta().lower());
    largest = std::max(largest, profile(pair, 1.0).delta().lower());
  }
  EXPECT_LT(bounds[2], 1.4 * largest);
}

TEST(Description, ALiftedReleaseDominatesItsPairs) {
  const Description all = parsed(R"({"mechanism": "lifted_release", "mean_shift": 0.3,
                                     "variance_excess": 0.1, "rank": 2})");
  EXPECT_EQ(all.label, "lifted Gaussian output, mean shift 0.3, variance excess 0.1, rank 2");
  EXPECT_TRUE(all.loss.is_upper_bound());
  const PrivacyLoss pair = parsed(R"({"mechanism": "gaussian_spectrum", "components": [
      {"mean": 0.3, "variance_ratio": 1.1}, {"mean": 0, "variance_ratio": 1.1}]})")
                               .loss;
  for (const double epsilon : {0.0, 0.5, 1.5}) {
    const double truth = profile(pair, epsilon).delta().lower();
    EXPECT_GE(profile(all.loss, epsilon).delta().upper(), truth);
    EXPECT_LE(profile(all.loss, epsilon).delta().upper(), 1.1 * truth);
  }
}

// What was calibrated for (0.1, 1e-9): where the search ends is off by more than the proof.
TEST(Description, AnObjectiveGivesBackItsEpsilon) {
  const Description made = parsed(
      R"({"mechanism": "objective_release", "standard_deviation": 87.1384829398523,
          "lipschitz": 1.7320508075688774, "smoothness": 0.7500000000000001, "regularization": 30.000000000000004,
          "loss": "logistic", "minimizer_error": 3.4641691685681385e-12,
          "output_standard_deviation": 5.5769716625296275e-09})");
  const double epsilon = epsilon_at(made.loss, 1e-9).value.upper();
  EXPECT_NEAR(epsilon, 0.1, 1e-7);
  EXPECT_LE(profile(made.loss, epsilon).delta().upper(), 1e-9);
}

TEST(Description, RefusesReleasesOfTablesWithoutSense) {
  EXPECT_EQ(refusal(R"({"mechanism": "lifted_release", "mean_shift": -1, "variance_excess": 0.1,
                        "rank": 1})"),
            "mean_shift is -1, but must be non-negative and finite");
  EXPECT_EQ(refusal(R"({"mechanism": "projection_release", "columns": 30, "ridge": 0,
                        "row_norm_bound": 2})"),
            "ridge is 0, but must be positive and finite");
  EXPECT_EQ(refusal(R"({"mechanism": "projection_release", "columns": 2.5, "ridge": 1,
                        "row_norm_bound": 2})"),
            "columns is 2.5, but must be a whole number from 1 to 2^53");
  EXPECT_EQ(refusal(R"({"mechanism": "least_squares", "columns": 100, "features": 3,
                        "row_leverage": 0.05, "full_leverage": 0.03})"),
            "full_leverage is 0.03, but must be at least the row leverage and below 1");
  EXPECT_EQ(refusal(R"({"mechanism": "least_squares_release", "columns": 100, "features": 0,
                        "ridge": 1, "row_norm_bound": 1})"),
            "features is 0, but must be a whole number from 1 to 2^53");
  EXPECT_EQ(refusal(R"({"mechanism": "covariance_release", "standard_deviation": 7})"),
            "row_norm_bound is missing, but must be given");
}

class Tables : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  Description read(const std::string& file) const {
    return parse_description(fmt::format(R"({{"mechanism": "tabulated", "file": "{}"}})", file),
                             "test.json", Accuracy::automatic, folder_.path().string());
  }
  std::string refusal(const std::string& file) const {
    try {
      read(file);
    } catch (const InvalidDescription& error) {
      return error.what();
    }
    ADD_FAILURE() << "accepted";
    return "";
  }
  const modicum::testing::TemporaryFolder folder_;
};

TEST_F(Tables, AreReadFromTheFolderOfTheDescription) {
  write("loss.csv", "loss,probability\n-0.5,0.25\n0.5,0.625\ninf,0.125\n");
  const PrivacyLoss loss = tabulated_loss({{-0.5, 0.5}, {0.25, 0.625}, 0.125});
  expect_same_profile(read("loss.csv").loss, loss);
  expect_same_profile(read(folder_.path("loss.csv")).loss, loss);
  EXPECT_EQ(read("loss.csv").label, "table loss.csv");
}

TEST_F(Tables, AreRefusedWithFileAndLine) {
  const auto place = [&](const char* name) {
    return fmt::format("test.json: {}: ", folder_.path(name));
  };
  write("word.csv", "0,0.5\n0,half\n");
  EXPECT_EQ(refusal("word.csv"),
            place("word.csv") + "line 2: probability is \"half\", but must be a number");
  write("sum.csv", "0,0.5\n");
  EXPECT_EQ(refusal("sum.csv"),
            place("sum.csv") + "sum of the probabilities is 0.5, but must be 1");
  write("other.csv", "-1,1\n");
  EXPECT_NE(refusal("other.csv").find("but must be at most 1"), std::string::npos);
}

TEST_F(Tables, ThatCannotBeReadAreAnotherError) {
  EXPECT_THROW(read("none.csv"), UnreadableFile);
  EXPECT_THROW(read("."), UnreadableFile);
  EXPECT_THROW(read("-"), UnreadableFile);  // not standard input
  EXPECT_EQ(refusal(""), "test.json: file is \"\", but must name a file");
  write("loss.csv", "0,1\n");
  EXPECT_NE(refusal("loss.csv\\u0000").find("must name a file"), std::string::npos);
}

TEST(Description, XIsTheFirstOfAPair) {
  // X wider than Y: its tails give it away, so forward exceeds reverse at a large epsilon.
  const auto loss = parsed(R"({"mechanism": "gaussian_pair", "mean1": [0], "covariance1": [[4]],
                               "mean2": [0], "covariance2": [[1]]})")
                        .loss;
  const ProfilePoint at_zero = profile(loss, 0.0), at_two = profile(loss, 2.0);
  EXPECT_NEAR(at_zero.forward.upper(), 0.322675, 1e-6);
  EXPECT_GT(at_two.forward.lower(), at_two.reverse.upper());
  expect_same_profile(loss, PrivacyLoss::gaussian(GaussianSpectrum::component(0, 4)));
}

TEST(Description, CompositionKeepsTheOrientationOfItsParts) {
  const std::string wide = R"({"mechanism": "gaussian_spectrum",
                               "components": [{"mean": 0, "variance_ratio": 2}]})";
  const std::string narrow = R"({"mechanism": "gaussian_spectrum",
                                 "components": [{"mean": 0, "variance_ratio": 0.5}]})";
  GaussianSpectrum both = GaussianSpectrum::component(0, 2);
  both.add(GaussianSpectrum::component(0, 0.5));
  expect_same_profile(parsed(fmt::format(R"({{"compose": [{}, {}]}})", wide, narrow)).loss,
                      PrivacyLoss::gaussian(both));
}

TEST(Description, CountWorksOnMechanismsAndCompositions) {
  const PrivacyLoss six = gaussian_mechanism(2, 1).repeated(6);
  expect_same_profile(
      parsed(R"({"mechanism": "gaussian", "standard_deviation": 2, "sensitivity": 1, "count": 6})")
          .loss,
      six);
  expect_same_profile(
      parsed(fmt::format(R"({{"compose": [{0}, {0}], "count": 3}})", gaussian)).loss, six);
  expect_same_profile(
      parsed(fmt::format(R"({{"compose": [{{"compose": [{0}], "count": 2}}, {0}], "count": 2}})",
                         gaussian))
          .loss,
      six);
  expect_same_profile(
      parsed(
          R"({"mechanism": "gaussian", "standard_deviation": 2, "sensitivity": 1, "count": 6e0})")
          .loss,
      six);
}

TEST(Description, ASingularPairIsMutuallySingular) {
  for (const Accuracy accuracy : {Accuracy::automatic, Accuracy::certified, Accuracy::fast}) {
    const auto ranges = parse_description(
        R"({"mechanism": "gaussian_pair", "mean1": [0, 0], "covariance1": [[1, 1], [1, 1]],
            "mean2": [0, 0], "covariance2": [[1, 0], [0, 1]]})",
        "", accuracy);
    EXPECT_TRUE(ranges.loss.forward().mutually_singular);
    const auto means = parse_description(
        R"({"mechanism": "gaussian_pair", "mean1": [0, 1], "covariance1": [[1, 1], [1, 1]],
            "mean2": [0, 0], "covariance2": [[2, 2], [2, 2]]})",
        "", accuracy);
    EXPECT_TRUE(means.loss.forward().mutually_singular);
    const auto shared = parse_description(
        R"({"mechanism": "gaussian_pair", "mean1": [1, 1], "covariance1": [[1, 1], [1, 1]],
            "mean2": [0, 0], "covariance2": [[2, 2], [2, 2]]})",
        "", accuracy);
    EXPECT_FALSE(shared.loss.forward().mutually_singular);
  }
}

TEST(Description, LabelsSayWhatItIs) {
  EXPECT_EQ(parsed(R"({"mechanism": "gaussian", "standard_deviation": 50, "sensitivity": 1,
                       "count": 1000})")
                .label,
            "Gaussian, sigma 50, 1000 times");
  EXPECT_EQ(parsed(R"({"mechanism": "laplace", "scale": 2.5, "sensitivity": 3})").label,
            "Laplace, scale 2.5, sensitivity 3");
  EXPECT_EQ(parsed(fmt::format(R"({{"compose": [{0}, {0}], "count": 3}})", gaussian)).label,
            "composition of 2 parts, 3 times");
}

TEST(Description, LabelsOfLawsSayWhatTheyAre) {
  EXPECT_EQ(parsed(R"({"mechanism": "subsampled_gaussian", "standard_deviation": 2,
                       "sensitivity": 3, "sampling_rate": 0.1, "count": 5})")
                .label,
            "Gaussian, sigma 2, sensitivity 3, sampling rate 0.1, 5 times");
  EXPECT_EQ(parsed(R"({"mechanism": "subsampled_laplace", "scale": 2, "sensitivity": 1,
                       "sampling_rate": 0.1})")
                .label,
            "Laplace, scale 2, sampling rate 0.1");
  EXPECT_EQ(parsed(R"({"mechanism": "spherical_generalized_gamma", "dimension": 5, "alpha": 3,
                       "beta": 0.5, "p": 1.5, "sensitivity": 1})")
                .label,
            "spherical, dimension 5, alpha 3, beta 0.5, p 1.5");
  EXPECT_EQ(parsed(R"({"mechanism": "l2", "dimension": 5, "scale": 2, "sensitivity": 1})").label,
            "l2, dimension 5, scale 2");
  EXPECT_EQ(parsed(R"({"mechanism": "bounded_range", "range": 0.7})").label, "bounded range 0.7");
}

TEST(Description, RefusesParametersOfLawsOutsideTheirRange) {
  const auto sampled = [](const std::string& rate) {
    return refusal(fmt::format(R"({{"mechanism": "subsampled_laplace", "scale": 2,
                                    "sensitivity": 1, "sampling_rate": {}}})",
                               rate));
  };
  for (const std::string rate : {"0", "-0.1", "1.5"})
    EXPECT_EQ(sampled(rate),
              fmt::format("sampling_rate is {}, but must be above 0 and at most 1", rate));
  const auto spherical = [](const std::string& dimension, const std::string& alpha,
                            const std::string& beta, const std::string& p) {
    return refusal(fmt::format(R"({{"compose": [{{"mechanism": "spherical_generalized_gamma",
                                    "dimension": {}, "alpha": {}, "beta": {}, "p": {},
                                    "sensitivity": 1}}]}})",
                               dimension, alpha, beta, p));
  };
  EXPECT_TRUE(spherical("2.5", "1", "1", "1").starts_with("compose[0].dimension is 2.5"));
  EXPECT_TRUE(spherical("0", "-0.5", "1", "1").starts_with("compose[0].dimension is 0"));
  for (const std::string alpha : {"-1", "2.5"})
    EXPECT_EQ(spherical("3", alpha, "1", "1"),
              fmt::format("compose[0].alpha is {}, but must be above -1 and at most dimension - 1",
                          alpha));
  EXPECT_TRUE(spherical("3", "2", "0", "1").starts_with("compose[0].beta is 0"));
  EXPECT_TRUE(spherical("3", "2", "1", "-2").starts_with("compose[0].p is -2"));
  EXPECT_EQ(refusal(R"({"mechanism": "bounded_range", "range": -1})").substr(0, 11), "range is -1");
  EXPECT_EQ(refusal(R"({"mechanism": "tabulated", "file": 1})"), "file is 1, but must be a string");
}

TEST(Description, NamesThePathTheValueAndTheRule) {
  EXPECT_EQ(refusal(fmt::format(R"({{"compose": [{}, {{"mechanism": "laplace", "scale": -2,
                                    "sensitivity": 1}}]}})",
                                gaussian)),
            "compose[1].scale is -2, but must be positive and finite");
  EXPECT_EQ(refusal(R"({"mechanism": "gaussian_spectrum", "components": [
                        {"mean": 0, "variance_ratio": 1}, {"mean": 0, "variance_ratio": 0}]})"),
            "components[1].variance_ratio is 0, but must be positive and finite");
  EXPECT_EQ(refusal(R"({"compose": [{"compose": [{"mechanism": "gaussian_pair",
                        "mean1": [0], "covariance1": [[-1]], "mean2": [0], "covariance2": [[1]]}]}]})"),
            "compose[0].compose[0].covariance1[0][0] is -1, but variances must not be negative");
}

TEST(Description, RefusesUnknownMissingAndRepeatedKeys) {
  EXPECT_EQ(refusal(R"({"mechanism": "gaussian", "sigma": 2, "sensitivity": 1})"),
            "sigma is an unknown key, but must be one of: mechanism, standard_deviation, "
            "sensitivity, noise_multiplier, adjacency, count");
  EXPECT_EQ(refusal(R"({"mechanism": "gaussian", "standard_deviation": 2})"),
            "sensitivity is missing, but must be given");
  EXPECT_EQ(refusal(R"({"mechanism": "pure", "epsilon": 1, "epsilon": 1})"),
            "epsilon is given twice, but must be given once");
  EXPECT_EQ(refusal(R"({"compose": [{"mechanism": "pure", "epsilon": 1, "epsilon": 1}]})"),
            "compose[0].epsilon is given twice, but must be given once");
  EXPECT_EQ(refusal("{}"), "mechanism is missing, but \"mechanism\" or \"compose\" must be given");
  EXPECT_NE(
      refusal(fmt::format(R"({{"compose": [{}], "mechanism": "pure", "epsilon": 1}})", gaussian))
          .find("is an unknown key, but must be one of: compose, count"),
      std::string::npos);
  EXPECT_EQ(refusal(R"({"mechanism": "gaussian_spectrum", "components": [
                        {"mean": 0, "variance_ratio": 1, "count": 2}]})"),
            "components[0].count is an unknown key, but must be one of: mean, variance_ratio, "
            "multiplicity");
}

TEST(Description, NamesTheMechanismsItKnows) {
  for (const std::string name : {"subsampled", "", "Gaussian", "x\ny"})
    EXPECT_NE(refusal(fmt::format(R"({{"mechanism": "{}"}})", name == "x\ny" ? "x\\ny" : name))
                  .find("but must be one of: gaussian, gaussian_pair, gaussian_spectrum, laplace, "
                        "subsampled_gaussian, subsampled_laplace, discrete_gaussian, "
                        "discrete_laplace, geometric, integer_noise"),
              std::string::npos);
  EXPECT_TRUE(refusal(R"({"mechanism": "x\ny"})").starts_with("mechanism is \"x\\x0ay\", but"));
}

TEST(Description, RefusesOtherTypes) {
  for (const std::string value : {"true", "false", "null", "\"1\"", "[1]", "{}"}) {
    EXPECT_NE(refusal(fmt::format(R"({{"mechanism": "pure", "epsilon": {}}})", value))
                  .find("but must be a number"),
              std::string::npos)
        << value;
    EXPECT_NE(refusal(fmt::format(R"({{"mechanism": "pure", "epsilon": 1, "count": {}}})", value))
                  .find("count is "),
              std::string::npos)
        << value;
  }
  EXPECT_EQ(refusal(R"({"mechanism": 1})"), "mechanism is 1, but must be a string");
  EXPECT_EQ(refusal("[]"), "description is a list, but must be an object");
  EXPECT_EQ(refusal("1"), "description is 1, but must be an object");
  EXPECT_EQ(refusal(R"({"compose": {}})"),
            "compose is an object, but must be a list with at least one entry");
  EXPECT_EQ(refusal(R"({"compose": []})"),
            "compose is an empty list, but must be a list with at least one entry");
  EXPECT_EQ(refusal(R"({"compose": [3]})"), "compose[0] is 3, but must be an object");
  EXPECT_EQ(refusal(R"({"mechanism": "gaussian_spectrum", "components": []})"),
            "components is an empty list, but must be a list with at least one entry");
}

TEST(Description, RefusesMatricesThatAreNone) {
  const auto pair = [](const std::string& mean, const std::string& covariance) {
    return refusal(fmt::format(R"({{"mechanism": "gaussian_pair", "mean1": {}, "covariance1": {},
                                    "mean2": [0, 0], "covariance2": [[1, 0], [0, 1]]}})",
                               mean, covariance));
  };
  EXPECT_EQ(pair("[0, 0]", "[[1, 0], [0]]"),
            "covariance1[1] is of length 1, but must have the length of the first row, 2");
  EXPECT_EQ(pair("[0, 0]", "[[1, 0], [0, true]]"),
            "covariance1[1][1] is true, but must be a number");
  EXPECT_EQ(pair("[0, null]", "[[1, 0], [0, 1]]"), "mean1[1] is null, but must be a number");
  EXPECT_EQ(pair("[0, 0]", "[1, 0]"), "covariance1[0] is 1, but must be a list of numbers");
  EXPECT_EQ(pair("[0, 0]", "[[1, 0]]"), "covariance1 is 1 by 2, but must be 2 by 2");
  EXPECT_NE(pair("[0]", "[[1]]").find("mean2 is of length 2"), std::string::npos);
  EXPECT_NE(pair("[0, 0]", "[[1, 0.5], [0, 1]]").find("must be symmetric"), std::string::npos);
  EXPECT_NE(pair("[0, 0]", "[[1, 2], [2, 1]]").find("negative eigenvalue"), std::string::npos);
}

TEST(Description, RefusesNumbersThatDoublesCannotHold) {
  const auto pure = [](const std::string& number) {
    return refusal(fmt::format(R"({{"mechanism": "pure", "epsilon": {}}})", number));
  };
  for (const std::string number : {"1e999", "-1e999", "1e-400", "-1e-400", "1e-310"})
    EXPECT_EQ(pure(number), fmt::format("epsilon is {}, but must be finite, and zero or at least "
                                        "2.3e-308 in size",
                                        number));
  for (const std::string number : {"NaN", "Infinity", "inf"})
    EXPECT_EQ(pure(number),
              fmt::format("line 1, column 34: epsilon is {}, but must be a finite number", number));
  EXPECT_EQ(refusal(R"({"compose": [{"mechanism": "laplace", "scale": 1, "sensitivity": 1e400}]})"),
            "compose[0].sensitivity is 1e400, but must be finite, and zero or at least 2.3e-308 in "
            "size");
  EXPECT_NO_THROW(parsed(R"({"mechanism": "pure", "epsilon": 0})"));
  EXPECT_NO_THROW(parsed(R"({"mechanism": "pure", "epsilon": 0.0e-999})"));
}

TEST(Description, RefusesCountsThatAreNone) {
  for (const std::string count :
       {"0", "-1", "1.5", "1e-9", "1e300", "9007199254740993", "18446744073709551615"})
    EXPECT_NE(refusal(fmt::format(R"({{"mechanism": "pure", "epsilon": 1, "count": {}}})", count))
                  .find("but must be a whole number from 1 to 2^53"),
              std::string::npos)
        << count;
  EXPECT_NE(refusal(fmt::format(R"({{"compose": [{}], "count": 0}})", gaussian)).find("count is 0"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"mechanism": "random_projection", "columns": 2.5, "leverage": 0.1})")
                .find("columns is 2.5"),
            std::string::npos);
  // Nested counts multiply beyond what is counted exactly.
  EXPECT_NE(refusal(R"({"compose": [{"mechanism": "pure", "epsilon": 1, "count": 9007199254740992}],
                        "count": 9007199254740992})")
                .find("total count"),
            std::string::npos);
}

TEST(Description, PointsAtWhatIsNotJson) {
  EXPECT_TRUE(refusal("{\n  \"mechanism\": oops\n}").starts_with("line 2, column 16: not JSON: "));
  EXPECT_TRUE(
      refusal("{\"mechanism\": \"pure\",\n\"epsilon\": 1").starts_with("line 2, column 13:"));
  EXPECT_EQ(refusal(""), "line 1, column 1: not JSON: the text is empty");
  EXPECT_EQ(refusal(" \n "), "line 2, column 2: not JSON: the text is empty");
  for (const std::string text : {"{", "}", "nonsense", "{} {}", "{\"a\"}", "{'a': 1}", "[1,]",
                                 "{\"a\": 1,}", "// x\n{}", "\"\xff\"", "\"\\ud800\"", "01"})
    EXPECT_TRUE(refusal(text).starts_with("line 1, column ")) << text;
  EXPECT_LT(refusal("\"" + std::string(100000, 'x')).size(), 300u);
}

TEST(Description, SurvivesDeepNesting) {
  const std::size_t deep = 1000000;
  EXPECT_NE(refusal(std::string(deep, '[')).find("nested"), std::string::npos);
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"compose\":[";
  EXPECT_NE(refusal(objects).find("nested more than 64 deep"), std::string::npos);
  const auto nested = [](int levels) {
    std::string text = gaussian;
    for (int i = 0; i < levels; ++i) text = "{\"compose\":[" + text + "]}";
    return text;
  };
  EXPECT_NO_THROW(parsed(nested(31)));
  EXPECT_NE(refusal(nested(32)).find("nested more than 64 deep"), std::string::npos);
}

TEST(Description, ReadsALongComposition) {
  std::string parts = gaussian;
  for (int i = 1; i < 10000; ++i) parts += "," + std::string(gaussian);
  expect_same_profile(parsed("{\"compose\":[" + parts + "]}").loss,
                      gaussian_mechanism(2, 1).repeated(10000));
}

RC_GTEST_PROP(Description, NeverFailsInAnotherWay, (const std::string& text)) {
  try {
    parse_description(text, "text");
  } catch (const InvalidDescription&) {
  }
}

// Valid text with one byte changed.
RC_GTEST_PROP(Description, NeverFailsInAnotherWayNearValidText, ()) {
  std::string text = R"({"compose": [{"mechanism": "gaussian_spectrum", "components":
    [{"mean": 0.1, "variance_ratio": 1.2, "multiplicity": 3}], "count": 2}, {"mechanism":
    "gaussian_pair", "mean1": [0, 1e-3], "covariance1": [[1, 0.5], [0.5, 2]], "mean2": [0, 0],
    "covariance2": [[1, 0], [0, 1]]}, {"mechanism": "laplace", "scale": 2, "sensitivity": 1}]})";
  text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
  try {
    parse_description(text, "text");
  } catch (const InvalidDescription&) {
  }
}

}  // namespace
}  // namespace modicum::description_test
