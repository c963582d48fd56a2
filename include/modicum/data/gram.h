// The second moments of a table in one streaming pass.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "modicum/data/rows.h"
#include "modicum/data/value.h"
#include "modicum/randomness/random_source.h"

namespace modicum {

__extension__ using Integer128 = __int128;

/// Sum of v v^T over the clipped rows v, in whole numbers of grid^2: exact, so it depends neither
/// on the order of the rows nor on the number of threads, and a row changes it by exactly v v^T.
struct IntegerGram {
  Eigen::Index dimension = 0;
  double grid = 1.0;            ///< of the rows; a power of two
  double row_norm_bound = 1.0;  ///< |v| <= row_norm_bound, checked in whole numbers
  double sampling_rate = 1.0;   ///< probability with which each row was taken
  std::vector<Integer128>
      entries;  ///< lower triangle by rows: (i, j), j <= i, at i (i + 1) / 2 + j

  /// Of the symmetric matrix: any i and j.
  Integer128 at(Eigen::Index i, Eigen::Index j) const;
  /// Times grid^2, to the nearest doubles.
  Eigen::MatrixXd matrix() const;
};

/// One pass, with threads and BLAS. Memory: blocks of some megabytes and dimension^2 numbers a
/// thread.
IntegerGram accumulate_gram(const Table& table, const RowRule& rule, double row_norm_bound,
                            const ReadOptions& options = {});

/// What is made of each row before it is clipped: from the rows that a rule makes, a row for each
/// that depends on that row alone, to the last bit, with finite entries.
struct RowMap {
  std::size_t width;  ///< of what it makes
  std::function<RowBlock(const RowBlock&)> apply;
  Value description;  ///< all there is to know, for who has the rows (modicum/data/gathered.h)
};
IntegerGram accumulate_gram(const Table& table, const RowRule& rule, const RowMap& map,
                            double row_norm_bound, const ReadOptions& options = {});

/// Each row is included with exactly this probability, independently. The source is asked in the
/// order of the rows, from one thread at a time: once for each row that is not dropped as bad.
IntegerGram accumulate_sampled_gram(const Table& table, const RowRule& rule, double row_norm_bound,
                                    double sampling_rate, RandomSource& source,
                                    const ReadOptions& options = {});

/// Sum of the clipped rows, in whole numbers of grids, and how many there were.
struct IntegerSum {
  double grid = 1.0;
  double row_norm_bound = 1.0;
  std::vector<Integer128> entries;
  Integer128 rows = 0;
};
IntegerSum accumulate_sum(const Table& table, const RowRule& rule, double row_norm_bound,
                          const ReadOptions& options = {});
IntegerSum accumulate_sum(const Table& table, const RowRule& rule, const RowMap& map,
                          double row_norm_bound, const ReadOptions& options = {});

/// Rows as they are, in doubles, blocks added in the order of the file: for confidential
/// diagnostics, where nothing is clipped. The same bits for any number of threads.
Eigen::MatrixXd accumulate_plain_gram(const Table& table, const RowRule& rule,
                                      const ReadOptions& options = {});

}  // namespace modicum
