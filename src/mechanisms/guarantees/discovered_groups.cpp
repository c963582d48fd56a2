#include "modicum/mechanisms/discovered_groups.h"

#include <algorithm>
#include <memory>

#include "mechanisms/suprema/supremum.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"

namespace modicum {
namespace {

constexpr int corners_of_groups = 2000;

// Even steps up to where nothing but the largest probability is left.
std::vector<double> places_up_to_constant(const std::function<double(double, double)>& bound) {
  const double least = bound(1e5, 0.0);
  double end = 1.0;
  while (end < 1e5 && bound(end, 0.0) > least) end *= 1.25;
  std::vector<double> places;
  for (int i = 0; i <= corners_of_groups; ++i) places.push_back(end * i / corners_of_groups);
  return places;
}

}  // namespace

PrivacyLoss discovered_groups(double standard_deviation, const std::vector<double>& sensitivities,
                              const std::vector<double>& probabilities) {
  require_positive("standard_deviation", standard_deviation);
  if (sensitivities.empty() || sensitivities.size() != probabilities.size())
    throw InvalidParameter("probabilities", static_cast<double>(probabilities.size()),
                           "must be as many as sensitivities, one at least");
  auto pairs = std::make_shared<std::vector<PrivacyLoss>>();
  SupremumFamily family{"discovered groups", {standard_deviation}, nullptr, nullptr};
  for (std::size_t i = 0; i < sensitivities.size(); ++i) {
    const double sensitivity = require_non_negative("sensitivities", sensitivities[i]),
                 probability = require_non_negative("probabilities", probabilities[i]);
    if (!(probability <= 1.0))
      throw InvalidParameter("probabilities", probability, "must be at most 1");
    PrivacyLoss pair =
        sensitivity > 0.0 ? gaussian_mechanism(standard_deviation, sensitivity) : PrivacyLoss();
    if (probability > 0.0) pair.compose(PrivacyLoss::infinite_with_probability(probability));
    pairs->push_back(std::move(pair));
    family.key.insert(family.key.end(), {sensitivity, probability});
  }
  if (pairs->size() == 1) return pairs->front();
  take_pairs(family, pairs);
  family.places = [bound = family.bound] { return places_up_to_constant(bound); };
  return loss_of_supremum(std::move(family), corners_of_groups, 0.0, 0.0);
}

}  // namespace modicum
