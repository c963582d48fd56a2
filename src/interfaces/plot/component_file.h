// Components as `release components` writes them, or as plain numbers.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

namespace modicum {

struct ComponentFile {
  std::vector<std::string> names;  ///< of the coordinates; none where the file has none
  Eigen::MatrixXd values;          ///< a row for each coordinate, a column for each component
};

/// CSV with the names in a first column "name", JSON {"rows", "columns", "values"}, or whatever
/// read_matrix takes. Throws UnreadableFile.
ComponentFile read_components(const std::string& path);

/// Throws InvalidParameter, naming `option`, unless there is a row for each of these coordinates,
/// under its name if the file has names, and the columns are orthonormal but for some rounding.
void require_components_of(const char* option, const ComponentFile& file,
                           const std::vector<std::string>& coordinates);

}  // namespace modicum
