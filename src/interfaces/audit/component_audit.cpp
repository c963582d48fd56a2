#include "interfaces/audit/component_audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/cells/number_text.h"
#include "interfaces/calibrate/eigenvalues.h"
#include "modicum/mechanisms/randomized_response.h"

namespace modicum {
namespace {

constexpr const char* inside = "consistent";
constexpr const char* outside = "prediction outside the band";

double dimension_of(const ComponentAudit& audit) {
  return static_cast<double>(audit.spectrum.dimension());
}

double proved_epsilon(const ComponentAudit& audit) {
  const double range =
      component_range(audit.beta, dimension_of(audit), audit.spectrum.rows(), audit.scaling);
  return component_guarantee(range, audit.proved_draws(), 0.0).pure_epsilon;
}

double proved_epsilon_of_replacing(const ComponentAudit& audit) {
  const double range = pure_epsilon_of_replacing(audit.beta, dimension_of(audit),
                                                 audit.spectrum.rows(), audit.scaling);
  return component_guarantee(range, audit.proved_draws(), 0.0).pure_epsilon;
}

bool is_tie(const ComponentSpectrum& spectrum) { return !(spectrum.gap() > 0.0); }

// ---- utility

// What is predicted; nothing where a tie leaves the component itself undetermined.
struct Prediction {
  std::vector<std::optional<double>> overlaps;
  std::optional<double> spectral, frobenius;
};
Prediction prediction_of(const ComponentAudit& audit) {
  const PredictedUtility limit = predicted_utility(audit.spectrum, audit.beta);
  Prediction result;
  for (std::size_t i = 0; i < limit.overlaps.size(); ++i)
    result.overlaps.push_back(std::isfinite(audit.spectrum.threshold(i))
                                  ? std::optional(limit.overlaps[i])
                                  : std::nullopt);
  if (is_tie(audit.spectrum)) return result;
  result.spectral = limit.spectral;
  result.frobenius = limit.frobenius;
  return result;
}

Value mean_in(const SimulatedMean& simulated, const std::optional<double>& predicted) {
  return {{"mean", simulated.mean},
          {"standard_error", simulated.standard_error},
          {"predicted", predicted}};
}

void show_mean(Reply& reply, const std::string& name, const SimulatedMean& simulated,
               const std::optional<double>& predicted) {
  reply.show({name, fmt::format("{:.5g}", simulated.mean),
              fmt::format("{:.2g}", simulated.standard_error),
              predicted ? fmt::format("{:.5g}", *predicted) : "none"});
}

void add_utility(Reply& reply, const ComponentAudit& audit) {
  const Prediction predicted = prediction_of(audit);
  const SimulatedUtility& found = audit.utility;
  reply.tell("error", {{"spectral", mean_in(found.spectral, predicted.spectral)},
                       {"frobenius", mean_in(found.frobenius, predicted.frobenius)}});
  reply.show({"", "simulated", "standard error", "predicted"});
  show_mean(reply, "squared spectral error", found.spectral, predicted.spectral);
  show_mean(reply, "squared Frobenius error", found.frobenius, predicted.frobenius);
  Value overlaps = Value::list();
  for (std::size_t i = 0; i < predicted.overlaps.size(); ++i) {
    overlaps.push_back(mean_in(found.overlaps[i], predicted.overlaps[i]));
    show_mean(reply, fmt::format("overlap with component {}", i + 1), found.overlaps[i],
              predicted.overlaps[i]);
  }
  reply.tell("overlaps", std::move(overlaps));
  reply.say("Predictions are limits of many dimensions: asymptotic, not proved.\n");
}

// ---- trade-off

Value in_tree(const AuditedTradeoff& tradeoff) {
  Value points = Value::list();
  for (std::size_t i = 0; i < tradeoff.predicted.size(); ++i)
    points.push_back({{"type1", tradeoff.simulated.type1[i]},
                      {"type2", tradeoff.simulated.type2[i]},
                      {"lower", tradeoff.simulated.lower[i]},
                      {"upper", tradeoff.simulated.upper[i]},
                      {"predicted", tradeoff.predicted[i]}});
  return {{"confidence", tradeoff.confidence},
          {"worst_row_share", tradeoff.worst_row_share},
          {"points", std::move(points)},
          {"verdict", tradeoff.consistent() ? inside : outside}};
}

// All levels if they are few, else nine of them.
std::vector<std::size_t> told_levels(std::size_t count) {
  std::vector<std::size_t> result;
  for (std::size_t i = 1; i <= std::min<std::size_t>(count, 9); ++i)
    result.push_back(count <= 9 ? i - 1 : i * (count + 1) / 10 - 1);
  return result;
}

ReplyTable curve_of(const AuditedTradeoff& tradeoff) {
  ReplyTable rows({"type I error", "type II error", "at least", "at most", "predicted"});
  const SimulatedTradeoff& simulated = tradeoff.simulated;
  for (const std::size_t i : told_levels(simulated.type1.size()))
    rows.add({},
             {fmt::format("{:.4g}", simulated.type1[i]), fmt::format("{:.4f}", simulated.type2[i]),
              fmt::format("{:.4f}", simulated.lower[i]), fmt::format("{:.4f}", simulated.upper[i]),
              fmt::format("{:.4f}", tradeoff.predicted[i])});
  return rows;
}

void add_tradeoff(Reply& reply, const ComponentAudit& audit) {
  const AuditedTradeoff& tradeoff = *audit.tradeoff;
  const std::size_t k = audit.spectrum.components();
  reply.tell("tradeoff", in_tree(tradeoff));
  reply.say(fmt::format(
      "\nPredicted mu: {:.7g}. The row that is easiest to tell lies along component {}{}.\nWhether "
      "it was there, with a band that holds the whole curve at {:.6g} % confidence:\n",
      *audit.mu(), k,
      tradeoff.worst_row_share == 1.0
          ? std::string(":\nthis beta is on the privacy plateau")
          : fmt::format(" with a share of {:.4g} of its\nsquared length, and along direction {} "
                        "with the rest",
                        tradeoff.worst_row_share, k + 1),
      100.0 * tradeoff.confidence));
  reply.add("", curve_of(tradeoff));
  reply.say(fmt::format("Verdict: {}.\n",
                        tradeoff.consistent()
                            ? "consistent: the predicted curve is within the band"
                            : "prediction outside the band: at this size the limit is not the "
                              "truth, or the\nsampler does not draw from the distribution"));
}

std::string why_no_tradeoff(const ComponentAudit& audit) {
  if (audit.spectrum.is_whole_space())
    return "All directions are components: the span does not depend on the data, mu = 0.\n";
  if (audit.beta == 0.0) return "beta = 0 is pure noise, whatever the data: mu = 0.\n";
  if (is_tie(audit.spectrum))
    return "A tie: the last component has the same eigenvalue as the next direction, so that "
           "neither it\nnor a mu is determined.\n";
  if (const auto mu = audit.mu())
    return fmt::format(
        "Predicted mu: {:.7g}. How well the worst row can be told was not simulated.\n", *mu);
  return fmt::format(
      "No mu is predicted: beta must be above {:.7g}, from where on all components show.\n",
      audit.spectrum.transform());
}

std::string sampler_in_words(const ComponentAudit& audit) {
  if (audit.spectrum.components() == 1) return "exact draws";
  if (audit.sampler == ComponentSampler::deflation)
    return "draws one after the other (exact, but of another distribution than the\npredictions "
           "speak of)";
  return fmt::format("draws by the {} sampler (approximate)",
                     audit.sampler == ComponentSampler::gibbs ? "Gibbs" : "Gaussian");
}

std::vector<double> with_ends(std::vector<double> values, double first, double last) {
  values.insert(values.begin(), first);
  values.push_back(last);
  return values;
}

}  // namespace

const Choices<ComponentSampler>& audited_samplers() {
  using enum ComponentSampler;
  static const Choices<ComponentSampler> all{
      {"gibbs", gibbs, "a chain, the default"},
      {"gaussian", gaussian, "much quicker, where all components show"},
      {"deflation", deflation, "another distribution, the one with a proof"}};
  return all;
}

bool AuditedTradeoff::consistent() const {
  for (std::size_t i = 0; i < predicted.size(); ++i)
    if (!(simulated.lower[i] <= predicted[i] && predicted[i] <= simulated.upper[i])) return false;
  return true;
}

double ComponentAudit::proved_draws() const {
  return sampler == ComponentSampler::deflation ? static_cast<double>(spectrum.components()) : 1.0;
}

Reply told(const ComponentAudit& audit) {
  const double replacing = proved_epsilon_of_replacing(audit), adding = proved_epsilon(audit);
  Reply reply;
  reply.say(fmt::format("{} of {} components of {} rows, beta {}: {} {}\n",
                        audit.spectrum.components(), audit.spectrum.dimension(),
                        audit.spectrum.rows(), audit.beta, audit.draws, sampler_in_words(audit)));
  reply.tell("beta", audit.beta).tell("mu", audit.mu()).tell("guarantee", "asymptotic");
  reply.tell("sampler", word_of(audited_samplers(), audit.sampler)).tell("draws", audit.draws);
  if (audit.scaling == RowScaling::ranks) reply.tell("scaling", "ranks");
  reply.tell("pure_epsilon", replacing).tell("pure_epsilon_add_remove", adding);
  add_utility(reply, audit);
  if (audit.tradeoff) add_tradeoff(reply, audit);
  else reply.tell("tradeoff", nullptr).say("\n" + why_no_tradeoff(audit));
  return reply.say(fmt::format(
      "\nProved at this beta, for any data of any size, {},\nof the distribution that is drawn "
      "from: epsilon {} for replacing a row, {} for adding or\nremoving one.\n\nAll these numbers "
      "are as confidential as the eigenvalues.\n",
      in_words(audit.scaling), rounded_up(replacing), rounded_up(adding)));
}

Chart tradeoff_chart(const ComponentAudit& audit, const std::string& title) {
  Chart chart;
  const double epsilon = proved_epsilon(audit);
  if (const auto& tradeoff = audit.tradeoff) {
    const SimulatedTradeoff& found = tradeoff->simulated;
    const std::vector<double> levels = with_ends(found.type1, 0.0, 1.0);
    chart.series.push_back({fmt::format("simulated, {:.6g} % band", 100.0 * tradeoff->confidence),
                            levels, with_ends(found.type2, 1.0, 0.0),
                            with_ends(found.lower, found.lower.front(), 0.0),
                            with_ends(found.upper, 1.0, 0.0)});
    chart.series.push_back({fmt::format("predicted, mu {:.4g}", *audit.mu()),
                            levels,
                            with_ends(tradeoff->predicted, 1.0, 0.0),
                            {},
                            {}});
  }
  // Two straight pieces that meet where both errors are 1 / (1 + e^epsilon).
  Series proved{fmt::format("proved, epsilon {:.4g}", epsilon), {0.0}, {1.0}, {}, {}};
  const PrivacyLoss loss = pure_guarantee(epsilon);
  for (const double level : {1.0 / (1.0 + std::exp(epsilon)), 1.0}) {
    proved.x.push_back(level);
    proved.y.push_back(tradeoff(loss, level, Accuracy::fast).value.lower());
  }
  chart.series.push_back(std::move(proved));
  chart.title =
      title.empty()
          ? fmt::format("Is the worst row there? {} of {} components, beta {:.4g}",
                        audit.spectrum.components(), audit.spectrum.dimension(), audit.beta)
          : title;
  chart.horizontal = {"type I error", AxisScale::linear, std::pair{0.0, 1.0}};
  chart.vertical = {"type II error", AxisScale::linear, std::pair{0.0, 1.0}};
  chart.diagonal = true;
  chart.height = 640;
  return chart;
}

}  // namespace modicum
