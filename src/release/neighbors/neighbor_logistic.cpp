// Logistic regression: the covariance changes by a rank-one update that is known exactly, the
// minimizer by a step of Newton's method, and for the worst rows exactly.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "modicum/mechanisms/bayesian_logistic.h"
#include "numerics/dense.h"
#include "release/neighbors/logistic_proof.h"
#include "release/neighbors/logistic_witness.h"
#include "release/neighbors/neighbor_pairs.h"
#include "release/neighbors/neighbor_refit.h"
#include "release/neighbors/neighbor_rows.h"
#include "release/neighbors/neighbor_search.h"
#include "release/neighbors/neighbor_verdict.h"

namespace modicum {
namespace {

constexpr std::size_t exact_rows = 20;

// Everything that the pairs of neighbors need of a table: G, the Hessian H, and S = G^-1 + s I.
class LogisticNeighbors {
 public:
  LogisticNeighbors(const LogisticModel& model, const Eigen::MatrixXd& hessian,
                    double noise_variance)
      : model_(model),
        inverse_(CholeskyFactor(model.precision).inverse()),
        inverse_hessian_(CholeskyFactor(hessian).inverse()) {
    Eigen::MatrixXd covariance = 0.5 * (inverse_ + inverse_.transpose());
    covariance.diagonal().array() += noise_variance;
    const SymmetricEigen axes = symmetric_eigen(covariance);
    whitening_ = axes.values.cwiseSqrt().cwiseInverse().asDiagonal() * axes.vectors.transpose();
    least_deviation_ = std::sqrt(axes.values[0]);
    update_ = whitening_ * inverse_;
    step_ = whitening_ * inverse_hessian_;
  }

  double least_deviation() const { return least_deviation_; }
  /// S^-1 of a vector: the direction in which a shift by it is seen best.
  Eigen::VectorXd seen_best(const Eigen::VectorXd& shift) const {
    return whitening_.transpose() * (whitening_ * shift);
  }
  /// The same of the direction in which the covariance changes.
  Eigen::VectorXd stretched_most(const Eigen::VectorXd& row) const {
    return whitening_.transpose() * (update_ * row);
  }
  /// An allowance for the rounding of the whitened vectors: dimension times condition.
  double relative_error() const {
    return 64.0 * std::numeric_limits<double>::epsilon() * static_cast<double>(inverse_.rows()) *
           model_.precision.trace() / model_.regularization;
  }

  /// A row with its label removed (sign -1) or added (+1), the minimizer by one step.
  std::vector<RankOnePair> screened(const RowBlock& rows, const Eigen::VectorXd& labels,
                                    double sign) const {
    const Eigen::MatrixXd updates = rows * update_.transpose(), steps = rows * step_.transpose();
    const Eigen::VectorXd margins = labels.cwiseProduct(rows * model_.minimizer);
    const Eigen::VectorXd in_precision = (rows * inverse_).cwiseProduct(rows).rowwise().sum();
    const Eigen::VectorXd in_hessian = (rows * inverse_hessian_).cwiseProduct(rows).rowwise().sum();
    std::vector<RankOnePair> pairs;
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const double pull = logistic_pull(margins[i]);
      const double factor = pull / (1.0 + sign * pull * (1.0 - pull) * in_hessian[i]);
      pairs.push_back(pair_of(updates.row(i).transpose(), in_precision[i],
                              factor * steps.row(i).transpose(), sign));
    }
    return pairs;
  }

  /// The same with a shift that is known.
  RankOnePair exact(const ChangedRegression& changed) const {
    return pair_of(update_ * changed.row, changed.row.dot(inverse_ * changed.row),
                   whitening_ * (changed.minimizer - model_.minimizer), changed.sign);
  }

 private:
  // `update` is S^(-1/2) G^-1 x, `leverage` x^T G^-1 x, `shift` whitened by S.
  static RankOnePair pair_of(const Eigen::VectorXd& update, double leverage,
                             const Eigen::VectorXd& shift, double sign) {
    const double square = update.squaredNorm();
    const double product = update.dot(shift);
    const double along = square > 0.0 ? product * product / square : 0.0;
    const double across = std::max(shift.squaredNorm() - along, 0.0);
    const double change = square / (4.0 + sign * leverage);
    if (sign < 0.0) return {change, along, across};
    // S is the covariance without the row, and the one with it is smaller by `change`.
    const double left = 1.0 - change;
    if (!(left > 0.0)) throw Error("the loss of a row could not be computed");
    return {change / left, along / left, across};
  }

  const LogisticModel& model_;
  Eigen::MatrixXd inverse_, inverse_hessian_, whitening_, update_, step_;
  double least_deviation_ = 0.0;
};

double estimate(const RankOnePair& pair, double epsilon) {
  return profile(pair.loss(), epsilon, Accuracy::fast).delta().upper();
}

// What a pass over all rows leaves.
struct Screening {
  PairFrontier frontier;
  FigureCounts counts;
};

Screening screen(const LogisticSource& source, const LogisticNeighbors& neighbors) {
  Screening all;
  double rows_before = 0.0;
  source.rows.for_each_block(source.options, [&](const LabeledBlock& block) {
    const RowBlock rows = source.rows.clip().grid() * block.features;
    auto here = std::make_shared<Screening>();
    const std::vector<RankOnePair> pairs = neighbors.screened(rows, block.labels, -1.0);
    Eigen::VectorXd shifts(rows.rows());
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      const RankOnePair& pair = pairs[static_cast<std::size_t>(i)];
      here->frontier.add(pair, static_cast<double>(i));
      shifts[i] = std::sqrt(pair.along + pair.across);
    }
    here->counts.add(shifts);
    return [&all, &rows_before, here, count = rows.rows()] {
      all.frontier.add(here->frontier, rows_before);
      all.counts.add(here->counts);
      rows_before += static_cast<double>(count);
    };
  });
  return all;
}

// Numbers, from 0, of the rows with the largest delta by one step.
std::vector<double> worst_numbers(const PairFrontier& frontier, double epsilon) {
  std::vector<std::pair<double, double>> ranked;
  for (const PairFrontier::Entry& entry : frontier.entries())
    ranked.emplace_back(-estimate(entry.pair, epsilon), entry.number);
  std::sort(ranked.begin(), ranked.end());
  ranked.resize(std::min(ranked.size(), exact_rows));
  std::vector<double> numbers;
  for (const auto& [delta, number] : ranked) numbers.push_back(number);
  return numbers;
}

std::vector<ChangedRegression> removals(const LogisticSource& source,
                                        const std::vector<double>& numbers) {
  std::vector<ChangedRegression> result(numbers.size());
  double rows_before = 0.0;
  source.rows.for_each_block(source.options, [&](const LabeledBlock& block) {
    auto rows = std::make_shared<LabeledBlock>(block);
    return [&, rows] {
      const auto count = static_cast<double>(rows->labels.size());
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        const double place = numbers[k] - rows_before;
        if (!(place >= 0.0 && place < count)) continue;
        const auto i = static_cast<Eigen::Index>(place);
        result[k] = {-1.0,
                     source.rows.clip().grid() * rows->features.row(i).transpose(),
                     rows->labels[i],
                     {}};
      }
      rows_before += count;
    };
  });
  return result;
}

// Features, and the label behind them, in the order of the rows.
RowsInOrder rows_with_labels(const LogisticSource& source) {
  return [source](const std::function<void(const RowBlock&)>& take) {
    const double grid = source.rows.clip().grid();
    source.rows.for_each_block(source.options, [&](const LabeledBlock& block) {
      auto all = std::make_shared<RowBlock>(block.labels.size(), block.features.cols() + 1);
      *all << grid * block.features, block.labels;
      return [&take, all] { take(*all); };
    });
  };
}

// The row and label that move the output most by one step.
ChangedRegression search_added(const AuditedTable& features, const LogisticModel& model,
                               const Eigen::MatrixXd& hessian, const LogisticNeighbors& neighbors,
                               double epsilon) {
  const double bound = features.row_norm_bound;
  const SymmetricEigen axes = symmetric_eigen(hessian);
  std::vector<Eigen::VectorXd> starts;
  for (Eigen::Index k = 0; k < std::min<Eigen::Index>(hessian.rows(), 5); ++k)
    starts.push_back(bound * axes.vectors.col(k));
  if (model.minimizer.norm() > 0.0) starts.push_back(bound * model.minimizer.normalized());
  for (Eigen::Index k = 0; k < std::min<Eigen::Index>(hessian.rows(), 5); ++k)
    if (model.minimizer.norm() > 0.0)
      for (const double sign : {1.0, -1.0})
        starts.push_back(bound *
                         (axes.vectors.col(k) + sign * model.minimizer.normalized()).normalized());
  const auto delta = [&](const Eigen::VectorXd& row, double label) {
    return estimate(
        neighbors.screened(row.transpose(), Eigen::VectorXd::Constant(1, label), 1.0).front(),
        epsilon);
  };
  const FoundRow found = search_added_row(
      AddedRows(features), starts,
      [&](const Eigen::VectorXd& row) { return std::max(delta(row, 1.0), delta(row, -1.0)); });
  return {1.0, found.row, delta(found.row, 1.0) >= delta(found.row, -1.0) ? 1.0 : -1.0, {}};
}

// The release draws around minimizers as computed, of which each has its error.
ProfilePoint estimated_point(const LogisticNeighbors& neighbors, const LogisticModel& model,
                             const ChangedRegression& changed, double epsilon) {
  const double off = (changed.error + model.minimizer_error) / neighbors.least_deviation();
  return profile(neighbors.exact(changed).loss(neighbors.relative_error(), off), epsilon,
                 Accuracy::fast);
}

// G as the release computes it: whole numbers, rounded to doubles, and the ridge added.
BallMatrix precision_in_balls(const LogisticModel& model) {
  const PrecisionScope scope(proof_bits);
  const Eigen::Index d = model.precision.rows();
  BallMatrix result(d, d);
  for (Eigen::Index i = 0; i < d; ++i)
    for (Eigen::Index j = 0; j < d; ++j) {
      const double entry = model.precision(i, j);
      arb_set(result.at(i, j), Ball(entry).widened(Ball(0x1p-50 * std::abs(entry))).raw());
    }
  return result;
}

// Pairs as far as they can be proved.
class LogisticProofs {
 public:
  /// `tolerance`: the release may be so far off at either minimizer.
  LogisticProofs(const LogisticSource& source, const LogisticModel& model,
                 const LogisticNeighbors& neighbors, double noise_variance, double tolerance)
      : source_(source),
        model_(model),
        neighbors_(neighbors),
        noise_variance_(noise_variance),
        tolerance_(tolerance),
        inverse_(precision_in_balls(model), (1.0 - 0x1p-40) * model.regularization) {}

  ProfilePoint point(const ChangedRegression& changed, double epsilon) const {
    const RegressionStep step{
        changed.sign, changed.row, model_.minimizer, changed.minimizer,
        proved_error(source_, model_, changed) + model_.minimizer_error + 2.0 * tolerance_};
    ProfilePoint best{epsilon, {0.0, 1.0}, {0.0, 1.0}, Proof::certified};
    for (const Eigen::VectorXd& direction :
         {neighbors_.seen_best(changed.minimizer - model_.minimizer),
          neighbors_.stretched_most(changed.row)}) {
      if (!(direction.norm() > 0.0)) continue;
      const ProfilePoint found =
          proved_step(inverse_, noise_variance_, step, direction.normalized(), epsilon);
      if (found.delta().lower() > best.delta().lower()) best = found;
    }
    return with_lower_ends(best, estimated_point(neighbors_, model_, changed, epsilon));
  }

 private:
  const LogisticSource& source_;
  const LogisticModel& model_;
  const LogisticNeighbors& neighbors_;
  double noise_variance_, tolerance_;
  InverseForm inverse_;
};

// The features, and the label behind them.
Eigen::VectorXd with_label(const ChangedRegression& changed) {
  Eigen::VectorXd row(changed.row.size() + 1);
  row << changed.row, changed.label;
  return row;
}

}  // namespace

NeighborAudit audit_logistic(const AuditedTable& features, const LabelRule& label,
                             const AuditedLogistic& mechanism, const PrivacyTarget& claim,
                             const std::optional<ProfilePoint>& proved) {
  const double lambda = require_positive("regularization", mechanism.regularization);
  const double bound = features.row_norm_bound, epsilon = claim.epsilon;
  const double tolerance = std::ldexp(bound / lambda, -16);
  const ProfilePoint above =
      proved ? *proved
             : lifted_bounds(bayesian_logistic_sensitivity(
                                 LogisticShape(lambda, bound, tolerance, mechanism.largest_rows),
                                 require_positive("noise_variance", mechanism.noise_variance)),
                             epsilon)
                   .upper_bound();
  ProvedWitness witness = logistic_witness(features, mechanism, tolerance, epsilon);
  NeighborAudit audit = public_part(above, witness.point, std::move(witness.witness));
  if (!features.read) return judged(std::move(audit), claim);
  const LabeledRows rows(features.table, features.rule, label, bound);
  const LogisticSource source{rows, features.options};
  const LogisticModel model = fit_logistic(rows, lambda, tolerance, features.options);
  if (mechanism.largest_rows && model.rows > *mechanism.largest_rows)
    throw Error("there are more rows than the promise allows (largest_rows)");
  const Eigen::MatrixXd hessian = logistic_hessian(source, model);
  const LogisticNeighbors neighbors(model, hessian, mechanism.noise_variance);
  const Screening screening = screen(source, neighbors);
  const std::vector<double> numbers = worst_numbers(screening.frontier, epsilon);
  std::vector<ChangedRegression> changed = removals(source, numbers);
  const bool may_grow = !mechanism.largest_rows || model.rows < *mechanism.largest_rows;
  if (may_grow) changed.push_back(search_added(features, model, hessian, neighbors, epsilon));
  std::optional<RowChange> given;
  if (features.neighbor != nullptr) {
    const LabeledRows others(*features.neighbor, features.rule, label, bound);
    given = change_between(rows_with_labels(source), rows_with_labels({others, features.options}));
    const Eigen::Index d = rows.dimension();
    changed.push_back({given->sign, given->row.head(d), given->row[d], {}});
  }
  refit(source, model, hessian, changed);
  const LogisticProofs proofs(source, model, neighbors, mechanism.noise_variance, tolerance);
  const double all = above.delta().upper();
  const auto number = [&](double used) {
    return static_cast<double>(
        row_number(rows.dropped(features.options), static_cast<std::uint64_t>(used) + 1));
  };
  audit.rows = model.rows;
  audit.figures = screening.counts.figures("shift of the mean");
  if (given) {
    const ProfilePoint point = proofs.point(changed.back(), epsilon);
    audit.given = WorstNeighbor{given->used ? std::optional(number(*given->used)) : std::nullopt,
                                given->row, point, point.delta().upper(), true};
    changed.pop_back();
  }
  if (may_grow)
    audit.added = WorstNeighbor{std::nullopt, with_label(changed.back()),
                                proofs.point(changed.back(), epsilon), all, false};
  std::size_t worst = 0;
  double largest = -1.0;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const double delta = estimated_point(neighbors, model, changed[k], epsilon).delta().upper();
    if (!(delta > largest)) continue;
    largest = delta;
    worst = k;
  }
  if (!numbers.empty())
    audit.removed = WorstNeighbor{number(numbers[worst]), with_label(changed[worst]),
                                  proofs.point(changed[worst], epsilon), all, false};
  return judged(std::move(audit), claim);
}

}  // namespace modicum
