// Rows about their own means: a private count and mean, a private norm, then second moments.
#pragma once

#include <optional>

#include "release/look/look_rounds.h"

namespace modicum {

/// All of it is released: in the coordinates of the rows.
struct CenteredLook {
  double rows;  ///< about how many
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;  ///< of clipped rows, about the mean; need not be positive definite
  double noise;                ///< standard deviation of an entry off the diagonal
};

/// Takes all of the budget. About `center`, where that is public: nothing is spent on means then.
CenteredLook look_at_covariance(const MappedRows& rows, double row_norm_bound,
                                const LookBudget& budget,
                                const std::optional<Eigen::VectorXd>& center, RandomSource& source);

/// What look_at_covariance would do to a table of so many rows whose covariance has these
/// eigenvalues, were its rows normal and their number and mean known: the standard deviation of an
/// entry off the diagonal. No bound, and in the units of the eigenvalues.
double expected_covariance_noise(double mu, double rows, const Eigen::VectorXd& eigenvalues);

}  // namespace modicum
