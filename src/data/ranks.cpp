#include "modicum/data/ranks.h"

#include <cblas.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "data/moment_width.h"
#include "data/rank_rows.h"
#include "modicum/numerics/errors.h"
#include "numerics/single_threaded_blas.h"

namespace modicum {
namespace {

RowBlock read_values(const Table& table, const RowRule& rule, const ReadOptions& options) {
  std::vector<RowBlock> blocks;
  Eigen::Index count = 0;
  table.for_each_block(rule.table_columns(), options, [&](const RowBlock& block) {
    return [&, rows = rule.apply(block)] {
      count += rows.rows();
      blocks.push_back(rows);
    };
  });
  RowBlock values(count, static_cast<Eigen::Index>(rule.width()));
  Eigen::Index first = 0;
  for (RowBlock& block : blocks) {
    values.middleRows(first, block.rows()) = block;
    first += block.rows();
    block.resize(0, 0);
  }
  return values;
}

// With mid-ranks 2 rank - (n + 1) is how many values of the column are below less how many are
// above: a whole number of size at most n - 1, and the coordinate is n - 1 times smaller.
void replace_by_balance(RowBlock& values) {
  const Eigen::Index rows = values.rows();
  std::vector<double> column(static_cast<std::size_t>(rows));
  std::vector<std::size_t> order(column.size());
  for (Eigen::Index j = 0; j < values.cols(); ++j) {
    for (Eigen::Index i = 0; i < rows; ++i) column[static_cast<std::size_t>(i)] = values(i, j);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return column[a] < column[b]; });
    for (std::size_t first = 0, last = 0; first < order.size(); first = last) {
      while (last < order.size() && column[order[last]] == column[order[first]]) ++last;
      const double balance = static_cast<double>(first) - static_cast<double>(order.size() - last);
      for (std::size_t k = first; k < last; ++k)
        values(static_cast<Eigen::Index>(order[k]), j) = balance;
    }
  }
}

// n - 1; 1 for one row alone, whose balances are 0.
double largest_balance(Eigen::Index rows) { return rows > 1 ? static_cast<double>(rows - 1) : 1.0; }

}  // namespace

RowBlock ranks_of(RowBlock values) {
  replace_by_balance(values);
  values /= largest_balance(values.rows());
  return values;
}

// The balances of a column have squares that add up to at most n (n^2 - 1)/3, which is what they
// are without ties; by the inequality of Cauchy and Schwarz no sum of products of two columns, nor
// any part of one in absolute value, is larger. Up to 200,000 rows that is below 2^53: whatever the
// order, nothing is rounded but the last quotient.
RankMoments rank_moments_of(RowBlock values) {
  replace_by_balance(values);
  const Eigen::Index rows = values.rows(), width = values.cols();
  RankMoments result{Eigen::MatrixXd::Zero(width, width), static_cast<double>(rows)};
  if (rows == 0 || width == 0) return result;
  const SingleThreadedBlas no_threads_below;
  // The upper triangle of a matrix stored by columns is the lower one of the same stored by rows.
  const auto dimension = static_cast<blasint>(width);
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, dimension, static_cast<blasint>(rows), 1.0,
              values.data(), dimension, 0.0, result.matrix.data(), dimension);
  const double largest = largest_balance(rows);
  result.matrix /= largest * largest;
  for (Eigen::Index i = 0; i < width; ++i)
    for (Eigen::Index j = 0; j < i; ++j) result.matrix(i, j) = result.matrix(j, i);
  return result;
}

RowBlock rank_rows(const Table& table, const RowRule& rule, const ReadOptions& options) {
  return ranks_of(read_values(table, rule, options));
}

RankMoments accumulate_rank_moments(const Table& table, const RowRule& rule,
                                    const ReadOptions& options) {
  data::require_moment_width(rule.width());
  return rank_moments_of(read_values(table, rule, options));
}

double rank_moments_sensitivity(double dimension) {
  if (!(require_count("dimension", dimension) <= 0x1p50))
    throw InvalidParameter("dimension", dimension, "must be at most 2^50");
  return 3.0 * dimension;
}

}  // namespace modicum
