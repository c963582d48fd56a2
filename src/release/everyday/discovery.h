// Groups that are taken from the rows: which of them may be shown.
#pragma once

#include <vector>

#include "modicum/release/everyday_release.h"

namespace modicum {

/// The numbers of groups, with Gaussian noise on a grid.
struct GroupNumbers {
  double standard_deviation, grid;
  double weight;       ///< what a row adds to the number of rows
  double rows;         ///< of one person, at most
  double groups;       ///< that these are in, at most
  double row_alone;    ///< norm of what a row adds that comes or goes
  double sensitivity;  ///< of the numbers to all rows of a person
  bool replaced;       ///< rows are replaced by others
};
GroupNumbers group_numbers(Everyday statistic, const EverydayQuestion& question,
                           double standard_deviation, double grid);

/// A proved bound on the probability that a group is shown which holds rows of nobody but the one
/// who comes, of whom so many rows are in such groups: the noisy count, rounded to the grid, is at
/// least `shown_from`.
double new_group_probability(const GroupNumbers& numbers, double shown_from, double new_rows);

/// The least `shown_from` for which that is at most `probability` for all rows of a person.
double discovery_threshold(const GroupNumbers& numbers, double probability);

/// All ways to share out the rows of one person among groups of others and new ones.
struct DiscoveryWays {
  std::vector<double> sensitivities;  ///< of the numbers of groups that others are in
  std::vector<double> probabilities;  ///< that a new one is shown
};
DiscoveryWays discovery_ways(const GroupNumbers& numbers, double shown_from);

/// The least `shown_from` with which the worst of these ways meets the target, proved. Without new
/// groups it must be met. Throws CalibrationFailed.
double discovery_threshold(const GroupNumbers& numbers, const PrivacyTarget& target);

}  // namespace modicum
