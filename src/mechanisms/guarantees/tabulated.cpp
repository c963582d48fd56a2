#include "modicum/mechanisms/tabulated.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"
#include "privacy/laws/table_law.h"

namespace modicum {
namespace {

constexpr double rounding_of_tables = 1e-9;

// One direction: the masses given that the loss is finite, and the rest of 1.
struct Direction {
  std::shared_ptr<const LossLaw> law;
  Precise infinite;
};

Direction direction(const std::vector<double>& losses, std::vector<Ball> masses,
                    double infinite_at_least) {
  Ball finite;
  for (const Ball& mass : masses) finite += mass;
  // A sum that rounding has left above 1 stays so: too much mass is on the safe side.
  const Ball infinite = max(Ball(1.0) - finite, Ball(infinite_at_least));
  for (Ball& mass : masses) mass /= Ball(1.0) - infinite;
  return {table_law(losses, std::move(masses)), to_precise("infinite", infinite)};
}

}  // namespace

PrivacyLoss tabulated_loss(const LossTable& table) {
  if (table.losses.size() != table.probabilities.size())
    throw InvalidParameter("probabilities", static_cast<double>(table.probabilities.size()),
                           "must be as many as the losses");
  require_probability("infinite", table.infinite);
  const PrecisionScope scope(192);
  std::map<double, Ball> atoms;
  Ball total = table.infinite, other;
  for (std::size_t i = 0; i < table.losses.size(); ++i) {
    require_finite("loss", table.losses[i]);
    require_probability("probability", table.probabilities[i]);
    if (table.probabilities[i] == 0.0) continue;
    atoms[table.losses[i]] += Ball(table.probabilities[i]);
    total += Ball(table.probabilities[i]);
    other += Ball(table.probabilities[i]) * exp(-Ball(table.losses[i]));
  }
  if (!(std::abs(total.middle() - 1.0) <= rounding_of_tables))
    throw InvalidParameter("sum of the probabilities", total.middle(), "must be 1");
  if (!(other.upper() <= 1.0 + rounding_of_tables))
    throw InvalidParameter("sum of exp(-loss) * probability", other.upper(), "must be at most 1");
  if (atoms.empty() || table.infinite == 1.0) return PrivacyLoss::mutually_singular();
  std::vector<double> losses, opposite;
  std::vector<Ball> masses, opposite_masses;
  for (const auto& [loss, mass] : atoms) {
    losses.push_back(loss);
    masses.push_back(mass);
  }
  for (auto atom = atoms.rbegin(); atom != atoms.rend(); ++atom) {
    opposite.push_back(-atom->first);
    opposite_masses.push_back(atom->second * exp(-Ball(atom->first)));
  }
  const Direction forward = direction(losses, std::move(masses), table.infinite);
  const Direction reverse = direction(opposite, std::move(opposite_masses), 0.0);
  PrivacyLoss loss = PrivacyLoss::law(forward.law, reverse.law);
  loss.compose(PrivacyLoss::infinite_with_probability(forward.infinite, reverse.infinite));
  return loss;
}

PrivacyLoss tabulated_directions(const LossTable& forward, const LossTable& reverse) {
  const bool symmetric = forward == reverse;
  const PrivacyLoss first = tabulated_loss(forward);
  const PrivacyLoss second = symmetric ? first : tabulated_loss(reverse);
  const DirectedLoss &one = first.forward(), &other = second.forward();
  if (one.mutually_singular || other.mutually_singular) return PrivacyLoss::mutually_singular();
  PrivacyLoss loss = PrivacyLoss::law(one.laws.front().law, other.laws.front().law);
  loss.compose(PrivacyLoss::infinite_with_probability(one.infinite_mass, other.infinite_mass));
  return loss.as_upper_bound();
}

}  // namespace modicum
