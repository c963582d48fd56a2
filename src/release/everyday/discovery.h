// Groups that are taken from the rows: which of them may be shown.
#pragma once

#include "modicum/release/everyday_release.h"

namespace modicum {

/// A proved bound on the probability that a group is shown which holds rows of nobody but the one
/// who comes: the noisy count, rounded to the grid, is at least `shown_from`. Up to `rows` rows in
/// up to `groups` groups of theirs; each adds `weight` to the count.
double new_group_probability(double shown_from, double standard_deviation, double grid,
                             double weight, double rows, double groups);

/// The least `shown_from` for which that is at most `probability`.
double discovery_threshold(double probability, double standard_deviation, double grid,
                           double weight, double rows, double groups);

}  // namespace modicum
