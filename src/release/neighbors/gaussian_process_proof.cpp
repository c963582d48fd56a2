#include "release/neighbors/gaussian_process_proof.h"

#include <algorithm>
#include <numeric>

#include "release/lifting/gaussian_process_kernel.h"
#include "release/neighbors/neighbor_verdict.h"

namespace modicum {
namespace {

constexpr std::size_t most_proved_queries = 200;

RowBlock as_block(const Eigen::VectorXd& row) { return row.transpose(); }

// The rows of the largest numbers.
std::vector<Eigen::Index> largest(const Eigen::VectorXd& numbers, std::size_t count) {
  std::vector<Eigen::Index> order(static_cast<std::size_t>(numbers.size()));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Eigen::Index a, Eigen::Index b) { return numbers[a] > numbers[b]; });
  order.resize(std::min(order.size(), count));
  return order;
}

Eigen::MatrixXd identity(Eigen::Index size) { return Eigen::MatrixXd::Identity(size, size); }

}  // namespace

// Of a record x, and of the output z^T f(queries).
struct ProcessProof::Known {
  Ball output;    // variance of z^T f, with the lift
  Ball mixed;     // its covariance with f(x)
  Ball variance;  // of f(x)
  Ball mean;      // of f(x)
};

Ball ProcessProof::kernel(const double* a, const double* b) const {
  const Eigen::Index d = plan_.features();
  const Ball amplitude = plan_.amplitude;
  if (plan_.kernel == PriorKernel::linear) {
    Ball product;
    for (Eigen::Index i = 0; i < d; ++i) product += Ball(a[i]) * Ball(b[i]);
    return amplitude * product;
  }
  Ball square;
  for (Eigen::Index i = 0; i < d; ++i) {
    const Ball difference = (Ball(a[i]) - Ball(b[i])) / Ball(plan_.length_scale);
    square += difference * difference;
  }
  if (plan_.kernel == PriorKernel::rbf) return amplitude * exp(-square / Ball(2.0));
  const Ball distance = sqrt(square), one = 1.0;
  const Ball root3 = sqrt(Ball(3.0)) * distance, root5 = sqrt(Ball(5.0)) * distance;
  switch (plan_.kernel) {
    case PriorKernel::matern12:
      return amplitude * exp(-distance);
    case PriorKernel::matern32:
      return amplitude * (one + root3) * exp(-root3);
    default:
      return amplitude * (one + root5 + root5 * root5 / Ball(3.0)) * exp(-root5);
  }
}

// K(a, b) times weights of the rows of b.
BallMatrix ProcessProof::kernels(const RowBlock& a, const BallMatrix& weights,
                                 const RowBlock& b) const {
  BallMatrix result(a.rows(), 1);
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    Ball sum;
    for (Eigen::Index j = 0; j < b.rows(); ++j)
      sum += kernel(a.data() + i * a.cols(), b.data() + j * b.cols()) * weights.entry(j, 0);
    arb_set(result.at(i, 0), sum.raw());
  }
  return result;
}

ProcessProof::ProcessProof(const GaussianProcessPlan& plan, ProcessRows rows)
    : plan_(plan), by_moments_(false), rows_(std::move(rows)) {
  const Eigen::Index n = rows_.features.rows(), d = rows_.features.cols();
  if (n == 0) return;
  const PrecisionScope scope(proof_bits);
  BallMatrix matrix(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      Ball entry = kernel(rows_.features.data() + i * d, rows_.features.data() + j * d);
      if (i == j) entry += Ball(plan.bounds.noise_variance) / Ball(rows_.counts[i]);
      arb_set(matrix.at(i, j), entry.raw());
      arb_set(matrix.at(j, i), entry.raw());
    }
  inverse_.emplace(std::move(matrix),
                   (1.0 - 0x1p-40) * plan.bounds.noise_variance / rows_.counts.maxCoeff());
  right_side_.emplace(rows_.targets);
}

ProcessProof::ProcessProof(const GaussianProcessPlan& plan, const Eigen::MatrixXd& moments,
                           const Eigen::VectorXd& without)
    : plan_(plan), by_moments_(true) {
  const PrecisionScope scope(proof_bits);
  const Eigen::Index d = plan.features();
  const Ball ridge = Ball(plan.bounds.noise_variance) / Ball(plan.amplitude);
  BallMatrix matrix(d, d), right_side(d, 1);
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j <= d; ++j) {
      Ball entry = Ball(moments(i, j)).widened(Ball(0x1p-50 * std::abs(moments(i, j))));
      if (without.size() > 0) entry -= Ball(without[i]) * Ball(without[j]);
      if (i == j) entry += ridge;
      arb_set(j < d ? matrix.at(i, j) : right_side.at(i, 0), entry.raw());
    }
  inverse_.emplace(std::move(matrix), (1.0 - 0x1p-20) * ridge.lower());
  right_side_.emplace(std::move(right_side));
}

// With A = K + s^2 (or X^T X + s^2/amplitude), k of the rows and the queries or the record.
ProcessProof::Known ProcessProof::known(const Eigen::VectorXd& features) const {
  const RowBlock x = as_block(features);
  const Eigen::VectorXd prior =
      kernel_matrix(plan_.kernel, plan_.length_scale, plan_.amplitude, plan_.queries, x).col(0);
  const std::vector<Eigen::Index> chosen = largest(prior.cwiseAbs(), most_proved_queries);
  RowBlock queries(static_cast<Eigen::Index>(chosen.size()), features.size());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    queries.row(static_cast<Eigen::Index>(i)) = plan_.queries.row(chosen[i]);
  const Eigen::Index m = queries.rows();
  const double noise = plan_.bounds.noise_variance;
  const auto matrix_of = [&](const RowBlock& a, const RowBlock& b) {
    return kernel_matrix(plan_.kernel, plan_.length_scale, plan_.amplitude, a, b);
  };
  // The direction, in doubles: any is valid.
  Eigen::MatrixXd covariance;
  Eigen::VectorXd mixed;
  if (by_moments_) {
    const Eigen::MatrixXd solved = inverse_->solved_in_doubles(queries.transpose());
    covariance = noise * queries * solved;
    mixed = noise * solved.transpose() * features;
  } else {
    covariance = matrix_of(queries, queries);
    mixed = matrix_of(queries, x).col(0);
    if (inverse_) {
      const Eigen::MatrixXd rows = matrix_of(rows_.features, queries);
      const Eigen::MatrixXd solved = inverse_->solved_in_doubles(rows);
      covariance -= rows.transpose() * solved;
      mixed -= solved.transpose() * matrix_of(rows_.features, x).col(0);
    }
  }
  covariance += plan_.lift * identity(m);
  const CholeskyFactor factor(covariance);
  const Eigen::VectorXd direction =
      factor.positive_definite() ? Eigen::VectorXd(factor.solve(mixed)) : mixed;
  const BallMatrix z(Eigen::VectorXd(direction / std::max(direction.norm(), 1e-290)));
  const Ball lifted = Ball(plan_.lift) * dot(z, z);
  const BallMatrix record(features);
  if (by_moments_) {
    const auto along = inverse_->solved(BallMatrix(Eigen::MatrixXd(queries.transpose())) * z);
    const auto at = inverse_->solved(record), right = inverse_->solved(*right_side_);
    const Ball s = noise;
    return {lifted + s * (*inverse_)(along, along), s * (*inverse_)(along, at),
            s * (*inverse_)(at, at), (*inverse_)(at, right)};
  }
  const BallMatrix one(Eigen::MatrixXd::Ones(1, 1));
  Known result{lifted + dot(z, kernels(queries, z, queries)), dot(z, kernels(queries, one, x)),
               kernel(x.data(), x.data()), Ball(0.0)};
  if (!inverse_) return result;
  const auto along = inverse_->solved(kernels(rows_.features, z, queries));
  const auto at = inverse_->solved(kernels(rows_.features, one, x));
  const auto right = inverse_->solved(*right_side_);
  result.output -= (*inverse_)(along, along);
  result.mixed -= (*inverse_)(along, at);
  result.variance -= (*inverse_)(at, at);
  result.mean = (*inverse_)(at, right);
  return result;
}

ProfilePoint ProcessProof::added(const Eigen::VectorXd& features, double target,
                                 double epsilon) const {
  const PrecisionScope scope(proof_bits);
  const Known found = known(features);
  const Ball variance = Ball(plan_.bounds.noise_variance) + found.variance;
  const Ball gain = found.mixed / variance;
  return proved_point(gain * (Ball(target) - found.mean), found.output - gain * found.mixed,
                      found.output, epsilon);
}

}  // namespace modicum
