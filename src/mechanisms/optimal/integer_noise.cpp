#include "modicum/mechanisms/integer_noise.h"

#include <algorithm>
#include <cmath>

#include "mechanisms/optimal/finite_pair.h"
#include "mechanisms/suprema/supremum.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"
#include "privacy/laws/loss_law.h"

namespace modicum {
namespace {

constexpr double most_points = 1e5;
constexpr std::size_t most_noise_corners = 4000;

// The masses, divided by their sum.
std::vector<Ball> checked_masses(const IntegerNoise& noise) {
  if (noise.probabilities.empty() ||
      !(static_cast<double>(noise.probabilities.size()) <= most_points))
    throw InvalidParameter("number of probabilities",
                           static_cast<double>(noise.probabilities.size()),
                           "must be from 1 to 100000");
  if (!(std::abs(noise.first) <= 0x1p52 && noise.first == std::floor(noise.first)))
    throw InvalidParameter("first", noise.first, "must be a whole number within 2^52 of 0");
  Ball sum;
  for (const double mass : noise.probabilities)
    sum += Ball(require_probability("probability", mass));
  if (!(std::abs(sum.middle() - 1.0) <= 1e-9))
    throw InvalidParameter("sum of the probabilities", sum.middle(), "must be 1");
  std::vector<Ball> masses;
  for (const double mass : noise.probabilities) masses.push_back(Ball(mass) / sum);
  return masses;
}

bool is_symmetric(const std::vector<double>& masses) {
  return std::equal(masses.begin(), masses.end(), masses.rbegin());
}
// Rising up to its largest, falling from there on.
bool has_one_mode(const std::vector<double>& masses) {
  const auto mode = std::ranges::max_element(masses);
  return std::is_sorted(masses.begin(), mode) &&
         std::is_sorted(mode, masses.end(), std::greater<>());
}

// The noise moved by d against the noise.
PrivacyLoss moved_pair(const std::vector<Ball>& masses, std::size_t d, bool symmetric) {
  std::vector<Ball> x(masses.size() + d), y(masses.size() + d);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    x[i + d] = masses[i];
    y[i] = masses[i];
  }
  return finite_pair_loss(x, y, symmetric);
}

// Where the profiles of the pairs have their corners, from 0 on; every subset would do.
std::vector<double> places_of_noise(const std::vector<double>& masses, std::size_t from,
                                    std::size_t to, double last) {
  std::vector<double> places{0.0, last};
  for (std::size_t d = from; d <= to; ++d)
    for (std::size_t i = d; i < masses.size(); ++i)
      if (masses[i] > 0.0 && masses[i - d] > 0.0) {
        const double place = std::abs(std::log(masses[i]) - std::log(masses[i - d]));
        if (place < last) places.push_back(place);
      }
  std::ranges::sort(places);
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<double> kept;
  const std::size_t step = places.size() / most_noise_corners + 1;
  for (std::size_t i = 0; i + 1 < places.size(); i += step) kept.push_back(places[i]);
  kept.push_back(last);
  return kept;
}

// The supremum over shifts and directions.
PrivacyLoss supremum_of_shifts(const std::vector<double>& probabilities,
                               const std::vector<Ball>& masses, std::size_t from, std::size_t to) {
  auto pairs = std::make_shared<std::vector<PrivacyLoss>>();
  double last = 0.0;
  for (std::size_t d = from; d <= to; ++d) {
    pairs->push_back(moved_pair(masses, d, false));
    for (const LawPart& part : pairs->back().forward().laws) {
      const Enclosure support = part.law->support();
      last = std::max({last, -support.lower(), support.upper()});
    }
  }
  SupremumFamily family{"integer noise", probabilities, nullptr, nullptr};
  family.key.insert(family.key.end(), {static_cast<double>(from), static_cast<double>(to)});
  take_pairs(family, pairs);
  family.places = [=] { return places_of_noise(probabilities, from, to, last); };
  return loss_of_supremum(std::move(family), 0, 0.0, 0.0);
}

}  // namespace

PrivacyLoss integer_noise(const IntegerNoise& noise, double sensitivity) {
  if (!(sensitivity >= 0.0 && sensitivity <= 0x1p25 && sensitivity == std::floor(sensitivity)))
    throw InvalidParameter("sensitivity", sensitivity, "must be a whole number from 0 to 2^25");
  const PrecisionScope scope(320);
  const std::vector<Ball> masses = checked_masses(noise);
  if (sensitivity == 0.0) return {};
  const double size = static_cast<double>(masses.size());
  if (!(sensitivity < size)) return PrivacyLoss::mutually_singular();
  const auto shift = static_cast<std::size_t>(sensitivity);
  const bool one_mode = has_one_mode(noise.probabilities);
  if (one_mode && is_symmetric(noise.probabilities)) return moved_pair(masses, shift, true);
  if (one_mode) return supremum_of_shifts(noise.probabilities, masses, shift, shift);
  if (!(sensitivity * size <= most_points))
    throw InvalidParameter("sensitivity", sensitivity,
                           "must be at most 100000 over the number of probabilities, for noise "
                           "that rises away from its mode");
  return supremum_of_shifts(noise.probabilities, masses, 1, shift);
}

}  // namespace modicum
