// What was charged is never less than what was given away: histories of all kinds of losses against
// the profile of their composition, and questions that are chosen by the answers.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "modicum/data/json.h"
#include "modicum/ledger/clocks.h"
#include "modicum/ledger/concentration.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/randomized_response.h"
#include "modicum/privacy/profile.h"
#include "modicum/release/description.h"

namespace modicum::history_test {
namespace {

// Delta of what is charged covers that of the truth, in both directions.
void expect_covered(const PrivacyLoss& truth, const Clocks& charged, const std::string& what,
                    const std::vector<double>& places) {
  const PrivacyLoss bound = loss_of(charged);
  for (const double epsilon : places)
    EXPECT_LE(profile(truth, epsilon).delta().lower(),
              profile(bound, epsilon, Accuracy::certified).delta().upper() * (1.0 + 1e-12))
        << what << " at " << epsilon;
}

const std::vector<double> many_places{0.0, 0.003, 0.02, 0.07, 0.15, 0.4, 0.9, 1.7, 3.0, 6.0};

Clocks ample() {
  Clocks total;
  total.mu_squared = total.pure = total.zcdp = Reading::exactly(100.0);
  total.slack = Reading::exactly(1e-4);
  return total;
}

// In each clock that has a price for it.
TEST(History, EveryKindOfLossIsPaidInFull) {
  const char* kinds[] = {
      R"({"mechanism": "gaussian", "standard_deviation": 2, "sensitivity": 1, "count": 3})",
      R"({"mechanism": "gaussian_pair", "mean1": [0.1, 0], "covariance1": [[1, 0], [0, 1.1]],
          "mean2": [0, 0], "covariance2": [[1, 0], [0, 1]]})",
      R"({"mechanism": "gaussian_spectrum",
          "components": [{"mean": 0.1, "variance_ratio": 0.9, "multiplicity": 2}]})",
      R"({"mechanism": "laplace", "scale": 3, "sensitivity": 1, "count": 4})",
      R"({"mechanism": "subsampled_gaussian", "standard_deviation": 1, "sensitivity": 1,
          "sampling_rate": 0.05})",
      R"({"mechanism": "subsampled_gaussian", "noise_multiplier": 1, "sampling_rate": 0.05,
          "sampling": "without_replacement", "adjacency": "replace_one"})",
      R"({"mechanism": "subsampled_gaussian", "standard_deviation": 1, "sensitivity": 1,
          "sampling_rate": 0.05, "adjacency": "replace_one"})",
      R"({"mechanism": "subsampled_gaussian", "standard_deviation": 1, "sensitivity": 1,
          "sampling_rate": 0.05, "adjacency": "zero_out"})",
      R"({"mechanism": "subsampled_laplace", "scale": 1, "sensitivity": 1, "sampling_rate": 0.1})",
      R"({"mechanism": "discrete_gaussian", "sigma": 1, "sensitivity": 1})",
      R"({"mechanism": "discrete_laplace", "scale": 2, "sensitivity": 1})",
      R"({"mechanism": "zcdp", "rho": 0.02, "count": 3})",
      R"({"mechanism": "bounded_range", "range": 0.7})",
      R"({"mechanism": "pure", "epsilon": 0.8})",
      R"({"mechanism": "approximate", "epsilon": 0.5, "delta": 1e-7})",
      R"({"mechanism": "randomized_response", "truth_probability": 0.7, "count": 3})",
      R"({"mechanism": "random_projection", "columns": 300, "leverage": 0.02})",
      R"({"mechanism": "l2", "dimension": 5, "scale": 2, "sensitivity": 1})",
      R"({"mechanism": "objective_perturbation", "standard_deviation": 5, "lipschitz": 1,
          "smoothness": 0.25, "regularization": 10})"};
  for (const char* text : kinds) {
    const Value tree = parse_json(text);
    const PrivacyLoss loss = describe(tree, Accuracy::certified).loss;
    const Offers offers = offers_for(loss, ample(), ample(), {}, concentration_of(tree));
    EXPECT_FALSE(offers.prices.empty()) << text << offers.refusal;
    for (const Clocks& each : offers.prices) expect_covered(loss, each, text, many_places);
  }
}

// Prices taken in any clock add up to more than the composition needs.
TEST(History, SumsOfPricesCoverTheComposition) {
  std::mt19937 chance(5);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(chance);
  };
  for (int history = 0; history < 3; ++history) {
    PrivacyLoss truth;
    Clocks charged;
    for (int i = 0; i < 4; ++i) {
      Value tree;
      switch (std::uniform_int_distribution<int>(0, 4)(chance)) {
        case 0:
          tree = {{"mechanism", "gaussian_dp"}, {"mu", uniform(0.05, 0.6)}};
          break;
        case 1:
          tree = {{"mechanism", "laplace"}, {"scale", uniform(1.5, 9.0)}, {"sensitivity", 1.0}};
          break;
        case 2:
          tree = {{"mechanism", "randomized_response"}, {"truth_probability", uniform(0.5, 0.7)}};
          break;
        case 3:
          tree = {{"mechanism", "approximate"},
                  {"epsilon", uniform(0.0, 0.5)},
                  {"delta", uniform(1e-9, 1e-6)}};
          break;
        default:
          tree = {{"mechanism", "gaussian_spectrum"},
                  {"components", Value(Value::List{{{"mean", uniform(0.0, 0.2)},
                                                    {"variance_ratio", uniform(0.9, 1.1)}}})}};
      }
      const PrivacyLoss loss = describe(tree, Accuracy::certified).loss;
      const Offers offers = offers_for(loss, ample(), ample());
      ASSERT_FALSE(offers.prices.empty()) << offers.refusal;
      const auto which =
          std::uniform_int_distribution<std::size_t>(0, offers.prices.size() - 1)(chance);
      charged = charged + offers.prices[which];
      truth.compose(loss);
    }
    expect_covered(truth, charged, std::to_string(history), {0.0, 0.5});
  }
}

// A question with its price in mu^2, and how much its answer says in favor of the record, drawn
// with the record in the data.
struct Question {
  double price;
  double mu = 0.0, epsilon = 0.0;  // Gaussian noise, or randomized response
  double answer(std::mt19937_64& chance) const {
    if (mu > 0.0) return mu * (std::normal_distribution<double>()(chance) + mu / 2.0);
    const double truth = 1.0 / (1.0 + std::exp(-epsilon));
    return std::bernoulli_distribution(truth)(chance) ? epsilon : -epsilon;
  }
};

// Which question is next, by what all answers so far have said and what is left; nothing: stop.
using Strategy = std::function<std::optional<std::size_t>(double said, double left)>;

// A run of an adversary who asks what fits, and nothing else. The losses are exact, so that
// E[(1 - exp(epsilon - L))_+] over the runs is delta of the whole interaction.
std::vector<double> losses_of_runs(const std::vector<Question>& questions, const Strategy& next,
                                   double total, int runs) {
  std::mt19937_64 chance(11);
  std::vector<double> losses;
  for (int run = 0; run < runs; ++run) {
    double spent = 0.0, said = 0.0;
    while (const auto wanted = next(said, total - spent)) {
      spent += questions[*wanted].price;
      said += questions[*wanted].answer(chance);
    }
    EXPECT_LE(spent, total);
    losses.push_back(said);
  }
  return losses;
}

double delta_of_runs(const std::vector<double>& losses, double epsilon) {
  double sum = 0.0;
  for (const double loss : losses) sum += std::max(0.0, -std::expm1(epsilon - loss));
  return sum / static_cast<double>(losses.size());
}

// By Hoeffding a mean of 20000 numbers in [0, 1] is off by 0.021 with probability 2e-8; with 16
// comparisons a false alarm has probability 3e-7.
TEST(History, AdversariesWhoChooseByTheAnswersGetNoMoreThanTheBudget) {
  constexpr int runs = 20000;
  constexpr double margin = 0.021;
  std::vector<Question> questions;
  for (const double mu : {0.15, 0.3, 0.6})
    questions.push_back(
        {price(gaussian_differential_privacy(mu), 0.0).mu_squared.upper(), mu, 0.0});
  for (const double epsilon : {0.1, 0.4})
    questions.push_back({price(pure_guarantee(epsilon), 0.0).mu_squared.upper(), 0.0, epsilon});
  const auto affordable = [&](double left, std::size_t wanted) -> std::optional<std::size_t> {
    if (questions[wanted].price <= left) return wanted;
    return questions[0].price <= left ? std::optional<std::size_t>(0) : std::nullopt;
  };
  const Strategy strategies[] = {
      // Large questions while it looks good, small ones else.
      [&](double said, double left) { return affordable(left, said >= 0.0 ? 2 : 0); },
      // The other way round, with randomized answers between.
      [&](double said, double left) { return affordable(left, said > 0.5 ? 3 : 1); },
      // Stops when enough was seen.
      [&](double said, double left) {
        return said > 0.8 ? std::optional<std::size_t>() : affordable(left, 0);
      },
      // Doubles after every loss.
      [&](double said, double left) { return affordable(left, said < -0.3 ? 4 : 1); }};
  Clocks total;
  total.mu_squared = Reading::exactly(1.0);
  const PrivacyLoss promised = loss_of(total);
  double most = 0.0;
  for (const Strategy& strategy : strategies) {
    const std::vector<double> losses = losses_of_runs(questions, strategy, 1.0, runs);
    for (const double epsilon : {0.0, 0.3, 0.8, 1.5}) {
      const double allowed = profile(promised, epsilon).delta().upper();
      EXPECT_LE(delta_of_runs(losses, epsilon), allowed + margin) << epsilon;
      if (epsilon == 0.0) most = std::max(most, delta_of_runs(losses, epsilon) / allowed);
    }
  }
  EXPECT_GT(most, 0.9);  // they do use what they have
}

}  // namespace
}  // namespace modicum::history_test
