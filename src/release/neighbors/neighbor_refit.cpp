#include "release/neighbors/neighbor_refit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "numerics/dense.h"

namespace modicum {
namespace {

constexpr int most_steps = 200;  // few for large tables; passes over small ones are cheap

// Columns: the gradient of the sum of the losses of all rows, for each column of `points`.
Eigen::MatrixXd gradients(const LogisticSource& source, const Eigen::MatrixXd& points) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(points.rows(), points.cols());
  const double grid = source.rows.clip().grid();
  source.rows.for_each_block(source.options, [&](const LabeledBlock& block) {
    Eigen::MatrixXd pulls = block.labels.asDiagonal() * (grid * block.features * points);
    pulls = block.labels.asDiagonal() * pulls.unaryExpr(&logistic_pull);
    auto part = std::make_shared<Eigen::MatrixXd>(-grid * (block.features.transpose() * pulls));
    return [&sum, part] { sum += *part; };
  });
  return sum;
}

Eigen::VectorXd gradient_of_row(const ChangedRegression& each) {
  const double margin = each.label * each.row.dot(each.minimizer);
  return -each.label * logistic_pull(margin) * each.row;
}

// (H + weight x x^T)^-1 g, by the formula of Sherman and Morrison.
Eigen::VectorXd changed_solve(const CholeskyFactor& factor, const Eigen::VectorXd& row,
                              double weight, const Eigen::VectorXd& gradient) {
  const Eigen::VectorXd towards = factor.solve(row), plain = factor.solve(gradient);
  return plain - towards * (weight * row.dot(plain) / (1.0 + weight * row.dot(towards)));
}

}  // namespace

// The objective is computed for rows in units of 2^20 grids.
Eigen::MatrixXd logistic_hessian(const LogisticSource& source, const LogisticModel& model) {
  const double unit = unit_of(source.rows.clip());
  const LinearObjective objective{PredictionLoss::logistic(), model.regularization / unit / unit,
                                  LongVector::Zero(model.minimizer.size())};
  const LongVector theta = (unit * model.minimizer).cast<long double>();
  return unit * unit * objective_point(source.rows.pass(source.options), objective, theta).hessian;
}

// Strong convexity once more, with a gradient in whole numbers, whose error is known. It is that of
// coefficients of 61 bits, next to these.
double proved_error(const LogisticSource& source, const LogisticModel& model,
                    const ChangedRegression& changed) {
  const double unit = unit_of(source.rows.clip()), lambda = model.regularization;
  const LinearObjective objective{PredictionLoss::logistic(), lambda / unit / unit,
                                  LongVector::Zero(changed.minimizer.size())};
  const LongVector theta = (unit * changed.minimizer).cast<long double>();
  const ObjectivePoint point = objective_point(source.rows.pass(source.options), objective, theta);
  const LongVector own = gradient_of_row(changed).cast<long double>();
  const LongVector whole = static_cast<long double>(unit) * point.gradient +
                           static_cast<long double>(changed.sign) * own;
  const auto length = static_cast<double>(whole.stableNorm());
  // The row's own gradient comes in doubles: its pull moves by a quarter of what its margin does.
  const double d = static_cast<double>(changed.row.size()), row = changed.row.norm();
  const double rounding = 0x1p-50 * (d * row * changed.minimizer.norm() + 4.0) * row;
  const double gradient = length + unit * point.gradient_error + rounding;
  return (1.0 + 1e-9) *
         (gradient / lambda + static_cast<double>((point.theta - theta).stableNorm()) / unit);
}

void refit(const LogisticSource& source, const LogisticModel& model, const Eigen::MatrixXd& hessian,
           std::vector<ChangedRegression>& changed) {
  if (changed.empty()) return;
  const double bound = source.rows.clip().row_norm_bound();
  // Sums of so many terms of size l.
  const double rounding =
      16.0 * std::numeric_limits<double>::epsilon() * bound * (std::sqrt(model.rows) * 16.0 + 64.0);
  const double enough = std::max(0x1p-40 * bound, rounding);
  const CholeskyFactor newton(hessian), majorant(model.precision);
  std::vector<double> norms(changed.size(), std::numeric_limits<double>::infinity());
  std::vector<bool> careful(changed.size(), false);
  Eigen::MatrixXd points(model.minimizer.size(), static_cast<Eigen::Index>(changed.size()));
  for (ChangedRegression& each : changed) each.minimizer = model.minimizer;
  for (int step = 0; step < most_steps; ++step) {
    for (std::size_t k = 0; k < changed.size(); ++k)
      points.col(static_cast<Eigen::Index>(k)) = changed[k].minimizer;
    const Eigen::MatrixXd sums = gradients(source, points);
    bool finished = true;
    for (std::size_t k = 0; k < changed.size(); ++k) {
      ChangedRegression& each = changed[k];
      const Eigen::VectorXd gradient = sums.col(static_cast<Eigen::Index>(k)) +
                                       model.regularization * each.minimizer +
                                       each.sign * gradient_of_row(each);
      // Strong convexity.
      each.error = (gradient.norm() + rounding) / model.regularization;
      if (gradient.norm() <= enough || step + 1 == most_steps) continue;
      finished = false;
      careful[k] = careful[k] || !(gradient.norm() < 0.5 * norms[k]);
      norms[k] = gradient.norm();
      const double pull = logistic_pull(each.row.dot(model.minimizer));
      each.minimizer -=
          careful[k] ? changed_solve(majorant, each.row, 0.25 * each.sign, gradient)
                     : changed_solve(newton, each.row, each.sign * pull * (1.0 - pull), gradient);
    }
    if (finished) return;
  }
}

}  // namespace modicum
