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

}  // namespace modicum
