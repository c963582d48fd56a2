#include "release/neighbors/gaussian_process_witness.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "release/lifting/gaussian_process_kernel.h"
#include "release/neighbors/gaussian_process_proof.h"
#include "release/neighbors/neighbor_pairs.h"
#include "release/neighbors/neighbor_search.h"

namespace modicum {
namespace {

// A record as the release sees it: features and target.
struct ProcessRecord {
  Eigen::VectorXd features;
  double target;
};

struct ProcessCandidate {
  ProcessRows table;
  ProcessRecord added;
};

class ProcessWitnesses {
 public:
  ProcessWitnesses(const GaussianProcessPlan& plan, const AuditedTable& audited, double epsilon)
      : plan_(plan), rows_(audited), epsilon_(epsilon) {}

  /// Near to this point, with the target at this end of its range, as far as a file can hold it.
  ProcessRecord realized(const Eigen::VectorXd& point, double side) const {
    Eigen::VectorXd wanted(point.size() + 1);
    wanted << point, side * plan_.bounds.target_bound;
    GaussianProcessPlan one = plan_;
    one.bounds.largest_rows = 1.0;
    const GaussianProcessData data =
        gaussian_process_data(one, rows_.unclipped(wanted).transpose());
    return {data.features.row(0).transpose(), data.targets[0]};
  }

  /// So many copies of records at these points, each predicting at x what is not there.
  std::optional<ProcessCandidate> candidate(const ProcessRecord& x,
                                            const std::vector<Eigen::VectorXd>& points,
                                            double copies) const {
    const auto count = static_cast<Eigen::Index>(points.size());
    if (!(static_cast<double>(count) * copies <= plan_.bounds.largest_rows - 1.0))
      return std::nullopt;
    ProcessRows rows{RowBlock(count, x.features.size()), Eigen::VectorXd(count),
                     Eigen::VectorXd::Constant(count, copies)};
    for (Eigen::Index i = 0; i < count; ++i) {
      const Eigen::VectorXd& point = points[static_cast<std::size_t>(i)];
      ProcessRecord record = realized(point, -1.0);
      if (kernels(record.features.transpose(), x.features.transpose())(0, 0) < 0.0)
        record = realized(point, 1.0);
      rows.features.row(i) = record.features.transpose();
      rows.targets[i] = record.target;
    }
    return ProcessCandidate{std::move(rows), x};
  }

  /// delta of the pair, estimated, with the queries nearest to the record.
  double estimate(const ProcessCandidate& candidate) const {
    const RowBlock x = candidate.added.features.transpose();
    const RowBlock queries = nearest_queries(x);
    const ProcessRows& rows = candidate.table;
    Eigen::MatrixXd covariance = kernels(queries, queries);
    Eigen::VectorXd mixed = kernels(queries, x).col(0);
    double variance = kernels(x, x)(0, 0), mean = 0.0;
    if (rows.features.rows() > 0) {
      Eigen::MatrixXd matrix = kernels(rows.features, rows.features);
      matrix.diagonal().array() += plan_.bounds.noise_variance / rows.counts.array();
      const CholeskyFactor factor(matrix);
      if (!factor.positive_definite()) return 0.0;
      const Eigen::VectorXd at = kernels(rows.features, x).col(0), solved = factor.solve(at);
      const Eigen::MatrixXd between = kernels(rows.features, queries);
      covariance -= between.transpose() * factor.solve(between);
      mixed -= between.transpose() * solved;
      variance -= at.dot(solved);
      mean = solved.dot(rows.targets);
    }
    covariance.diagonal().array() += plan_.lift;
    const CholeskyFactor factor(covariance);
    if (!factor.positive_definite()) return 0.0;
    const double spread = plan_.bounds.noise_variance + variance;
    const double share = mixed.dot(Eigen::VectorXd(factor.solve(mixed))) / spread;
    if (!(share >= 0.0 && share < 1.0)) return 0.0;
    const double excess = share / (1.0 - share), residual = candidate.added.target - mean;
    return profile(RankOnePair{excess, residual * residual / spread * excess, 0.0}.loss(), epsilon_,
                   Accuracy::fast)
        .delta()
        .upper();
  }

  ProfilePoint proved(const ProcessCandidate& candidate) const {
    return ProcessProof(plan_, candidate.table)
        .added(candidate.added.features, candidate.added.target, epsilon_);
  }

  /// Sets of points around x from which f(x) is predicted.
  std::vector<std::vector<Eigen::VectorXd>> surroundings(const Eigen::VectorXd& x) const {
    std::vector<std::vector<Eigen::VectorXd>> result{{x}};
    const bool linear = plan_.kernel == PriorKernel::linear;
    const Eigen::Index sides = std::min<Eigen::Index>(x.size(), 8);
    if (linear) {
      std::vector<Eigen::VectorXd> axes;
      for (Eigen::Index i = 0; i < sides; ++i)
        axes.push_back(plan_.rows.row_norm_bound * Eigen::VectorXd::Unit(x.size(), i));
      result.push_back(axes);
      return result;
    }
    for (const double share : {0.3, 0.6, 1.0, 1.5, 2.0}) {
      const double step = share * plan_.length_scale;
      std::vector<Eigen::VectorXd> around;
      for (Eigen::Index i = 0; i < sides; ++i)
        for (const double side : {step, -step})
          around.push_back(x + side * Eigen::VectorXd::Unit(x.size(), i));
      result.push_back({around.front()});
      result.push_back(around);
    }
    return result;
  }

  double most_copies() const { return plan_.bounds.largest_rows - 1.0; }

 private:
  Eigen::MatrixXd kernels(const RowBlock& a, const RowBlock& b) const {
    return kernel_matrix(plan_.kernel, plan_.length_scale, plan_.amplitude, a, b);
  }
  RowBlock nearest_queries(const RowBlock& x) const {
    constexpr Eigen::Index most = 40;
    if (plan_.queries.rows() <= most) return plan_.queries;
    const Eigen::VectorXd nearness = kernels(plan_.queries, x).col(0).cwiseAbs();
    std::vector<Eigen::Index> order;
    for (Eigen::Index i = 0; i < nearness.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](Eigen::Index a, Eigen::Index b) { return nearness[a] > nearness[b]; });
    RowBlock result(most, plan_.queries.cols());
    for (Eigen::Index i = 0; i < most; ++i)
      result.row(i) = plan_.queries.row(order[static_cast<std::size_t>(i)]);
    return result;
  }

  const GaussianProcessPlan& plan_;
  AddedRows rows_;
  double epsilon_;
};

// Some queries, and the middle of all.
std::vector<Eigen::VectorXd> places(const GaussianProcessPlan& plan) {
  std::vector<Eigen::VectorXd> result{plan.queries.colwise().mean().transpose()};
  const Eigen::Index step = std::max<Eigen::Index>(1, plan.queries.rows() / 6);
  for (Eigen::Index i = 0; i < plan.queries.rows(); i += step)
    result.push_back(plan.queries.row(i).transpose());
  if (plan.kernel != PriorKernel::linear) return result;
  for (Eigen::VectorXd& each : result)
    if (each.norm() > 0.0) each *= plan.rows.row_norm_bound / each.norm();
  return result;
}

Eigen::VectorXd joined_record(const Eigen::VectorXd& features, double target) {
  Eigen::VectorXd row(features.size() + 1);
  row << features, target;
  return row;
}

Witness told(const ProcessCandidate& candidate) {
  Witness witness{{}, joined_record(candidate.added.features, candidate.added.target)};
  for (Eigen::Index i = 0; i < candidate.table.targets.size(); ++i)
    witness.table.push_back(
        {candidate.table.counts[i],
         joined_record(candidate.table.features.row(i).transpose(), candidate.table.targets[i])});
  return witness;
}

}  // namespace

ProvedWitness gaussian_process_witness(const GaussianProcessPlan& plan, const AuditedTable& audited,
                                       double epsilon) {
  const ProcessWitnesses all(plan, audited, epsilon);
  std::optional<ProcessCandidate> best;
  double largest = -1.0;
  const auto look_at = [&](const std::optional<ProcessCandidate>& candidate) {
    if (!candidate) return;
    const double delta = all.estimate(*candidate);
    if (!(delta > largest)) return;
    largest = delta;
    best = candidate;
  };
  for (const Eigen::VectorXd& place : places(plan)) {
    const ProcessRecord x = all.realized(place, 1.0);
    look_at(all.candidate(x, {}, 0.0));
    for (const std::vector<Eigen::VectorXd>& points : all.surroundings(x.features)) {
      const double most = std::floor(all.most_copies() / static_cast<double>(points.size()));
      for (double copies = 1.0; copies < most; copies *= 4.0)
        look_at(all.candidate(x, points, copies));
      if (most >= 1.0) look_at(all.candidate(x, points, most));
    }
  }
  return {told(*best), all.proved(*best)};
}

}  // namespace modicum
