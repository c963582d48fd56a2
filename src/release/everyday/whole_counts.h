// Noise on the integers for counts and for sums of whole numbers: it suits them, and is far less
// than Gaussian noise where one such number, or one for each group, is all that is released.
#pragma once

#include "modicum/release/everyday_release.h"

namespace modicum {

/// The least of its kind that meets the target. Throws InvalidParameter where the kind does not
/// suit the question, CalibrationFailed, TargetUnreachable.
WholeCounts calibrate_whole_counts(const PrivacyTarget& target, Everyday statistic,
                                   const EverydayQuestion& question);

/// Of as many numbers as a neighbor moves.
Value description_of_whole_counts(const WholeCounts& counts, Adjacency neighbors);

/// Whether noise on the integers suits this question: one row, or the rows of one person, move one
/// number of rows, or two; or the sum of one column of whole numbers.
bool suits_whole_counts(Everyday statistic, const EverydayQuestion& question);
/// Whether it is what to take if nothing else is said: one number moves. (Where two do, Gaussian
/// noise is larger, but its loss is known at once.)
bool is_least_on_integers(Everyday statistic, const EverydayQuestion& question);

}  // namespace modicum
