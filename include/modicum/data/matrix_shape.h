// How many numbers a small file has, before any of them is looked at.
#pragma once

#include <Eigen/Core>
#include <string>

namespace modicum {

struct MatrixShape {
  Eigen::Index rows = 0, columns = 0;
  Eigen::Index size() const { return rows * columns; }
  bool operator==(const MatrixShape&) const = default;
};

/// That of what read_matrix makes of the file, if it is all numbers: whether it is, is not asked.
/// Throws UnreadableFile for a file that is not there, or has no rows.
MatrixShape matrix_shape(const std::string& path, bool header = false);

}  // namespace modicum
