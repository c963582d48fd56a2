// What the noise may have done: intervals from released numbers and public parameters alone.
#pragma once

#include "modicum/data/rows.h"

namespace modicum {

struct Interval {
  double lower, upper;
};

/// z with P[|N(0, 1)| <= z] = level, rounded upwards.
double normal_reach(double level);

/// All r in [-1, 1] with |total - r count| <= reach sqrt(total_deviation^2 + r^2
/// count_deviation^2), and whatever lies between two of them: Fieller's set for the ratio of the
/// means of two independent normal numbers, which holds the truth with the probability of the
/// reach, whatever the truth is. All of [-1, 1] where the set has no element there.
Interval ratio_interval(double total, double total_deviation, double count, double count_deviation,
                        double reach);

}  // namespace modicum
