// What single records lost to Gaussian noise on a sum of rows, on their second moments, or on a
// vector or a matrix computed elsewhere [RedbergWang2021, Theorem 22, Corollary 23]. Proofs:
// docs/derivations/matrices.md.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "modicum/calibration/calibrate.h"
#include "modicum/data/value.h"
#include "modicum/mechanisms/per_instance_gaussian.h"

namespace modicum {

enum class NoisyStatistic { sum, second_moments, vector, matrix };
const char* to_string(NoisyStatistic statistic);  ///< "sum", "second moments", ...

/// A release with Gaussian noise, as its certificate tells it. All of it is public.
struct NoisyAnswer {
  NoisyStatistic statistic;
  double
      standard_deviation;  ///< of each number; of a matrix off its diagonal, which has sqrt 2 of it
  double largest_shift;    ///< in the Euclidean or the Frobenius norm, of any record
  std::vector<std::string> coordinates;  ///< of rows; none for what was computed elsewhere
  double row_norm_bound = 0.0;           ///< the same
  PrivacyTarget target;
  std::vector<double> centers = {}, scales = {};  ///< of rows with ranges: value = center + scale x

  bool of_rows() const {
    return statistic == NoisyStatistic::sum || statistic == NoisyStatistic::second_moments;
  }
  /// A record that moves the answer by this much. Throws InvalidParameter for more than any may.
  GaussianInstance instance(double shift) const;
  /// The same of a clipped row: by |x|, or by |x|^2. Needs of_rows().
  GaussianInstance instance(const Eigen::VectorXd& row) const;
};

/// Throws InvalidParameter for the certificate of another mechanism, or of noise that is not
/// Gaussian (of a matrix: of the orthogonal ensemble); InvalidDescription for one that is none.
NoisyAnswer noisy_answer_in(const Value& certificate);

/// log of the ratio of the densities of what was released, with the row over without it, for rows
/// of the data. `noise` is what was released less the true answer: a column, or a symmetric matrix.
/// Confidential: for the holder of the data alone.
Eigen::VectorXd signed_noise_losses(const NoisyAnswer& answer, const Eigen::MatrixXd& noise,
                                    const Eigen::MatrixXd& rows);

/// Throws InvalidParameter, naming `table`, where the noise is longer than it is but once in 10^9
/// releases: the answer is that of another table.
void require_noise_of(const NoisyAnswer& answer, const Eigen::MatrixXd& noise);

}  // namespace modicum
