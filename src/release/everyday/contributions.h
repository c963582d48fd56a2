// What is kept of each person's rows.
#pragma once

#include "release/everyday/grouped_rows.h"

namespace modicum {

/// At most rule.rows rows of each person, in at most rule.groups groups, chosen at random: first
/// the groups, uniformly among those that the person has, then the rows in them. What is chosen of
/// a person depends on the rows of that person alone.
GroupedBlock bounded_contributions(const std::vector<GroupedBlock>& blocks, const PersonRule& rule,
                                   RandomSource& source);

}  // namespace modicum
