#include "release/everyday/joint_noise.h"

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/bounded_range.h"
#include "modicum/mechanisms/gaussian.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/mechanisms.h"
#include "release/everyday/everyday_sensitivity.h"
#include "release/everyday/everyday_terms.h"
#include "release/everyday/grouped_rows.h"

namespace modicum {
namespace {

// One request, ready for any noise.
struct Sharer {
  double share;              // of all weights, as a root
  double sensitivity = 0.0;  // of a statistic
  double new_group_probability = 0.0;
  double draws = 0.0;  // of quantiles
  Adjacency neighbors = Adjacency::add_remove;

  // Quantiles of discovered groups have a count beside their draws.
  bool counts() const { return draws > 0.0 && sensitivity > 0.0; }
  double answers() const { return draws + (counts() ? 1.0 : 0.0); }
  double amount(double noise) const {
    return draws > 0.0 ? 2.0 * share / (noise * std::sqrt(answers())) : sensitivity * noise / share;
  }
  EverydayTerms terms(double noise) const {
    const double own = draws > 0.0 ? share / std::sqrt(answers()) : share;
    return {sensitivity * noise / own, new_group_probability};
  }
  PrivacyLoss loss(double noise) const {
    PrivacyLoss all;
    if (draws > 0.0) all.compose(bounded_range(amount(noise)).repeated(draws));
    if (sensitivity > 0.0) all.compose(loss_of_terms(terms(noise), sensitivity));
    return all;
  }
  void describe(double noise, std::vector<Value>& losses) const {
    if (sensitivity > 0.0)
      losses.push_back(description_of_terms(terms(noise), sensitivity, neighbors));
    if (draws > 0.0)
      losses.push_back(for_neighbors(
          neighbors, described::description_of(described::BoundedRange{amount(noise)}, draws)));
  }
};

// Half of delta is for thresholds, where groups are discovered.
double discovery_share(const PrivacyTarget& target, const std::vector<ReleaseRequest>& requests) {
  const auto discovering = std::count_if(requests.begin(), requests.end(), [](const auto& each) {
    return std::visit([](const auto& own) { return own.question.groups.discovered(); }, each);
  });
  return discovering == 0 ? 0.0 : delta_for_discovery(target, static_cast<double>(discovering));
}

std::vector<Sharer> sharers_of(const PrivacyTarget& target,
                               const std::vector<ReleaseRequest>& requests) {
  const double shown = discovery_share(target, requests);
  double total = 0.0;
  for (const ReleaseRequest& each : requests)
    total += std::visit([](const auto& own) { return own.weight; }, each);
  std::vector<Sharer> sharers;
  for (const ReleaseRequest& each : requests) {
    if (const auto* own = std::get_if<StatisticRequest>(&each)) {
      sharers.push_back(
          {std::sqrt(own->weight / total), everyday_sensitivity(own->statistic, own->question),
           own->question.groups.discovered() ? shown : 0.0, 0.0, own->question.neighbors});
      continue;
    }
    const auto& own = std::get<QuantileRequest>(each);
    const bool discovered = own.question.groups.discovered();
    sharers.push_back(
        {std::sqrt(own.weight / total),
         discovered ? everyday_sensitivity(Everyday::count, question_of_counts(own.question)) : 0.0,
         discovered ? shown : 0.0, std::max(quantile_draws(own.question, own.levels), 1.0),
         own.question.neighbors});
  }
  return sharers;
}

// With delta = 0 all draws together may have the range epsilon.
double pure_noise(const PrivacyTarget& target, const std::vector<Sharer>& sharers) {
  double range = 0.0;
  for (const Sharer& each : sharers) {
    if (!(each.draws > 0.0) || each.counts())
      throw CalibrationFailed(
          "delta is 0, which Gaussian noise cannot meet: only quantiles can be released so");
    range += each.draws * each.amount(1.0);
  }
  return range / target.epsilon * (1.0 + 0x1p-40);
}

}  // namespace

JointNoise calibrate_joint_noise(const PrivacyTarget& target,
                                 const std::vector<ReleaseRequest>& requests) {
  const std::vector<Sharer> sharers = sharers_of(target, requests);
  const auto family = [&](double noise) {
    PrivacyLoss all;
    for (const Sharer& each : sharers) all.compose(each.loss(noise));
    return all;
  };
  const bool pure = !(target.delta > 0.0);
  const Calibration found = pure ? Calibration{pure_noise(target, sharers),
                                               {target.epsilon, Enclosure(0.0, 0.0),
                                                Enclosure(0.0, 0.0), Proof::certified}}
                                 : smallest_noise(family, target, 1.0);
  require_achieved(target, found.achieved);
  JointNoise noise{{}, {}, {}, found.achieved, {}};
  std::vector<Value> losses;
  for (const Sharer& each : sharers) {
    noise.amounts.push_back(each.amount(found.parameter));
    noise.new_group_probabilities.push_back(each.new_group_probability);
    noise.counts.push_back(each.counts() ? std::optional(each.terms(found.parameter))
                                         : std::nullopt);
    each.describe(found.parameter, losses);
  }
  noise.loss = losses.size() == 1 ? losses.front() : described::composition_of(std::move(losses));
  return noise;
}

}  // namespace modicum
