#include "modicum/release/diagnostics.h"

#include <functional>

#include "numerics/dense.h"
#include "release/sketches/gram_draws.h"

namespace modicum {
namespace {

double spectral_norm(const Eigen::MatrixXd& symmetric) {
  return symmetric_eigenvalues(symmetric).cwiseAbs().maxCoeff();
}

Diagnostics moment_errors(const Eigen::MatrixXd& released, const IntegerGram& gram) {
  const Eigen::MatrixXd truth = with_ridge(gram, 0.0), error = released - truth;
  return {{"spectral_error", spectral_norm(error)},
          {"relative_spectral_error", spectral_norm(error) / spectral_norm(truth)},
          {"frobenius_error", error.norm()},
          {"relative_frobenius_error", error.norm() / truth.norm()}};
}

double relative_error(const Eigen::VectorXd& released, const Eigen::VectorXd& truth) {
  return (released - truth).norm() / truth.norm();
}

}  // namespace

Diagnostics diagnose_dropped_rows(const Table& table, const std::vector<std::size_t>& columns,
                                  const ReadOptions& options,
                                  const std::vector<std::size_t>& categories) {
  const RowCounts counts = table.count_rows(columns, options, categories);
  const auto entry = [](const char* name, std::uint64_t count) {
    return Diagnostic{name, static_cast<double>(count)};
  };
  Diagnostics all{entry("rows_used", counts.used),
                  entry("rows_with_unreadable_numbers", counts.dropped()),  // all that follow
                  entry("rows_of_other_length", counts.other_length),
                  entry("rows_of_broken_text", counts.broken),
                  entry("rows_with_a_value_that_is_no_number", counts.not_numbers)};
  if (!categories.empty()) all.push_back(entry("rows_without_a_category", counts.missing));
  return all;
}

Diagnostics diagnose_rows(const Table& table, const RowRule& rule, double row_norm_bound,
                          const ReadOptions& options) {
  double clipped = 0.0;
  table.for_each_block(rule.table_columns(), options,
                       [&](const RowBlock& block) -> std::function<void()> {
                         const RowBlock rows = rule.apply(block);
                         double longer = 0.0;
                         for (Eigen::Index i = 0; i < rows.rows(); ++i)
                           if (rows.row(i).stableNorm() > row_norm_bound) ++longer;
                         return [&clipped, longer] { clipped += longer; };
                       });
  Diagnostics all = diagnose_dropped_rows(table, rule.table_columns(), options);
  all.push_back({"rows_clipped", clipped});
  return all;
}

Diagnostics diagnose_spectrum(const IntegerGram& gram) {
  const Eigen::VectorXd values = symmetric_eigenvalues(with_ridge(gram, 0.0));
  return {{"least_eigenvalue", values[0]}, {"largest_eigenvalue", values[values.size() - 1]}};
}

Diagnostics diagnose_projection(const Released& released, const IntegerGram& gram, double ridge) {
  Eigen::MatrixXd moments =
      released.values * released.values.transpose() / static_cast<double>(released.values.cols());
  moments.diagonal().array() -= ridge;
  return moment_errors(moments, gram);
}

Diagnostics diagnose_covariance(const Released& released, const IntegerGram& gram) {
  return moment_errors(released.values, gram);
}

Diagnostics diagnose_regression(const Released& released, const IntegerGram& gram) {
  const Eigen::MatrixXd matrix = with_ridge(gram, 0.0);
  const Eigen::Index d = gram.dimension - 1;
  const Eigen::VectorXd truth =
      solve_semidefinite(matrix.topLeftCorner(d, d), matrix.col(d).head(d));
  const Eigen::VectorXd found = released.values.col(1).tail(d);
  // |B x - b|^2 from the second moments of [B, b].
  const auto residual = [&](const Eigen::VectorXd& x) {
    Eigen::VectorXd direction(d + 1);
    direction << x, -1.0;
    return std::sqrt(std::max(0.0, direction.dot(matrix * direction)));
  };
  // Of the best constant, where the first coordinate is one; else of 0.
  const double best = found.size() < released.values.rows() || matrix(0, 0) <= 0.0 ||
                              released.row_names.front() != "intercept"
                          ? matrix(d, d)
                          : matrix(d, d) - matrix(0, d) * matrix(0, d) / matrix(0, 0);
  return {{"relative_error", relative_error(found, truth)},
          {"residual_ratio", residual(found) / residual(truth)},
          {"constant_ratio", residual(found) / std::sqrt(std::max(best, 0.0))}};
}

Diagnostics diagnose_vector(const Released& released, const Eigen::VectorXd& truth) {
  return {{"relative_error", relative_error(released.values.col(0), truth)}};
}

}  // namespace modicum
