#include "release/everyday/whole_counts.h"

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/discrete.h"
#include "modicum/numerics/errors.h"
#include "release/certificates/public_certificate.h"
#include "release/descriptions/integer_mechanisms.h"
#include "release/descriptions/staircase_mechanism.h"
#include "release/everyday/everyday_sensitivity.h"
#include "release/everyday/grouped_rows.h"

namespace modicum {
namespace {

double start_of(const PrivacyTarget& target, double sensitivity) {
  return sensitivity * (target.epsilon > 0.0 ? 1.0 / target.epsilon : 1.0);
}

double numbers_moved(const EverydayQuestion& question) {
  return question.neighbors == Adjacency::replace_one && has_several_groups(question) ? 2.0 : 1.0;
}

WholeCounts gaussian_counts(const PrivacyTarget& target, double sensitivity, double moved) {
  if (!(target.delta > 0.0))
    throw CalibrationFailed("delta is 0, which Gaussian noise cannot meet");
  const double start = calibrate_gaussian(target, sensitivity, moved, Accuracy::fast).parameter;
  if (!(start <= 4000.0))
    throw CalibrationFailed("discrete Gaussian noise is for deviations up to 4096: use gaussian");
  const Calibration found = smallest_noise(
      [&](double sigma) { return discrete_gaussian(sigma, sensitivity).repeated(moved); }, target,
      start);
  return {DiscreteGaussianNoise{found.parameter}, sensitivity, moved, {}, found.achieved};
}

// The noise that is drawn is geometric with exactly 1 / falling for its scale, which is at least
// the scale described: it is that noise with more of its kind added.
WholeCounts laplace_counts(const PrivacyTarget& target, double sensitivity, double moved) {
  const Calibration found = smallest_noise(
      [&](double scale) { return discrete_laplace(scale, sensitivity).repeated(moved); }, target,
      start_of(target, sensitivity));
  const double falling = std::nextafter(1.0 / found.parameter, 0.0);
  return {Staircase{falling, 1.0, 1.0}, sensitivity, moved, found.parameter, found.achieved};
}

// By how much one number moves: a whole number. Values are clamped to the bounds, then rounded.
double whole_sensitivity(Everyday statistic, const EverydayQuestion& question) {
  if (statistic == Everyday::count) return question.rows_of_one();
  const Range& range = question.ranges.front();
  const double low = std::round(range.low), high = std::round(range.high);
  const double alone = std::max(std::abs(low), std::abs(high));
  const bool replaced = question.neighbors != Adjacency::add_remove;
  return question.rows_of_one() * (replaced ? std::max(alone, high - low) : alone);
}

// One column, and where a row may be replaced one group: else one sum moves by the difference of
// two values, or two sums by one value each.
bool is_whole_sum(Everyday statistic, const EverydayQuestion& question) {
  return statistic == Everyday::sum && question.integers && question.columns.size() == 1 &&
         (question.neighbors == Adjacency::add_remove || !has_several_groups(question));
}

}  // namespace

bool suits_whole_counts(Everyday statistic, const EverydayQuestion& question) {
  if (statistic != Everyday::count && !is_whole_sum(statistic, question)) return false;
  if (question.groups.discovered()) return false;
  const bool one_group = !has_several_groups(question) || question.rows_of_one() == 1.0 ||
                         (question.unit && question.unit->most_groups() == 1.0);
  const double sensitivity = whole_sensitivity(statistic, question);
  return one_group && sensitivity >= 1.0 && sensitivity <= largest_optimal_sensitivity;
}

bool is_least_on_integers(Everyday statistic, const EverydayQuestion& question) {
  return suits_whole_counts(statistic, question) && numbers_moved(question) == 1.0;
}

WholeCounts calibrate_whole_counts(const PrivacyTarget& target, Everyday statistic,
                                   const EverydayQuestion& question) {
  if (statistic != Everyday::count && !(statistic == Everyday::sum && question.integers))
    throw InvalidParameter("noise", to_string(question.noise),
                           "must be gaussian, but for numbers of rows and sums with `integers`");
  if (!suits_whole_counts(statistic, question))
    throw InvalidParameter("noise", "on the integers",
                           "must be gaussian where groups are discovered, where the rows of a "
                           "person are in several groups, and for sums of several columns, with "
                           "bounds beyond 4096, or by group with rows that are replaced");
  const double sensitivity = whole_sensitivity(statistic, question);
  const double moved = numbers_moved(question);
  WholeCounts counts = [&]() -> WholeCounts {
    if (question.noise == CountNoise::discrete_gaussian)
      return gaussian_counts(target, sensitivity, moved);
    if (question.noise == CountNoise::discrete_laplace)
      return laplace_counts(target, sensitivity, moved);
    const auto found = optimal_integer_noise(target, sensitivity, {}, moved);
    return {found->noise, sensitivity, moved, {}, found->achieved};
  }();
  require_achieved(target, counts.achieved);
  counts.reach = whole_noise_error(counts.noise, {NoiseError::Kind::interval, question.level});
  return counts;
}

Value description_of_whole_counts(const WholeCounts& counts, Adjacency neighbors) {
  using namespace described;
  const auto described_as = [&](auto mechanism) {
    return for_neighbors(neighbors, description_of(std::move(mechanism), counts.moved));
  };
  if (counts.scale) return described_as(DiscreteLaplace{*counts.scale, counts.sensitivity});
  if (const auto* table = std::get_if<IntegerNoise>(&counts.noise))
    return described_as(AnyIntegerNoise{table->probabilities, table->first, counts.sensitivity});
  if (const auto* gaussian = std::get_if<DiscreteGaussianNoise>(&counts.noise))
    return described_as(DiscreteGaussian{gaussian->sigma, counts.sensitivity});
  return described_as(DiscreteStaircase{std::get<Staircase>(counts.noise)});
}

}  // namespace modicum
