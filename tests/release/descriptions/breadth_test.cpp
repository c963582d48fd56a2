// Descriptions of selection, guarantees and trainings: read, labeled, refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "modicum/release/description.h"

namespace modicum::testing::breadth_test {
namespace {

Description read(const char* text) { return parse_description(text, ""); }
std::string refusal_of(const char* text) {
  try {
    read(text);
  } catch (const InvalidDescription& error) {
    return error.what();
  }
  return "";
}
double delta_of(const char* text, double epsilon) {
  return profile(read(text).loss, epsilon).delta().upper();
}

TEST(Descriptions, OfEveryKindAreRead) {
  for (
      const char* text :
      {R"({"mechanism": "geometric", "scale": 2, "sensitivity": 1})",
       R"({"mechanism": "integer_noise", "probabilities": [0.25, 0.5, 0.25], "first": -1, "sensitivity": 1})",
       R"({"mechanism": "zcdp", "rho": 0.1, "xi": 0.1})",
       R"({"mechanism": "renyi", "orders": [2, 4, 16], "divergences": [0.1, 0.2, 0.9]})",
       R"({"mechanism": "discovered_groups", "standard_deviation": 4, "sensitivities": [2, 1, 0], "probabilities": [0, 0.01, 0.05]})",
       R"({"mechanism": "exponential", "epsilon": 0.5})",
       R"({"mechanism": "permute_and_flip", "epsilon": 0.5})",
       R"({"mechanism": "report_noisy_max", "noise": "gumbel", "scale": 4, "sensitivity": 1, "monotone": true})",
       R"({"mechanism": "sparse_vector", "threshold_scale": 10, "query_scale": 20, "answers": 2, "sensitivity": 1})",
       R"({"mechanism": "repeat_and_select", "repeated": {"mechanism": "gaussian", "noise_multiplier": 4}, "distribution": "poisson", "mean": 5})",
       R"({"mechanism": "repeat_and_select", "repeated": {"mechanism": "zcdp", "rho": 0.01}, "distribution": "poisson", "mean": 5})",
       R"({"mechanism": "mixture_of_gaussians", "standard_deviation": 2, "sensitivities": [0, 1, 2], "probabilities": [0.5, 0.25, 0.25]})",
       R"({"mechanism": "truncated_subsampled_gaussian", "noise_multiplier": 1, "sampling_rate": 0.1, "dataset_size": 100, "largest_batch": 15})",
       R"({"mechanism": "shuffled_gaussian", "noise_multiplier": 2, "adjacency": "zero_out"})",
       R"({"mechanism": "allocated_gaussian", "noise_multiplier": 1, "batches": 3})",
       R"({"mechanism": "matrix_mechanism", "strategy": [[1, 0], [0.5, 1]], "noise_multiplier": 2, "participations": 1})",
       R"({"mechanism": "matrix_mechanism", "coefficients": [1, 0.5], "rounds": 8, "noise_multiplier": 4, "separation": 4, "cyclic": true})",
       R"({"mechanism": "matrix_mechanism", "coefficients": [1, 0.5], "rounds": 8, "noise_multiplier": 4, "patterns": [[0, 3], [1, 5, 7]]})",
       R"({"mechanism": "matrix_mechanism", "coefficients": [1, 0.5], "rounds": 2, "noise_multiplier": 2, "separation": 2, "sampling_rate": 0.5})",
       R"({"mechanism": "tree_aggregation", "noise_multiplier": 4, "step_counts": [8]})",
       R"({"mechanism": "subsampled_projection", "columns": 20, "ridge": 30, "row_norm_bound": 1, "sampling_rate": 0.5})",
       R"({"mechanism": "randomized_response", "truth_probability": 0.5, "categories": 4})",
       R"({"mechanism": "loss_distribution", "remove": {"lowest": -1, "interval": 0.5, "probabilities": [0.375, 0, 0.5], "infinite": 0.125}})"}) {
    const Description found = read(text);
    const double delta = profile(found.loss, 0.2, Accuracy::certified).delta().upper();
    EXPECT_GT(delta, 0.0) << text;
    EXPECT_LT(delta, 1.0) << text;
    EXPECT_NE(found.label, "");
    // Another accuracy, the same number; a larger epsilon, a smaller delta.
    const Enclosure fast = profile(found.loss, 0.2, Accuracy::fast).delta();
    EXPECT_NEAR(fast.upper() / delta, 1.0, 1e-6) << text;
    EXPECT_LE(profile(found.loss, 0.3).delta().upper(), delta) << text;
    EXPECT_GE(profile(found.loss, -0.2).delta().upper(), -std::expm1(-0.2)) << text;
  }
}

// Moments of different kinds become one loss.
// Losses that end: beyond their largest delta is 0, and says nothing of where a delta is crossed.
TEST(Descriptions, OfLossesThatEndHaveAnEpsilon) {
  for (const auto& [scale, count] : {std::pair{3.0, 2}, {3.0, 3}, {5.0, 2}, {5.0, 3}}) {
    const std::string text = fmt::format(
        R"({{"mechanism":"subsampled_laplace","scale":{},"sensitivity":1,"sampling_rate":0.01,"count":{}}})",
        scale, count);
    const PrivacyLoss loss = read(text.c_str()).loss;
    const Enclosure found = epsilon_at(loss, 1e-6).value;
    EXPECT_LE(found.upper(), count * std::log1p(0.01 * std::expm1(1.0 / scale)));
    EXPECT_LE(profile(loss, found.upper(), Accuracy::certified).delta().lower(), 1e-6);
    EXPECT_GE(profile(loss, 0.99 * found.upper(), Accuracy::certified).delta().upper(), 1e-6);
  }
}

TEST(Descriptions, MomentsAreAddedUpBeforeTheyBecomeALoss) {
  const double sum = delta_of(R"({"mechanism": "zcdp", "rho": 0.1})", 1.0);
  EXPECT_NEAR(delta_of(R"({"compose": [{"mechanism": "zcdp", "rho": 0.04},
                                       {"mechanism": "zcdp", "rho": 0.03, "count": 2}]})",
                       1.0),
              sum, 1e-12);
  EXPECT_LT(delta_of(R"({"compose": [{"mechanism": "zcdp", "rho": 0.05},
       {"mechanism": "renyi", "orders": [2, 4, 8, 16, 32], "divergences": [0.1, 0.2, 0.4, 0.8, 1.6]}]})",
                     1.0),
            1.5 * delta_of(R"({"mechanism": "zcdp", "rho": 0.1})", 1.0));
}

TEST(Descriptions, CertificatesStandForTheirLoss) {
  const std::string loss = R"({"mechanism": "gaussian", "standard_deviation": 2, "sensitivity": 1)";
  const auto certificate = [&](const std::string& guarantee, const std::string& adjacency,
                               const std::string& kind) {
    return R"({"mechanism": "gaussian", "target": {"epsilon": 1, "delta": 0.1}, "guarantee": ")" +
           guarantee + R"(", "adjacency": ")" + adjacency + R"(", "loss": )" + loss + kind + "}}";
  };
  const std::string added = certificate("proved", "add or remove one row", "");
  const std::string replaced =
      certificate("proved", "replace one row", R"(, "adjacency": "replace_one")");
  EXPECT_EQ(delta_of(added.c_str(), 0.5), delta_of((loss + "}").c_str(), 0.5));
  EXPECT_EQ(delta_of(("{\"compose\": [" + added + ", " + added + "]}").c_str(), 0.5),
            delta_of((loss + ", \"count\": 2}").c_str(), 0.5));
  EXPECT_EQ(refusal_of(("{\"compose\": [" + added + ", " + replaced + "]}").c_str()),
            "compose[1].adjacency is replace_one, but must be that of the parts before it, "
            "add_remove: a composition holds for one kind of neighbors");
  EXPECT_EQ(refusal_of(certificate("proved", "replace one row", "").c_str()),
            "adjacency is \"replace one row\", but must be that of the loss, add_remove");
  EXPECT_NE(refusal_of(certificate("relative", "add or remove one row", "").c_str()), "");
  EXPECT_NE(refusal_of(R"({"mechanism": "x", "target": {}, "guarantee": "proved"})"), "");
}

TEST(Descriptions, CertificatesOfDifferentUnitsDoNotCompose) {
  const std::string loss =
      R"({"mechanism": "gaussian", "standard_deviation": 2, "sensitivity": 1})";
  const auto certificate = [&](const std::string& neighbors, const std::string& unit = "") {
    return R"({"mechanism": "gaussian", "target": {"epsilon": 1, "delta": 0.1}, "guarantee":
        "proved", "adjacency": "add_remove", "neighbors": ")" +
           neighbors + R"(", "parameters": {)" + unit + R"(}, "loss": )" + loss + "}";
  };
  const auto composed = [](const std::string& one, const std::string& other) {
    return "{\"compose\": [" + one + ", " + other + "]}";
  };
  const std::string row = certificate("add or remove one row"), unsaid = certificate(""),
                    person = certificate("", R"("unit": "person")"),
                    in_words = certificate("add or remove all rows with one value of person"),
                    house = certificate("", R"("unit": "house")");
  const double twice = delta_of(composed(loss, loss).c_str(), 0.5);
  for (const auto& [one, other] : {std::pair{row, row},
                                   {row, unsaid},
                                   {person, in_words},
                                   {person, loss},
                                   {loss, row},
                                   {loss, composed(person, person)}}) {
    if (other.find("compose") == std::string::npos) {
      EXPECT_EQ(delta_of(composed(one, other).c_str(), 0.5), twice) << one << other;
    }
    EXPECT_EQ(refusal_of(composed(one, other).c_str()), "") << one << other;
  }
  EXPECT_EQ(refusal_of(composed(row, person).c_str()),
            "compose[1].unit is all rows with one value of person, but must be that of the parts "
            "before it, one row: a composition holds for one kind of neighbors");
  const std::string repeated = R"({"mechanism": "repeat_and_select", "repeated": )" + house +
                               R"(, "distribution": "poisson", "mean": 2})";
  for (const auto& [one, other] : {std::pair{person, row},
                                   {person, house},
                                   {unsaid, in_words},
                                   {composed(loss, person), composed(loss, row)},
                                   {person, repeated},
                                   {row, repeated}})
    EXPECT_NE(refusal_of(composed(one, other).c_str()).find("].unit is "), std::string::npos)
        << one << other;
  EXPECT_EQ(refusal_of(composed(house, repeated).c_str()), "");
}

TEST(Descriptions, OfEveryKindRefuseInWords) {
  EXPECT_NE(refusal_of(R"({"mechanism": "shuffled_gaussian", "noise_multiplier": 2})")
                .find("moves all others"),
            std::string::npos);
  EXPECT_EQ(
      refusal_of(R"({"mechanism": "allocated_gaussian", "noise_multiplier": 2, "batches": 9,
                       "adjacency": "replace_one"})"),
      "adjacency is replace_one, but must be add_remove or zero_out for random allocation: no "
      "bound is proved for replacing a record");
  EXPECT_EQ(refusal_of(R"({"mechanism": "allocated_gaussian", "noise_multiplier": 2,
                       "batches": 1e8})"),
            "batches is 100000000, but must be at most 1e7: no bound is proved for more");
  EXPECT_NE(refusal_of(R"({"compose": [{"mechanism": "exponential", "epsilon": 1},
                   {"mechanism": "exponential", "epsilon": 1, "adjacency": "zero_out"}]})")
                .find("one kind of neighbors"),
            std::string::npos);
  EXPECT_EQ(refusal_of(R"({"mechanism": "repeat_and_select", "repeated": {"mechanism": "gaussian",
            "noise_multiplier": -1}, "distribution": "poisson", "mean": 5})"),
            "repeated.noise_multiplier is -1, but must be positive and finite");
  for (
      const char* bad :
      {R"({"mechanism": "renyi", "orders": [1], "divergences": [0.1]})",
       R"({"mechanism": "renyi", "orders": [2], "divergences": [-0.1]})",
       R"({"mechanism": "report_noisy_max", "noise": "uniform", "scale": 4, "sensitivity": 1})",
       R"({"mechanism": "matrix_mechanism", "strategy": [[1, 1], [0.5, 1]], "noise_multiplier": 2, "participations": 1})",
       R"({"mechanism": "matrix_mechanism", "strategy": [[1, 0], [0.5, 1]], "noise_multiplier": 2})",
       R"({"mechanism": "matrix_mechanism", "noise_multiplier": 2, "participations": 1})",
       R"({"mechanism": "matrix_mechanism", "coefficients": [1], "noise_multiplier": 2, "participations": 1})",
       R"({"mechanism": "matrix_mechanism", "strategy": [[1, 0], [0.5, 1]], "noise_multiplier": 2, "separation": 1, "sampling_rate": 0.5})",
       R"({"mechanism": "mixture_of_gaussians", "standard_deviation": 1, "sensitivities": [1], "probabilities": [1], "adjacency": "replace_one"})",
       R"({"mechanism": "repeat_and_select", "repeated": {"mechanism": "gaussian", "noise_multiplier": 4}, "distribution": "poisson", "mean": 5, "shape": 1})",
       R"({"mechanism": "repeat_and_select", "repeated": {"mechanism": "gaussian", "noise_multiplier": 4, "adjacency": "zero_out"}, "distribution": "poisson", "mean": 5})",
       R"({"mechanism": "repeat_and_select", "repeated": 3, "distribution": "poisson", "mean": 5})",
       R"({"mechanism": "subsampled_projection", "columns": 20, "ridge": 30, "row_norm_bound": 1, "sampling_rate": 0.5, "adjacency": "replace_one"})",
       R"({"mechanism": "loss_distribution", "remove": {"lowest": -1, "interval": 0.5, "probabilities": [0.5]}})",
       R"({"mechanism": "loss_distribution", "remove": {"lowest": 0.5, "interval": 0.5, "probabilities": [1]}})",
       R"({"mechanism": "randomized_response", "truth_probability": 0.5, "categories": 1})"})
    EXPECT_NE(refusal_of(bad), "") << bad;
}

// A record without content keeps its place in a full batch: its pair is not that of one left out.
TEST(Descriptions, ARecordWithoutContentKeepsItsPlaceInATruncatedBatch) {
  const auto truncated = [](const char* adjacency) {
    return Value{{"mechanism", "truncated_subsampled_gaussian"},
                 {"noise_multiplier", 0.25},
                 {"sampling_rate", 0.999999},
                 {"dataset_size", 2},
                 {"largest_batch", 1},
                 {"adjacency", adjacency}};
  };
  EXPECT_EQ(profile(describe(truncated("zero_out")).loss, 1.0).reverse.upper(),
            profile(describe(truncated("replace_one")).loss, 1.0).reverse.upper());
  // The record is +1, the other row -1; by quadrature over the outcomes of both mechanisms.
  const Value gaussian{{"mechanism", "gaussian"},
                       {"standard_deviation", 1},
                       {"sensitivity", 1},
                       {"adjacency", "zero_out"}};
  const PrivacyLoss both =
      describe(Value{{"compose", std::vector<Value>{truncated("zero_out"), gaussian}}}).loss;
  EXPECT_GE(profile(both, 0.2).delta().upper(), 0.63376);
  EXPECT_GE(profile(both, 1.0).delta().upper(), 0.52897);
}

TEST(Descriptions, ACertificateCountsOnceOrNotAtAll) {
  Value certificate{{"guarantee", "proved"},
                    {"target", {{"epsilon", 1}, {"delta", 1e-6}}},
                    {"loss", {{"mechanism", "pure"}, {"epsilon", 0.5}}}};
  EXPECT_NO_THROW(describe(certificate));
  Value counted = certificate, stepped = certificate, unclear = certificate;
  counted["count"] = 10;
  stepped["steps"] = 10;
  unclear["adjacency"] = "zero_out";
  for (const Value& each : {counted, stepped, unclear})
    EXPECT_THROW(describe(each), InvalidDescription);
  EXPECT_NO_THROW(describe(Value{{"compose", std::vector<Value>{certificate}}, {"count", 10}}));
}

}  // namespace
}  // namespace modicum::testing::breadth_test
