#include "modicum/release/neighbor_audit.h"

#include <algorithm>
#include <cmath>

#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/matrix_noise.h"
#include "modicum/mechanisms/random_projection.h"
#include "numerics/precise_ball.h"
#include "release/neighbors/neighbor_moments.h"
#include "release/neighbors/neighbor_rows.h"
#include "release/neighbors/neighbor_search.h"
#include "release/neighbors/neighbor_verdict.h"

namespace modicum {
namespace {

// What shifts by a row of this squared norm, in squared units of the noise.
using SquaredShift = std::function<Ball(const Ball& squared_norm)>;

// The squared norm is a whole number of squared grids below 2^53, so it has no error.
ProfilePoint shift_point(const SquaredShift& shift, double squared_norm, double epsilon) {
  const PrecisionScope scope(proof_bits);
  GaussianSpectrum spectrum;
  if (squared_norm > 0.0)
    spectrum.add({Precise::exactly(0.0),
                  to_precise("the squared norm of a row", shift(Ball(squared_norm))), 1.0});
  return profile(PrivacyLoss::gaussian(spectrum), epsilon, Accuracy::certified);
}

// The longest row that a file can hold: the same whatever the table.
FoundRow longest_row(const AuditedTable& audited) {
  return search_added_row(AddedRows(audited), {},
                          [](const Eigen::VectorXd& row) { return row.squaredNorm(); });
}

// Both sums with noise: delta grows with the norm of the row, whatever the others are.
NeighborAudit audit_shift(const AuditedTable& audited, const SquaredShift& shift,
                          const ProfilePoint& above, const PrivacyTarget& claim) {
  const FoundRow longest = longest_row(audited);
  const ProfilePoint longest_point = shift_point(shift, longest.value, claim.epsilon);
  NeighborAudit audit = public_part(above, longest_point, {{}, longest.row});
  if (!audited.read) return judged(std::move(audit), claim);
  const ScoredRows scored = score_rows(
      audited, 1, [](const RowBlock& rows) { return rows.rowwise().squaredNorm().eval(); });
  audit.rows = scored.counts.count();
  audit.figures = scored.counts.figures("squared norm");
  audit.added = WorstNeighbor{std::nullopt, longest.row, longest_point, 1.0, false};
  const auto entered = [&](std::optional<double> number, const Eigen::VectorXd& row) {
    const ProfilePoint point = shift_point(shift, row.squaredNorm(), claim.epsilon);
    return WorstNeighbor{number, row, point, point.delta().upper(), true};
  };
  if (!scored.worst.rows().empty()) {
    const RankedRow& worst = scored.worst.rows().front();
    audit.removed = entered(number_in_table(audited, worst.number), worst.row);
  }
  if (audited.neighbor != nullptr) {
    const RowChange change = change_to_neighbor(audited);
    audit.given = entered(number_of(audited, change), change.row);
  }
  return judged(std::move(audit), claim);
}

// delta only grows with the leverage, in both directions.
ProfilePoint projection_point(double columns, const LeverageBounds& leverage, double epsilon) {
  return between(profile(random_projection(columns, leverage.lower), epsilon, Accuracy::certified),
                 profile(random_projection(columns, leverage.upper), epsilon, Accuracy::certified),
                 Proof::certified);
}

// x^T C^-1 x of a row that C does not contain, as the leverage that it has once it is added.
Ball once_added(const Ball& form) { return form / (Ball(1.0) + form); }

}  // namespace

NeighborAudit audit_covariance(const AuditedTable& audited, double standard_deviation,
                               const PrivacyTarget& claim) {
  const ProfilePoint above =
      profile(covariance_mechanism(standard_deviation, audited.row_norm_bound), claim.epsilon,
              Accuracy::certified);
  const SquaredShift shift = [standard_deviation](const Ball& square) {
    return square * square / (Ball(2.0) * Ball(standard_deviation) * Ball(standard_deviation));
  };
  return audit_shift(audited, shift, above, claim);
}

NeighborAudit audit_sum(const AuditedTable& audited, double standard_deviation,
                        const PrivacyTarget& claim) {
  const ProfilePoint above = profile(gaussian_mechanism(standard_deviation, audited.row_norm_bound),
                                     claim.epsilon, Accuracy::certified);
  const SquaredShift shift = [standard_deviation](const Ball& square) {
    return square / (Ball(standard_deviation) * Ball(standard_deviation));
  };
  return audit_shift(audited, shift, above, claim);
}

NeighborAudit audit_projection(const AuditedTable& audited, double columns, double ridge,
                               const PrivacyTarget& claim) {
  const double bound = audited.row_norm_bound;
  require_positive("ridge", ridge);
  const ProfilePoint above =
      profile(ridge_projection(columns, ridge, bound), claim.epsilon, Accuracy::certified);
  const auto point_of = [&](const Ball& leverage) {
    return projection_point(columns, leverage_in(leverage, ridge, bound), claim.epsilon);
  };
  const FoundRow longest = longest_row(audited);
  const PrecisionScope scope(proof_bits);
  NeighborAudit audit = public_part(above, point_of(once_added(Ball(longest.value) / Ball(ridge))),
                                    {{}, longest.row});
  if (!audited.read) return judged(std::move(audit), claim);
  const RidgedMoments moments(audited, ridge);
  const InverseForm inverse = moments.proved_inverse(moments.width());
  const auto leverage_of = [&](const Eigen::VectorXd& row, double sign) {
    const InverseForm::Solved solved = inverse.solved(BallMatrix(row));
    const Ball form = inverse(solved, solved);
    return sign < 0.0 ? form : once_added(form);
  };
  const ScoredRows scored = score_rows(audited, 1, [&](const RowBlock& rows) {
    return moments.whitened(rows).rowwise().squaredNorm().eval();
  });
  const FoundRow heaviest = search_added_row(
      AddedRows(audited), {bound * moments.weakest_direction()},
      [&](const Eigen::VectorXd& row) { return moments.whitened(row).squaredNorm(); });
  audit.rows = scored.counts.count();
  audit.figures = scored.counts.figures("leverage");
  audit.added = WorstNeighbor{std::nullopt, heaviest.row, point_of(leverage_of(heaviest.row, 1.0)),
                              profile(random_projection(columns, moments.largest_added_leverage()),
                                      claim.epsilon, Accuracy::certified)
                                  .delta()
                                  .upper(),
                              false};
  if (!scored.worst.rows().empty()) {
    const RankedRow& worst = scored.worst.rows().front();
    audit.removed = WorstNeighbor{
        number_in_table(audited, worst.number), worst.row, point_of(leverage_of(worst.row, -1.0)),
        // Another row may have more, as far as rounding allows.
        projection_point(columns, moments.bounds(worst.score), claim.epsilon).delta().upper(),
        true};
  }
  if (audited.neighbor != nullptr) {
    const RowChange change = change_to_neighbor(audited);
    const ProfilePoint point = point_of(leverage_of(change.row, change.sign));
    audit.given =
        WorstNeighbor{number_of(audited, change), change.row, point, point.delta().upper(), true};
  }
  return judged(std::move(audit), claim);
}

}  // namespace modicum
