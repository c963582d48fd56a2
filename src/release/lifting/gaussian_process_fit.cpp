// The posterior of a Gaussian process, and what one row more or less makes of it. Formulas:
// docs/derivations/gaussian-process.md.
#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/dense.h"
#include "release/lifting/gaussian_process_kernel.h"

namespace modicum {
namespace {

CholeskyFactor factorized(const Eigen::MatrixXd& matrix) {
  CholeskyFactor factor(matrix);
  if (!factor.positive_definite())
    throw Error("the covariances could not be factorized; nothing is released");
  return factor;
}

}  // namespace

PrivacyLoss PosteriorPair::loss() const {
  GaussianSpectrum without_with;
  without_with.add({Precise::exactly(excess), Precise::exactly(mean_square), 1.0});
  without_with.set_estimated();
  return PrivacyLoss::gaussian(without_with.reversed());
}

GaussianProcessFit::GaussianProcessFit(const GaussianProcessPlan& plan, GaussianProcessData data)
    : kernel_(plan.kernel),
      length_scale_(plan.length_scale),
      amplitude_(plan.amplitude),
      bounds_(plan.bounds),
      lift_(plan.lift),
      queries_(plan.queries),
      data_(std::move(data)) {
  if (kernel_ == PriorKernel::linear) fit_linear();
  else fit_distances();
  const Prediction at_queries = predict(queries_);
  posterior_ = {at_queries.mean, 0.5 * (at_queries.covariance + at_queries.covariance.transpose())};
}

// K + s^2 I = L L^T.
void GaussianProcessFit::fit_distances() {
  Eigen::MatrixXd matrix = kernel_matrix(kernel_, length_scale_, amplitude_, data_.features);
  matrix.diagonal().array() += bounds_.noise_variance;
  factor_ = std::make_shared<const CholeskyFactor>(factorized(matrix));
  weights_ = solved(data_.targets);
  queries_solved_ =
      solved(kernel_matrix(kernel_, length_scale_, amplitude_, data_.features, queries_));
}

// X^T X + (s^2 / amplitude) I = L L^T: the coefficients have the covariance s^2 (L L^T)^-1.
void GaussianProcessFit::fit_linear() {
  const Eigen::Index d = queries_.cols();
  if (data_.moments.rows() != d + 1)
    throw InvalidParameter("moments", static_cast<double>(data_.moments.rows()),
                           "must be those of the plan");
  Eigen::MatrixXd matrix = data_.moments.topLeftCorner(d, d);
  matrix.diagonal().array() += bounds_.noise_variance / amplitude_;
  factor_ = std::make_shared<const CholeskyFactor>(factorized(matrix));
  weights_ = solved(data_.moments.col(d).head(d));
  queries_solved_ = solved(queries_.transpose());
}

// L^-1 of the columns.
Eigen::MatrixXd GaussianProcessFit::solved(const Eigen::MatrixXd& columns) const {
  return factor_->half_solve(columns);
}

GaussianProcessFit::Prediction GaussianProcessFit::predict(const RowBlock& points) const {
  if (kernel_ == PriorKernel::linear) {
    const Eigen::MatrixXd columns = solved(points.transpose());
    const double noise = bounds_.noise_variance;
    return {columns.transpose() * weights_, noise * columns.colwise().squaredNorm().transpose(),
            noise * (queries_solved_.transpose() * columns)};
  }
  const Eigen::MatrixXd columns =
      solved(kernel_matrix(kernel_, length_scale_, amplitude_, data_.features, points));
  return {columns.transpose() * weights_,
          (amplitude_ - columns.colwise().squaredNorm().transpose().array()).max(0.0),
          kernel_matrix(kernel_, length_scale_, amplitude_, queries_, points) -
              queries_solved_.transpose() * columns};
}

GaussianDistribution GaussianProcessFit::lifted() const {
  GaussianDistribution result = posterior_;
  result.covariance.diagonal().array() += lift_;
  return result;
}

std::vector<PosteriorPair> GaussianProcessFit::removed() const {
  if (static_cast<double>(data_.features.rows()) != data_.rows)
    throw Error("the rows of the posterior were not kept");
  return kernel_ == PriorKernel::linear ? removed_by_moments() : removed_by_inverse();
}

// With the row: v' = s v / (s + v), c' = c s / (s + v), r' = r s / (s + v), s the noise variance.
// So s - v' = s^2 / (s + v), t = c'^T M'^-1 c' / (s - v') and r^2 / (s + v) = r'^2 / (s - v').
std::vector<PosteriorPair> GaussianProcessFit::removed_by_moments() const {
  const Prediction with = predict(data_.features);
  const Eigen::MatrixXd whitened = factorized(lifted().covariance).half_solve(with.covariance);
  std::vector<PosteriorPair> pairs;
  for (Eigen::Index i = 0; i < data_.features.rows(); ++i) {
    const double left = bounds_.noise_variance - with.variance[i];
    if (!(left > 0.0)) throw Error("the noise variance is lost in rounding");
    const double excess = whitened.col(i).squaredNorm() / left;
    const double residual = data_.targets[i] - with.mean[i];
    pairs.push_back({excess, residual * residual / left * excess});
  }
  return pairs;
}

// The same from A = (K + s)^-1, where s - v' = s^2 A_ii would cancel: with r' = s (A y)_i and
// c' = s (A k)_i, k the kernel of row i and the queries, all factors s are gone.
std::vector<PosteriorPair> GaussianProcessFit::removed_by_inverse() const {
  const Eigen::Index n = data_.features.rows();
  if (n == 0) return {};
  const Eigen::VectorXd diagonal =
      solved(Eigen::MatrixXd::Identity(n, n)).colwise().squaredNorm().transpose();
  const Eigen::VectorXd pulls = factor_->other_half_solve(weights_);
  const Eigen::MatrixXd gains = factor_->other_half_solve(queries_solved_);
  const Eigen::MatrixXd whitened = factorized(lifted().covariance).half_solve(gains.transpose());
  std::vector<PosteriorPair> pairs;
  for (Eigen::Index i = 0; i < n; ++i) {
    const double excess = whitened.col(i).squaredNorm() / diagonal[i];
    pairs.push_back({excess, pulls[i] * pulls[i] / diagonal[i] * excess});
  }
  return pairs;
}

// With a = c^T M^-1 c / (s + v), M the covariance without the row, t = a / (1 - a).
std::vector<PosteriorPair> GaussianProcessFit::added(const GaussianProcessData& rows) const {
  const Prediction without = predict(rows.features);
  const Eigen::MatrixXd whitened = factorized(lifted().covariance).half_solve(without.covariance);
  std::vector<PosteriorPair> pairs;
  for (Eigen::Index i = 0; i < rows.features.rows(); ++i) {
    const double variance = bounds_.noise_variance + without.variance[i];
    const double share = whitened.col(i).squaredNorm() / variance;
    if (!(share < 1.0)) throw Error("the noise variance is lost in rounding");
    const double excess = share / (1.0 - share);
    const double residual = rows.targets[i] - without.mean[i];
    pairs.push_back({excess, residual * residual / variance * excess});
  }
  return pairs;
}

}  // namespace modicum
