// Objective perturbation: the minimizer with a random linear term has no Gaussian law, but the
// chances of half-spaces of the gradient are those of normal variables.
#include <algorithm>
#include <cmath>

#include "modicum/randomness/samplers.h"
#include "numerics/dense.h"
#include "release/neighbors/neighbor_rows.h"
#include "release/neighbors/neighbor_search.h"
#include "release/neighbors/neighbor_verdict.h"
#include "release/neighbors/objective_threshold.h"
#include "release/neighbors/objective_witness.h"

namespace modicum {
namespace {

// Of each half-space that is looked at; two for each direction of three neighbors at most.
constexpr double failure_of_an_end = 1e-9, failure_of_all = 1.2e-8;

// The rows of a table in memory, and the objective on them with one row left out.
class ObjectiveRows {
 public:
  ObjectiveRows(const LabeledRows& rows, const ReadOptions& options,
                const AuditedObjective& mechanism)
      : mechanism_(mechanism) {
    const double grid = rows.clip().grid();
    rows.for_each_block(options, [&](const LabeledBlock& block) {
      return [&, part = std::make_shared<LabeledBlock>(block)] { parts_.push_back(part); };
    });
    Eigen::Index count = 0;
    for (const auto& part : parts_) count += part->labels.size();
    features_.resize(count, rows.dimension());
    responses_.resize(count);
    Eigen::Index at = 0;
    for (const auto& part : parts_) {
      const Eigen::Index size = part->labels.size();
      features_.middleRows(at, size) = grid * part->features;
      responses_.segment(at, size) = part->labels;
      at += size;
    }
    parts_.clear();
  }

  Eigen::Index count() const { return responses_.size(); }
  Eigen::Index dimension() const { return features_.cols(); }
  const RowBlock& features() const { return features_; }
  const Eigen::VectorXd& responses() const { return responses_; }
  const AuditedObjective& mechanism() const { return mechanism_; }
  void leave_out(std::optional<Eigen::Index> row) { left_out_ = row; }

  /// The minimizer of J + tilt^T theta, and a bound on its distance from the true one: |gradient|
  /// and what rounding hides of it, over lambda.
  struct Solution {
    Eigen::VectorXd theta;
    double error;
  };
  Solution solve(const Eigen::VectorXd& tilt, const Eigen::VectorXd& start) const {
    const double wanted = 1e-9 * mechanism_.standard_deviation;
    Eigen::VectorXd theta = start, gradient = gradient_at(theta, tilt);
    std::optional<CholeskyFactor> factor;
    for (int step = 0; step < 60 && gradient.norm() > wanted; ++step) {
      if (!factor) factor.emplace(hessian_at(theta));
      if (!factor->positive_definite()) break;
      const Eigen::VectorXd move = factor->solve(gradient);
      bool better = false;
      for (double share = 1.0; share > 1e-4 && !better; share *= 0.5) {
        const Eigen::VectorXd next = theta - share * move, there = gradient_at(next, tilt);
        better = there.norm() < (1.0 - 0.1 * share) * gradient.norm();
        if (!better) continue;
        if (share < 1.0 || there.norm() > 0.1 * gradient.norm()) factor.reset();
        theta = next;
        gradient = there;
      }
      if (!better && !factor) break;
      if (!better) factor.reset(), ++step;
    }
    const double hidden = 0x1p-46 * (static_cast<double>(count()) + 8.0) *
                          (largest_norm() * mechanism_.loss.largest_slope() +
                           mechanism_.regularization * theta.norm() + tilt.norm());
    return {theta, (gradient.norm() + hidden) / mechanism_.regularization};
  }

  double largest_norm() const {
    return count() > 0 ? std::sqrt(features_.rowwise().squaredNorm().maxCoeff()) : 0.0;
  }

 private:
  Eigen::VectorXd gradient_at(const Eigen::VectorXd& theta, const Eigen::VectorXd& tilt) const {
    const Eigen::VectorXd predictions = features_ * theta;
    Eigen::VectorXd slopes(count());
    for (Eigen::Index i = 0; i < count(); ++i)
      slopes[i] = mechanism_.loss.slope(predictions[i], responses_[i]);
    if (left_out_) slopes[*left_out_] = 0.0;
    return features_.transpose() * slopes + mechanism_.regularization * theta + tilt;
  }
  Eigen::MatrixXd hessian_at(const Eigen::VectorXd& theta) const {
    Eigen::VectorXd roots = features_ * theta;
    for (Eigen::Index i = 0; i < count(); ++i)
      roots[i] = std::sqrt(mechanism_.loss.at(roots[i], responses_[i]).curvature);
    if (left_out_) roots[*left_out_] = 0.0;
    const Eigen::MatrixXd scaled = roots.asDiagonal() * features_;
    return scaled.transpose() * scaled +
           mechanism_.regularization * Eigen::MatrixXd::Identity(dimension(), dimension());
  }

  const AuditedObjective& mechanism_;
  std::vector<std::shared_ptr<LabeledBlock>> parts_;
  RowBlock features_;
  Eigen::VectorXd responses_;
  std::optional<Eigen::Index> left_out_;
};

// A record that the table has (its place) or not.
struct ChangedRecord {
  Eigen::VectorXd row;
  double response;
  std::optional<Eigen::Index> place;
};

// The slope of the record's loss along it, over sigma, for a solution: what it is at least and
// most.
struct SlopeEnds {
  double low, high;
};

class RecordEvents {
 public:
  RecordEvents(ObjectiveRows& rows, const ChangedRecord& record, double epsilon)
      : rows_(rows),
        record_(record),
        norm_(record.row.norm()),
        deviation_(rows.mechanism().standard_deviation),
        exp_epsilon_(std::exp(epsilon)),
        center_(Eigen::VectorXd::Zero(rows.dimension())) {
    rows_.leave_out(record.place);
    center_ = rows_.solve(center_, center_).theta;
  }

  /// What two half-spaces that do not meet show together, whatever the noise across the row.
  double lower_end(bool forward, double draws, RandomSource& source) {
    const ThresholdEvent below = best_event(forward, true), above = best_event(forward, false);
    const double from_below = shown(below, forward, draws, source);
    const double from_above = shown(above, forward, draws, source);
    return below.threshold < above.threshold ? from_below + from_above
                                             : std::max(from_below, from_above);
  }

 private:
  // The event that tells most where the noise across the row is 0.
  ThresholdEvent best_event(bool forward, bool below) const {
    ThresholdEvent best{0.0, below};
    double largest = -infinity;
    for (const double side : {1.0, -1.0}) {
      Eigen::VectorXd from = center_;
      for (double size = 0.0; size <= 9.0; size += 0.25) {
        const ThresholdEvent event{side * size, below};
        const auto solution = rows_.solve(along(event.threshold), from);
        from = solution.theta;
        const SlopeEnds ends = slopes(solution);
        const double with = chance_with(event, 0.5 * (ends.low + ends.high));
        const double told = forward ? shown_delta(with, chance_without(event), exp_epsilon_)
                                    : shown_delta(chance_without(event), with, exp_epsilon_);
        if (!(told > largest)) continue;
        largest = told;
        best = event;
      }
    }
    return best;
  }

  // By draws of the noise across the row, but for failure_of_an_end.
  double shown(const ThresholdEvent& event, bool forward, double draws,
               RandomSource& source) const {
    const bool line = rows_.dimension() == 1;
    const auto count = static_cast<Eigen::Index>(line ? 1.0 : draws);
    const Eigen::VectorXd start = rows_.solve(along(event.threshold), center_).theta;
    Eigen::VectorXd chances(count);
    for (Eigen::Index k = 0; k < count; ++k) {
      const SlopeEnds ends = slopes(rows_.solve(along(event.threshold) + across(source), start));
      const double a = chance_with(event, ends.low), b = chance_with(event, ends.high);
      chances[k] = forward ? std::min(a, b) : std::max(a, b);
    }
    const double margin = line ? 0.0 : margin_of_mean(chances, range_of(event));
    const double with = std::max(chances.mean() + (forward ? -margin : margin), 0.0);
    const double without = chance_without(event);
    const double told = forward ? shown_delta(with, without, exp_epsilon_)
                                : shown_delta(without, with, exp_epsilon_);
    return std::clamp(told - 1e-12 * (with + exp_epsilon_ * (with + without)), 0.0, 1.0);
  }

  Eigen::VectorXd along(double threshold) const {
    return (threshold * deviation_ / norm_) * record_.row;
  }
  Eigen::VectorXd across(RandomSource& source) const {
    Eigen::VectorXd noise(rows_.dimension());
    fill_standard_normals({noise.data(), static_cast<std::size_t>(noise.size())}, source);
    const Eigen::VectorXd unit = record_.row / norm_;
    return deviation_ * (noise - noise.dot(unit) * unit);
  }
  SlopeEnds slopes(const ObjectiveRows::Solution& solution) const {
    const PredictionLoss& loss = rows_.mechanism().loss;
    const double slope = loss.slope(record_.row.dot(solution.theta), record_.response);
    const double error = loss.largest_curvature() * norm_ * solution.error + 1e-14;
    const SlopeEnds all = all_slopes();
    const double scale = norm_ / deviation_;
    return {scale * std::max(slope - error, all.low), scale * std::min(slope + error, all.high)};
  }
  // f' of the loss for this response, whatever the prediction.
  SlopeEnds all_slopes() const {
    const PredictionLoss& loss = rows_.mechanism().loss;
    const double most = loss.largest_slope();
    if (!loss.takes_labels()) return {-most, most};
    return record_.response > 0.0 ? SlopeEnds{-most, 0.0} : SlopeEnds{0.0, most};
  }
  double range_of(const ThresholdEvent& event) const {
    const SlopeEnds all = all_slopes();
    const double scale = norm_ / deviation_;
    return std::abs(chance_with(event, scale * all.low) - chance_with(event, scale * all.high));
  }
  // Numbers within `range` of each other: how far their mean may be from that of the law
  // [MaurerPontil2009, Theorem 4].
  static double margin_of_mean(const Eigen::VectorXd& values, double range) {
    const auto count = static_cast<double>(values.size());
    const double variance = (values.array() - values.mean()).square().sum() / (count - 1.0);
    const double log_failure = std::log(2.0 / failure_of_an_end);
    return std::sqrt(2.0 * variance * log_failure / count) +
           7.0 * range * log_failure / (3.0 * (count - 1.0));
  }

  ObjectiveRows& rows_;
  const ChangedRecord& record_;
  double norm_, deviation_, exp_epsilon_;
  Eigen::VectorXd center_;
};

double draws_for(const ObjectiveRows& rows) {
  if (rows.mechanism().draws > 0.0) return require_count("draws", rows.mechanism().draws) + 1.0;
  const double work = static_cast<double>(rows.count()) * static_cast<double>(rows.dimension() + 8);
  return std::clamp(std::floor(1e7 / std::max(work, 1.0)), 200.0, 3000.0);
}

// Bounds of the record's own norm above, draws below.
ProfilePoint point_of(ObjectiveRows& rows, const ChangedRecord& record, double epsilon,
                      RandomSource& source) {
  const AuditedObjective& mechanism = rows.mechanism();
  const double norm = record.row.norm() * (1.0 + 0x1p-48);
  if (!(norm > 0.0)) return {epsilon, {0.0, 0.0}, {0.0, 0.0}, Proof::certified};
  const ProfilePoint above =
      profile(objective_perturbation(mechanism.loss.bounds(norm, mechanism.regularization),
                                     mechanism.standard_deviation),
              epsilon, Accuracy::certified);
  RecordEvents events(rows, record, epsilon);
  const auto ends = [&](const Enclosure& bound, bool forward) {
    return Enclosure(std::min(events.lower_end(forward, draws_for(rows), source), bound.upper()),
                     bound.upper());
  };
  return {epsilon, ends(above.forward, true), ends(above.reverse, false), above.proof};
}

// |f'| |x| over sigma, at the minimizer without noise.
double score_of(const AuditedObjective& mechanism, const Eigen::VectorXd& theta,
                const Eigen::VectorXd& row, double response) {
  return std::abs(mechanism.loss.slope(row.dot(theta), response)) * row.norm() /
         mechanism.standard_deviation;
}

ChangedRecord search_added_record(const AuditedTable& features, const AuditedObjective& mechanism,
                                  const Eigen::VectorXd& theta) {
  std::vector<Eigen::VectorXd> starts;
  if (theta.norm() > 0.0) starts.push_back(features.row_norm_bound * theta.normalized());
  const auto score = [&](const Eigen::VectorXd& row, double response) {
    return score_of(mechanism, theta, row, response);
  };
  const FoundRow found = search_added_row(
      AddedRows(features), starts,
      [&](const Eigen::VectorXd& row) { return std::max(score(row, 1.0), score(row, -1.0)); });
  return {found.row, score(found.row, 1.0) >= score(found.row, -1.0) ? 1.0 : -1.0, {}};
}

Eigen::VectorXd behind_features(const ChangedRecord& record) {
  Eigen::VectorXd row(record.row.size() + 1);
  row << record.row, record.response;
  return row;
}

RowsInOrder all_in_order(const LabeledRows& rows, const ReadOptions& options) {
  return [&rows, &options](const std::function<void(const RowBlock&)>& take) {
    const double grid = rows.clip().grid();
    rows.for_each_block(options, [&](const LabeledBlock& block) {
      auto all = std::make_shared<RowBlock>(block.labels.size(), block.features.cols() + 1);
      *all << grid * block.features, block.labels;
      return [&take, all] { take(*all); };
    });
  };
}

void require_mechanism(const AuditedObjective& mechanism, const ResponseRule& response) {
  require_positive("regularization", mechanism.regularization);
  require_positive("standard_deviation", mechanism.standard_deviation);
  if (mechanism.largest_rows) require_count("largest_rows", *mechanism.largest_rows);
  if (mechanism.loss.takes_labels() != std::holds_alternative<LabelRule>(response))
    throw InvalidParameter("loss", mechanism.loss.name(), "must fit the response");
}

}  // namespace

NeighborAudit audit_objective(const AuditedTable& features, const ResponseRule& response,
                              const AuditedObjective& mechanism, const PrivacyTarget& claim,
                              RandomSource& source) {
  require_mechanism(mechanism, response);
  const double epsilon = claim.epsilon;
  const ProfilePoint above =
      profile(objective_perturbation(
                  mechanism.loss.bounds(features.row_norm_bound, mechanism.regularization),
                  mechanism.standard_deviation),
              epsilon, Accuracy::certified);
  ProvedWitness witness = objective_witness(features, mechanism, epsilon);
  NeighborAudit audit = public_part(above, witness.point, std::move(witness.witness));
  if (!features.read) return judged(std::move(audit), claim);

  const LabeledRows labeled(features.table, features.rule, response, features.row_norm_bound);
  ObjectiveRows rows(labeled, features.options, mechanism);
  audit.rows = static_cast<double>(rows.count());
  if (mechanism.largest_rows && audit.rows > *mechanism.largest_rows)
    throw Error("there are more rows than the promise allows (largest_rows)");
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(rows.dimension());
  const Eigen::VectorXd theta = rows.solve(zero, zero).theta;
  const auto number = [&](Eigen::Index place) {
    return static_cast<double>(
        row_number(labeled.dropped(features.options), static_cast<std::uint64_t>(place) + 1));
  };
  const auto neighbor = [&](const ChangedRecord& record, std::optional<double> bound,
                            bool exhaustive) {
    const ProfilePoint point = point_of(rows, record, epsilon, source);
    return WorstNeighbor{record.place ? std::optional(number(*record.place)) : std::nullopt,
                         behind_features(record),
                         point,
                         bound.value_or(point.delta().upper()),
                         exhaustive,
                         rows.dimension() > 1 ? failure_of_all : 0.0};
  };

  Eigen::VectorXd scores(rows.count());
  for (Eigen::Index i = 0; i < rows.count(); ++i)
    scores[i] = score_of(mechanism, theta, rows.features().row(i), rows.responses()[i]);
  FigureCounts counts;
  counts.add(scores);
  audit.figures = counts.figures("slope over noise");
  if (rows.count() > 0) {
    Eigen::Index worst = 0;
    scores.maxCoeff(&worst);
    const double longest = rows.largest_norm() * (1.0 + 0x1p-48);
    const double bound = longest > 0.0
                             ? profile(objective_perturbation(
                                           mechanism.loss.bounds(longest, mechanism.regularization),
                                           mechanism.standard_deviation),
                                       epsilon, Accuracy::certified)
                                   .delta()
                                   .upper()
                             : 0.0;
    audit.removed =
        neighbor({rows.features().row(worst), rows.responses()[worst], worst}, bound, false);
  }
  if (!mechanism.largest_rows || audit.rows < *mechanism.largest_rows)
    audit.added =
        neighbor(search_added_record(features, mechanism, theta), above.delta().upper(), false);
  if (features.neighbor != nullptr) {
    const LabeledRows others(*features.neighbor, features.rule, response, features.row_norm_bound);
    const RowChange change = change_between(all_in_order(labeled, features.options),
                                            all_in_order(others, features.options));
    const Eigen::Index d = rows.dimension();
    std::optional<Eigen::Index> place;
    if (change.used) place = static_cast<Eigen::Index>(*change.used);
    audit.given = neighbor({change.row.head(d), change.row[d], place}, std::nullopt, true);
  }
  return judged(std::move(audit), claim);
}

}  // namespace modicum
