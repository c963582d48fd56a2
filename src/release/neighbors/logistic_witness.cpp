#include "release/neighbors/logistic_witness.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "release/neighbors/logistic_proof.h"
#include "release/neighbors/neighbor_refit.h"
#include "release/neighbors/neighbor_search.h"
#include "release/neighbors/neighbor_verdict.h"

namespace modicum {
namespace {

// So many rows with this label.
struct CountedRow {
  double count;
  Eigen::VectorXd row;
  double label;
};
using CountedTable = std::vector<CountedRow>;

double rows_in(const CountedTable& table) {
  double rows = 0.0;
  for (const CountedRow& each : table) rows += each.count;
  return rows;
}

Eigen::MatrixXd precision_of(const CountedTable& table, double lambda, Eigen::Index dimension) {
  Eigen::MatrixXd result = lambda * Eigen::MatrixXd::Identity(dimension, dimension);
  for (const CountedRow& each : table)
    result += 0.25 * each.count * each.row * each.row.transpose();
  return result;
}

// Newton's method with halved steps: few rows, however often each is there.
Eigen::VectorXd minimizer_of(const CountedTable& table, double lambda, Eigen::VectorXd theta) {
  const Eigen::Index d = theta.size();
  const auto value = [&](const Eigen::VectorXd& at) {
    double sum = 0.5 * lambda * at.squaredNorm();
    for (const CountedRow& each : table)
      sum += each.count * PredictionLoss::logistic().at(each.row.dot(at), each.label).value;
    return sum;
  };
  for (int step = 0; step < 60; ++step) {
    Eigen::VectorXd gradient = lambda * theta;
    Eigen::MatrixXd hessian = lambda * Eigen::MatrixXd::Identity(d, d);
    for (const CountedRow& each : table) {
      const auto at = PredictionLoss::logistic().at(each.row.dot(theta), each.label);
      gradient += each.count * at.slope * each.row;
      hessian += each.count * at.curvature * each.row * each.row.transpose();
    }
    const CholeskyFactor factor(hessian);
    if (!factor.positive_definite()) break;
    Eigen::VectorXd move = factor.solve(gradient);
    const double here = value(theta);
    for (int half = 0; half < 30 && value(theta - move) > here; ++half) move *= 0.5;
    theta -= move;
    if (!(move.norm() > 1e-15 * theta.norm())) break;
  }
  return theta;
}

// |gradient| / lambda, in balls.
double proved_error(const CountedTable& table, double lambda, const Eigen::VectorXd& theta) {
  const PrecisionScope scope(proof_bits);
  const BallMatrix at(theta);
  std::vector<Ball> gradient;
  for (Eigen::Index j = 0; j < theta.size(); ++j) gradient.push_back(Ball(lambda) * Ball(theta[j]));
  for (const CountedRow& each : table) {
    const Ball margin = Ball(each.label) * dot(BallMatrix(each.row), at);
    const Ball pull = Ball(each.count * each.label) / (Ball(1.0) + exp(margin));
    for (Eigen::Index j = 0; j < theta.size(); ++j)
      gradient[static_cast<std::size_t>(j)] -= pull * Ball(each.row[j]);
  }
  Ball square;
  for (const Ball& each : gradient) square += each * each;
  return (sqrt(square) / Ball(lambda)).upper();
}

// A table, the row that is added to it, and coefficients near those of the table.
struct Candidate {
  CountedTable table;
  CountedRow added;
  Eigen::VectorXd start;
};

class LogisticWitnesses {
 public:
  LogisticWitnesses(const AuditedLogistic& mechanism, double tolerance, double epsilon)
      : lambda_(mechanism.regularization),
        noise_(mechanism.noise_variance),
        most_(mechanism.largest_rows.value_or(0x1p53) - 1.0),
        tolerance_(tolerance),
        epsilon_(epsilon) {}

  /// The square of the shift as the output shows it, estimated; nothing for too many rows.
  double visible_shift(const Candidate& candidate) const {
    if (!(rows_in(candidate.table) <= most_)) return -1.0;
    const Eigen::VectorXd shift = shift_of(candidate);
    return CholeskyFactor(covariance_with(candidate)).half_solve(shift).squaredNorm();
  }

  ProfilePoint proved(const Candidate& candidate) const {
    const Eigen::Index d = candidate.added.row.size();
    const PrecisionScope scope(proof_bits);
    BallMatrix precision(Eigen::MatrixXd(lambda_ * Eigen::MatrixXd::Identity(d, d)));
    for (const CountedRow& each : candidate.table)
      for (Eigen::Index i = 0; i < d; ++i)
        for (Eigen::Index j = 0; j < d; ++j)
          arb_add(precision.at(i, j), precision.at(i, j),
                  (Ball(0.25 * each.count) * Ball(each.row[i]) * Ball(each.row[j])).raw(),
                  PrecisionScope::bits());
    const InverseForm inverse(std::move(precision), lambda_);
    const Pair pair = pair_of(candidate);
    CountedTable with = candidate.table;
    with.push_back(candidate.added);
    const RegressionStep step{1.0, candidate.added.row, pair.without, pair.with,
                              proved_error(candidate.table, lambda_, pair.without) +
                                  proved_error(with, lambda_, pair.with) + 2.0 * tolerance_};
    const Eigen::VectorXd direction =
        CholeskyFactor(covariance_with(candidate)).solve(pair.with - pair.without);
    return proved_step(inverse, noise_, step, direction.normalized(), epsilon_);
  }

  double lambda() const { return lambda_; }
  double noise() const { return noise_; }

 private:
  struct Pair {
    Eigen::VectorXd without, with;
  };
  Pair pair_of(const Candidate& candidate) const {
    const Eigen::VectorXd without = minimizer_of(candidate.table, lambda_, candidate.start);
    CountedTable with = candidate.table;
    with.push_back(candidate.added);
    return {without, minimizer_of(with, lambda_, without)};
  }
  Eigen::VectorXd shift_of(const Candidate& candidate) const {
    const Pair pair = pair_of(candidate);
    return pair.with - pair.without;
  }
  Eigen::MatrixXd covariance_with(const Candidate& candidate) const {
    CountedTable with = candidate.table;
    with.push_back(candidate.added);
    const Eigen::Index d = candidate.added.row.size();
    const Eigen::MatrixXd inverse = CholeskyFactor(precision_of(with, lambda_, d)).inverse();
    return 0.5 * (inverse + inverse.transpose()) + noise_ * Eigen::MatrixXd::Identity(d, d);
  }

  double lambda_, noise_, most_, tolerance_, epsilon_;
};

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

// The row alone, and after copies of itself with the other label that hold the coefficients where
// it is on the wrong side by u.
std::vector<Candidate> in_one_direction(const LogisticWitnesses& all, const Eigen::VectorXd& row) {
  std::vector<Candidate> result{{{}, {1.0, row, -1.0}, Eigen::VectorXd::Zero(row.size())}};
  for (const double u : {0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0}) {
    const double copies = std::ceil(all.lambda() * u * (1.0 + std::exp(u)) / row.squaredNorm());
    result.push_back({{{copies, row, 1.0}}, {1.0, row, -1.0}, row * (u / row.squaredNorm())});
  }
  return result;
}

// The added row a, label -1, on the wrong side by u; rows b, label -1, far on the right side, by
// `far`; rows v between a and b, label +1, far on the wrong side, which pull with all their force
// and bend nothing; and rows v with label -1, which do neither, but leave the posterior no variance
// of its own. From lambda theta = pull v - hold b with a^T theta = u, b^T theta = -far.
std::optional<Candidate> in_a_plane(const LogisticWitnesses& all, const Eigen::VectorXd& a,
                                    const Eigen::VectorXd& b, const Eigen::VectorXd& v, double u,
                                    double far, double still) {
  // pull a^T v - hold a^T b = lambda u,  pull b^T v - hold b^T b = -lambda far.
  const double av = a.dot(v), ab = a.dot(b), bv = b.dot(v), bb = b.squaredNorm();
  const double determinant = ab * bv - av * bb;
  if (!(std::abs(determinant) > 1e-6 * a.norm() * v.norm() * bb)) return std::nullopt;
  const double pull = -all.lambda() * (bb * u + ab * far) / determinant;
  const double hold = -all.lambda() * (av * far + bv * u) / determinant;
  const double wrong = -v.dot(pull * v - hold * b) / all.lambda();
  if (!(pull > 0.0 && hold > 0.0 && wrong > 0.0)) return std::nullopt;
  // As many as outweigh the noise so many times.
  const double quiet = still > 0.0 ? std::ceil(4.0 * still / (all.noise() * v.squaredNorm())) : 0.0;
  const double pulling = std::ceil((pull + quiet * logistic(-wrong)) / logistic(wrong));
  const double holding = std::ceil(hold / logistic(-far));
  CountedTable table{{holding, b, -1.0}, {pulling, v, 1.0}};
  if (quiet > 0.0) table.push_back({quiet, v, -1.0});
  return Candidate{std::move(table), {1.0, a, -1.0}, (pull * v - hold * b) / all.lambda()};
}

// Rows that a file can hold, as near to orthogonal to this one as they are found.
std::vector<Eigen::VectorXd> across(const AddedRows& rows, const Eigen::VectorXd& a) {
  const Eigen::Index d = a.size();
  const double bound = rows.row_norm_bound();
  std::vector<Eigen::VectorXd> found;
  const auto add = [&](const Eigen::VectorXd& wanted) {
    if (!(wanted.norm() > 1e-9)) return;
    const Eigen::VectorXd row = rows.realized(bound * wanted.normalized());
    if (row.norm() > 0.1 * a.norm()) found.push_back(row);
  };
  for (Eigen::Index j = 0; j < std::min<Eigen::Index>(d, 10); ++j) {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(d, j);
    add(unit);
    add(unit - a * (a[j] / a.squaredNorm()));
    Eigen::VectorXd turned = a;
    turned.tail(d - 1 - j) *= -1.0;
    add(turned);
    turned = a;
    turned[j] *= -1.0;
    add(turned);
  }
  const auto slant = [&](const Eigen::VectorXd& row) {
    return std::abs(row.dot(a)) / (row.norm() * a.norm());
  };
  std::stable_sort(found.begin(), found.end(),
                   [&](const auto& x, const auto& y) { return slant(x) < slant(y); });
  found.resize(std::min<std::size_t>(found.size(), 2));
  if (!found.empty() && slant(found.front()) > 0.95) found.clear();
  return found;
}

Candidate projected(const Candidate& candidate, const Eigen::MatrixXd& basis) {
  Candidate result = candidate;
  for (CountedRow& each : result.table) each.row = basis.transpose() * each.row;
  result.added.row = basis.transpose() * result.added.row;
  result.start = basis.transpose() * result.start;
  return result;
}

// The best of a plane: coefficients stay in the span of its rows, so three coordinates tell all.
std::optional<Candidate> best_in_a_plane(const LogisticWitnesses& all, const AddedRows& rows,
                                         const Eigen::VectorXd& a) {
  std::optional<Candidate> best;
  double largest = 0.0;
  for (const Eigen::VectorXd& b : across(rows, a))
    for (const double slope : {0.7, 1.5}) {
      const Eigen::VectorXd v =
          rows.realized(rows.row_norm_bound() * (a.normalized() + slope * b.normalized()));
      Eigen::MatrixXd columns(a.size(), 3);
      columns << a, b, v;
      const Eigen::MatrixXd basis =
          a.size() <= 3 ? Eigen::MatrixXd(Eigen::MatrixXd::Identity(a.size(), a.size()))
                        : HouseholderQr(columns).thin_orthogonal();
      for (const double u : {1.0, 2.0, 3.0, 4.0, 5.0, 7.0})
        for (double far = 2.0; far <= 30.0; far += 2.0)
          for (const double still : {0.0, 1.0, 10.0, 100.0}) {
            const auto candidate = in_a_plane(all, a, b, v, u, far, still);
            if (!candidate) continue;
            const double shift = all.visible_shift(projected(*candidate, basis));
            if (!(shift > largest)) continue;
            largest = shift;
            best = candidate;
          }
    }
  return best;
}

Eigen::VectorXd labeled(const CountedRow& each) {
  Eigen::VectorXd row(each.row.size() + 1);
  row << each.row, each.label;
  return row;
}

Witness told(const Candidate& candidate) {
  Witness witness{{}, labeled(candidate.added)};
  for (const CountedRow& each : candidate.table)
    witness.table.push_back({each.count, labeled(each)});
  return witness;
}

}  // namespace

ProvedWitness logistic_witness(const AuditedTable& features, const AuditedLogistic& mechanism,
                               double tolerance, double epsilon) {
  const LogisticWitnesses all(mechanism, tolerance, epsilon);
  const AddedRows rows(features);
  const Eigen::VectorXd a =
      search_added_row(rows, {}, [](const Eigen::VectorXd& row) { return row.squaredNorm(); }).row;
  std::vector<Candidate> candidates = in_one_direction(all, a);
  // Of these the one that shows most, and the row alone, whose variance changes most.
  std::stable_sort(candidates.begin() + 1, candidates.end(),
                   [&](const Candidate& x, const Candidate& y) {
                     return all.visible_shift(x) > all.visible_shift(y);
                   });
  candidates.resize(2);
  if (const auto plane = best_in_a_plane(all, rows, a)) candidates.push_back(*plane);
  std::optional<ProvedWitness> best;
  for (const Candidate& candidate : candidates) {
    if (all.visible_shift(candidate) < 0.0) continue;
    const ProfilePoint point = all.proved(candidate);
    if (!best || point.delta().lower() > best->point.delta().lower())
      best = ProvedWitness{told(candidate), point};
  }
  return *best;
}

}  // namespace modicum
