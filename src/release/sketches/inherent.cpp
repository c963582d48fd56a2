#include "modicum/release/inherent.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>

#include "data/moment_width.h"
#include "modicum/mechanisms/least_squares.h"
#include "modicum/mechanisms/random_projection.h"
#include "numerics/dense.h"
#include "release/sketches/leverage_frontier.h"

namespace modicum {
namespace {

// A leverage so close to 1 is 1 up to rounding: without the row a direction is lost.
constexpr double all_but_one = 1.0 - 1e-9;
// Columns that are as close to the span of others, relative to their norm, depend on them.
constexpr double dependent = 1e-11;

Eigen::MatrixXd triangle_of(const Eigen::MatrixXd& rows) {
  if (!std::isfinite(rows.squaredNorm()))
    throw Error("the numbers of the table are too large to square");
  if (rows.rows() < rows.cols()) return rows;
  return HouseholderQr(rows).triangle();
}

// R with R^T R = D^T D, never formed from the latter: half of the digits would be lost. Blocks are
// joined in the order of the file.
struct Triangle {
  Eigen::MatrixXd factor;
  double rows = 0.0;

  void add(const Eigen::MatrixXd& part, double count) {
    Eigen::MatrixXd both(factor.rows() + part.rows(), part.cols());
    both << factor, part;
    factor = triangle_of(both);
    rows += count;
  }
};

Triangle accumulate_triangle(const Table& table, const RowRule& rule, const ReadOptions& options) {
  data::require_moment_width(rule.width());
  const auto width = static_cast<Eigen::Index>(rule.width());
  Triangle triangle{Eigen::MatrixXd(0, width), 0.0};
  table.for_each_block(rule.table_columns(), options, [&](const RowBlock& block) {
    auto part = std::make_shared<Eigen::MatrixXd>(triangle_of(rule.apply(block)));
    return [&triangle, part, count = block.rows()] {
      triangle.add(*part, static_cast<double>(count));
    };
  });
  if (triangle.rows == 0.0) throw UnreadableFile("the table has no row that can be used");
  return triangle;
}

// Maps rows v to z = T^-T v such that sums of z z^T over the table are the identity: |z|^2 is the
// leverage of v. Only columns that are independent are looked at; they have the same span.
class Whitening {
 public:
  // In the order of the columns, the last one a target.
  static Whitening of_regression(const Triangle& triangle) {
    Whitening result(triangle);
    const Eigen::Index d = triangle.factor.cols() - 1;
    const Eigen::MatrixXd scaled = triangle.factor * result.scales_.asDiagonal();
    if (rank_of(scaled.leftCols(d)) < d)
      throw InvalidParameter("the list of features", "linearly dependent", "must be independent");
    if (rank_of(scaled) <= d)
      throw InvalidParameter("the target", "a linear function of the features",
                             "must not be determined by them");
    result.triangle_ = triangle_of(scaled);
    for (Eigen::Index j = 0; j <= d; ++j) result.columns_.push_back(j);
    return result;
  }

  static Whitening of_independent_columns(const Triangle& triangle) {
    Whitening result(triangle);
    const PivotedQr factors = pivoted_qr(triangle.factor * result.scales_.asDiagonal());
    const Eigen::Index rank = factors.rank(dependent);
    result.triangle_ = factors.triangle.topLeftCorner(rank, rank);
    result.columns_.assign(factors.order.begin(), factors.order.begin() + rank);
    return result;
  }

  Eigen::Index rank() const { return triangle_.cols(); }

  Eigen::MatrixXd apply(const RowBlock& rows) const {
    Eigen::MatrixXd result(rows.rows(), rank());
    for (Eigen::Index j = 0; j < rank(); ++j) {
      const Eigen::Index column = columns_[static_cast<std::size_t>(j)];
      result.col(j) = rows.col(column) * scales_[column];
    }
    triangle_.triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(result);
    return result;
  }

  // (B^T B)^-1 v e for each row v with residual e, B without the last column.
  Eigen::MatrixXd influences(const Eigen::MatrixXd& whitened) const {
    const Eigen::Index d = rank() - 1;
    Eigen::MatrixXd result = whitened.leftCols(d);
    triangle_.topLeftCorner(d, d)
        .transpose()
        .triangularView<Eigen::Lower>()
        .solveInPlace<Eigen::OnTheRight>(result);
    const double length = std::abs(triangle_(d, d)) / scales_[d];  // of the residual
    return (length * whitened.col(d)).asDiagonal() * result * scales_.head(d).asDiagonal();
  }

 private:
  explicit Whitening(const Triangle& triangle)
      : scales_(triangle.factor.colwise().norm().transpose().unaryExpr(
            [](double norm) { return norm > 0.0 ? 1.0 / norm : 0.0; })) {}

  static Eigen::Index rank_of(const Eigen::MatrixXd& scaled) {
    return pivoted_qr(scaled).rank(dependent);
  }

  Eigen::VectorXd scales_;  // one over the norms of the columns
  Eigen::MatrixXd triangle_;
  std::vector<Eigen::Index> columns_;
};

double largest_leverage_of(const Table& table, const RowRule& rule, const Whitening& whitening,
                           const ReadOptions& options) {
  double largest = 0.0;
  table.for_each_block(rule.table_columns(), options, [&](const RowBlock& block) {
    const double here = whitening.apply(rule.apply(block)).rowwise().squaredNorm().maxCoeff();
    return [&largest, here] { largest = std::max(largest, here); };
  });
  return std::min(largest, 1.0);
}

// What the rows seen so far come to.
struct RegressionRows {
  explicit RegressionRows(double features) : frontier(features) {}
  double leverage = 0.0, residual = 0.0, full_leverage = 0.0, sensitivity = 0.0;
  bool loses_rank = false;
  LeverageFrontier frontier;

  void add(const Whitening& whitening, const RowBlock& rows) {
    const Eigen::MatrixXd whitened = whitening.apply(rows);
    const Eigen::VectorXd moves = whitening.influences(whitened).rowwise().norm();
    const Eigen::Index d = whitened.cols() - 1;
    for (Eigen::Index i = 0; i < whitened.rows(); ++i)
      add_row(whitened.row(i).head(d).squaredNorm(), std::pow(whitened(i, d), 2.0), moves[i]);
  }

  void add(const RegressionRows& other) {
    leverage = std::max(leverage, other.leverage);
    residual = std::max(residual, other.residual);
    full_leverage = std::max(full_leverage, other.full_leverage);
    sensitivity = std::max(sensitivity, other.sensitivity);
    loses_rank = loses_rank || other.loses_rank;
    frontier.add(other.frontier);
  }

 private:
  // Removing the row, and adding it once more: there its leverages are h / (1 + h).
  void add_row(double p, double s, double move) {
    const double q = p + s;
    leverage = std::max(leverage, std::min(p, 1.0));
    residual = std::max(residual, std::min(s, 1.0));
    full_leverage = std::max(full_leverage, std::min(q, 1.0));
    sensitivity = std::max(
        sensitivity, p < all_but_one ? move / (1.0 - p) : std::numeric_limits<double>::infinity());
    if (q < all_but_one) frontier.add(LeveragePair{p, s});
    else loses_rank = true;
    frontier.add(LeveragePair{p / (1.0 + p), s / ((1.0 + p) * (1.0 + q))});
  }
};

RegressionRows look_at_rows(const Table& table, const RowRule& rule, const Whitening& whitening,
                            const ReadOptions& options) {
  const auto features = static_cast<double>(rule.width() - 1);
  RegressionRows all(features);
  table.for_each_block(rule.table_columns(), options, [&](const RowBlock& block) {
    auto here = std::make_shared<RegressionRows>(features);
    here->add(whitening, rule.apply(block));
    return [&all, here] { all.add(*here); };
  });
  return all;
}

}  // namespace

InherentPrivacy analyze_inherent(const Table& table, const RowRule& rule, bool last_is_target,
                                 const ReadOptions& options) {
  if (last_is_target && rule.width() < 2)
    throw InvalidParameter("the list of features", "empty", "must name a column");
  const Triangle triangle = accumulate_triangle(table, rule, options);
  const auto dimension = static_cast<double>(rule.width());
  if (!last_is_target) {
    const Whitening whitening = Whitening::of_independent_columns(triangle);
    return {triangle.rows, dimension, static_cast<double>(whitening.rank()),
            largest_leverage_of(table, rule, whitening, options), std::nullopt};
  }
  const RegressionRows found =
      look_at_rows(table, rule, Whitening::of_regression(triangle), options);
  return {triangle.rows, dimension, dimension, found.full_leverage,
          InherentRegression{found.leverage, found.residual, found.sensitivity,
                             found.frontier.pairs(), found.loses_rank}};
}

double inherent_projection_delta(const InherentPrivacy& privacy, double columns, double epsilon) {
  require_count("columns", columns);
  if (privacy.leverage >= all_but_one) return 1.0;
  return profile(random_projection(columns, privacy.leverage), epsilon, Accuracy::fast)
      .delta()
      .upper();
}

double inherent_least_squares_delta(const InherentPrivacy& privacy, double columns,
                                    double epsilon) {
  const InherentRegression& regression = privacy.regression.value();
  require_count("columns", columns);
  if (regression.loses_rank) return 1.0;
  double largest = 0.0;
  for (const LeveragePair& pair : regression.worst)
    largest = std::max(largest, profile(least_squares(columns, privacy.dimension - 1.0, pair.row,
                                                      pair.row + pair.residual),
                                        epsilon, Accuracy::fast)
                                    .delta()
                                    .upper());
  return largest;
}

}  // namespace modicum
