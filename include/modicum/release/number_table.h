// Numbers that were released earlier, to be written again to the same bytes.
#pragma once

#include "modicum/release/released.h"

namespace modicum {

struct NumberTable {
  std::vector<std::string> row_names, column_names;
  Eigen::MatrixXd values;
};

/// As encode() of a release. Throws InvalidParameter unless there is a name for each row and
/// column.
std::string encode(const NumberTable& numbers, OutputFormat format);

}  // namespace modicum
