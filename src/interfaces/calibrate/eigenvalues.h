// The eigenvalues of a covariance: from a file, or at hand.
#pragma once

#include <string>
#include <vector>

#include "modicum/data/fields.h"
#include "modicum/mechanisms/exponential_components.h"

namespace modicum {

/// A list of numbers in descending order, equal neighbors allowed. What is wrong with it is told by
/// places in the list and none of its values: they are confidential.
struct EigenvalueSource {
  Input<std::vector<double>> eigenvalues = {};
  bool ranks = false;

  /// Throws InvalidDescription for a list at hand that is none of these.
  Field& fields(Fields& fields);
  /// `ranks`: for jobs that tell what is proved, which depends on how rows were scaled.
  void scaling_field(Fields& fields);
  RowScaling scaling() const { return ranks ? RowScaling::ranks : RowScaling::separate; }
  /// Throws InvalidDescription, UnreadableFile.
  std::vector<double> load() const;
};

/// "for rows that are scaled one by one", or "for ranks within columns".
const char* in_words(RowScaling scaling);

/// From a file of JSON; "-": standard input. Throws as above.
std::vector<double> read_eigenvalues(const std::string& file);

}  // namespace modicum
