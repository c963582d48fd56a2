// Gaussian process: every pair of neighbors has one direction, by leave-one-out formulas.
#include <algorithm>
#include <cmath>
#include <limits>

#include "release/neighbors/gaussian_process_proof.h"
#include "release/neighbors/gaussian_process_witness.h"
#include "release/neighbors/neighbor_pairs.h"
#include "release/neighbors/neighbor_rows.h"
#include "release/neighbors/neighbor_search.h"
#include "release/neighbors/neighbor_verdict.h"

namespace modicum {
namespace {

RankOnePair as_rank_one(const PosteriorPair& pair) { return {pair.excess, pair.mean_square, 0.0}; }

// An allowance for rounding: the condition of K + s^2 I, times its size.
double rounding_of(const GaussianProcessPlan& plan, double rows) {
  const auto size = rows + static_cast<double>(plan.queries.rows());
  const double condition = 1.0 + size * plan.bounds.kernel_bound / plan.bounds.noise_variance;
  return 16.0 * std::numeric_limits<double>::epsilon() * size * condition;
}

// The worst of some pairs, by its number from 0.
struct WorstPair {
  double number = 0.0, delta = -1.0;
  RankOnePair pair;
};

WorstPair worst_of(const std::vector<PosteriorPair>& pairs, double epsilon) {
  PairFrontier frontier;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    frontier.add(as_rank_one(pairs[i]), static_cast<double>(i));
  WorstPair worst;
  for (const PairFrontier::Entry& entry : frontier.entries()) {
    const double delta = profile(entry.pair.loss(), epsilon, Accuracy::fast).delta().upper();
    if (delta > worst.delta || (delta == worst.delta && entry.number < worst.number))
      worst = {entry.number, delta, entry.pair};
  }
  return worst;
}

Eigen::VectorXd joined(const Eigen::VectorXd& features, double target) {
  Eigen::VectorXd row(features.size() + 1);
  row << features, target;
  return row;
}

// Rows to be added, and the search for the worst of them.
class AddedRecords {
 public:
  AddedRecords(const GaussianProcessPlan& plan, const GaussianProcessFit& fit,
               const AuditedTable& audited, double epsilon)
      : plan_(plan), fit_(fit), rows_(audited), epsilon_(epsilon) {}

  /// Targets at both ends for each of these points.
  void look_at(const std::vector<Eigen::VectorXd>& points) {
    if (points.empty()) return;
    RowBlock block(2 * static_cast<Eigen::Index>(points.size()), plan_.features() + 1);
    for (std::size_t k = 0; k < points.size(); ++k)
      for (const Eigen::Index side : {0, 1}) {
        const double target = (side == 0 ? 1.0 : -1.0) * plan_.bounds.target_bound;
        block.row(2 * static_cast<Eigen::Index>(k) + side) =
            rows_.unclipped(joined(points[k], target)).transpose();
      }
    const GaussianProcessData data = gaussian_process_data(promising(), block);
    const WorstPair worst = worst_of(fit_.added(data), epsilon_);
    if (!(worst.delta > worst_.delta)) return;
    worst_ = worst;
    const auto place = static_cast<Eigen::Index>(worst.number);
    point_ = points[static_cast<std::size_t>(place / 2)];
    row_ = joined(data.features.row(place).transpose(), data.targets[place]);
  }

  /// Steps along the coordinates from the worst so far, half as long where none is worse.
  void refine(double step, int steps) {
    for (int i = 0; i < steps; ++i) {
      std::vector<Eigen::VectorXd> around;
      for (Eigen::Index j = 0; j < std::min<Eigen::Index>(point_.size(), 50); ++j)
        for (const double sign : {step, -step})
          around.push_back(point_ + sign * Eigen::VectorXd::Unit(point_.size(), j));
      const double before = worst_.delta;
      look_at(around);
      if (!(worst_.delta > before)) step *= 0.5;
    }
  }

  const WorstPair& worst() const { return worst_; }
  const Eigen::VectorXd& row() const { return row_; }

 private:
  // One record at a time: the promise does not count how many are tried.
  GaussianProcessPlan promising() const {
    GaussianProcessPlan plan = plan_;
    plan.bounds.largest_rows = 0x1p53;
    return plan;
  }
  const GaussianProcessPlan& plan_;
  const GaussianProcessFit& fit_;
  AddedRows rows_;
  double epsilon_;
  WorstPair worst_;
  Eigen::VectorXd point_, row_;
};

// All pairs of rows are looked at in balls: no more than so many.
constexpr double most_proved_rows = 600.0;

// The record added to the rows, less the one at `place`.
ProfilePoint proved_record(const GaussianProcessPlan& plan, const GaussianProcessData& data,
                           std::optional<Eigen::Index> place, const Eigen::VectorXd& record,
                           double epsilon) {
  const Eigen::Index d = plan.features(), n = data.features.rows();
  const auto added = [&](const ProcessProof& proof) {
    return proof.added(record.head(d), record[d], epsilon);
  };
  if (plan.kernel == PriorKernel::linear)
    return added({plan, data.moments, place ? record : Eigen::VectorXd()});
  if (data.rows > most_proved_rows) return {epsilon, {0.0, 1.0}, {0.0, 1.0}, Proof::certified};
  ProcessRows rows{RowBlock(place ? n - 1 : n, d), Eigen::VectorXd(place ? n - 1 : n),
                   Eigen::VectorXd::Ones(place ? n - 1 : n)};
  for (Eigen::Index i = 0, to = 0; i < n; ++i) {
    if (i == place) continue;
    rows.features.row(to) = data.features.row(i);
    rows.targets[to++] = data.targets[i];
  }
  return added({plan, std::move(rows)});
}

RowsInOrder records_in_order(const GaussianProcessData& data) {
  return [&data](const std::function<void(const RowBlock&)>& take) {
    RowBlock all(data.features.rows(), data.features.cols() + 1);
    all << data.features, data.targets;
    take(all);
  };
}

// The queries first, then rows of the table; fewer where each costs the square of their number.
std::vector<Eigen::VectorXd> starts_of(const GaussianProcessPlan& plan,
                                       const GaussianProcessData& data) {
  const double affordable = plan.kernel == PriorKernel::linear
                                ? 400.0
                                : std::clamp(1e9 / (data.rows * data.rows + 1.0), 8.0, 400.0);
  const auto most = static_cast<Eigen::Index>(affordable);
  std::vector<Eigen::VectorXd> points;
  for (Eigen::Index i = 0; i < std::min(plan.queries.rows(), most); ++i)
    points.push_back(plan.queries.row(i).transpose());
  points.push_back(plan.queries.colwise().mean().transpose());
  for (Eigen::Index i = 0; i < std::min(data.features.rows(), most); ++i)
    points.push_back(data.features.row(i).transpose());
  return points;
}

}  // namespace

NeighborAudit audit_gaussian_process(const GaussianProcessPlan& plan, const AuditedTable& audited,
                                     const PrivacyTarget& claim) {
  const ProfilePoint above =
      profile(gaussian_process_loss(plan.bounds, plan.lift), claim.epsilon, Accuracy::certified);
  ProvedWitness witness = gaussian_process_witness(plan, audited, claim.epsilon);
  NeighborAudit audit = public_part(above, witness.point, std::move(witness.witness));
  if (!audited.read) return judged(std::move(audit), claim);
  const GaussianProcessData data =
      read_gaussian_process(plan, audited.table, audited.rule, audited.options, true);
  const GaussianProcessFit fit(plan, data);
  const double rounding = rounding_of(plan, data.rows), all = above.delta().upper();
  // The pair as far as it can be proved, and its estimate. `place` is that of a removed row.
  const auto point_of = [&](const RankOnePair& pair, std::optional<Eigen::Index> place,
                            const Eigen::VectorXd& record) {
    const ProfilePoint estimate = profile(pair.loss(rounding), claim.epsilon, Accuracy::fast);
    return with_lower_ends(proved_record(plan, data, place, record, claim.epsilon), estimate);
  };
  const auto record_at = [&](Eigen::Index place) {
    return joined(data.features.row(place).transpose(), data.targets[place]);
  };
  const std::vector<PosteriorPair> pairs = fit.removed();
  Eigen::VectorXd shifts(static_cast<Eigen::Index>(pairs.size()));
  for (std::size_t i = 0; i < pairs.size(); ++i)
    shifts[static_cast<Eigen::Index>(i)] = std::sqrt(pairs[i].mean_square);
  FigureCounts counts;
  counts.add(shifts);
  audit.rows = data.rows;
  audit.figures = counts.figures("shift of the mean");
  if (!pairs.empty()) {
    const WorstPair worst = worst_of(pairs, claim.epsilon);
    const auto place = static_cast<Eigen::Index>(worst.number);
    const ProfilePoint point = point_of(worst.pair, place, record_at(place));
    audit.removed = WorstNeighbor{number_in_table(audited, worst.number + 1.0), record_at(place),
                                  point, point.delta().upper(), true};
  }
  if (data.rows < plan.bounds.largest_rows) {
    AddedRecords added(plan, fit, audited, claim.epsilon);
    added.look_at(starts_of(plan, data));
    added.refine(plan.kernel == PriorKernel::linear ? plan.rows.row_norm_bound : plan.length_scale,
                 data.rows > 2000.0 ? 4 : 16);
    audit.added =
        WorstNeighbor{std::nullopt, added.row(),
                      point_of(added.worst().pair, std::nullopt, added.row()), all, false};
  }
  if (audited.neighbor != nullptr) {
    const GaussianProcessData others =
        read_gaussian_process(plan, *audited.neighbor, audited.rule, audited.options, true);
    const RowChange change = change_between(records_in_order(data), records_in_order(others));
    std::optional<Eigen::Index> place;
    if (change.used) place = static_cast<Eigen::Index>(*change.used);
    const PosteriorPair pair =
        place ? pairs[static_cast<std::size_t>(*place)]
              : fit.added(gaussian_process_data(plan, change.row.transpose())).front();
    const ProfilePoint point = point_of(as_rank_one(pair), place, change.row);
    audit.given =
        WorstNeighbor{number_of(audited, change), change.row, point, point.delta().upper(), true};
  }
  return judged(std::move(audit), claim);
}

}  // namespace modicum
