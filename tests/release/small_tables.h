// Small made-up tables for the tests of releases.
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "modicum/data/gram.h"
#include "support/seeded_random.h"
#include "support/temporary_folder.h"

namespace modicum::testing {

inline std::string content_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream(path, std::ios::binary).rdbuf();
  return out.str();
}

/// Rows of independent normals, `scale` each.
inline Eigen::MatrixXd random_rows(SeededRandom& random, long rows, long columns, double scale) {
  return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return scale * random.normal(); });
}

inline RowBlock clipped(const Eigen::MatrixXd& rows, const IntegerClip& clip) {
  RowBlock block = rows;
  clip.apply(block);
  return block;
}

/// The second moments of the clipped rows.
inline IntegerGram gram_of(const Eigen::MatrixXd& rows, double row_norm_bound) {
  const IntegerClip clip(row_norm_bound);
  const RowBlock block = clipped(rows, clip);
  IntegerGram gram;
  gram.dimension = rows.cols();
  gram.grid = clip.grid();
  gram.row_norm_bound = row_norm_bound;
  for (Eigen::Index i = 0; i < rows.cols(); ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      Integer128 sum = 0;
      for (Eigen::Index k = 0; k < rows.rows(); ++k)
        sum += static_cast<Integer128>(block(k, i)) * static_cast<Integer128>(block(k, j));
      gram.entries.push_back(sum);
    }
  return gram;
}

inline IntegerSum sum_of(const Eigen::MatrixXd& rows, double row_norm_bound) {
  const IntegerClip clip(row_norm_bound);
  const RowBlock block = clipped(rows, clip);
  IntegerSum sum{clip.grid(), row_norm_bound, {}, rows.rows()};
  for (Eigen::Index j = 0; j < rows.cols(); ++j) {
    Integer128 total = 0;
    for (Eigen::Index k = 0; k < rows.rows(); ++k) total += static_cast<Integer128>(block(k, j));
    sum.entries.push_back(total);
  }
  return sum;
}

inline Eigen::MatrixXd without_row(const Eigen::MatrixXd& rows, Eigen::Index dropped) {
  Eigen::MatrixXd result(rows.rows() - 1, rows.cols());
  result << rows.topRows(dropped), rows.bottomRows(rows.rows() - dropped - 1);
  return result;
}

inline Eigen::MatrixXd with_row(const Eigen::MatrixXd& rows, const Eigen::VectorXd& added) {
  Eigen::MatrixXd result(rows.rows() + 1, rows.cols());
  result << rows, added.transpose();
  return result;
}

inline double normal_below(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace modicum::testing
