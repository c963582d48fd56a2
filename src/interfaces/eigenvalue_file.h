// The eigenvalues of a covariance, from a file.
#pragma once

#include <string>
#include <vector>

namespace modicum {

/// A JSON list of numbers in descending order, equal neighbors allowed; "-": standard input.
/// Throws InvalidDescription, which tells places in the list and none of its values: they are
/// confidential. UnreadableFile where there is no such file.
std::vector<double> read_eigenvalues(const std::string& file);

}  // namespace modicum
