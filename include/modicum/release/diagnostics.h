// How good a release is. These numbers depend on the data and are not private: they are for the
// holder of the data only.
#pragma once

#include <string>
#include <vector>

#include "modicum/data/gram.h"
#include "modicum/release/released.h"

namespace modicum {

struct Diagnostic {
  std::string name;
  double value;
};
using Diagnostics = std::vector<Diagnostic>;

/// How many rows are used, and how many are dropped and why; `columns` are those read as numbers,
/// `categories` those read as such. One more pass, as the next.
Diagnostics diagnose_dropped_rows(const Table& table, const std::vector<std::size_t>& columns,
                                  const ReadOptions& options = {},
                                  const std::vector<std::size_t>& categories = {});
/// The same, and how many are clipped.
Diagnostics diagnose_rows(const Table& table, const RowRule& rule, double row_norm_bound,
                          const ReadOptions& options = {});
/// Least and largest eigenvalue of the Gram matrix of the clipped rows.
Diagnostics diagnose_spectrum(const IntegerGram& gram);

/// Spectral and Frobenius error of the second moments of a sketch over `columns`, less its ridge.
Diagnostics diagnose_projection(const Released& released, const IntegerGram& gram, double ridge);
Diagnostics diagnose_covariance(const Released& released, const IntegerGram& gram);
/// Relative Euclidean error of the standardized coefficients against least squares without ridge,
/// and how much longer the residual is than that of least squares, and than that of the best
/// constant (without a column of ones, of 0).
Diagnostics diagnose_regression(const Released& released, const IntegerGram& gram);
/// Relative Euclidean error of the first column against the true values.
Diagnostics diagnose_vector(const Released& released, const Eigen::VectorXd& truth);

}  // namespace modicum
