// Gaussian noise that is correlated between the rounds of a training: S x + z is released, S a
// lower triangular strategy matrix and x the sums of the rounds
// [DenisovMcMahanRushSmithThakurta2022]. Rounds may depend on earlier answers.
// (docs/derivations/correlated-noise.md)
#pragma once

#include <Eigen/Core>
#include <vector>

#include "modicum/privacy/privacy_loss.h"

namespace modicum {

/// In which rounds one record may take part.
struct Participation {
  /// Any rounds that are at least `separation` apart, at most `most` of them. With `cyclic` every
  /// separation-th round from some first one on, and no others.
  double separation = 1.0, most = 1.0;
  bool cyclic = false;
  /// Where not empty: one of these lists of rounds, counted from 0, and no others.
  std::vector<std::vector<double>> patterns = {};
};

/// How far a record can move S x, where it moves each round in which it takes part by at most 1:
/// the largest sqrt(sum of abs((S^T S)_ij)) over i, j in a pattern. Rounded upwards; for rounds
/// that are only some distance apart a bound, the exact maximum where rows do not compete. At most
/// 4096 rounds. Throws InvalidParameter, for a matrix that is not square and lower triangular, too.
double correlated_sensitivity(const Eigen::MatrixXd& strategy, const Participation& participation);

/// `noise_multiplier` is the deviation of z over the norm of what a record adds to a round.
/// `moved` is how far a round is moved in units of that norm: 1, or 2 under replacement.
PrivacyLoss correlated_gaussian(const Eigen::MatrixXd& strategy, double noise_multiplier,
                                const Participation& participation, double moved = 1.0);

/// A strategy whose columns have at most `separation` entries, from the diagonal on; records are
/// split into `separation` groups, and round i draws each record of the group i modulo `separation`
/// with this probability. [ChoquetteChooGaneshMcKennaMcMahanRushThakurtaXu2023]
PrivacyLoss sampled_banded_gaussian(const Eigen::MatrixXd& strategy, double noise_multiplier,
                                    double separation, double sampling_rate);

/// The lower triangular Toeplitz matrix of so many rounds with this first column; zeros follow.
Eigen::MatrixXd toeplitz_strategy(const std::vector<double>& coefficients, double rounds);

/// Noise in every node of binary trees, each over some rounds; a record takes part in one round of
/// all. [KairouzMcMahanSongThakkarThakurtaXu2021]
PrivacyLoss tree_aggregation(double noise_multiplier, const std::vector<double>& step_counts,
                             double moved = 1.0);

}  // namespace modicum
