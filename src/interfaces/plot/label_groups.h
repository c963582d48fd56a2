// Rows in groups by their label, few enough to be told apart.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace modicum {

struct LabelGroup {
  std::string name;
  std::vector<std::size_t> members;  ///< places in the list of labels, ascending
  bool rest = false;                 ///< what has no group of its own
};

/// A group for each label, sorted: as numbers if all of them are, so that 1 and 1.0 are one label,
/// else by their bytes, blanks around them left out. Where there are more than `most`, those with
/// the most members have one, and all others are in a last group, "other". What is empty is called
/// "(empty)".
std::vector<LabelGroup> label_groups(const std::vector<std::string>& labels, std::size_t most);

}  // namespace modicum
