// Predictions of a Gaussian process at public points: a draw from the posterior, with noise added.
// What is promised, and why: docs/derivations/gaussian-process.md.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <vector>

#include "modicum/data/rows.h"
#include "modicum/mechanisms/gaussian_process.h"
#include "modicum/privacy/gaussian_pair.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/released.h"

namespace modicum {

class CholeskyFactor;

/// Covariance of the prior at two points at distance r, in units of the amplitude, u = r / length.
enum class PriorKernel {
  rbf,       ///< exp(-u^2 / 2)
  matern12,  ///< exp(-u)
  matern32,  ///< (1 + sqrt(3) u) exp(-sqrt(3) u)
  matern52,  ///< (1 + sqrt(5) u + 5 u^2 / 3) exp(-sqrt(5) u)
  linear,    ///< the inner product of the points: a linear regression with a normal prior
};

/// All numbers are public and count in the coordinates of the rows, after ranges are applied.
struct GaussianProcessRequest {
  PriorKernel kernel = PriorKernel::rbf;
  std::optional<double> length_scale;    ///< 1 by default; not for the linear kernel
  double amplitude = 1.0;                ///< k(x, x), or for the linear kernel k(x, x) / |x|^2
  std::optional<double> noise_variance;  ///< of the targets around the function: required
  std::optional<double> target_bound;    ///< targets are clamped to +- this: required
  std::optional<double> largest_rows;    ///< a promise: required
};

struct GaussianProcessPlan {
  PublicRows rows;  ///< the target last; the norm bound is that of the features, and only the
                    ///< linear kernel has one
  PriorKernel kernel;
  double length_scale, amplitude;
  GaussianProcessBounds bounds;
  RowBlock queries;  ///< coordinates of the features, clipped as rows are
  double lift;       ///< added to each variance
  double grid;       ///< of the values
  Certificate certificate;

  Eigen::Index features() const { return rows.dimension() - 1; }
};

/// Kernels of distances need the matrix of all pairs of rows.
inline constexpr double most_rows_of_distance_kernels = 10000.0;
inline constexpr Eigen::Index most_queries = 4000;

/// Points in the units of the file, a column for each feature, to the coordinates that `rule`, the
/// target last, makes of them.
RowBlock query_coordinates(const RowRule& rule, const RowBlock& points);

/// `queries` are coordinates. Throws InvalidParameter, CalibrationFailed.
GaussianProcessPlan plan_gaussian_process(const PrivacyTarget& target, const PublicRows& rows,
                                          const RowBlock& queries,
                                          const GaussianProcessRequest& request);

/// What the posterior needs of the rows: clipped features and clamped targets, or for the linear
/// kernel their second moments, the target last.
struct GaussianProcessData {
  double rows = 0.0;
  RowBlock features;        ///< empty where only moments were kept
  Eigen::VectorXd targets;  ///< likewise
  Eigen::MatrixXd moments;  ///< linear kernel only
};

/// One pass. The linear kernel keeps no rows, unless asked to. Throws Error where there are more
/// rows than promised.
GaussianProcessData read_gaussian_process(const GaussianProcessPlan& plan, const Table& table,
                                          const RowRule& rule, const ReadOptions& options = {},
                                          bool keep_rows = false);
/// From coordinates in memory, the target last. Rows are clipped here. Throws Error as above.
GaussianProcessData gaussian_process_data(const GaussianProcessPlan& plan, const RowBlock& rows);

/// Two lifted posteriors that differ in one record, in units of the one with it: the means differ
/// in one direction, in which the other has variance 1 + excess.
struct PosteriorPair {
  double excess, mean_square;
  /// X has the record.
  PrivacyLoss loss() const;
};

/// The posterior of given data, and what a row more or less makes of it. Throws Error where the
/// matrix cannot be factorized.
class GaussianProcessFit {
 public:
  GaussianProcessFit(const GaussianProcessPlan& plan, GaussianProcessData data);

  /// At the queries, without the lift, in coordinates.
  const GaussianDistribution& posterior() const { return posterior_; }
  /// What is drawn from: the lift added.
  GaussianDistribution lifted() const;
  double rows() const { return data_.rows; }

  /// For each row, in their order, the pair with and without it. Needs the rows. O(n^3), or for the
  /// linear kernel O(n d^2).
  std::vector<PosteriorPair> removed() const;
  /// For each of these rows, as gaussian_process_data clips them, the pair with it added and
  /// without.
  std::vector<PosteriorPair> added(const GaussianProcessData& rows) const;

 private:
  // The posterior at points, and its covariance with the queries, a column for each point.
  struct Prediction {
    Eigen::VectorXd mean, variance;
    Eigen::MatrixXd covariance;
  };
  void fit_distances();
  void fit_linear();
  Eigen::MatrixXd solved(const Eigen::MatrixXd& columns) const;
  Prediction predict(const RowBlock& points) const;
  std::vector<PosteriorPair> removed_by_moments() const;
  std::vector<PosteriorPair> removed_by_inverse() const;

  PriorKernel kernel_;
  double length_scale_, amplitude_;
  GaussianProcessBounds bounds_;
  double lift_;
  RowBlock queries_;
  GaussianProcessData data_;
  std::shared_ptr<const CholeskyFactor> factor_;
  Eigen::VectorXd weights_;         // L^-1 of the targets, or of their products with the features
  Eigen::MatrixXd queries_solved_;  // L^-1 of the kernel of rows and queries, or of the queries
  GaussianDistribution posterior_;  // without the lift
};

/// Column `value`, in the units of the file, a row for each query, named by its number. Throws
/// Error where the covariance cannot be factorized: nothing is released then.
Released release_gaussian_process(const GaussianProcessPlan& plan, const GaussianProcessFit& fit,
                                  RandomSource& source);

/// Rows used, the root mean squared distance of the values from the mean of the posterior, and
/// beside it the deviations of the posterior itself; in the units of the file.
Diagnostics diagnose_gaussian_process(const Released& released, const GaussianProcessPlan& plan,
                                      const GaussianProcessFit& fit);

}  // namespace modicum
