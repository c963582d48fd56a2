#include "modicum/release/certificate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "modicum/release/component_release.h"
#include "modicum/release/covariance_release.h"
#include "modicum/release/description.h"
#include "modicum/release/gaussian_process_release.h"
#include "modicum/release/logistic_release.h"
#include "modicum/release/matrix_release.h"
#include "modicum/release/objective_release.h"
#include "modicum/release/projection_release.h"
#include "modicum/release/regression_release.h"
#include "modicum/release/vector_release.h"
#include "modicum/version.h"
#include "release/certificates/public_certificate.h"
#include "release/small_tables.h"
#include "support/seeded_source.h"

namespace modicum::testing::certificate_test {
namespace {

using Json = nlohmann::ordered_json;
const PrivacyTarget target(1.0, 1e-6);
const PublicRows rows({"a", "b", "y"}, 1.0);

Json tree_of(const Certificate& certificate) { return Json::parse(certificate_text(certificate)); }

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& item : object.items()) keys.push_back(item.key());
  return keys;
}

TEST(Certificate, SetReplacesAndFindFinds) {
  Certificate certificate("x", target, {1.0, {0.0, 0.0}, {0.0, 0.0}, Proof::certified});
  certificate.set("a", 1.0);
  certificate.set("b", "text");
  certificate.set("a", 2.0);
  ASSERT_EQ(certificate.parameters.size(), 2u);
  EXPECT_EQ(std::get<double>(*certificate.find("a")), 2.0);
  EXPECT_EQ(std::get<std::string>(*certificate.find("b")), "text");
  EXPECT_EQ(certificate.find("c"), nullptr);
}

TEST(Certificate, OfACalibrationHasNoFieldsOfADraw) {
  Certificate certificate("x", target, {1.0, {0.0, 0.0}, {0.0, 0.0}, Proof::certified});
  certificate.time = std::chrono::system_clock::from_time_t(0);
  EXPECT_EQ(keys_of(tree_of(certificate)),
            (std::vector<std::string>{"mechanism", "parameters", "target", "forward", "reverse",
                                      "delta", "guarantee", "adjacency", "neighbors", "assumptions",
                                      "theorem", "version", "time"}));
}

TEST(Certificate, SurvivesNamesThatAreNotText) {
  Certificate certificate("x", target, {1.0, {0.0, 0.0}, {0.0, 0.0}, Proof::certified});
  certificate.set("coordinates", std::vector<std::string>{"\xff\xfe", "\"\n"});
  EXPECT_TRUE(Json::accept(certificate_text(certificate)));
}

TEST(Certificate, WordsAreThoseOfTheDocumentation) {
  EXPECT_STREQ(to_string(Guarantee::proved), "proved");
  EXPECT_STREQ(to_string(Guarantee::relative), "relative");
  EXPECT_STREQ(to_string(Guarantee::asymptotic), "asymptotic");
  EXPECT_STREQ(to_string(Guarantee::per_instance), "per-instance");
  EXPECT_STREQ(to_string(Exactness::exact), "exact");
  EXPECT_STREQ(to_string(Exactness::mitigated), "mitigated");
  EXPECT_STREQ(to_string(BadRows::dropped), "dropped");
  EXPECT_STREQ(to_string(BadRows::refused), "refused");
}

// --- Certificates of releases -------------------------------------------------------------------

using Make = std::function<Released(const Eigen::MatrixXd&, RandomSource&)>;

Make projection(ProjectionRequest request) {
  return [request](const Eigen::MatrixXd& table, RandomSource& source) {
    IntegerGram gram = gram_of(table, 1.0);
    gram.sampling_rate = request.sampling_rate.value_or(1.0);
    return release_projection(plan_projection(target, rows, request), gram, source);
  };
}
Make covariance(CovarianceRequest request) {
  return [request](const Eigen::MatrixXd& table, RandomSource& source) {
    return release_covariance(plan_covariance(target, rows, request), gram_of(table, 1.0), source);
  };
}
Make regression(RegressionRequest request) {
  return [request](const Eigen::MatrixXd& table, RandomSource& source) {
    return release_regression(plan_regression(target, rows, request), gram_of(table, 1.0), source);
  };
}

std::vector<Make> all_releases() {
  using Sketch = ProjectionMethod;
  using Fit = RegressionMethod;
  std::vector<Make> makes;
  for (const Sketch method :
       {Sketch::projection, Sketch::propose_test_release, Sketch::singular_value, Sketch::additive})
    makes.push_back(projection({method, 20.0, {}, {}, {}, {}}));
  makes.push_back(projection({Sketch::subsampled, 20.0, 0.5, {}, {}, {}}));
  makes.push_back(projection({Sketch::relative, 20.0, {}, 1e-4, {}, {}}));
  using enum CovarianceMethod;
  makes.push_back(covariance({gaussian_orthogonal_ensemble, {}}));
  makes.push_back(covariance({CovarianceMethod::projection, 20.0}));
  makes.push_back(covariance({singular_value, 20.0}));
  for (const Fit method :
       {Fit::least_squares, Fit::approximate, Fit::projection, Fit::singular_value, Fit::additive})
    makes.push_back(regression({method, 20.0, {}, {}, {}}));
  for (const Fit method : {Fit::covariance, Fit::adaptive_sufficient_statistics})
    makes.push_back(regression({method, {}, {}, {}, {}}));
  makes.push_back(regression({Fit::relative, 20.0, 1e-4, 1e-4, {}}));
  makes.push_back(regression({Fit::relative_gaussian, {}, {}, {}, 0.1}));
  makes.push_back([](const Eigen::MatrixXd& table, RandomSource& source) {
    return release_sum(plan_sum(target, rows, VectorNoise::l2), sum_of(table, 1.0), source);
  });
  makes.push_back([](const Eigen::MatrixXd& table, RandomSource& source) {
    return release_mean(plan_mean(target, rows, VectorNoise::gaussian), sum_of(table, 1.0), source);
  });
  return makes;
}

// Without what was itself released with noise.
Json public_part(const Released& released) {
  Json certificate = tree_of(released.certificate);
  for (const char* name : {"noisy_eigenvalue", "eigenvalue_bound", "released_count"})
    certificate["parameters"].erase(name);
  if (certificate["parameters"]["method"] == "propose-test-release")
    certificate["parameters"].erase("ridge");
  return certificate;
}

TEST(Certificate, OfAReleaseHasEveryFieldAndNoNumberOfTheData) {
  SeededRandom random(1);
  SeededSource source(2);
  const Eigen::MatrixXd one = random_rows(random, 30, 3, 0.4),
                        other = random_rows(random, 90, 3, 2.0);
  for (const Make& make : all_releases()) {
    const Released first = make(one, source), second = make(other, source);
    const Json certificate = public_part(first);
    EXPECT_EQ(certificate, public_part(second));
    EXPECT_NE(first.values, second.values);
    for (const char* key :
         {"mechanism", "parameters", "target", "forward", "reverse", "delta", "attained",
          "guarantee", "arithmetic", "adjacency", "bad_rows", "assumptions", "theorem", "version"})
      EXPECT_TRUE(certificate.contains(key)) << key << " in " << certificate["mechanism"];
    EXPECT_EQ(certificate["adjacency"], "add_remove");
    EXPECT_EQ(certificate["neighbors"], "add or remove one row");
    EXPECT_EQ(certificate["bad_rows"], "dropped");
    EXPECT_EQ(certificate["version"], version);
    EXPECT_EQ(certificate["target"]["delta"], 1e-6);
    EXPECT_TRUE(certificate["parameters"].contains("grid"));
    EXPECT_EQ(certificate["parameters"]["row_norm_bound"], 1.0);
    EXPECT_LE(certificate["delta"]["upper"].get<double>(), 1e-6);
    EXPECT_GE(certificate["assumptions"].size(), 4u);
    EXPECT_EQ(certificate["theorem"].get<std::string>().find("docs/derivations/"), 0u);
    EXPECT_TRUE(first.values.allFinite());
    EXPECT_EQ(static_cast<std::size_t>(first.values.rows()), first.row_names.size());
    EXPECT_EQ(static_cast<std::size_t>(first.values.cols()), first.column_names.size());
  }
}

// The contract of compositions: the loss of a release gives back its own target.
void expect_own_target(const Certificate& certificate) {
  const Json tree = tree_of(certificate);
  ASSERT_EQ(certificate.guarantee, Guarantee::proved);
  ASSERT_FALSE(certificate.loss.is_null()) << tree["mechanism"] << tree["parameters"]["method"];
  const PrivacyLoss loss = describe(certificate.loss).loss;
  const auto& [epsilon, delta] = certificate.target;
  EXPECT_LE(profile(loss, epsilon).delta().upper(), delta) << tree["loss"];
  EXPECT_NEAR(epsilon_at(loss, delta).value.upper() / epsilon, 1.0, 1e-6) << tree["loss"];
}

TEST(Certificate, EveryProvedReleaseOfRowsCarriesALossThatProvesItsTarget) {
  for (const ProjectionRequest& request :
       {ProjectionRequest{ProjectionMethod::projection, 20.0, {}, {}, {}, {}},
        {ProjectionMethod::subsampled, 20.0, 0.1, {}, {}, {}},
        {ProjectionMethod::propose_test_release, 20.0, {}, {}, {}, {}},
        {ProjectionMethod::singular_value, 20.0, {}, {}, {}, {}},
        {ProjectionMethod::additive, 20.0, {}, {}, {}, {}}})
    expect_own_target(plan_projection(target, rows, request).certificate);
  for (const CovarianceMethod method :
       {CovarianceMethod::gaussian_orthogonal_ensemble, CovarianceMethod::projection,
        CovarianceMethod::singular_value})
    expect_own_target(plan_covariance(target, rows, {method, {}}).certificate);
  for (const RegressionMethod method :
       {RegressionMethod::covariance, RegressionMethod::least_squares, RegressionMethod::projection,
        RegressionMethod::adaptive_sufficient_statistics, RegressionMethod::singular_value,
        RegressionMethod::additive})
    expect_own_target(plan_regression(target, rows, {method, {}, {}, {}, {}}).certificate);
  for (const VectorNoise noise : {VectorNoise::gaussian, VectorNoise::l2, VectorNoise::spherical}) {
    expect_own_target(plan_sum(target, rows, noise).certificate);
    expect_own_target(plan_mean(target, rows, noise).certificate);
    expect_own_target(plan_given(target, 3.0, 0.7, noise).certificate);
  }
  for (const ComponentMethod method :
       {ComponentMethod::exponential, ComponentMethod::gaussian_orthogonal_ensemble,
        ComponentMethod::analyze_gauss, ComponentMethod::wishart})
    expect_own_target(
        plan_components(target, rows, {.components = 1.0, .method = method}).certificate);
  expect_own_target(
      plan_matrix(target, 3.0, 1.0, MatrixNoise::gaussian_orthogonal_ensemble).certificate);
  expect_own_target(plan_least_eigenvalue(target, 3.0, 1.0).certificate);
}

TEST(Certificate, EveryProvedFitCarriesALossThatProvesItsTarget) {
  const PublicRows features({"a", "b"}, 1.0);
  expect_own_target(plan_logistic(target, features, {{"y", 0.0}, {}, {}}).certificate);
  expect_own_target(
      plan_objective(target, features, {PredictionLoss::logistic(), LabelRule{"y", 0.0}, {}, {}})
          .certificate);
  const RowBlock points = RowBlock::Zero(2, 2);
  expect_own_target(
      plan_gaussian_process(target, rows, points, {PriorKernel::rbf, {}, 1.0, 1.0, 1.0, 100.0})
          .certificate);
}

TEST(Certificate, LabelsTheArithmetic) {
  const auto label = [](const Certificate& certificate) {
    return std::string(to_string(certificate.arithmetic.value()));
  };
  EXPECT_EQ(label(plan_projection(target, rows, {}).certificate), "mitigated");
  EXPECT_EQ(label(plan_covariance(target, rows, {}).certificate), "exact");
  EXPECT_EQ(label(plan_covariance(target, rows, {CovarianceMethod::projection, 10.0}).certificate),
            "mitigated");
  EXPECT_EQ(label(plan_regression(target, rows, {}).certificate), "exact");
  EXPECT_EQ(label(plan_regression(target, rows, {RegressionMethod::projection, {}, {}, {}, {}})
                      .certificate),
            "mitigated");
  EXPECT_EQ(label(plan_sum(target, rows, VectorNoise::spherical).certificate), "exact");
}

TEST(Certificate, SaysWhenAStopTellsAboutTheRows) {
  PublicRows strict = rows;
  strict.bad_rows = BadRows::refused;
  const Json certificate = tree_of(plan_covariance(target, strict, {}).certificate);
  EXPECT_EQ(certificate["bad_rows"], "refused");
  EXPECT_NE(certificate["assumptions"].dump().find("malformed"), std::string::npos);
}

}  // namespace
}  // namespace modicum::testing::certificate_test
