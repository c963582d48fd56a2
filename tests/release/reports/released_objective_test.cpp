#include "release/reports/released_objective.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "modicum/data/json.h"
#include "modicum/release/release_files.h"
#include "release/reports/objective_certificate.h"
#include "support/refusals.h"
#include "support/temporary_folder.h"

namespace modicum::testing::released_objective_test {
namespace {

TEST(PublicRows, FromTheirPartsAreRefusedWhereTheyDoNotFit) {
  EXPECT_TRUE(refuses("range", [] {
    return public_rows({"u"}, {{"v", Range(0, 1)}}, 1.0, false);
  }));
  EXPECT_TRUE(refuses("row_norm_bound", [] { return public_rows({"u"}, {}, 0.0, false); }));
  EXPECT_TRUE(refuses("row_norm_bound", [] { return public_rows({"u"}, {}, 1e200, false); }));
}

// As version 0.1.0 wrote them before the keys became American.
constexpr const char* old_coefficients =
    "name,coefficient,standardised\nintercept,0.5,0.75\nage,0.25,1.25\n";
constexpr const char* old_certificate = R"({
  "mechanism": "objective_perturbation",
  "parameters": {
    "method": "objective perturbation", "loss": "logistic", "regularization": 2.0,
    "lipschitz": LIPSCHITZ, "smoothness": SMOOTHNESS, "standard_deviation": 7.5,
    "minimiser_error": 1e-9, "output_standard_deviation": 1e-5,
    "coordinates": ["intercept", "age"], "row_norm_bound": 1.5, "intercept": "column of ones",
    "largest_rows": 1000000.0, "grid": 1e-6, "label": "wage", "threshold": 20.0,
    "centres": [0.0, 44.0], "scales": [1.0, 26.0],
    "ranged": ["age"], "range_lows": [18.0], "range_highs": [70.0]
  },
  "target": {"epsilon": 1.0, "delta": 1e-6},
  "bad_rows": "dropped",
  "output": {"file": "fit.csv", "sha256": "SUM"}
})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto place = text.find(from);
  return place == std::string::npos ? text : text.replace(place, from.size(), to);
}

std::string certificate_text() {
  const ObjectiveBounds bounds = PredictionLoss::logistic().bounds(1.5, 2.0);
  std::string text = replaced(old_certificate, "LIPSCHITZ", fmt::format("{}", bounds.lipschitz));
  text = replaced(text, "SMOOTHNESS", fmt::format("{}", bounds.smoothness));
  return replaced(text, "SUM", sha256(old_coefficients));
}

TEST(ReleasedObjective, CertificatesInTheOldSpellingAreRead) {
  const TemporaryFolder folder;
  const std::string path = folder.write("fit.csv", old_coefficients);
  folder.write("fit.csv.certificate.json", certificate_text());
  const ReleasedObjective from = ReleaseSource{.release = {path, {}}}.load();
  EXPECT_EQ(from.coefficients, Eigen::Vector2d(0.75, 1.25));
  EXPECT_EQ(from.noise.minimizer_error, 1e-9);
  EXPECT_EQ(from.rows.centers, (std::vector<double>{0.0, 44.0}));
  EXPECT_EQ(from.sha256, sha256(old_coefficients));
}

TEST(ReleasedObjective, InMemoryIsAsInFiles) {
  const ReleaseContent content{{{"intercept", "age"},
                                {"coefficient", "standardized"},
                                (Eigen::MatrixXd(2, 2) << 0.5, 0.75, 0.25, 1.25).finished()},
                               parse_json(certificate_text())};
  const ReleasedObjective from = ReleaseSource{.release = {.content = content}}.load();
  EXPECT_EQ(from.coefficients, Eigen::Vector2d(0.75, 1.25));
  EXPECT_THROW((ReleaseSource{.release = {.content = content}, .certificate = "x"}.load()),
               UsageError);
  ReleaseContent other = content;
  other.numbers.column_names = {"a", "b"};
  EXPECT_TRUE(refuses("release", [&] { ReleaseSource{.release = {.content = other}}.load(); }));
}

TEST(ReleasedObjective, AKeyInBothSpellingsIsRefused) {
  Value certificate = parse_json(certificate_text());
  certificate["parameters"]["minimizer_error"] = 1e-9;
  const ReleaseContent content{
      {{"a"}, {"coefficient", "standardized"}, Eigen::MatrixXd::Ones(1, 2)}, certificate};
  EXPECT_THROW(ReleaseSource{.release = {.content = content}}.load(), InvalidDescription);
}

}  // namespace
}  // namespace modicum::testing::released_objective_test
