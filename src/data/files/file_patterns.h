#pragma once

#include <string>
#include <vector>

namespace modicum::data {

/// A path of a file that is there stands for itself; else *, ? and [...] stand for all files that
/// match, sorted by their bytes. Throws UnreadableFile where nothing matches, and InvalidParameter
/// for a file that is there twice, by whatever names and links.
std::vector<std::string> expand_patterns(const std::vector<std::string>& paths);

}  // namespace modicum::data
