// Tables of privacy losses as text.
#pragma once

#include <cstddef>
#include <string_view>

#include "modicum/mechanisms/tabulated.h"

namespace modicum {

inline constexpr std::size_t most_table_rows = 1'000'000;

/// Reads comma-separated values, one `loss,probability` a line: the distribution of the loss under
/// X. The loss may be `inf`. Blank lines, lines that start with # and a first line that reads
/// "loss,probability" are skipped; spaces around a value and a carriage return at the end of a line
/// do not matter.
///
/// Throws InvalidDescription that names the line: `line 3: probability is "x", but must be a
/// number`; for a text without rows and for more than `most_table_rows` too. Whether the
/// probabilities add up is for tabulated_loss to say.
LossTable parse_loss_table(std::string_view text);

}  // namespace modicum
