// The rows of a table by their ranks within columns, for what needs the rows themselves.
#pragma once

#include "modicum/data/ranks.h"

namespace modicum {

/// A row for each of the table, in its order, with coordinates in [-1, 1].
RowBlock rank_rows(const Table& table, const RowRule& rule, const ReadOptions& options);

/// The same for values that are at hand.
RowBlock ranks_of(RowBlock values);
RankMoments rank_moments_of(RowBlock values);

}  // namespace modicum
