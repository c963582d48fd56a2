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
  const PrecisionScope scope(160);
  GaussianSpectrum spectrum;
  if (squared_norm > 0.0)
    spectrum.add({Precise::exactly(0.0),
                  to_precise("the squared norm of a row", shift(Ball(squared_norm))), 1.0});
  return profile(PrivacyLoss::gaussian(spectrum), epsilon, Accuracy::certified);
}

// Both sums with noise: delta grows with the norm of the row, whatever the others are.
NeighborAudit audit_shift(const AuditedTable& audited, const SquaredShift& shift,
                          const ProfilePoint& everywhere, const PrivacyTarget& claim) {
  const ScoredRows scored = score_rows(
      audited, 1, [](const RowBlock& rows) { return rows.rowwise().squaredNorm().eval(); });
  const FoundRow longest = search_added_row(
      AddedRows(audited), {}, [](const Eigen::VectorXd& row) { return row.squaredNorm(); });
  NeighborAudit audit{Verdict::undecided,
                      everywhere,
                      scored.counts.count(),
                      std::nullopt,
                      WorstNeighbor{std::nullopt, longest.row,
                                    shift_point(shift, longest.value, claim.epsilon), 1.0, false},
                      scored.counts.figures("squared norm")};
  if (!scored.worst.rows().empty()) {
    const RankedRow& worst = scored.worst.rows().front();
    const ProfilePoint point = shift_point(shift, worst.score, claim.epsilon);
    audit.removed = WorstNeighbor{worst.number, worst.row, point, point.delta().upper(), true};
  }
  return judged(std::move(audit), claim);
}

// delta only grows with the leverage, in both directions.
ProfilePoint projection_point(double columns, const LeverageBounds& leverage, double epsilon) {
  return between(profile(random_projection(columns, leverage.lower), epsilon),
                 profile(random_projection(columns, leverage.upper), epsilon), Proof::estimated);
}

}  // namespace

NeighborAudit audit_covariance(const AuditedTable& audited, double standard_deviation,
                               const PrivacyTarget& claim) {
  const ProfilePoint everywhere =
      profile(covariance_mechanism(standard_deviation, audited.row_norm_bound), claim.epsilon,
              Accuracy::certified);
  const SquaredShift shift = [standard_deviation](const Ball& square) {
    return square * square / (Ball(2.0) * Ball(standard_deviation) * Ball(standard_deviation));
  };
  return audit_shift(audited, shift, everywhere, claim);
}

NeighborAudit audit_sum(const AuditedTable& audited, double standard_deviation,
                        const PrivacyTarget& claim) {
  const ProfilePoint everywhere =
      profile(gaussian_mechanism(standard_deviation, audited.row_norm_bound), claim.epsilon,
              Accuracy::certified);
  const SquaredShift shift = [standard_deviation](const Ball& square) {
    return square / (Ball(standard_deviation) * Ball(standard_deviation));
  };
  return audit_shift(audited, shift, everywhere, claim);
}

NeighborAudit audit_projection(const AuditedTable& audited, double columns, double ridge,
                               const PrivacyTarget& claim) {
  const ProfilePoint everywhere = profile(ridge_projection(columns, ridge, audited.row_norm_bound),
                                          claim.epsilon, Accuracy::certified);
  const RidgedMoments moments(audited, ridge);
  const ScoredRows scored = score_rows(audited, 1, [&](const RowBlock& rows) {
    return moments.whitened(rows).rowwise().squaredNorm().eval();
  });
  const FoundRow heaviest = search_added_row(
      AddedRows(audited), {audited.row_norm_bound * moments.weakest_direction()},
      [&](const Eigen::VectorXd& row) { return moments.whitened(row).squaredNorm(); });
  const double added = heaviest.value / (1.0 + heaviest.value);
  const double bound = profile(random_projection(columns, moments.largest_added_leverage()),
                               claim.epsilon, Accuracy::certified)
                           .delta()
                           .upper();
  NeighborAudit audit{
      Verdict::undecided,
      everywhere,
      scored.counts.count(),
      std::nullopt,
      WorstNeighbor{std::nullopt, heaviest.row,
                    projection_point(columns, moments.bounds(added), claim.epsilon), bound, false},
      scored.counts.figures("leverage")};
  if (!scored.worst.rows().empty()) {
    const RankedRow& worst = scored.worst.rows().front();
    const ProfilePoint point =
        projection_point(columns, moments.bounds(worst.score), claim.epsilon);
    audit.removed = WorstNeighbor{worst.number, worst.row, point, point.delta().upper(), true};
  }
  return judged(std::move(audit), claim);
}

}  // namespace modicum
