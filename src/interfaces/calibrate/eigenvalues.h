// The eigenvalues of a covariance: from a file, or at hand.
#pragma once

#include <string>
#include <vector>

#include "modicum/data/fields.h"

namespace modicum {

/// A list of numbers in descending order, equal neighbors allowed. What is wrong with it is told by
/// places in the list and none of its values: they are confidential.
struct EigenvalueSource {
  Input<std::vector<double>> eigenvalues = {};

  /// Throws InvalidDescription for a list at hand that is none of these.
  Field& fields(Fields& fields);
  /// Throws InvalidDescription, UnreadableFile.
  std::vector<double> load() const;
};

/// From a file of JSON; "-": standard input. Throws as above.
std::vector<double> read_eigenvalues(const std::string& file);

}  // namespace modicum
