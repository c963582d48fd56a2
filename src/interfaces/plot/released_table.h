// Everyday statistics read back from the files of their release.
#pragma once

#include <string>
#include <vector>

#include "modicum/data/value.h"

namespace modicum {

struct ReleasedTable {
  struct Row {
    std::string name;
    double value, lower, upper;  ///< NaN: there is none
  };
  std::vector<Row> rows;
  Value certificate, parameters;
  std::string statistic;  ///< "mean"; empty if there are several
  std::string part;       ///< the one of several that the rows are of

  bool has(const std::string& parameter) const { return parameters.contains(parameter); }
  /// Empty where the parameter is none.
  std::vector<std::string> texts(const std::string& parameter) const;
  std::vector<double> numbers(const std::string& parameter) const;
  /// "mean of wage by region".
  std::string what() const;
  /// "(1, 1e-06)-differentially private, proved; intervals of 95 % for the noise alone".
  std::string promise() const;
};

/// `part`: the rows of one of several releases under one budget, by its name. Throws UnreadableFile
/// for files that are not those of such a release, or that the certificate does not speak of.
ReleasedTable read_released(const std::string& path, const std::string& certificate,
                            const std::string& part);

}  // namespace modicum
