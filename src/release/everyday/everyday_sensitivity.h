// How far the numbers of neighboring tables are apart (docs/derivations/everyday.md).
#pragma once

#include "modicum/release/everyday_release.h"

namespace modicum {

/// Whether a row that is replaced can leave one group for another.
bool has_several_groups(const EverydayQuestion& question);

/// How the number of rows is weighted against sums of numbers between -1 and 1; 0: there is none.
double row_count_weight(Everyday statistic, const EverydayQuestion& question);

/// Euclidean norm of what one row adds to its group, at most.
double row_sensitivity(Everyday statistic, const EverydayQuestion& question);

/// Euclidean distance of all numbers together, at most. Throws InvalidParameter for questions that
/// make no sense, among them how many rows there are where that is public.
double everyday_sensitivity(Everyday statistic, const EverydayQuestion& question);

}  // namespace modicum
