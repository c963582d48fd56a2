// Least squares: the leverages (p, q) of a row in the features and with the target decide.
#include <algorithm>
#include <cmath>
#include <map>

#include "mechanisms/regression/least_squares_cover.h"
#include "modicum/mechanisms/least_squares.h"
#include "numerics/precise_ball.h"
#include "release/neighbors/neighbor_moments.h"
#include "release/neighbors/neighbor_rows.h"
#include "release/neighbors/neighbor_search.h"
#include "release/neighbors/neighbor_verdict.h"
#include "release/sketches/leverage_frontier.h"

namespace modicum {
namespace {

struct Shape {
  double columns, features;
};

// p and q - p of a row in a database that contains it.
LeveragePair pair_of(const Eigen::VectorXd& whitened) {
  const Eigen::Index d = whitened.size() - 1;
  return {whitened.head(d).squaredNorm(), std::pow(whitened[d], 2.0)};
}

// Once a row is added that had p and q - p so far: its leverages are h / (1 + h).
LeveragePair once_added(const LeveragePair& pair) {
  const double p = pair.row, q = p + pair.residual;
  return {p / (1.0 + p), pair.residual / ((1.0 + p) * (1.0 + q))};
}

double estimate(const Shape& shape, const LeveragePair& pair, double epsilon) {
  const double p = std::min(pair.row, 1.0 - 1e-12);
  const double q = std::clamp(p + pair.residual, p, 1.0 - 1e-12);
  return profile(least_squares(shape.columns, shape.features, p, q), epsilon, Accuracy::fast)
      .delta()
      .upper();
}

// The pair of modicum/mechanisms/least_squares.h, p and q - p in balls.
GaussianSpectrum spectrum_of(const Shape& shape, const Ball& p, const Ball& s) {
  const Ball left = Ball(1.0) - p, rest = left - s, other = s / rest;
  GaussianSpectrum spectrum;
  spectrum.add({to_precise("a leverage", left * left / rest - Ball(1.0)),
                to_precise("a leverage", Ball(shape.columns) * p * other), 1.0});
  if (shape.features > 1.0)
    spectrum.add({to_precise("a leverage", other), Precise::exactly(0.0), shape.features - 1.0});
  return spectrum;
}

// What is left where p and q are not known well enough.
ProfilePoint unknown_point(const ProfilePoint& above, Proof proof) {
  const Enclosure unknown(0.0, above.delta().upper());
  return {above.epsilon, unknown, unknown, proof};
}

// Beyond this relative error of the leverages nothing is said of a single row.
constexpr double useful_error = 1e-5;

// With what rounding leaves open of p and q - p, estimated.
ProfilePoint point_of(const Shape& shape, const LeveragePair& pair, double relative_error,
                      const ProfilePoint& above, double epsilon) {
  const double q = pair.row + pair.residual;
  const double off = 2.0 * relative_error * (pair.row + q);
  if (!(relative_error < useful_error && q + off < 1.0))
    return unknown_point(above, Proof::estimated);
  const PrecisionScope scope(proof_bits);
  GaussianSpectrum spectrum =
      spectrum_of(shape, Ball::between(std::max(pair.row - off, 0.0), pair.row + off),
                  Ball::between(std::max(pair.residual - off, 0.0), pair.residual + off));
  spectrum.set_estimated();
  return profile(PrivacyLoss::gaussian(spectrum), epsilon, Accuracy::fast);
}

// The same, certified: p and q in the database without the row, where sign > 0, else with it.
ProfilePoint proved_pair(const Shape& shape, const Ball& p, const Ball& q, double sign,
                         const ProfilePoint& above) {
  const PrecisionScope scope(proof_bits);
  const Ball one = 1.0, s = q - p;
  const Ball with_p = sign > 0.0 ? p / (one + p) : p;
  const Ball with_s = sign > 0.0 ? s / ((one + p) * (one + q)) : s;
  // The variance ratio in the direction of the row must be told from 0.
  const Ball rest = one - with_p - with_s, ratio = (one - with_p) * (one - with_p) / rest;
  const bool known = rest.surely_positive() && ratio.finite() && ratio.lower() > 1e-20 &&
                     with_p.upper() >= 0.0 && with_s.upper() >= 0.0;
  if (!known) return unknown_point(above, Proof::certified);
  const auto not_negative = [](const Ball& value) {
    return value.lower() >= 0.0 ? value : Ball::between(0.0, value.upper());
  };
  return profile(
      PrivacyLoss::gaussian(spectrum_of(shape, not_negative(with_p), not_negative(with_s))),
      above.epsilon, Accuracy::certified);
}

// One row, certified, in a table or added to it.
class ProvedRows {
 public:
  ProvedRows(const RidgedMoments& moments, const Shape& shape, const ProfilePoint& above)
      : shape_(shape),
        above_(above),
        features_(moments.proved_inverse(moments.width() - 1)),
        all_(moments.proved_inverse(moments.width())) {}

  ProfilePoint point(const Eigen::VectorXd& row, double sign) const {
    const PrecisionScope scope(proof_bits);
    const auto form = [](const InverseForm& inverse, const Eigen::VectorXd& of) {
      const InverseForm::Solved solved = inverse.solved(BallMatrix(of));
      return inverse(solved, solved);
    };
    return proved_pair(shape_, form(features_, row.head(row.size() - 1)), form(all_, row), sign,
                       above_);
  }

 private:
  Shape shape_;
  ProfilePoint above_;
  InverseForm features_, all_;
};

// Rows whose pairs no other one dominates, with their numbers.
struct FrontierRows {
  explicit FrontierRows(double features) : frontier(features) {}
  LeverageFrontier frontier;
  std::map<std::pair<double, double>, RankedRow> rows;
  FigureCounts counts;

  void add(const RowBlock& block, const Eigen::MatrixXd& whitened) {
    const Eigen::Index d = whitened.cols() - 1;
    const Eigen::VectorXd p = whitened.leftCols(d).rowwise().squaredNorm();
    const Eigen::VectorXd s = whitened.col(d).cwiseAbs2();
    if (!(p.allFinite() && s.allFinite())) throw Error("the loss of a row could not be computed");
    counts.add(p + s);
    for (Eigen::Index i = 0; i < p.size(); ++i) frontier.add(LeveragePair{p[i], s[i]});
    std::map<std::pair<double, double>, Eigen::Index> places;
    for (const LeveragePair& pair : frontier.pairs()) places[{pair.row, pair.residual}] = -1;
    for (Eigen::Index i = p.size() - 1; i >= 0; --i) {
      const auto place = places.find({p[i], s[i]});
      if (place != places.end()) place->second = i;  // the first of equal ones
    }
    for (const auto& [pair, i] : places)
      rows[pair] = {pair.first, 1.0 + static_cast<double>(i), block.row(i).transpose()};
  }

  void add(const FrontierRows& later, double rows_before) {
    frontier.add(later.frontier);
    counts.add(later.counts);
    for (const auto& [pair, row] : later.rows)
      rows.try_emplace(pair, RankedRow{row.score, row.number + rows_before, row.row});
    std::map<std::pair<double, double>, RankedRow> kept;
    for (const LeveragePair& pair : frontier.pairs())
      kept.insert(*rows.find({pair.row, pair.residual}));
    rows = std::move(kept);
  }
};

FrontierRows frontier_of(const AuditedTable& audited, const RidgedMoments& moments,
                         double features) {
  FrontierRows all(features);
  for_each_clipped_block(audited, [&](const RowBlock& rows) -> JoinBlock {
    auto here = std::make_shared<FrontierRows>(features);
    here->add(rows, moments.whitened(rows));
    return [&all, here](double rows_before) { all.add(*here, rows_before); };
  });
  return all;
}

// A row that changes nothing, such as one of zeros, is in no frontier. Estimated.
WorstNeighbor worst_removed(const FrontierRows& rows, const Shape& shape,
                            const RidgedMoments& moments, const ProfilePoint& everywhere,
                            double epsilon) {
  const ProfilePoint nothing = profile(PrivacyLoss(), epsilon);
  const auto width = static_cast<Eigen::Index>(shape.features) + 1;
  WorstNeighbor worst{1.0, Eigen::VectorXd::Zero(width), nothing, nothing.delta().upper(), true};
  const auto middle = [](const ProfilePoint& each) {
    return each.delta().lower() + each.delta().upper();
  };
  for (const auto& [pair, row] : rows.rows) {
    const ProfilePoint point =
        point_of(shape, {pair.first, pair.second}, moments.relative_error(), everywhere, epsilon);
    worst.bound = std::max(worst.bound, point.delta().upper());
    if (!(middle(point) > middle(worst.found))) continue;
    worst.number = row.number;
    worst.row = row.row;
    worst.found = point;
  }
  return worst;
}

// (|z_1..d|^2, z_(d+1)^2) = (v^T A v, v^T B v), B = w w^T, is a joint numerical range: rows on its
// outer edge are top eigenvectors of cos(t) A + sin(t) B. Where these jump, as they do for a table
// without rows, the edge is straight, and mixtures of both ends lie on it.
std::vector<Eigen::VectorXd> edge_rows(const RidgedMoments& moments, double row_norm_bound) {
  const Eigen::MatrixXd inverse = moments.inverse();
  const Eigen::Index d = inverse.rows() - 1;
  // Of C^-1 = L^-T L^-1 the last row of L^-1 is what the target adds.
  const Eigen::VectorXd target = inverse.col(d) / std::sqrt(inverse(d, d));
  const Eigen::MatrixXd with_target = target * target.transpose();
  const int angles = d <= 100 ? 16 : 4;
  std::vector<Eigen::VectorXd> rows;
  for (int i = 0; i <= angles; ++i) {
    const double angle = 0.5 * M_PI * i / angles;
    const SymmetricEigen axes =
        symmetric_eigen(std::cos(angle) * (inverse - with_target) + std::sin(angle) * with_target);
    rows.push_back(row_norm_bound * axes.vectors.col(d));
  }
  const Eigen::VectorXd first = rows.front(), last = rows.back();
  for (int i = 1; i < 32; ++i) {
    const double angle = M_PI * i / 32;
    rows.push_back(std::cos(angle) * first + std::sin(angle) * last);
  }
  return rows;
}

// The row to be added that looks worst, estimated.
Eigen::VectorXd search_row(const AuditedTable& audited, const Shape& shape,
                           const std::vector<Eigen::VectorXd>& starts, double epsilon,
                           const std::function<LeveragePair(const Eigen::VectorXd&)>& added) {
  return search_added_row(
             AddedRows(audited), starts,
             [&](const Eigen::VectorXd& row) { return estimate(shape, added(row), epsilon); })
      .row;
}

// Added to a table without rows: C = ridge I.
Eigen::VectorXd witness_row(const AuditedTable& audited, const Shape& shape, double ridge,
                            double epsilon) {
  const AddedRows rows(audited);
  const auto width = static_cast<Eigen::Index>(audited.rule.width());
  Eigen::VectorXd best;
  double largest = -1.0;
  const auto look_at = [&](const Eigen::VectorXd& wanted) {
    const Eigen::VectorXd row = rows.realized(audited.row_norm_bound * wanted);
    const double delta = estimate(shape, once_added(pair_of(row / std::sqrt(ridge))), epsilon);
    if (!(delta > largest)) return;
    largest = delta;
    best = row;
  };
  // (p, q) depend on the lengths of the features and of the target alone.
  look_at(Eigen::VectorXd::Ones(width));
  for (const double length : {1.0, 0.7, 0.4})
    for (int i = 0; i <= 24; ++i) {
      const double angle = 0.5 * M_PI * i / 24;
      look_at(length * (std::cos(angle) * Eigen::VectorXd::Unit(width, 0) +
                        std::sin(angle) * Eigen::VectorXd::Unit(width, width - 1)));
    }
  return best;
}

ProfilePoint witness_point(const Shape& shape, const Eigen::VectorXd& row, double ridge,
                           const ProfilePoint& above) {
  const PrecisionScope scope(proof_bits);
  const BallMatrix all(row), features(row.head(row.size() - 1));
  return proved_pair(shape, dot(features, features) / Ball(ridge), dot(all, all) / Ball(ridge), 1.0,
                     above);
}

// Every row of the norm bound has q <= Q: the supremum over all 0 <= p <= q <= Q.
double bound_on_added(const Shape& shape, const RidgedMoments& moments,
                      const ProfilePoint& everywhere, const PrivacyTarget& claim) {
  const double full = moments.largest_added_leverage();
  const LeastSquaresCover cover(shape.columns, shape.features, {{0.0, full, full, full}});
  const double bound = everywhere.delta().upper();
  return bound > claim.delta && cover.stays_below(claim.epsilon, claim.delta) ? claim.delta : bound;
}

}  // namespace

NeighborAudit audit_least_squares(const AuditedTable& audited, double columns, double ridge,
                                  const PrivacyTarget& claim,
                                  const std::optional<ProfilePoint>& proved) {
  if (audited.rule.width() < 2)
    throw InvalidParameter("the list of features", "empty", "must name a column");
  require_positive("ridge", ridge);
  const Shape shape{require_count("columns", columns),
                    static_cast<double>(audited.rule.width() - 1)};
  const ProfilePoint above = proved ? *proved
                                    : least_squares_supremum(shape.columns, shape.features, ridge,
                                                             audited.row_norm_bound, claim.epsilon);
  const Eigen::VectorXd witness = witness_row(audited, shape, ridge, claim.epsilon);
  NeighborAudit audit =
      public_part(above, witness_point(shape, witness, ridge, above), {{}, witness});
  if (!audited.read) return judged(std::move(audit), claim);
  const RidgedMoments moments(audited, ridge);
  const ProvedRows proofs(moments, shape, above);
  const FrontierRows rows = frontier_of(audited, moments, shape.features);
  const Eigen::VectorXd added = search_row(
      audited, shape, edge_rows(moments, audited.row_norm_bound), claim.epsilon,
      [&](const Eigen::VectorXd& row) { return once_added(pair_of(moments.whitened(row))); });
  audit.rows = rows.counts.count();
  audit.figures = rows.counts.figures("leverage with the target");
  audit.added = WorstNeighbor{std::nullopt, added, proofs.point(added, 1.0),
                              bound_on_added(shape, moments, audit.everywhere, claim), false};
  if (audit.rows > 0.0) {
    audit.removed = worst_removed(rows, shape, moments, above, claim.epsilon);
    audit.removed->number = number_in_table(audited, *audit.removed->number);
    audit.removed->found = proofs.point(audit.removed->row, -1.0);
  }
  if (audited.neighbor != nullptr) {
    const RowChange change = change_to_neighbor(audited);
    const ProfilePoint point = proofs.point(change.row, change.sign);
    audit.given =
        WorstNeighbor{number_of(audited, change), change.row, point, point.delta().upper(), true};
  }
  return judged(std::move(audit), claim);
}

}  // namespace modicum
